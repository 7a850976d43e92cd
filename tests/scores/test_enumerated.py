"""Scores do not depend on what lists the changes: the grid or HiGHS."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note, settings

from skresp import ResponsivenessExplainer
from tests.strategies import cases


class Checksum:
    """A model without any structure: a bit of the checksum of each row."""

    classes_ = np.array([0, 1])

    def predict(self, Z):
        rows = Z.astype(object).to_numpy().tolist()
        words = [" ".join(map(_text, row)).encode() for row in rows]
        return np.array([zlib.crc32(word) % 3 == 0 for word in words], dtype=int)


def _text(value):
    return value if isinstance(value, str) else f"{float(value):g}"


@pytest.mark.parametrize("interventions", ["minimal", "joint"])
@given(case=cases(most_features=3))
@settings(max_examples=60)
def test_auto_the_grid_and_highs_give_equal_scores(interventions, case):
    actions, person = case
    note(str(actions))
    note(str(person))
    X = pd.DataFrame([person])[list(actions.names)]
    found = [
        ResponsivenessExplainer(
            Checksum(), actions, target=1, interventions=interventions, method=method
        )
        .fit(X)
        .explain(X)
        for method in ("auto", "grid", "highs")
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.values, found[0].values)
        np.testing.assert_array_equal(other.n_reachable, found[0].n_reachable)
        assert other.exact.all()
        assert found[0].exact.all()
