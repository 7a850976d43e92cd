"""The hash of a model: equal for every reading of it, different for other models."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from lightgbm import LGBMClassifier
from scipy import stats
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from xgboost import XGBClassifier

from skresp.batch._identity import effects_hash, library_versions, model_hash
from skresp.batch._value_hash import value_hash
from skresp.datasets import make_credit
from tests.credit_example import LABELS


def encoded(model):
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), LABELS), remainder="passthrough"
    )
    return make_pipeline(encode, model)


def catboost():
    library = pytest.importorskip("catboost")
    return library.CatBoostClassifier(
        iterations=5, verbose=0, cat_features=LABELS, allow_writing_files=False
    )


MODELS = {
    "LR": lambda: encoded(LogisticRegression()),
    "HGB": lambda: encoded(HistGradientBoostingClassifier(max_iter=3)),
    "XGB": lambda: encoded(XGBClassifier(n_estimators=3)),
    "LGBM": lambda: encoded(LGBMClassifier(n_estimators=3, verbose=-1)),
    "CatBoost": catboost,
    "calibrated": lambda: encoded(
        CalibratedClassifierCV(HistGradientBoostingClassifier(max_iter=2), cv=2)
    ),
    # Its nodes have bytes between fields, which are not set.
    "forest": lambda: encoded(RandomForestClassifier(5)),
    # It keeps its random numbers.
    "network": lambda: encoded(MLPClassifier((3,), max_iter=2)),
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@cache
def fitted(name):
    credit = make_credit(120, random_state=0)
    return MODELS[name]().fit(credit.data, credit.target)


def load_skops(path):
    return skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))


# Prints the hash of each file.
PRINT = """
import sys, joblib, pickle, skops.io
from skresp.batch._identity import effects_hash, model_hash
for path in sys.argv[1:]:
    if path.endswith(".skops"):
        types = skops.io.get_untrusted_types(file=path)
        print(model_hash(skops.io.load(path, trusted=types)))
    elif path.endswith(".joblib"):
        print(model_hash(joblib.load(path)))
    else:
        print(model_hash(pickle.load(open(path, "rb"))))
"""


def test_every_reading_of_a_model_has_its_hash(tmp_path):
    """Read here twice, and in another process."""
    files, known = [], []
    for name in MODELS:
        model = fitted(name)
        expected = model_hash(model)
        assert expected is not None
        model.predict(make_credit(5, random_state=1).data)
        assert model_hash(model) == expected, name
        assert model_hash(FrozenEstimator(model)) == expected, name
        path = tmp_path / f"{name}.joblib"
        joblib.dump(model, path)
        path.with_suffix(".pkl").write_bytes(pickle.dumps(model))
        skops.io.dump(model, path.with_suffix(".skops"))
        for _ in range(2):
            assert model_hash(joblib.load(path)) == expected, name
            assert model_hash(load_skops(path.with_suffix(".skops"))) == expected, name
        files += [path.with_suffix(ending) for ending in (".joblib", ".pkl", ".skops")]
        known += [expected] * 3
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PRINT, *map(str, files)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == known
    assert len(set(known)) == len(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_other_data_has_another_hash(name):
    credit = make_credit(120, random_state=0)
    other = MODELS[name]().fit(credit.data, 1 - credit.target)
    assert model_hash(other) != model_hash(fitted(name))


def test_the_smallest_change_of_a_coefficient_is_seen():
    model = pickle.loads(pickle.dumps(fitted("LR")))
    model[-1].coef_[0, 3] = np.nextafter(model[-1].coef_[0, 3], np.inf)
    assert model_hash(model) != model_hash(fitted("LR"))


def test_a_model_that_cannot_be_pickled_has_no_hash():
    model = LogisticRegression()
    model.secret = lambda: None
    assert model_hash(model) is None


class Attributes:
    """An object with some attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def different_values():
    inside = ["a"]
    inside.append(inside)
    return [
        *(None, True, 1, 1.0, -0.0, 0.0, float("nan"), "1", b"1", 1 + 0j, ...),
        *([], (), {}, set(), [[]], [()], ["ab"], ["a", "b"], [1, 2], [2, 1]),
        *({"a": 1, "b": 2}, {"b": 2, "a": 1}, {1, 2}, frozenset({1, 2}), int, len),
        *(np.arange(4), np.arange(4.0), np.arange(4).reshape(2, 2), np.int64(1)),
        *(np.array(["a", "b"], dtype=object), np.array(["a", "b"])),
        *(np.float32(1), np.dtype("f4"), np.random.RandomState(0)),
        *(np.random.RandomState(1), np.random.default_rng(0)),
        *(pd.Series([1, 2]), pd.Series([1, 2], index=[1, 0]), pd.Series(["a", "b"])),
        *(Attributes(a=1), Attributes(a=2), Attributes(b=1), inside, "\ud800"),
    ]


def test_different_values_have_different_hashes_and_copies_the_same():
    values = different_values()
    hashes = [value_hash(v) for v in values]
    assert len(set(hashes)) == len(values)
    assert [value_hash(pickle.loads(pickle.dumps(v))) for v in values] == hashes


def test_which_parts_are_one_object_does_not_matter():
    text, array = "a text", np.arange(3)
    shared = [text, text, array, array, (1.5, text), (1.5, text)]
    apart = [text, "a te" + "xt", array, array.copy(), (1.5, text), (1.5, "a text")]
    assert value_hash(shared) == value_hash(apart)
    one, other = Attributes(a=1, b=2), Attributes(b=2, a=1)
    assert value_hash(one) == value_hash(other)
    assert value_hash({3, 1, 2}) == value_hash({2, 3, 1})
    fields = np.zeros(2, dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True))
    noise = fields.copy()
    noise.view(np.uint8)[1] = 7
    assert value_hash(fields) == value_hash(noise)


def test_versions_that_numbers_do_not_depend_on_are_left_out():
    known = library_versions()
    assert {"skresp", "numpy", "scipy", "scikit-learn"} <= known.keys()
    assert not {"shap", "lime"} & known.keys()
    assert known["python"] == f"{sys.version_info.major}.{sys.version_info.minor}"


def test_random_effects_are_told_apart_by_their_parameters_only():
    known = effects_hash({"income": stats.norm(0, 1)})
    np.random.rand(3)  # noqa: NPY002, the numbers that a distribution brings with it
    again = pickle.loads(pickle.dumps({"income": stats.norm(0, 1)}))
    assert effects_hash(again) == known
    assert effects_hash({"income": stats.norm(0, 2)}) != known
    assert effects_hash({"income": stats.uniform(0, 1)}) != known
    assert effects_hash({"debt": stats.norm(0, 1)}) != known
    with pytest.raises(TypeError, match="<lambda> has no hash"):
        effects_hash({"income": lambda rows, changes, rng: 0})
