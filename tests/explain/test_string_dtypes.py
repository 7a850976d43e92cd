"""The same answers for every dtype that pandas has for texts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from skresp import ActionSet, ResponsivenessExplainer
from tests.credit_example import LABELS, lender

DTYPES = {
    "object": object,
    "nullable python": pd.StringDtype("python"),
    "nullable arrow": pd.StringDtype("pyarrow"),
    "arrow of its own": pd.ArrowDtype(pa.string()),
    "categories": "category",
}
if tuple(map(int, pd.__version__.split(".")[:2])) >= (2, 3):
    DTYPES["python"] = pd.StringDtype("python", na_value=np.nan)
    DTYPES["arrow"] = pd.StringDtype("pyarrow", na_value=np.nan)


@pytest.mark.parametrize("dtype", DTYPES)
def test_answers_do_not_depend_on_the_dtype_of_texts(dtype):
    us = lender()
    X = us.X.astype(dict.fromkeys(LABELS, DTYPES[dtype]))
    explainer = ResponsivenessExplainer(
        us.explainer.estimator, us.actions, target=1, random_state=0
    ).fit(X)
    for fitted in (us.explainer, explainer):
        explanation, verdicts = fitted.explain(X), fitted.verify(X)
        for name in ("values", "lower", "upper", "exact", "n_reachable", "at_target"):
            found, expected = getattr(explanation, name), getattr(us.explanation, name)
            assert np.array_equal(found, expected), name
        for name in ("status", "proof", "used", "has_witness"):
            found, expected = getattr(verdicts, name), getattr(us.verdicts, name)
            assert np.array_equal(found, expected), name
        witness, known = verdicts.witness, us.verdicts.witness
        assert witness.astype(object).to_dict() == known.astype(object).to_dict()
    if dtype != "categories":  # which have an order
        plain = us.X.astype(dict.fromkeys(LABELS, object))
        assert ActionSet.infer(X).to_dict() == ActionSet.infer(plain).to_dict()
