"""Every model of the catalogue: pieces of lines have the scores of their points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skresp._model._group import Group
from skresp._model.lines._line_ends import LineEnds
from skresp._model.lines._score_lines import maps_lines, score_pieces
from tests.model.catalogue import CATALOGUE, fitted, people


def _is_curved(group: Group) -> bool:
    return group.terms is not None and len(group.terms.maps) > 0


@pytest.mark.parametrize("name", CATALOGUE)
def test_pieces_have_the_scores_of_their_middles(name: str) -> None:
    model = fitted(name)
    known = model.score_function
    assert known is not None
    X = people(CATALOGUE[name].dtype)[0][CATALOGUE[name].columns][:12]
    table: Any = X if model.input_format.has_names else X.to_numpy(dtype=float)
    codes = model.batch(table, lines=True).coded(known)[1]
    names = [column.name for column in known.columns]
    moving = [n for n in names if maps_lines(known, {n})]
    columns = [names.index(n) for n in moving]
    if not columns:
        # Neither constant nor straight between cuts: a link, or a curved step.
        assert any(not g.link.is_identity or _is_curved(g) for g in known.groups)
        return
    if "tree" in name or "forest" in name:
        assert len(columns) >= 2
    first, last = codes.copy(), codes.copy()
    for k, c in enumerate(columns):
        low, high = np.nanmin(codes[:, c]) - 1, np.nanmax(codes[:, c]) + 1
        low, high = max(low, known.columns[c].lower), min(high, known.columns[c].upper)
        held = np.isnan(codes[:, c])
        first[:, c] = np.where(held, np.nan, low if k % 2 else high)
        last[:, c] = np.where(held, np.nan, high if k % 2 else low)
    ends = LineEnds(first, last, np.full(12, -1.0), np.full(12, 3.0))
    pieces = score_pieces(known, ends, 2.3e-16)
    assert pieces is not None
    opens = np.r_[True, pieces.line[1:] != pieces.line[:-1]]
    assert_array_equal(pieces.line[opens], np.arange(12))
    assert_array_equal(pieces.low[opens], -1.0)
    assert_array_equal(pieces.high[np.r_[opens[1:], True]], 3.0)
    middle = (pieces.low + pieces.high) / 2
    share = ((middle + 1.0) / 4.0)[:, None]
    points = first[pieces.line] + share * (last - first)[pieces.line]
    wide = pieces.high - pieces.low > 1e-6
    points[:, [c for c, n in enumerate(names) if n not in moving]] = codes[pieces.line][
        :, [c for c, n in enumerate(names) if n not in moving]
    ]
    scores = known.scores(points)
    assert_allclose(pieces.scores[wide], scores[wide], rtol=1e-8, atol=1e-8)
    # Between the ends of a piece the decision does not change.
    assert known.decision is not None
    inside = pieces.low + 0.01 * (pieces.high - pieces.low)
    share = ((inside + 1.0) / 4.0)[:, None]
    moved = first[pieces.line] + share * (last - first)[pieces.line]
    points[:, columns] = moved[:, columns]
    sure = wide & ~known.decision.unsure(scores)
    same = known.decision.gap(known.scores(points)) > 0
    assert_array_equal(same[sure], (known.decision.gap(scores) > 0)[sure])
