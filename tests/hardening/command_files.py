"""Files that commands read."""

from __future__ import annotations

from typing import Any

import joblib
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from .attack import Attack, CommandError


def table(w: Any, text: str | bytes, name: str = "t.csv") -> str:
    return str(w.file(name, text))


def pickled(w: Any, value: Any) -> str:
    path = w.folder / "m.joblib"
    joblib.dump(value, path)
    return str(path)


ATTACKS = [
    Attack(
        "no model",
        lambda w: w.audit(model=w.folder / "no.skops"),
        CommandError,
        "skresp audit: error: --model: there is no file .../no.skops.",
    ),
    Attack(
        "a folder as model",
        lambda w: w.audit(model=w.folder),
        CommandError,
        "skresp audit: error: --model: ... is not a file.",
    ),
    Attack(
        "a model of another ending",
        lambda w: w.audit(model=w.file("m.bin", "x")),
        CommandError,
        (
            "skresp audit: error: --model: .../m.bin must end in .skops, "
            ".json or .ubj (XGBoost), .txt (LightGBM), or with "
            "--trust-pickle .joblib or .pkl, which sets the format, got "
            "'.bin'."
        ),
    ),
    Attack(
        "a model that is text",
        lambda w: w.audit(model=w.file("m.joblib", "x")),
        CommandError,
        (
            "skresp audit: error: --model: .../m.joblib cannot be read "
            "as a .joblib model: ..."
        ),
    ),
    Attack(
        "a skops file that is text",
        lambda w: w.audit(model=w.file("m.skops", "x")),
        CommandError,
        (
            "skresp audit: error: --model: .../m.skops cannot be read as "
            "a .skops model: ..."
        ),
    ),
    Attack(
        "an XGBoost file that is text",
        lambda w: w.audit(model=w.file("m.json", "x")),
        CommandError,
        (
            "skresp audit: error: --model: .../m.json cannot be read as "
            "a .json model: ..."
        ),
    ),
    Attack(
        "no data",
        lambda w: w.audit(data=w.folder / "no.csv"),
        CommandError,
        "skresp audit: error: --data: there is no file .../no.csv.",
    ),
    Attack(
        "data of another ending",
        lambda w: w.audit(data=w.file("d.xls", "x")),
        CommandError,
        (
            "skresp audit: error: --data: .../d.xls must end in .csv or "
            ".parquet, which sets the format, got '.xls'."
        ),
    ),
    Attack(
        "data that is empty",
        lambda w: w.audit(data=table(w, "")),
        CommandError,
        ("skresp audit: error: --data: .../t.csv is not a CSV file: ..."),
    ),
    Attack(
        "data without rows",
        lambda w: w.audit(data=table(w, "age,income,own\n")),
        CommandError,
        "skresp audit: error: --data: .../t.csv has no rows.",
    ),
    Attack(
        "data with a column twice",
        lambda w: w.audit(data=table(w, "age,income,own,own\n1,1,1,1\n")),
        CommandError,
        (
            "skresp audit: error: --data: .../t.csv has two columns 'own'. "
            "Rename one of them."
        ),
    ),
    Attack(
        "data without a column",
        lambda w: w.audit(data=table(w, "age,incme,own\n1,1,1\n")),
        CommandError,
        (
            "skresp audit: error: --data: .../t.csv has no column "
            "'income', which is in the action set. Did you mean 'incme'? "
            "The columns are 'age', 'incme', 'own'."
        ),
    ),
    Attack(
        "data that is not UTF-8",
        lambda w: w.audit(data=table(w, b"\xff\xfe\x00,a\n")),
        CommandError,
        (
            "skresp audit: error: --data: .../t.csv is not a text file in UTF-8. Save "
            "it in this encoding."
        ),
    ),
    Attack(
        "data with escapes",
        lambda w: w.audit(data=table(w, "\x1b[31mage,income,own\n1,1,1\n")),
        CommandError,
        (
            "skresp audit: error: --data: .../t.csv has no column 'age', "
            "which is in the action set. The columns are '\\x1b[31mage', "
            "'income', 'own'."
        ),
    ),
    Attack(
        "data with a long row",
        lambda w: w.audit(data=table(w, "age,income,own\n1,1,1\n1,1,1,1,1\n")),
        CommandError,
        ("skresp audit: error: --data: .../t.csv is not a CSV file: ..."),
    ),
    Attack(
        "data with long rows only",
        lambda w: w.audit(data=table(w, "age,income,own\n1,1,1,1\n1,1,1,1\n")),
        CommandError,
        (
            "skresp audit: error: --data: .../t.csv has rows with more fields than "
            "the header. Name all columns in the first line."
        ),
    ),
    Attack(
        "data to check with long rows only",
        lambda w: w.run(
            "check",
            *("--data", table(w, "age,income,own\n1,1,1,1\n")),
            *("--actions", w.actions_file),
        ),
        CommandError,
        (
            "skresp check: error: --data: .../t.csv has rows with more fields than "
            "the header. Name all columns in the first line."
        ),
    ),
    Attack(
        "parquet that is text",
        lambda w: w.audit(data=table(w, "x", "t.parquet")),
        CommandError,
        ("skresp audit: error: --data: .../t.parquet is not a parquet file: ..."),
    ),
    Attack(
        "no actions",
        lambda w: w.audit(actions=w.folder / "no.yaml"),
        CommandError,
        "skresp audit: error: --actions: there is no file .../no.yaml.",
    ),
    Attack(
        "actions that are cut",
        lambda w: w.audit(actions=w.file("c.yaml", "features: {")),
        CommandError,
        ("skresp audit: error: --actions: .../c.yaml, line ..."),
    ),
    Attack(
        "actions with nested aliases",
        lambda w: w.audit(actions=w.file("n.yaml", "a: &a [x]\nfeatures: [*a, *a]")),
        CommandError,
        (
            "skresp audit: error: --actions: .../n.yaml: An action set has "
            "no key 'a'. Its keys are features, constraints."
        ),
    ),
    Attack(
        "check without data",
        lambda w: w.run(
            "check", "--data", w.folder / "no.csv", "--actions", w.actions_file
        ),
        CommandError,
        "skresp check: error: --data: there is no file .../no.csv.",
    ),
    Attack(
        "check with a column too few",
        lambda w: w.run(
            "check", "--data", table(w, "age,own\n1,1\n"), "--actions", w.actions_file
        ),
        CommandError,
        (
            "skresp check: error: --data: .../t.csv has no column "
            "'income', which is in the action set. The columns are 'age', "
            "'own'."
        ),
    ),
    Attack(
        "a blank cell in a column that nobody can change",
        lambda w: w.audit(data=table(w, "age,income,own\n20,2,1\n   ,2,1\n")),
        CommandError,
        (
            "skresp audit: error: --data: column 'age', which is integer in the action "
            "set, has ' ' in row 1, and the model refuses it (...). Correct it, or "
            "leave the cell empty."
        ),
    ),
    Attack(
        "an infinite number in a column that nobody can change",
        lambda w: w.audit(data=table(w, "age,income,own\n1e400,2,1\n")),
        CommandError,
        (
            "skresp audit: error: --data: column 'age', which is integer in the action "
            "set, has ... in row 0, and the model refuses it (...). Correct it, or "
            "leave the cell empty."
        ),
    ),
    Attack(
        "a class as model",
        lambda w: w.audit(model=pickled(w, DecisionTreeClassifier)),
        CommandError,
        (
            "skresp audit: error: --model: .../m.joblib contains the class "
            "DecisionTreeClassifier. Save a fitted model."
        ),
    ),
    Attack(
        "a model that is not fitted",
        lambda w: w.audit(model=pickled(w, DecisionTreeClassifier())),
        CommandError,
        (
            "skresp audit: error: --model: .../m.joblib contains a "
            "DecisionTreeClassifier that is not fitted. Fit it before you save it."
        ),
    ),
    Attack(
        "a pickle with an unknown key",
        lambda w: w.audit(model=w.file("k.joblib", b":")),
        CommandError,
        (
            "skresp audit: error: --model: .../k.joblib cannot be read as a .joblib "
            "model: KeyError(58)"
        ),
    ),
    Attack(
        "data with capital letters in the header",
        lambda w: w.audit(data=table(w, "AGE,INCOME,OWN\n1,1,1\n")),
        CommandError,
        (
            "skresp audit: error: --data: .../t.csv has no column 'age', 'income', "
            "'own', which is in the action set. Did you mean 'AGE'? The columns are "
            "'AGE', 'INCOME', 'OWN'."
        ),
    ),
]

