"""`skresp audit`: the library's numbers, and one clear line for a bad call."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from skops import io as skops_io

from skresp import ActionSet, Feature
from skresp._cli._main import main
from skresp.datasets import fetch_heloc
from skresp.report import AuditReport
from tests.cli.command_line import audit, one_line
from tests.credit_example import lender


def test_an_audit_finds_what_the_library_finds(files, tmp_path, capsys):
    us = lender()
    code = main(audit(files, tmp_path / "out", "--groups", "sex", "--json"))
    printed = json.loads(capsys.readouterr().out)
    assert code == 0
    made = AuditReport.from_estimator(us.explainer, us.X, groups="sex").to_dict()
    for part in ("people", "features", "examples", "actions", "comparison"):
        assert printed[part] == made[part]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == sorted(printed["files"])
    assert names == ["features.png", "people.csv", "report.html", "report.json"]
    people = pd.read_csv(tmp_path / "out" / "people.csv", keep_default_na=False)
    assert people["status"].tolist() == us.verdicts.status.tolist()
    top = us.explanation.top_features(4)
    listed = [", ".join(us.explanation.feature_names[j] for j in row) for row in top]
    need = ~us.explanation.at_target
    assert people["works_alone"][need].tolist() == np.array(listed)[need].tolist()


def test_an_audit_prints_a_summary_and_no_progress_in_a_pipe(files, tmp_path, capsys):
    assert main(audit(files, tmp_path, "--explainers", "shap")) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "29 of 120 people are denied" in printed.out
    assert "SHAP, actionable" in printed.out
    assert (tmp_path / "comparison.png").stat().st_size > 1000


def test_a_regressor_has_a_number_for_target(tmp_path, files, capsys):
    us = lender()
    X = us.X[["income", "credit_cards"]]
    model = LinearRegression().fit(X, us.y)
    skops_io.dump(model, tmp_path / "line.skops")
    keep = {name: us.actions.features[name] for name in X}
    ActionSet(keep).to_file(tmp_path / "two.json")
    given = {
        "model": str(tmp_path / "line.skops"),
        "actions": str(tmp_path / "two.json"),
    }
    assert main(audit(files, tmp_path, "--json", target=">=0.7", **given)) == 0
    denied = json.loads(capsys.readouterr().out)["people"]["n_denied"]
    assert denied == (model.predict(X) < 0.7).sum()
    assert main(audit(files, tmp_path, target="much", **given)) == 2
    assert "'>=700'" in one_line(capsys)


BAD_CALLS = {
    "no model": ({"model": "nowhere.skops"}, "no file nowhere.skops"),
    "no data": ({"data": "nowhere.csv"}, "no file nowhere.csv"),
    "odd data": ({"data": "{d}/actions.yaml"}, "must end in .csv or .parquet"),
    "odd model": ({"model": "{d}/data.csv"}, "which sets the format"),
    "no such model": ({"model": "{d}/broken.json"}, "cannot be read as a .json"),
    "no such skops": ({"model": "{d}/broken.skops"}, "cannot be read as a .skops"),
    "bad target": ({"target": "good"}, "not a class of the model"),
    "bad columns": ({"data": "{d}/narrow.csv"}, "no column 'age'"),
    "bad yaml": ({"actions": "{d}/broken.yaml"}, "broken.yaml, line 3"),
    "bad feature": ({"actions": "{d}/wrong.yaml"}, "lower must not exceed upper"),
    "few actions": ({"actions": "{d}/few.yaml"}, "does not have"),
    "more actions": ({"actions": "{d}/more.yaml"}, "--actions has 'repaid', which"),
    "bad folder": ({"out": "{d}/data.csv/x"}, "cannot be created"),
    "no rows": ({"data": "{d}/empty.csv"}, "has no rows"),
    "bad parquet": ({"data": "{d}/broken.parquet"}, "not a parquet file"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_a_bad_call_is_one_clear_line(case, files, tmp_path, capsys):
    us = lender()
    instead, said = BAD_CALLS[case]
    (files / "broken.json").write_text("{}")
    (files / "broken.skops").write_text("no zip")
    (files / "broken.parquet").write_text("no columns")
    us.X[["income"]].to_csv(files / "narrow.csv", index=False)
    us.X[:0].to_csv(files / "empty.csv", index=False)
    (files / "broken.yaml").write_text(
        "features:\n  a: {kind: binary}\n  b: {kind: ]}\n"
    )
    (files / "wrong.yaml").write_text(
        "features:\n  a: {kind: integer, lower: 9, upper: 3}\n"
    )
    more = {**us.actions.features, "repaid": Feature("binary")}
    ActionSet(more, us.actions.constraints).to_file(files / "more.yaml")
    (files / "few.yaml").write_text(
        "features:\n  age: {kind: integer, actionable: false}\n"
    )
    given = {name: value.format(d=files) for name, value in instead.items()}
    assert main(audit(files, tmp_path, **given)) == 2
    assert said in one_line(capsys)
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, pathlib, signal, sys
write = pathlib.Path.write_text
def half(self, text, *args, **kwargs):
    write(self, text[: len(text) // 2], *args, **kwargs)
    os.kill(os.getpid(), signal.SIGKILL)
pathlib.Path.write_text = half
from skresp._cli._main import main
main(sys.argv[1:])
"""


