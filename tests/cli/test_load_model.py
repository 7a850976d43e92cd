"""Models are read from files of every format, and only when they are trusted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from skops import io as skops_io

from skresp._cli._load_model import load_model, read_target, with_categories
from skresp._cli._main import main
from skresp._cli._read_data import read_table
from tests.cli.command_line import audit, one_line
from tests.credit_example import LABELS, lender


def test_pickles_are_loaded_only_on_trust(files, tmp_path, capsys):
    given = audit(files, tmp_path, model=str(files / "model.joblib"))
    assert main(given) == 2
    assert "--trust-pickle" in one_line(capsys)
    assert main([*given, "--trust-pickle", "--json"]) == 0


def test_types_in_skops_files_are_named_before_they_are_trusted(
    files, tmp_path, capsys
):
    skops_io.dump(Stranger(), tmp_path / "odd.skops")
    given = audit(files, tmp_path, model=str(tmp_path / "odd.skops"))
    assert main(given) == 2
    printed = one_line(capsys)
    assert "Stranger" in printed
    assert "--trust" in printed


class Stranger:
    """A type that skops does not know."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_native_files_predict_as_the_model_did(library, files, tmp_path, capsys):
    us = lender()
    X = us.X.copy()
    X[LABELS] = X[LABELS].astype("category")
    if library == "xgboost":
        xgboost = pytest.importorskip("xgboost")
        model = xgboost.XGBClassifier(
            n_estimators=5, max_depth=2, enable_categorical=True
        ).fit(X, us.y)
        path = tmp_path / "model.ubj"
        model.save_model(path)
    else:
        lightgbm = pytest.importorskip("lightgbm")
        model = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, us.y)
        path = tmp_path / "model.txt"
        model.booster_.save_model(path)
    read = load_model(str(path))
    table = read_table(str(files / "data.csv"), us.actions)
    rows = with_categories(read, table[list(us.X)], us.actions)
    np.testing.assert_allclose(read.predict_proba(rows), model.predict_proba(X))
    assert read.classes_.tolist() == [0, 1]
    given = audit(
        files, tmp_path / "out", "--max-points", "50", "--json", model=str(path)
    )
    assert main(given) == 0
    denied = json.loads(capsys.readouterr().out)["people"]["n_denied"]
    assert denied == (model.predict(X) == 0).sum()


def test_targets_are_found_among_the_classes():
    us = lender()
    assert read_target("0", us.model) == 0
    assert read_target("1.0", us.model) == 1
