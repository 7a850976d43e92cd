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
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.integers(0, 9, 300)})
    if labels:
        X["c"] = pd.Categorical(rng.choice(["ä", "b", "c" * 200], 300))
    y = rng.integers(0, 3, 300)
    model = XGBClassifier(n_estimators=4, enable_categorical=True).fit(X, y)
    booster = model.get_booster()
    wanted = json.loads(booster.save_raw("json"))
    stored = bytes(booster.save_raw("ubj"))
    _assert_same(read_ubjson(stored), wanted)
    trees = wanted["learner"]["gradient_booster"]["model"]["trees"]
    for tree in trees:
        del tree["sum_hessian"]
    _assert_same(read_ubjson(stored, ["sum_hessian"]), wanted)


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
