"""The search against enumeration and against draws."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from skresp._model._links import Link
from skresp._recourse.engines.boxes._model_arrays import ModelArrays
from tests.recourse.engines.boxes.cases import Searcher
from tests.recourse.engines.boxes.random_actions import random_action_set
from tests.recourse.engines.boxes.random_models import random_function, random_kinds


def _draw_row(rng, kinds):
    x = np.array([kind.draw(rng, 1)[0] for kind in kinds])
    if rng.random() < 0.15:
        x[next(i for i, kind in enumerate(kinds) if not kind.labels)] = np.nan
    return x


@pytest.mark.parametrize("block", range(4))
def test_search_equals_enumeration_without_constraints(block):
    seen = Counter()
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        kinds = random_kinds(rng)
        function = random_function(rng, kinds)
        searcher = Searcher.of(
            function, random_action_set(rng, kinds, constraints=False)
        )
        tolerance = function.decision.tolerance
        for _ in range(3):
            x = _draw_row(rng, kinds)
            points = searcher.all_points(x)
            if points is None:
                continue
            best = searcher.gaps(points).max()
            found = searcher.search(x)
            if found.witness is not None:
                assert searcher.is_feasible(x, found.witness)
                assert searcher.gap(x, found.witness) > tolerance
                seen["witness"] += 1
            elif found.is_exhausted:
                assert best <= tolerance, seed
                assert found.ties or best < -tolerance, seed
                seen["fixed"] += 1
            else:
                seen["open"] += 1
    # Votes can leave ties everywhere, which is why a few people may stay open.
    assert min(seen["fixed"], seen["witness"]) > 20, seen
    assert seen["open"] <= 4, seen


@pytest.mark.parametrize("block", range(4))
def test_no_drawn_point_contradicts_the_search(block):
    seen = Counter()
    for seed in range(60 * block, 60 * block + 60):
        rng = np.random.default_rng([1, seed])
        kinds = random_kinds(rng)
        function = random_function(rng, kinds, linear=rng.random() < 0.3)
        actions = random_action_set(rng, kinds, constraints=True)
        if actions is None:
            continue
        searcher = Searcher.of(function, actions)
        tolerance = function.decision.tolerance
        for _ in range(2):
            x = _draw_row(rng, kinds)
            if not searcher.is_valid(x):
                continue
            found = searcher.search(x)
            if found.witness is not None:
                assert searcher.is_feasible(x, found.witness), seed
                assert searcher.gap(x, found.witness) > tolerance, seed
                seen["witness"] += 1
            elif found.is_exhausted:
                points = searcher.drawn_points(x, rng)
                assert searcher.gaps(points).max() <= tolerance, seed
                seen["fixed"] += 1
            else:
                seen["open"] += 1
    assert min(seen["fixed"], seen["witness"]) > 15, seen
    assert seen["open"] <= 6, seen


def test_a_bound_that_is_too_low_is_noticed():
    """The oracle notices people with recourse who are called fixed."""
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        kinds = random_kinds(rng)
        function = random_function(rng, kinds)
        searcher = Searcher.of(
            function, random_action_set(rng, kinds, constraints=False)
        )
        channels = searcher.arrays.channels
        low = channels._replace(offset=channels.offset - 0.5)
        searcher.arrays = searcher.arrays._replace(channels=low)
        x = _draw_row(rng, kinds)
        points = searcher.all_points(x)
        found = searcher.search(x)
        if points is not None and found.is_exhausted and not found.ties:
            wrong += bool(searcher.gaps(points).max() > function.decision.tolerance)
    assert wrong


def test_a_search_does_not_depend_on_earlier_ones():
    rng = np.random.default_rng(0)
    kinds = random_kinds(rng)
    function = random_function(rng, kinds)
    searcher = Searcher.of(function, random_action_set(rng, kinds, constraints=False))
    rows = [_draw_row(rng, kinds) for _ in range(5)]
    first = [searcher.search(x) for x in rows]
    again = [searcher.search(x) for x in rows[::-1]][::-1]
    for a, b in zip(first, again, strict=True):
        assert a.used == b.used
        assert (a.witness is None) == (b.witness is None)
        for p, q in zip(a.witness or [], b.witness or [], strict=True):
            np.testing.assert_array_equal(p, q)


def test_the_budget_counts_boxes():
    rng = np.random.default_rng(3)
    kinds = random_kinds(rng)
    function = random_function(rng, kinds)
    searcher = Searcher.of(function, random_action_set(rng, kinds, constraints=False))
    for _ in range(10):
        found = searcher.search(_draw_row(rng, kinds), max_points=1)
        assert found.used <= 2


def test_a_probability_is_no_plain_sum():
    """Two groups whose links do nothing but take a probability are not added up."""
    rng = np.random.default_rng(0)
    function = random_function(rng, random_kinds(rng))
    link = Link(of_probability=True)
    groups = tuple(group._replace(link=link) for group in function.groups[:1] * 2)
    arrays = ModelArrays.of(replace(function, groups=groups))
    assert arrays.channels.of_probability.all()
    assert len(arrays.channels.kind) == 2 * arrays.channels.coefficient.shape[0]
