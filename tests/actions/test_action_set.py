"""Action sets: equality, display, files, and checks against data."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from skresp import ActionSet, Feature
from skresp.constraints import IfThen, Linear, Linkage, OneHot, Thermometer
from tests.strategies import cases


@pytest.fixture
def actions():
    return ActionSet(
        {
            "age": Feature("integer", 19, 75, actionable=False),
            "years": Feature("integer", 0, 40, direction="increase", max_increase=2),
            "income": Feature("real", 0, 20_000, max_increase=5_000),
            "housing": Feature("categorical", categories=["own", "rent", "free"]),
            "u25": Feature("binary"),
            "u50": Feature("binary"),
        },
        [Linkage("years", {"age": 1}), Thermometer(["u25", "u50"], "decrease")],
    )


def test_parts_are_connected_by_constraints_and_ordered_by_column(actions):
    assert actions.parts == (
        ("age", "years"),
        ("income",),
        ("housing",),
        ("u25", "u50"),
    )
    joined = actions.with_constraints(
        IfThen(("u25", "==", 1), ("years", ">=", 1)),
        Linear({"income": 1, "age": 1}, upper=1e6),
    )
    assert joined.parts == (("age", "years", "income", "u25", "u50"), ("housing",))


def test_it_is_frozen_comparable_hashable_and_picklable(actions):
    with pytest.raises(AttributeError, match="frozen"):
        actions.features = {}
    with pytest.raises(TypeError):
        actions.features["age"] = Feature("binary")
    for same in (pickle.loads(pickle.dumps(actions)), copy.deepcopy(actions)):
        assert same == actions
        assert hash(same) == hash(actions)
        assert same.names == actions.names
    assert actions.replace(constraints=[]) != actions
    assert actions != "actions"


def test_replace_and_with_constraints_leave_the_original_alone(actions):
    wider = actions.replace(features={"income": Feature("real", 0, 9)})
    assert wider.features["income"].upper == 9
    assert actions.features["income"].upper == 20_000
    assert wider.names == actions.names
    with pytest.raises(ValueError, match=r"has 'incme'.* Did you mean 'income'"):
        actions.replace(features={"incme": Feature("binary")})


@given(cases())
def test_dict_and_file_forms_are_the_identity(tmp_path_factory, case):
    actions, _ = case
    assert ActionSet.from_dict(actions.to_dict()) == actions
    folder = tmp_path_factory.mktemp("actions")
    for ending in ("yaml", "json"):
        actions.to_file(folder / f"a.{ending}")
        assert ActionSet.from_file(folder / f"a.{ending}") == actions


@pytest.mark.parametrize("ending", ["yaml", "json"])
@pytest.mark.parametrize("odd", ["\x85", "\u2028", "\u2029", "\n", "\ufeff", "\u00a0"])
def test_rare_line_breaks_and_spaces_survive_files(tmp_path, odd, ending):
    names = [f"a{odd}b", f"a {odd}  b: c", f"{odd}a", f"a{odd}"]
    actions = ActionSet(
        {name: Feature("categorical", categories=[f"x{name}", "y"]) for name in names}
    )
    actions.to_file(tmp_path / f"a.{ending}")
    assert ActionSet.from_file(tmp_path / f"a.{ending}") == actions


def test_the_documented_yaml_form_is_read(tmp_path):
    (tmp_path / "a.yml").write_text(
        """
features:
  age:            {kind: integer, lower: 19, upper: 75, actionable: false}
  years_employed: {kind: integer, lower: 0, upper: 40, direction: increase}
  income:         {kind: real, lower: 0, upper: 2e4, max_increase: 5000}
  housing:        {kind: categorical, categories: [own, rent, free]}
  phone:          {kind: categorical, categories: [yes, no]}
  postcode:       {kind: categorical, categories: [0123, 089, 20_000, 1:30]}
  a: {kind: binary}
  b: {kind: binary}
  c: {kind: binary}
  p: {kind: integer, lower: 0, upper: 3}
  q: {kind: integer, lower: 0, upper: 3}
  s: {kind: binary}
  t1: {kind: binary}
  t2: {kind: binary}
