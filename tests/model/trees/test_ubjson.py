"""Models as XGBoost stores them, in bytes and as text."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from xgboost import XGBClassifier

from skresp._model.trees._ubjson import read_ubjson


def _assert_same(found, wanted):
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            _assert_same(found[key], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            _assert_same(a, b)
    elif isinstance(wanted, float):
        assert np.float32(found) == np.float32(wanted)
    else:
        assert found == wanted


@pytest.mark.parametrize("labels", [False, True])
def test_bytes_hold_what_the_text_holds(labels):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=900), "b": rng.integers(0, 9, 900)})
    if labels:
        X["c"] = pd.Categorical(rng.choice(["ä", "b", "c" * 200], 900))
    y = rng.integers(0, 3, 900)
    deep = {"n_estimators": 4, "max_depth": 12, "min_child_weight": 0}
    model = XGBClassifier(enable_categorical=True, **deep).fit(X, y)
    booster = model.get_booster()
    wanted = json.loads(booster.save_raw("json"))
    stored = bytes(booster.save_raw("ubj"))
    _assert_same(read_ubjson(stored), wanted)
    names = ["num_nodes", "left_children", "split_conditions", "categories"]
    found = read_ubjson(stored, {"trees": names})
    trees = wanted["learner"]["gradient_booster"]["model"].pop("trees")
    joined = found["learner"]["gradient_booster"]["model"].pop("trees")
    _assert_same(found, wanted)
    for n in (len(trees), 5):
        some = joined.first(n)
        assert len(some) == n
        assert some.texts("num_nodes") == [
            t["tree_param"]["num_nodes"] for t in trees[:n]
        ]
        for name in names[1:]:
            arrays = [np.array(tree[name], dtype=float) for tree in trees[:n]]
            assert some.sizes(name).tolist() == list(map(len, arrays))
            values = some.values(name).astype(np.float32)
            np.testing.assert_array_equal(
                values, np.concatenate(arrays).astype(np.float32)
            )
    assert joined.sizes("left_children").max() > 255  # of more than one byte
    assert bool(len(joined.values("categories"))) == labels


OBJECTS = b"{i\x01x[#i\x02{i\x01a[$U#i\x02\x07\x08i\x01b[T[i\x05]{}]}{i\x01aSi\x01q}}"


def test_entries_of_other_values_are_passed_over():
    found = read_ubjson(OBJECTS, {"x": ["a"]})["x"]
    assert found.first(1).values("a").tolist() == [7, 8]
    assert found.first(0).values("a").tolist() == []
    with pytest.raises(ValueError, match="are missing, or of another type"):
        found.values("a")
    with pytest.raises(ValueError, match="are missing, or of another type"):
        found.texts("a")
    with pytest.raises(ValueError, match="are missing, or of another type"):
        read_ubjson(OBJECTS, {"x": ["z"]})["x"].values("z")


@pytest.mark.parametrize("end", range(8, len(OBJECTS) - 1))
def test_objects_that_end_too_early_raise(end):
    with pytest.raises(ValueError, match="UBJSON ends too early"):
        read_ubjson(OBJECTS[:end], {"x": ["a"]})


def _many(n):
    return b"L" + n.to_bytes(8, "big")


@pytest.mark.parametrize(
    "value",
    [
        _many(2**63 - 1) + b"a",  # a name
        b"i\x01a[$D#" + _many(2**61 - 2),  # in bytes, it leads back to the name
        b"i\x01a[$D#" + _many(2**61 + 1) + bytes(8),
        b"i\x01aS" + _many(2**63 - 1),
        b"i\x01aS" + _many(2**64 - 9),
        b"i\x01a[#" + _many(2**63 - 1),
        b"i\x01a[#" + _many(2**64 - 2),
        b"i\x01a[#",
    ],
)
def test_sizes_beyond_the_end_raise(value):
    with pytest.raises(ValueError, match="UBJSON ends too early"):
        read_ubjson(b"{i\x01x[#i\x01{" + value + b"}}", {"x": ["a"]})


def test_an_unknown_type_in_an_object_raises():
    with pytest.raises(ValueError, match="unknown type '\\?' in UBJSON at byte 12"):
        read_ubjson(b"{i\x01x[#i\x01{i\x01a?}}", {"x": ["a"]})


def test_arrays_without_a_count_end_with_a_bracket():
    assert read_ubjson(b"[TFZi\x05U\xffSi\x01x[]{}]") == [
        True,
        False,
        None,
        5,
        255,
        "x",
        [],
        {},
    ]


def test_an_unknown_type_raises():
    with pytest.raises(ValueError, match="unknown type '\\?' in UBJSON at byte 1"):
        read_ubjson(b"[?]")
