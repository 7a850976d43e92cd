"""Tables that explainers take."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from skresp import (
    ActionSet,
    ResponsivenessExplainer,
)

from .attack import Attack


def changed(w: Any, column: str, value: Any) -> pd.DataFrame:
    """Return the rows with a value in the first of them."""
    X = w.X.astype({column: object})
    X.loc[0, column] = value
    return X


def zeros(X: Any) -> Any:
    return np.zeros(len(X), dtype=int)


ATTACKS = [
    Attack(
        "no columns",
        lambda w: w.explainer.explain(w.X[[]]),
        ValueError,
        (
            "X must have a column for each feature, got 0 feature(s) "
            "(shape=(40, 0)) while a minimum of 1 is required."
        ),
    ),
    Attack(
        "no columns in an array",
        lambda w: w.explainer.explain(np.zeros((3, 0))),
        ValueError,
        (
            "X must have a column for each feature, got 0 feature(s) "
            "(shape=(3, 0)) while a minimum of 1 is required."
        ),
    ),
    Attack(
        "no columns in polars",
        lambda w: w.explainer.explain(pl.DataFrame()),
        ValueError,
        (
            "X must have a column for each feature, got 0 feature(s) "
            "(shape=(0, 0)) while a minimum of 1 is required."
        ),
    ),
    Attack(
        "one person, 1D",
        lambda w: w.explainer.explain(w.X.iloc[0].to_numpy()),
        ValueError,
        (
            "X must be a frame or a 2D array with one row per person, got "
            "an array of shape (3,). Reshape your data: X.reshape(1, -1) "
            "for one person."
        ),
    ),
    Attack(
        "a Series",
        lambda w: w.explainer.explain(w.X.iloc[0]),
        ValueError,
        (
            "X must be a frame or a 2D array with one row per person, got "
            "an array of shape (3,). Reshape your data: X.reshape(1, -1) "
            "for one person."
        ),
    ),
    Attack(
        "a dict",
        lambda w: w.explainer.explain({"age": [1]}),
        ValueError,
        ("X must be a frame or a 2D array with one row per person, got {'age': [1]}."),
    ),
    Attack(
        "text",
        lambda w: w.explainer.explain("data.csv"),
        ValueError,
        ("X must be a frame or a 2D array with one row per person, got 'data.csv'."),
    ),
    Attack(
        "None",
        lambda w: w.explainer.explain(None),
        ValueError,
        ("X must be a frame or a 2D array with one row per person, got None."),
    ),
    Attack(
        "rows of other lengths",
        lambda w: w.explainer.explain([[1, 2, 3], [1]]),
        ValueError,
        (
            "X must have rows of one length, got [[1, 2, 3], [1]]. "
            "(setting an array element with a sequence. The requested "
            "array has an inhomogeneous shape after 1 dimensions. The "
            "detected shape was (2,) + inhomogeneous part.)"
        ),
    ),
    Attack(
        "sparse",
        lambda w: w.explainer.explain(sparse.eye(3).tocsr()),
        TypeError,
        "X must be dense, got a sparse matrix. Pass X.toarray().",
    ),
    Attack(
        "a LazyFrame",
        lambda w: w.explainer.explain(pl.from_pandas(w.X).lazy()),
        TypeError,
        (
            "X must be a polars DataFrame, got LazyFrame. Call .collect() "
            "on a LazyFrame, .to_frame() on a Series."
        ),
    ),
    Attack(
        "a column too few",
        lambda w: w.explainer.explain(w.X[["age", "own"]]),
        ValueError,
        (
            "X must have a column for each feature of the action set, but "
            "has no column 'income'. Its columns are 'age', 'own'."
        ),
    ),
    Attack(
        "a column too many",
        lambda w: w.explainer.explain(w.X.assign(z=1)),
        ValueError,
        (
            "X must have no columns besides the features of the action "
            "set, got 'z'. Drop it, or add it to the action set (with "
            "actionable=False if nobody can change the value)."
        ),
    ),
    Attack(
        "another width",
        lambda w: w.explainer.explain(np.zeros((2, 5))),
        ValueError,
        (
            "X must have 3 columns, one for each feature of the action "
            "set, got 5. Pass as many columns, or a frame with column "
            "names."
        ),
    ),
    Attack(
        "a name misspelt",
        lambda w: w.explainer.explain(w.X.rename(columns={"income": "incme"})),
        ValueError,
        (
            "X must have a column for each feature of the action set, but "
            "has no column 'income'. Did you mean 'incme'? Its columns are "
            "'age', 'incme', 'own'."
        ),
    ),
    Attack(
        "a column twice",
        lambda w: w.explainer.explain(w.X[["age", "age", "own"]]),
        ValueError,
        ("Column names must be distinct, but 'age' occurs twice. Rename one of them."),
    ),
    Attack(
        "complex array",
        lambda w: w.explainer.explain(w.X.to_numpy() * 1j),
        TypeError,
        (
            "Feature 'income' is real, but its column has dtype "
            "complex128, which is not numeric. Convert the column to "
            "numbers before the model is fitted (for example a date to the "
            "days since a fixed date), or make the feature "
            "actionable=False and leave it out of constraints."
        ),
    ),
    Attack(
        "complex column",
        lambda w: w.explainer.explain(w.X.astype({"income": complex})),
        TypeError,
        (
            "Feature 'income' is real, but its column has dtype "
            "complex128, which is not numeric. Convert the column to "
            "numbers before the model is fitted (for example a date to the "
            "days since a fixed date), or make the feature "
            "actionable=False and leave it out of constraints."
        ),
    ),
    Attack(
        "text in a number",
        lambda w: w.explainer.explain(changed(w, "income", "5")),
        ValueError,
        (
            "Feature 'income' is real, but its value is '5' in row 0. "
            "Correct the data, or change the kind of the feature."
        ),
    ),
    Attack(
        "text further down",
        lambda w: w.explainer.explain(changed(w, "income", "5")[::-1]),
        ValueError,
        (
            "Feature 'income' is real, but its value is '5' in row 0. "
            "Correct the data, or change the kind of the feature."
        ),
    ),
    Attack(
        "a date",
        lambda w: w.explainer.explain(w.X.assign(income=datetime(2020, 1, 1))),
        TypeError,
        (
            "Feature 'income' is real, but its column has dtype "
            "datetime64[...], which is not numeric. Convert the column to "
            "numbers before the model is fitted (for example a date to the "
            "days since a fixed date), or make the feature "
            "actionable=False and leave it out of constraints."
        ),
    ),
    Attack(
        "a duration",
        lambda w: w.explainer.explain(w.X.assign(income=pd.Timedelta(1, "D"))),
        TypeError,
        (
            "Feature 'income' is real, but its column has dtype "
            "timedelta64[...], which is not numeric. Convert the column to "
            "numbers before the model is fitted (for example a date to the "
            "days since a fixed date), or make the feature "
            "actionable=False and leave it out of constraints."
        ),
    ),
    Attack(
        "a Decimal",
        lambda w: w.explainer.explain(w.X.assign(income=Decimal("1.5"))),
        ValueError,
        (
            "Feature 'income' is real, but its value is Decimal('1.5') in "
            "rows 0, 1, 2 and 37 more. Convert the column to numbers "
            "before the model is fitted (for example a date to the days "
            "since a fixed date), or make the feature actionable=False and "
            "leave it out of constraints."
        ),
    ),
    Attack(
        "a list",
        lambda w: w.explainer.explain(changed(w, "income", [1])[::-1]),
        TypeError,
        ("X has [1] in column 1, a list. Convert the column to numbers or labels."),
    ),
    Attack(
        "NaN",
        lambda w: w.explainer.explain(w.X.assign(income=np.nan)),
        ValueError,
        (
            "Feature 'income' can change, but its value is missing (NaN) "
            "in rows 0, 1, 2 and 37 more. Fill it in, pass missing='hold' "
            "to keep the feature unchanged for these rows, or make it "
            "actionable=False."
        ),
    ),
    Attack(
        "infinite",
        lambda w: w.explainer.explain(w.X.assign(income=np.inf)),
        ValueError,
        (
            "Feature 'income' is real, but its value is inf in rows 0, 1, "
            "2 and 37 more. Correct the data, or change the kind of the "
            "feature."
        ),
    ),
    Attack(
        "a binary of 2",
        lambda w: w.explainer.explain(w.X.assign(own=2)),
        ValueError,
        (
            "Feature 'own' is binary, but its value is 2 in rows 0, 1, 2 "
            "and 37 more. Correct the data, or change the kind of the "
            "feature."
        ),
    ),
    Attack(
        "an integer of 0.5",
        lambda w: w.fit(actions=ActionSet.infer(w.X)).explain(w.X.assign(age=0.5)),
        ValueError,
        (
            "Feature 'age' is integer, but its value is 0.5 in rows 0, 1, "
            "2 and 37 more. Correct the data, or change the kind of the "
            "feature."
        ),
    ),
    Attack(
        "an integer of 2**62",
        lambda w: w.fit(actions=ActionSet.infer(w.X)).explain(w.X.assign(age=2**62)),
        ValueError,
        (
            "Feature 'age' is integer, but its value is "
            "4611686018427387904 in rows 0, 1, 2 and 37 more. Integers "
            "beyond 9007199254740992 cannot be told apart as floats. "
            "Divide the column, or make the feature actionable=False and "
            "leave it out of constraints."
        ),
    ),
    Attack(
        "an integer of 10**30",
        lambda w: w.fit(actions=ActionSet.infer(w.X)).verify(w.X.assign(age=10**30)),
        ValueError,
        (
            "Feature 'age' is integer, but its value is "
            "1000000000000000000000000000000 in rows 0, 1, 2 and 37 more. "
            "Integers beyond 9007199254740992 cannot be told apart as "
            "floats. Divide the column, or make the feature "
            "actionable=False and leave it out of constraints."
        ),
    ),
    Attack(
        "fit on no columns",
        lambda w: ResponsivenessExplainer(w.model, w.actions).fit(w.X[[]]),
        ValueError,
        (
            "X must have a column for each feature, got 0 feature(s) "
            "(shape=(40, 0)) while a minimum of 1 is required."
        ),
    ),
    Attack(
        "fit on a MultiIndex",
        lambda w: ResponsivenessExplainer(LogisticRegression(), w.actions).fit(
            pd.concat({"a": w.X}, axis=1), w.y
        ),
        TypeError,
        (
            "Column names must be strings, got a MultiIndex with ('a', "
            "'age') in it. Join its levels: X.columns = ['_'.join(c) for c "
            "in X.columns]."
        ),
    ),
    Attack(
        "fit on other columns",
        lambda w: ResponsivenessExplainer(w.model, w.actions).fit(
            w.X.rename(columns={"income": "incme"})
        ),
        ValueError,
        (
            "X has no column 'income', which the model was fitted on. Did "
            "you mean 'incme'? The columns of X are 'age', 'incme', 'own'."
        ),
    ),
    Attack(
        "verify a Series",
        lambda w: w.explainer.verify(w.X["age"]),
        ValueError,
        (
            "X must be a frame or a 2D array with one row per person, got "
            "an array of shape (40,). Reshape your data: X.reshape(1, -1) "
            "for one person."
        ),
    ),
    Attack(
        "transform in another order",
        lambda w: w.explainer.transform(w.X[["own", "age", "income"]]),
        ValueError,
        (
            "The feature names should match those that were passed "
            "during fit.\nFeature names must be in the same order as they "
            "were in fit.\n"
        ),
    ),
    Attack(
        "check a column too few",
        lambda w: w.actions.check(w.X[["age"]]),
        ValueError,
        (
            "X must have a column for each feature of the action set, but "
            "has no column 'income', 'own'. Its columns are 'age'."
        ),
    ),
    *(
        Attack(
            f"{call} an integer beyond the floats",
            lambda w, call=call: getattr(w.explainer, call)(
                w.X.assign(income=[10**400] * 40)
            ),
            ValueError,
            (
                "Feature 'income' is real, but its value is 10000...0000 in rows 0, "
                "1, 2 and 37 more. ..."
            ),
        )
        for call in ("explain", "verify")
    ),
    Attack(
        "a masked array",
        lambda w: w.explainer.explain(np.ma.masked_array(w.X.to_numpy(), mask=True)),
        TypeError,
        (
            "X must be a plain array, got a masked array. Pass X.filled(np.nan), or "
            "another value for what is masked."
        ),
    ),
    Attack(
        "columns in capital letters",
        lambda w: w.explainer.explain(w.X.rename(columns=str.upper)),
        ValueError,
        (
            "X must have a column for each feature of the action set, but has no "
            "column 'age', 'income', 'own'. Did you mean 'AGE'? Its columns are 'AGE', "
            "'INCOME', 'OWN'."
        ),
    ),
]
