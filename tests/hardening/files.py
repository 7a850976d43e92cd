"""Files of action sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from skresp import ActionSet

from .attack import Attack


def bomb(levels: int) -> str:
    """Return YAML in which each list has nine times the one before."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for i in range(1, levels):
        lines.append(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]")
    return "\n".join(lines)


def merges(levels: int) -> str:
    """Return YAML whose merged mapping has 9 ** levels entries on the way."""
    lines = ["a0: &a0 {x: 1}"]
    for i in range(1, levels):
        lines.append(f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}")
    return "\n".join(lines)


def folder(w: Any, name: str) -> Path:
    """Return the path of a folder."""
    (w.folder / name).mkdir(exist_ok=True)
    return w.folder / name


ATTACKS = [
    Attack(
        "no such file",
        lambda w: ActionSet.from_file(w.folder / "no.yaml"),
        FileNotFoundError,
        (
            "There is no file .../no.yaml. Write one with "
            "ActionSet.infer(X).to_file(path)."
        ),
    ),
    Attack(
        "a folder",
        lambda w: ActionSet.from_file(w.folder),
        ValueError,
        ("The suffix of the file '...' must be .yaml, .yml or .json, got ''."),
    ),
    Attack(
        "a folder with an ending",
        lambda w: (
            (w.folder / "d.yaml").mkdir(exist_ok=True),
            ActionSet.from_file(w.folder / "d.yaml"),
        ),
        ValueError,
        ".../d.yaml is not a file. Pass the path of an action set.",
    ),
    Attack(
        "path is a number",
        lambda w: ActionSet.from_file(3),
        TypeError,
        "path must be the path of a file, got 3.",
    ),
    Attack(
        "path is None",
        lambda w: ActionSet.from_file(None),
        TypeError,
        "path must be the path of a file, got None.",
    ),
    Attack(
        "another ending",
        lambda w: w.read("features: {}", "a.txt"),
        ValueError,
        ("The suffix of the file 'a.txt' must be .yaml, .yml or .json, got '.txt'."),
    ),
    Attack(
        "an empty file",
        lambda w: w.read(""),
        TypeError,
        (
            ".../a.yaml: An action set must be a mapping with the keys "
            "features and constraints, got NoneType."
        ),
    ),
    Attack(
        "not UTF-8",
        lambda w: w.read(b"\xff\xfe\x00"),
        ValueError,
        ".../a.yaml is not a text file in UTF-8. Save it in this encoding.",
    ),
    Attack(
        "NUL in YAML",
        lambda w: w.read("features: {a\0: 1}"),
        ValueError,
        (".../a.yaml cannot be read: ..."),
    ),
    Attack(
        "escape in YAML",
        lambda w: w.read("features: {a\x1b[31m: 1}"),
        ValueError,
        (".../a.yaml cannot be read: ..."),
    ),
    Attack(
        "YAML that is cut",
        lambda w: w.read("features: {a: {kind:"),
        ValueError,
        (".../a.yaml, line ..."),
    ),
    Attack(
        "two documents",
        lambda w: w.read("a: 1\n---\nb: 1"),
        ValueError,
        (
            ".../a.yaml, line 2: expected a single document in the "
            "stream, but found another document."
        ),
    ),
    Attack(
        "a key twice in YAML",
        lambda w: w.read("features: {}\nfeatures: {}"),
        ValueError,
        ".../a.yaml, line 2: the key 'features' occurs twice.",
    ),
    Attack(
        "a list as a key",
        lambda w: w.read("features: {[a, b]: 1}"),
        ValueError,
        ".../a.yaml, line 1: a key must be a name or a number.",
    ),
    Attack(
        "a tag of Python",
        lambda w: w.read("features: !!python/object/apply:os.getcwd []"),
        ValueError,
        (
            ".../a.yaml, line 1: could not determine a constructor for the "
            "tag 'tag:yaml.org,2002:python/object/apply:os.getcwd'."
        ),
    ),
    Attack(
        "an alias of nothing",
        lambda w: w.read("features: *a"),
        ValueError,
        ".../a.yaml, line 1: found undefined alias...",
    ),
    Attack(
        "an alias of itself",
        lambda w: w.read("features: &a {b: *a}"),
        ValueError,
        (
            ".../a.yaml cannot be read: it is nested more than 20 levels "
            "deep. See ActionSet.to_file for the form of an action set."
        ),
    ),
    Attack(
        "nested aliases",
        lambda w: w.read(bomb(12)),
        ValueError,
        (
            ".../a.yaml cannot be read: with its aliases replaced it has "
            "more than 5,000,000 values. Write the values out where they "
            "are needed."
        ),
    ),
    Attack(
        "nested aliases in a field",
        lambda w: w.read(bomb(6) + "\nfeatures: *a5"),
        ValueError,
        (
            ".../a.yaml: An action set has no key 'a0'. Its keys are "
            "features, constraints."
        ),
    ),
    Attack(
        "a merge of merges",
        lambda w: w.read(merges(9)),
        ValueError,
        (".../a.yaml, line 2: '<<' is not supported, write the fields out."),
    ),
    Attack(
        "200,000 brackets in YAML",
        lambda w: w.read("[" * 200_000),
        ValueError,
        (
            ".../a.yaml cannot be read: it is nested more than 20 levels "
            "deep. See ActionSet.to_file for the form of an action set."
        ),
    ),
    Attack(
        "200,000 dashes in YAML",
        lambda w: w.read("- " * 200_000),
        ValueError,
        (
            ".../a.yaml cannot be read: it is nested more than 20 levels "
            "deep. See ActionSet.to_file for the form of an action set."
        ),
    ),
    Attack(
        "100,000 brackets in JSON",
        lambda w: w.read("[" * 100_000, "a.json"),
        ValueError,
        (
            ".../a.json cannot be read: it is nested more than 20 levels "
            "deep. See ActionSet.to_file for the form of an action set."
        ),
    ),
    Attack(
        "25 levels in JSON",
        lambda w: w.read("[" * 25 + "]" * 25, "a.json"),
        ValueError,
        (
            ".../a.json cannot be read: it is nested more than 20 levels "
            "deep. See ActionSet.to_file for the form of an action set."
        ),
    ),
    Attack(
        "20 MB",
        lambda w: w.read(" " * 20_000_001),
        ValueError,
        (".../a.yaml has 20,000,001 bytes; an action set has at most 20,000,000."),
    ),
    Attack(
        "JSON that is cut",
        lambda w: w.read('{"features": {', "a.json"),
        ValueError,
        (".../a.json, line 1: Expecting property name enclosed in double quotes."),
    ),
    Attack(
        "a key twice in JSON",
        lambda w: w.read('{"a": 1, "a": 2}', "a.json"),
        ValueError,
        (".../a.json cannot be read: The key 'a' occurs twice. Keep one of them."),
    ),
    Attack(
        "NaN in JSON",
        lambda w: w.read('{"features": NaN}', "a.json"),
        TypeError,
        (
            ".../a.json: The features of an action set must be a mapping "
            "from name to fields, got nan."
        ),
    ),
    Attack(
        "5,000 digits in JSON",
        lambda w: w.read("1" * 5_000, "a.json"),
        ValueError,
        (
            ".../a.json cannot be read: Exceeds the limit (4300 digits) "
            "for integer string conversion..."
        ),
    ),
    Attack(
        "a name of 1 MB",
        lambda w: w.read(json.dumps({"features": {"a" * 10**6: 1}}), "a.json"),
        TypeError,
        (
            ".../a.json: Feature "
            "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            "aa...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            "aaaaaaa' must be a mapping such as {kind: binary}, got 1."
        ),
    ),
    Attack(
        "a name that sends escapes",
        lambda w: w.read(json.dumps({"features": {"\x1b]0;x\x07": 1}}), "a.json"),
        TypeError,
        (
            ".../a.json: Feature '\\x1b]0;x\\x07' must be a mapping such "
            "as {kind: binary}, got 1."
        ),
    ),
    Attack(
        "write to no folder",
        lambda w: w.actions.to_file(w.folder / "no" / "a.yaml"),
        FileNotFoundError,
        "There is no folder .../no to write to. Create it first.",
    ),
    Attack(
        "write another ending",
        lambda w: w.actions.to_file(w.folder / "a.csv"),
        ValueError,
        ("The suffix of the file 'a.csv' must be .yaml, .yml or .json, got '.csv'."),
    ),
    Attack(
        "write to a folder",
        lambda w: w.actions.to_file(folder(w, "folder.yaml")),
        IsADirectoryError,
        ".../folder.yaml is a folder. Pass the path of a file to write.",
    ),
    Attack(
        "NUL in the path to read",
        lambda w: ActionSet.from_file("a\0.yaml"),
        ValueError,
        "path must be the path of a file, without NUL, got 'a\\x00.yaml'.",
    ),
    Attack(
        "NUL in the path to write",
        lambda w: w.actions.to_file("a\0.yaml"),
        ValueError,
        "path must be the path of a file, without NUL, got 'a\\x00.yaml'.",
    ),
    *(
        Attack(
            f"18 MB of {what}",
            lambda w, make=make: w.read(make()),
            ValueError,
            (
                ".../a.yaml cannot be read: it has more than 2,000,000 names and "
                "values, which takes long to read from YAML. Write so large an action "
                "set to a .json file."
            ),
        )
        for what, make in [
            ("numbers in a line", lambda: "[" + "1," * 9_000_000 + "]"),
            ("numbers below each other", lambda: "- 1\n" * 4_500_000),
        ]
    ),
    Attack(
        "a tag of 1 MB",
        lambda w: w.read("features: !" + "a" * 10**6 + " {}"),
        ValueError,
        (
            ".../a.yaml, line 1: could not determine a constructor for the tag '!"
            + "a" * 249
            + "..."
            + "a" * 79
            + "."
        ),
    ),
    *(
        Attack(
            f"a value that does not fit its tag, {value}",
            lambda w, value=value: w.read(f"features: {value}"),
            ValueError,
            (
                ".../a.yaml cannot be read: a value does not fit its tag, such as "
                "!!bool. Write it without a tag."
            ),
        )
        for value in ("!!bool maybe", "!!int ''", "!!float ''", "!!timestamp abc")
    ),
    Attack(
        "a name with half of a character",
        lambda w: w.read('{"features": {"\\ud800": {"kind": "binary"}}}', "a.json"),
        ValueError,
        (
            ".../a.json: Feature names must be texts that can be written to a file, "
            "got '\\ud800', which has half of a character (a surrogate). Correct or "
            "remove it."
        ),
    ),
    *(
        Attack(
            f"the bound {number}, which YAML 1.1 reads as another number",
            lambda w, number=number: w.read(
                f"features: {{a: {{kind: integer, lower: {number}, upper: 99}}}}"
            ),
            TypeError,
            f".../a.yaml: Feature 'a': lower must be a number, got '{number}'.",
        )
        for number in ("010", "1:30", "0x10")
    ),
]