constraints:
  - {type: linkage, source: years_employed, effects: {age: 1}, keep_bounds: false}
  - {type: one_hot, features: [a, b, c], limit: 1, at_most: false}
  - {type: ordinal, features: [a, b, c], direction: increase, exhaustive: true}
  - {type: thermometer, features: [a, b, c], direction: decrease}
  - {type: reachability, features: [a, b], values: [[0, 0], [0, 1], [1, 1]],
     reachable: [[1, 1, 1], [0, 1, 1], [0, 0, 1]]}
  - {type: if_then, if: {feature: p, op: ">=", value: 1},
     then: {feature: q, op: "<=", value: 3}}
  - {type: switch, switch: s, targets: [t1, t2], on_value: 1, force_change: false}
  - {type: linear, terms: {p: 1, q: -2}, lower: 0, upper: 10}
"""
    )
    actions = ActionSet.from_file(tmp_path / "a.yml")
    assert len(actions.constraints) == 8
    assert actions.features["income"].upper == 20_000
    assert actions.features["phone"].categories == ("yes", "no")
    assert actions.features["postcode"].categories == ("0123", "089", 20_000, "1:30")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "features: {a: {kind: binary, colour: red}}",
            "Feature 'a' has no key 'colour'",
        ),
        (
            "features: {a: {kind: tall}}",
            "Feature 'a': kind must be one of .* got 'tall'",
        ),
        ("features: {a: {lower: 1}}", "Feature 'a' has no kind"),
        ("features: {a: binary}", "Feature 'a' must be a mapping"),
        ("features: [a]", "mapping from name to fields"),
        ("things: {}", "no key 'things'"),
        ("- a", "mapping with the keys features and constraints"),
        ("features: {a: {kind: binary}}\nconstraints: [{type: tie}]", "type 'tie'"),
        ("features: {a: {kind: binary}}\nconstraints: [tie]", "with a type"),
        ("features: {a: {kind: binary}}\nconstraints: 5", "must be a list, got 5"),
        (
            "features: {a: {kind: binary}}\nconstraints: [{type: if_then, if: "
            "{feature: a, op: '==', value: 1}}]",
            "Constraint 1: .* requires the key 'then', got 'if'",
        ),
        (
            "features: {a: {kind: binary}, b: {kind: binary}}\nconstraints: "
            "[{type: linkage, source: a, effects: {b: 1}, keep_bounds: no}]",
            "keep_bounds of Linkage must be True or False .* got 'no'",
        ),
        ("features:\n  a: {kind: binary\n  b: 1", "line 3"),
        ("features:\n  a: {kind: binary}\n  a: {kind: binary}", "line 3: the key 'a'"),
    ],
)
def test_a_bad_file_is_refused_with_its_name_and_place(tmp_path, text, message):
    path = tmp_path / "actions.yaml"
    path.write_text(text)
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        ActionSet.from_file(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).count(str(path)) == 1


def test_json_errors_have_a_line_and_other_endings_are_refused(tmp_path):
    (tmp_path / "a.json").write_text('{\n"features": {\n')
    with pytest.raises(ValueError, match="line 3"):
        ActionSet.from_file(tmp_path / "a.json")
    (tmp_path / "a.toml").touch()
    with pytest.raises(ValueError, match=r"must be .yaml, .yml or .json, got '.toml'"):
        ActionSet.from_file(tmp_path / "a.toml")
    with pytest.raises(FileNotFoundError, match=r"no file .*none\.yaml\. Write one"):
        ActionSet.from_file(tmp_path / "none.yaml")


def test_the_table_reads_well(actions):
    text = str(actions)
    assert "ActionSet: 6 features, 5 actionable, 2 constraints" in text
    assert "up only, by at most 2" in text
    assert "Each unit of change in years changes age by 1." in text
    html = actions._repr_html_()
    assert html.count("<tr>") == 7
    away = Linkage("cleared", {"years": -2, "age": 1})
    assert away.describe().endswith(
        "changes age by 1 and years by 2 in the opposite direction."
    )


@pytest.mark.parametrize(
    ("direction", "words"),
    [
        ("increase", "Turning job on takes 2 from age and adds 1 to debt."),
        ("decrease", "Turning job off adds 2 to age and takes 1 from debt."),
        (
            None,
            "Turning job on takes 2 from age and adds 1 to debt; turning it off adds 2 "
            "to age and takes 1 from debt.",
        ),
    ],
)
def test_what_turning_a_binary_on_or_off_does_is_said(direction, words):
    still = Feature("integer", actionable=False)
    actions = ActionSet(
        {"job": Feature("binary", direction=direction), "age": still, "debt": still},
        [Linkage("job", {"age": -2, "debt": 1})],
    )
    assert str(actions).endswith(f"\n{words}")
    assert f"<li>{words}</li>" in actions._repr_html_()


def test_the_table_cuts_nothing_that_can_change():
    labels = [f"{k} to {k + 1} thousand" for k in range(9)]
    text = str(
        ActionSet(
            {
                "savings": Feature(
                    "categorical", categories=labels, direction="increase"
                ),
                "town": Feature("categorical", categories=labels, actionable=False),
                "loan": Feature("integer", 0, 9_000, max_decrease=2_000, step=50),
            }
        )
    )
    lines = [line[22:].split("  ")[0] for line in text.split("town")[0].splitlines()]
    shown = " ".join(" ".join(lines).split())
    assert all(label in shown for label in labels)
    assert "up, down by at most 2,000, in steps of 50" in text
    assert " ...  " in text.split("town")[1]


def test_the_html_escapes_what_the_user_names():
    evil = ActionSet(
        {"<script>alert(1)</script>": Feature("categorical", categories=["<b>", "&"])}
    )
    assert "<script>" not in evil._repr_html_()
    assert "<b>" not in evil._repr_html_()


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ({}, "at least one entry"),
        ({"a": "binary"}, r"features\['a'\] must be a Feature"),
        ({1: Feature("binary")}, "names must be strings"),
        ({"a": Feature("integer", 0)}, "'a' can change but has no upper bound"),
        ({"a": Feature("real")}, "'a' can change but has no lower bound"),
        ({"a": Feature("categorical")}, "'a' can change but lists no categories"),
    ],
)
def test_incomplete_features_are_refused(features, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ActionSet(features)


def test_constraints_must_be_a_list_of_constraints():
    with pytest.raises(TypeError, match="must be a list, got one OneHot"):
        ActionSet({"a": Feature("binary")}, OneHot(["a", "b"]))
    with pytest.raises(TypeError, match="got 'one_hot'"):
        ActionSet({"a": Feature("binary")}, ["one_hot"])


def test_check_names_rows_values_and_what_they_break(make_frame):
    X = make_frame(
        {
            "own": [1, 1, 0, 1],
            "rent": [0, 1, 1, 0],
            "loans": [1.0, 2.0, None, 2.5],
        }
    )
    actions = ActionSet(
        {
            "own": Feature("binary"),
            "rent": Feature("binary"),
            "loans": Feature("integer", 0, 1),
        },
        [OneHot(["own", "rent"])],
    )
    found = actions.check(X)
    assert type(found) is type(X)
    assert list(found["row"]) == [3, 2, 1]
    assert list(found["features"]) == ["loans", "loans", "own, rent"]
    assert "not an integer" in found["broken"][0]
    assert "missing" in found["broken"][1]
    assert found["broken"][2] == "Exactly one of own and rent is on."
    assert len(actions.check(X[:1])) == 0


def test_check_names_rows_by_their_index():
    X = pd.DataFrame({"a": [0, 2]}, index=["ann", "bob"])
    assert ActionSet({"a": Feature("binary")}).check(X)["row"].tolist() == ["bob"]


def test_check_takes_arrays():
    actions = ActionSet.infer(np.eye(2), constraints=[OneHot(["x0", "x1"])])
    assert len(actions.check(np.eye(2))) == 0
    assert len(actions.check(np.ones((1, 2)))) == 1
