"""Own and total changes of a part."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skresp import ActionSet, Feature
from skresp.constraints import Linkage
from skresp.reach._part import parts_of

from ..strategies import cases


@given(data=st.data())
def test_own_changes_are_recovered_from_total_changes(data):
    """Along chains too. An own change of 0 is exactly 0, whatever the effects."""
    number = st.floats(-1e6, 1e6)
    scale = st.floats(-10, 10).filter(lambda v: abs(v) > 1e-3)
    real = Feature("real", -1e9, 1e9)
    names = list("abcde")
    links = [
        Linkage(names[i], {names[k]: data.draw(scale)})
        for i in range(5)
        for k in range(i + 1, 5)
        if data.draw(st.booleans())
    ]
    actions = ActionSet(dict.fromkeys(names, real), links)
    for part in parts_of(actions):
        own = np.array([data.draw(st.one_of(st.just(0.0), number)) for _ in part.names])
        total = part.total(own[None])
        back = part.own(total)[0]
        size = np.abs(total).max(initial=1.0) * 1e-9
        np.testing.assert_allclose(back, own, atol=size, rtol=0)
        assert not back[own == 0].any()


@given(case=cases(), data=st.data())
def test_rows_are_valid_if_staying_put_is_feasible(case, data):
    values = st.sampled_from([-1.0, 0.0, 1.0, 2.0, 0.5, 100.0, np.nan])
    for part in parts_of(case[0]):
        row = st.lists(values, min_size=len(part.names), max_size=len(part.names))
        rows = np.array(data.draw(st.lists(row, min_size=1, max_size=6)))
        stays = part.feasible(rows, np.zeros_like(rows))
        np.testing.assert_array_equal(part.valid(rows), stays)