# Earlier versions of pandas end a text at NUL, and read integers beyond 2**64 as texts.
if int(pd.__version__.partition(".")[0]) >= 3:
    ATTACKS += [
        Attack(
            "data with NUL",
            lambda w: w.audit(data=table(w, "a\0ge,income,own\n1,1,1\n")),
            CommandError,
            (
                "skresp audit: error: --data: .../t.csv has no column 'age', "
                "which is in the action set. Did you mean 'a\\x00ge'? The "
                "columns are 'a\\x00ge', 'income', 'own'."
            ),
        ),
        Attack(
            "actions of integers beyond 2**64",
            lambda w: w.run(
                "actions",
                *("--data", table(w, f"age,own\n{2**80},1\n5,0\n")),
                *("--out", w.folder / "huge.yaml"),
            ),
            CommandError,
            (
                "skresp actions: error: Column 'age': The bounds of an integer feature "
                "that can change must be between ..."
            ),
        ),
        Attack(
            "audit of an integer beyond 2**64",
            lambda w: w.audit(
                data=table(w, f"age,income,own\n5,5,{2**80}\n"),
            ),
            CommandError,
            (
                "skresp audit: error: Feature 'own' is binary, but its value is "
                "1208925819614629174706176 in row 0. ..."
            ),
        ),
        Attack(
            "an integer beyond the floats",
            lambda w: w.audit(data=table(w, f"age,income,own\n1,{10**400},1\n")),
            CommandError,
            (
                "skresp audit: error: --data: column 'income', which is real in the "
                "action set, has 10000...0000 in row 0, and the model refuses it (int "
                "too large to convert to float). Correct it, or leave the cell empty."
            ),
        ),
    ]
