"""Action sets inferred from data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl

from skresp import ActionSet

from .attack import Attack, feature

ATTACKS = [
    Attack(
        "no rows",
        lambda w: ActionSet.infer(w.X[:0]),
        ValueError,
        (
            "X must have at least one row to infer kinds and bounds from, "
            "got none: it has no rows."
        ),
    ),
    Attack(
        "no columns",
        lambda w: ActionSet.infer(w.X[[]]),
        ValueError,
        (
            "X must have a column for each feature, got 0 feature(s) "
            "(shape=(40, 0)) while a minimum of 1 is required."
        ),
    ),
    Attack(
        "one column",
        lambda w: ActionSet.infer(w.X["age"]),
        ValueError,
        (
            "X must be a frame or a 2D array with one row per person, got "
            "an array of shape (40,). Reshape your data: X.reshape(1, -1) "
            "for one person."
        ),
    ),
    Attack(
        "text",
        lambda w: ActionSet.infer("data.csv"),
        ValueError,
        ("X must be a frame or a 2D array with one row per person, got 'data.csv'."),
    ),
    Attack(
        "None",
        lambda w: ActionSet.infer(None),
        ValueError,
        ("X must be a frame or a 2D array with one row per person, got None."),
    ),
    Attack(
        "3D",
        lambda w: ActionSet.infer(np.zeros((2, 2, 2))),
        ValueError,
        (
            "X must be a frame or a 2D array with one row per person, got "
            "an array of shape (2, 2, 2). Reshape your data: X.reshape(1, "
            "-1) for one person."
        ),
    ),
    Attack(
        "complex",
        lambda w: ActionSet.infer(np.ones((2, 2)) * 1j),
        ValueError,
        (
            "Column 'x0' has dtype complex128, for which no kind can be "
            "inferred. List it in immutable, or convert it."
        ),
    ),
    Attack(
        "MultiIndex",
        lambda w: ActionSet.infer(pd.concat({"a": w.X}, axis=1)),
        TypeError,
        (
            "Column names must be strings, got a MultiIndex with ('a', "
            "'age') in it. Join its levels: X.columns = ['_'.join(c) for c "
            "in X.columns]."
        ),
    ),
    Attack(
        "names of two types",
        lambda w: ActionSet.infer(w.X.rename(columns={"age": 5})),
        TypeError,
        (
            "Column names must all be strings, got 5. Convert them with "
            "X.columns = X.columns.astype(str)."
        ),
    ),
    Attack(
        "a column twice",
        lambda w: ActionSet.infer(w.X.rename(columns={"age": "own"})),
        ValueError,
        ("Column names must be distinct, but 'own' occurs twice. Rename one of them."),
    ),
    Attack(
        "dates",
        lambda w: ActionSet.infer(pd.DataFrame({"d": pd.to_datetime(["2020-01-01"])})),
        ValueError,
        (
            "Column 'd' has dtype datetime64[...], for which no kind can be "
            "inferred. List it in immutable, or convert it."
        ),
    ),
    Attack(
        "lists in a column",
        lambda w: ActionSet.infer(pd.DataFrame({"d": [[1], [2]]})),
        TypeError,
        (
            "Column 'd' has values that are not labels: [1] is a list. "
            "List it in immutable, or convert it."
        ),
    ),
    Attack(
        "1 and '1' in a column",
        lambda w: ActionSet.infer(pd.DataFrame({"d": [1, "1"]}, dtype=object)),
        ValueError,
        (
            "Column 'd' has values that are not labels: categories must "
            "differ as texts too, got 1 and '1'. Use one of the two, also "
            "in the data. List it in immutable, or convert it."
        ),
    ),
    Attack(
        "integers of 2**62",
        lambda w: ActionSet.infer(pd.DataFrame({"d": [2**62, 2**62 + 1]})),
        ValueError,
        (
            "Column 'd': The bounds of an integer feature that can change "
            "must be between -9007199254740992 and 9007199254740992, since "
            "larger integers cannot be told apart as floats, got "
            "lower=4611686018427387904. Use larger units, or pass "
            "actionable=False."
        ),
    ),
    Attack(
        "nothing but NaN",
        lambda w: ActionSet.infer(pd.DataFrame({"d": [np.nan, np.nan]})),
        ValueError,
        (
            "Column 'd' has no values to infer bounds or categories from. "
            "List it in immutable, or give them in features."
        ),
    ),
    Attack(
        "immutable is text",
        lambda w: ActionSet.infer(w.X, immutable="age"),
        TypeError,
        ("immutable must be a list of column names, got the string 'age'."),
    ),
    Attack(
        "immutable is 5",
        lambda w: ActionSet.infer(w.X, immutable=5),
        TypeError,
        "immutable must be a list of column names, got 5.",
    ),
    Attack(
        "unknown immutable",
        lambda w: ActionSet.infer(w.X, immutable=["incme"]),
        ValueError,
        (
            "immutable names 'incme', but X has no such column. Did you "
            "mean 'income'? The columns are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "unknown feature",
        lambda w: ActionSet.infer(w.X, features={"incme": feature()}),
        ValueError,
        (
            "features names 'incme', but X has no such column. Did you "
            "mean 'income'? The columns are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "feature is text",
        lambda w: ActionSet.infer(w.X, features={"age": "integer"}),
        TypeError,
        "features['age'] must be a Feature, got 'integer'.",
    ),
    Attack(
        "features is a list",
        lambda w: ActionSet.infer(w.X, features=["age"]),
        TypeError,
        ("features must be a mapping from column name to Feature, got ['age']."),
    ),
    Attack(
        "immutable and actionable",
        lambda w: ActionSet.infer(w.X, features={"age": feature()}, immutable=["age"]),
        ValueError,
        (
            "'age' is listed as immutable, but features says that it can "
            "change. Leave it out of one of the two."
        ),
    ),
    *(
        Attack(
            f"{what} of integers beyond 2**64",
            lambda w, make=make: ActionSet.infer(make([2**80, 5])),
            ValueError,
            (
                f"Column '{name}': The bounds of an integer feature that can change "
                "must be between -9007199254740992 and 9007199254740992, since larger "
                "integers cannot be told apart as floats, got "
                "upper=1208925819614629174706176. Use larger units, or pass "
                "actionable=False."
            ),
        )
        for what, name, make in [
            ("a frame", "a", lambda v: pd.DataFrame({"a": v})),
            ("an array", "x0", lambda v: np.array(v, dtype=object).reshape(-1, 1)),
        ]
    ),
    *(
        Attack(
            f"{dtype} of polars",
            lambda w, dtype=dtype: ActionSet.infer(
                pl.DataFrame({"a": pl.Series([2**40, 1], dtype=getattr(pl, dtype))})
            ),
            TypeError,
            (
                f"Column 'a' has dtype {dtype}, which numpy does not have. Cast it to "
                "Int64 or Float64."
            ),
        )
        for dtype in ("Int128", "UInt128")
        if hasattr(pl, dtype)
    ),
    Attack(
        "a column without finite numbers",
        lambda w: ActionSet.infer(w.X.assign(income=np.inf)),
        ValueError,
        (
            "Column 'income' has no finite numbers to infer bounds from. List it in "
            "immutable, or give them in features."
        ),
    ),
]
