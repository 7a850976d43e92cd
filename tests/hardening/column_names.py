"""Column names that would be taken for others, or by position."""

from __future__ import annotations

import pandas as pd
from sklearn.frozen import FrozenEstimator

from skresp import (
    ActionSet,
    DecisionPolicy,
    ResponsivenessExplainer,
    ShapExplainer,
)

from .attack import Attack


def numbered(X: pd.DataFrame) -> pd.DataFrame:
    """Return the columns in another order, with numbers as names."""
    return X[["own", "income", "age"]].set_axis([2, 1, 0], axis=1)


ATTACKS = [
    Attack(
        "MultiIndex",
        lambda w: w.explainer.explain(pd.concat({"a": w.X}, axis=1)),
        TypeError,
        (
            "Column names must be strings, got a MultiIndex with ('a', "
            "'age') in it. Join its levels: X.columns = ['_'.join(c) for c "
            "in X.columns]."
        ),
    ),
    Attack(
        "MultiIndex of one level",
        lambda w: w.explainer.explain(
            w.X.set_axis(pd.MultiIndex.from_arrays([["own", "income", "age"]]), axis=1)
        ),
        TypeError,
        (
            "Column names must be strings, got a MultiIndex with ('own',) in it. Join "
            "its levels: X.columns = ['_'.join(c) for c in X.columns]."
        ),
    ),
    *(
        Attack(
            f"names are {what}",
            lambda w, names=names: w.explainer.explain(w.X.set_axis(names, axis=1)),
            TypeError,
            (
                f"Column names must all be strings, got {quoted}. Convert them with "
                "X.columns = X.columns.astype(str)."
            ),
        )
        for what, names, quoted in [
            (
                "tuples",
                pd.Index([("a", 1), ("b", 2), ("c", 3)], tupleize_cols=False),
                "('a', 1)",
            ),
            ("bytes", [b"own", b"income", b"age"], "b'own'"),
            (
                "dates",
                pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
                "Timestamp('2020-01-01 00:00:00')",
            ),
            ("fractions", [0.5, 1.5, 2.5], "0.5"),
            ("bools and None", pd.Index([True, False, None], dtype=object), "True"),
        ]
    ),
    *(
        Attack(
            f"numbered columns in {what}",
            call,
            ValueError,
            (
                f"X must have the column names that the {owner} has ('age', 'income', "
                "'own'), got a frame with the numbers '2', '1', '0' as names. Name its "
                "columns, or pass X.to_numpy() if they are in this order."
            ),
        )
        for what, owner, call in [
            ("explain", "action set", lambda w: w.explainer.explain(numbered(w.X))),
            ("verify", "action set", lambda w: w.explainer.verify(numbered(w.X))),
            ("check", "action set", lambda w: w.actions.check(numbered(w.X))),
            (
                "fit",
                "model",
                lambda w: ResponsivenessExplainer(
                    FrozenEstimator(w.model), ActionSet.infer(numbered(w.X)), target=1
                ).fit(numbered(w.X)),
            ),
            (
                "ShapExplainer",
                "model",
                lambda w: (
                    ShapExplainer(FrozenEstimator(w.model), target=1)
                    .fit(w.X)
                    .explain(numbered(w.X))
                ),
            ),
            (
                "DecisionPolicy",
                "model",
                lambda w: (
                    DecisionPolicy(w.model, [([("income", ">=", 3)], 0)])
                    .fit(w.X, w.y)
                    .predict(numbered(w.X))
                ),
            ),
        ]
    ),
    Attack(
        "names of two types",
        lambda w: w.explainer.explain(w.X.rename(columns={"age": 1})),
        TypeError,
        (
            "Column names must all be strings, got 1. Convert them with "
            "X.columns = X.columns.astype(str)."
        ),
    ),
]
