"""Sums over pieces of lines from a few nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skresp.scores._line_nodes import line_nodes


@given(
    pieces=st.lists(
        st.tuples(
            st.integers(1, 5_000), st.integers(0, 5_000), st.sampled_from([-1, 1])
        ),
        max_size=4,
    ),
    price=st.sampled_from([0.0, 0.01, 1.0, 50.0]),
)
def test_sums_over_integers_equal_loops(pieces, price):
    ends = np.array([sorted((a * s, (a + n) * s)) for a, n, s in pieces], dtype=float)
    low, high = ends.reshape(-1, 2).T
    piece, node, weight = line_nodes(low, high, True)
    found = np.bincount(piece, weight / (1 + price * abs(node)), minlength=len(low))
    for each, a, b in zip(found, low, high, strict=True):
        values = np.arange(a, b + 1)
        assert each == pytest.approx((1 / (1 + price * abs(values))).sum(), rel=1e-7)
    assert ((node >= low[piece]) & (node <= high[piece])).all()


@given(
    near=st.floats(0, 1e4),
    size=st.floats(1e-3, 1e4),
    sign=st.sampled_from([-1, 1]),
    price=st.sampled_from([0.01, 1.0, 50.0]),
)
def test_integrals_equal_closed_forms(near, size, sign, price):
    far = near + size
    low, high = sorted((near * sign, far * sign))
    _, node, weight = line_nodes(np.array([low]), np.array([high]), False)
    exact = np.log1p(price * (far - near) / (1 + price * near)) / price
    found = (weight / (1 + price * abs(node))).sum()
    assert found == pytest.approx(exact, rel=1e-7)


def test_the_nodes_of_few_integers_are_the_integers():
    _, node, weight = line_nodes(np.array([-9.0, 3.0]), np.array([-6.0, 3.0]), True)
    assert sorted(node) == [-9, -8, -7, -6, 3]
    np.testing.assert_allclose(weight, 1)


def test_no_pieces_have_no_nodes():
    assert [len(a) for a in line_nodes(np.zeros(0), np.zeros(0), False)] == [0, 0, 0]
