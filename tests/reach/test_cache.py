"""The cache has one entry for each distinct value of a part, within a limit."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from skresp import ActionSet, Feature
from skresp.constraints import Linkage
from skresp.reach import ReachCache
from skresp.reach._cache import make_reaches
from skresp.reach._errors import TooLargeError
from skresp.reach._part import parts_of


@pytest.fixture
def part():
    actions = ActionSet(
        {"a": Feature("integer", 0, 9), "b": Feature("integer", actionable=False)},
        [Linkage("a", {"b": 1})],
    )
    return parts_of(actions)[0]


def test_each_value_is_made_once(part):
    cache = ReachCache()
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    first = cache.get(part, values)
    assert (cache.hits, cache.misses, len(cache)) == (0, 2, 2)
    again = cache.get(part, values[::-1])
    assert (cache.hits, cache.misses, len(cache)) == (2, 2, 2)
    assert again[0] is first[1]
    cache.get(part, np.array([[0.0, 0.0], [-0.0, 0.0]]))
    assert (cache.misses, len(cache)) == (3, 3), "0.0 and -0.0 are one value"


def test_memory_is_bounded_and_the_oldest_go_first(part):
    cache = ReachCache(max_bytes=2_000)
    for i in range(50):
        cache.get(part, np.array([[5.0, float(i)]]))
    assert len(cache) < 20
    before = cache.misses
    cache.get(part, np.array([[5.0, 49.0]]))
    assert cache.misses == before
    cache.get(part, np.array([[5.0, 0.0]]))
    assert cache.misses == before + 1


def test_batches_do_not_change_the_answer(part, monkeypatch):
    values = np.array([[float(a), float(b)] for a in range(10) for b in range(5)])
    together = make_reaches(part, values)
    monkeypatch.setattr("skresp.reach._grid.MAX_ROWS", 30)
    split = make_reaches(part, values)
    for i, (one, two) in enumerate(zip(together, split, strict=True)):
        np.testing.assert_array_equal(one.changes, two.changes)
        np.testing.assert_array_equal(one.minimal, two.minimal)
        alone = make_reaches(part, values[i : i + 1])[0]
        np.testing.assert_array_equal(one.changes, alone.changes)


def test_who_is_refused_does_not_spoil_the_batch():
    part = parts_of(ActionSet({"a": Feature("real", 0, 5, direction="increase")}))[0]
    reaches = make_reaches(part, np.array([[1.0], [5.0]]))
    assert reaches[0].refused is not None
    assert reaches[1].refused is None
    assert reaches[1].changes.tolist() == [[0.0]]


def test_refusals_can_be_sent_between_processes():
    error = pickle.loads(pickle.dumps(TooLargeError(("a",), 5, 3)))
    assert "at least 5 changes" in str(error)


def test_equal_action_sets_share_their_entries():
    cache = ReachCache()
    for _ in range(2):
        actions = ActionSet({"a": Feature("integer", 0, 9)})
        cache.get(parts_of(actions)[0], np.array([[1.0]]))
    assert cache.hits == 1