def test_killed_half_way_it_leaves_the_older_files_as_they_were(files, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for name in ("people.csv", "report.html", "report.json", "notes.txt"):
        (out / name).write_text("older")
    run = subprocess.run(
        [sys.executable, "-c", KILLED, *audit(files, out)], capture_output=True
    )
    assert run.returncode == -9
    (hidden,) = out.glob(".*")
    assert any(path.name.endswith(".part.html") for path in hidden.iterdir())
    assert {path.read_text() for path in out.iterdir() if path != hidden} == {"older"}
    assert main(audit(files, out, "--sections", "people")) == 0
    assert not list(out.glob(".*"))
    assert (out / "notes.txt").read_text() == "older"
    assert len(pd.read_csv(out / "people.csv")) == 120
    assert (out / "report.html").read_text().startswith("<!doctype html>")


def test_files_of_an_older_audit_do_not_stay_beside_new_ones(files, tmp_path):
    (tmp_path / "comparison.png").write_text("of an older audit with explainers")
    assert main(audit(files, tmp_path, "--sections", "people")) == 0
    assert not (tmp_path / "comparison.png").exists()


def test_an_audit_does_not_replace_its_input(files, tmp_path, capsys):
    data = tmp_path / "people.csv"
    data.write_bytes((files / "data.csv").read_bytes())
    assert main(audit(files, tmp_path, data=str(data))) == 2
    assert f"{data} is an input" in one_line(capsys)
    assert data.read_bytes() == (files / "data.csv").read_bytes()


@pytest.mark.data
def test_heloc_as_published_with_a_native_file(raw_data, tmp_path, capsys):
    xgboost = pytest.importorskip("xgboost")
    heloc = fetch_heloc(variant="raw", data_home=raw_data)
    model = xgboost.XGBClassifier(
        n_estimators=20, max_depth=3, enable_categorical=True, n_jobs=1
    ).fit(heloc.data, heloc.target)
    model.save_model(tmp_path / "model.json")
    heloc.data.to_csv(tmp_path / "data.csv", index=False)
    heloc.action_set.to_file(tmp_path / "actions.yaml")
    given = audit(tmp_path, tmp_path / "out", model=str(tmp_path / "model.json"))
    assert main([*given, "--sample", "150", "--max-points", "500", "--json"]) == 0
    people = json.loads(capsys.readouterr().out)["people"]
    rows = pd.read_csv(tmp_path / "out" / "people.csv")["row"]
    assert people["n_rows"] == 150
    assert people["n_denied"] == (model.predict(heloc.data.iloc[rows]) == 0).sum()
