"""Action sets as plain values."""

from __future__ import annotations

from skresp import ActionSet

from .attack import Attack

HEAD = "features: {a: {kind: binary}, b: {kind: binary}}\n"


def in_file(text: str) -> str:
    return f"features: {{a: {text}}}"


ATTACKS = [
    Attack(
        "a list",
        lambda w: ActionSet.from_dict([]),
        TypeError,
        (
            "An action set must be a mapping with the keys features and "
            "constraints, got list."
        ),
    ),
    Attack(
        "empty",
        lambda w: ActionSet.from_dict({}),
        TypeError,
        (
            "The features of an action set must be a mapping from name to "
            "fields, got None."
        ),
    ),
    Attack(
        "unknown key",
        lambda w: ActionSet.from_dict({"features": {}, "constraint": []}),
        ValueError,
        (
            "An action set has no key 'constraint'. Did you mean "
            "'constraints'? Its keys are features, constraints."
        ),
    ),
    Attack(
        "features is a list",
        lambda w: ActionSet.from_dict({"features": []}),
        TypeError,
        (
            "The features of an action set must be a mapping from name to "
            "fields, got []."
        ),
    ),
    Attack(
        "feature is text",
        lambda w: w.read(in_file("binary")),
        TypeError,
        (
            ".../a.yaml: Feature 'a' must be a mapping such as {kind: "
            "binary}, got 'binary'."
        ),
    ),
    Attack(
        "no kind",
        lambda w: w.read(in_file("{lower: 0}")),
        ValueError,
        (".../a.yaml: Feature 'a' has no kind. Add one, for example kind: integer."),
    ),
    Attack(
        "unknown field",
        lambda w: w.read(in_file("{kind: binary, low: 0}")),
        ValueError,
        (
            ".../a.yaml: Feature 'a' has no key 'low'. Did you mean "
            "'lower'? Its keys are kind, lower, upper, actionable, "
            "mutable, direction, max_increase, max_decrease, step, "
            "categories."
        ),
    ),
    Attack(
        "field is a number",
        lambda w: w.read(in_file("{kind: binary, 1: 0}")),
        ValueError,
        (
            ".../a.yaml: Feature 'a' has no key 1. Its keys are kind, "
            "lower, upper, actionable, mutable, direction, max_increase, "
            "max_decrease, step, categories."
        ),
    ),
    Attack(
        "categories: 5",
        lambda w: w.read(in_file("{kind: categorical, categories: 5}")),
        TypeError,
        (
            ".../a.yaml: Feature 'a': categories must be a list of labels, "
            "got 5. Put the labels in a list."
        ),
    ),
    Attack(
        "categories: {a: 1}",
        lambda w: w.read(in_file("{kind: categorical, categories: {a: 1}}")),
        TypeError,
        (
            ".../a.yaml: Feature 'a': categories must be a list of labels, "
            "got {'a': 1}. Put the labels in a list."
        ),
    ),
    Attack(
        "categories: [1, '1']",
        lambda w: w.read(in_file("{kind: categorical, categories: [1, '1']}")),
        ValueError,
        (
            ".../a.yaml: Feature 'a': categories must differ as texts too, "
            "got 1 and '1'. Use one of the two, also in the data."
        ),
    ),
    Attack(
        "actionable: yes",
        lambda w: w.read(in_file("{kind: binary, actionable: yes}")),
        TypeError,
        (
            ".../a.yaml: Feature 'a': actionable must be True or False "
            "(true or false in a file), got 'yes'."
        ),
    ),
    Attack(
        "a date",
        lambda w: w.read(in_file("{kind: real, lower: 2020-01-01}")),
        TypeError,
        (
            ".../a.yaml: Feature 'a': lower must be a number, got "
            "datetime.date(2020, 1, 1)."
        ),
    ),
    Attack(
        "not a date",
        lambda w: w.read(in_file("{kind: real, lower: 2020-13-45}")),
        ValueError,
        ".../a.yaml cannot be read: month must be in 1..12...",
    ),
    Attack(
        "upper: .inf",
        lambda w: w.read(in_file("{kind: real, lower: 0, upper: .inf}")),
        ValueError,
        (
            ".../a.yaml: Feature 'a': upper must be finite, got inf. Give "
            "a bound wide enough for everybody, or leave upper out."
        ),
    ),
    Attack(
        "a name is a number",
        lambda w: w.read("features: {1: {kind: binary}}"),
        TypeError,
        ".../a.yaml: Feature names must be strings, got 1.",
    ),
    Attack(
        "constraints: 5",
        lambda w: w.read(HEAD + "constraints: 5"),
        TypeError,
        (".../a.yaml: The constraints of an action set must be a list, got 5."),
    ),
    Attack(
        "constraint: 5",
        lambda w: w.read(HEAD + "constraints: [5]"),
        ValueError,
        ".../a.yaml: Constraint 1 must be a mapping with a type, got 5.",
    ),
    Attack(
        "no type",
        lambda w: w.read(HEAD + "constraints: [{features: [a, b]}]"),
        ValueError,
        (
            ".../a.yaml: Constraint 1 must be a mapping with a type, got "
            "{'features': ['a', 'b']}."
        ),
    ),
    Attack(
        "unknown type",
        lambda w: w.read(HEAD + "constraints: [{type: onehot, features: [a, b]}]"),
        ValueError,
        (
            ".../a.yaml: Constraint 1 has the unknown type 'onehot'; the "
            "types are if_then, linear, linkage, one_hot, ordinal, "
            "reachability, switch, thermometer. Did you mean 'one_hot'?"
        ),
    ),
    Attack(
        "type is a list",
        lambda w: w.read(HEAD + "constraints: [{type: [one_hot]}]"),
        ValueError,
        (
            ".../a.yaml: Constraint 1 has the unknown type ['one_hot']; "
            "the types are if_then, linear, linkage, one_hot, ordinal, "
            "reachability, switch, thermometer. Did you mean 'one_hot'?"
        ),
    ),
    Attack(
        "field missing",
        lambda w: w.read(HEAD + "constraints: [{type: one_hot}]"),
        ValueError,
        (
            ".../a.yaml: Constraint 1: A constraint of type 'one_hot' "
            "requires the key 'features', got none."
        ),
    ),
    Attack(
        "unknown field of a constraint",
        lambda w: w.read(
            HEAD + "constraints: [{type: one_hot, features: [a, b], max: 1}]"
        ),
        ValueError,
        (
            ".../a.yaml: Constraint 1: A constraint of type 'one_hot' has "
            "no key 'max'. Its keys are features, limit, at_most."
        ),
    ),
    Attack(
        "constraint twice",
        lambda w: w.read(
            HEAD + "constraints:\n" + 2 * "- {type: one_hot, features: [a, b]}\n"
        ),
        ValueError,
        (
            ".../a.yaml: constraints must be distinct, got "
            "OneHot(features=('a', 'b'), limit=1, at_most=False) twice. "
            "Keep one of them; to double an effect, double its scale."
        ),
    ),
    Attack(
        "if without op",
        lambda w: w.read(
            HEAD + "constraints: [{type: if_then, if: {feature: a}, then: {feature: b, "
            "op: '<=', value: 1}}]"
        ),
        ValueError,
        (".../a.yaml: Constraint 1: A condition requires the key 'op', got 'feature'."),
    ),
]
