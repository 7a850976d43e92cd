"""The command line as scripts use it: files in, files and exit codes out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from skops import io as skops_io

from skresp import ActionSet, Feature
from skresp.actions import unusual_values
from skresp.cli import main
from skresp.cli._models import dressed, read_model, read_target
from skresp.cli._tables import read_table
from skresp.datasets import fetch_heloc
from skresp.report import AuditReport
from tests.lender import LABELS, lender


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder with a lender's data, actions and models."""
    folder = tmp_path_factory.mktemp("files")
    us = lender()
    us.X.assign(repaid=us.y).to_csv(folder / "data.csv", index=False)
    us.actions.to_file(folder / "actions.yaml")
    skops_io.dump(us.model, folder / "model.skops")
    joblib.dump(us.model, folder / "model.joblib")
    return folder


def audit(files: Path, folder: Path, /, *more: str, **instead: str) -> list[str]:
    given = {
        "model": str(files / "model.skops"),
        "data": str(files / "data.csv"),
        "actions": str(files / "actions.yaml"),
        "target": "1",
        "out": str(folder),
    } | instead
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    return ["audit", *options, "--trust", "sklearn.tree._tree.Tree", *more]


def test_an_audit_finds_what_the_library_finds(files, tmp_path, capsys):
    us = lender()
    code = main(audit(files, tmp_path / "out", "--groups", "sex", "--json"))
    told = json.loads(capsys.readouterr().out)
    assert code == 0
    made = AuditReport.from_estimator(us.explainer, us.X, groups="sex").to_dict()
    for part in ("people", "features", "examples", "actions", "comparison"):
        assert told[part] == made[part]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == sorted(told["files"])
    assert names == ["features.png", "people.csv", "report.html", "report.json"]
    people = pd.read_csv(tmp_path / "out" / "people.csv", keep_default_na=False)
    assert people["status"].tolist() == us.verdicts.status.tolist()
    top = us.explanation.top_features(4)
    listed = [", ".join(us.explanation.feature_names[j] for j in row) for row in top]
    need = ~us.explanation.at_target
    assert people["works_alone"][need].tolist() == np.array(listed)[need].tolist()


def test_an_audit_tells_people_too_and_is_quiet_in_a_pipe(files, tmp_path, capsys):
    assert main(audit(files, tmp_path, "--explainers", "shap")) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert "29 of 120 people are denied" in told.out
    assert "SHAP, actionable" in told.out
    assert (tmp_path / "comparison.png").stat().st_size > 1000


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
    told = one_line(capsys)
    assert "Stranger" in told
    assert "--trust" in told


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
    read = read_model(str(path))
    table = read_table(str(files / "data.csv"), us.actions)
    rows = dressed(read, table[list(us.X)], us.actions)
    np.testing.assert_allclose(read.predict_proba(rows), model.predict_proba(X))
    assert read.classes_.tolist() == [0, 1]
    given = audit(
        files, tmp_path / "out", "--max-points", "50", "--json", model=str(path)
    )
    assert main(given) == 0
    denied = json.loads(capsys.readouterr().out)["people"]["n_denied"]
    assert denied == (model.predict(X) == 0).sum()


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


def test_targets_are_found_among_the_classes():
    us = lender()
    assert read_target("0", us.model) == 0
    assert read_target("1.0", us.model) == 1


def one_line(capsys) -> str:
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err
    assert "error" in told.err
    return told.err


BAD_CALLS = {
    "no model": ({"model": "nowhere.skops"}, "no file nowhere.skops"),
    "no data": ({"data": "nowhere.csv"}, "no file nowhere.csv"),
    "odd data": ({"data": "{d}/actions.yaml"}, "must be .csv or .parquet"),
    "odd model": ({"model": "{d}/data.csv"}, "follows from its ending"),
    "no such model": ({"model": "{d}/broken.json"}, "cannot be read as a .json"),
    "no such skops": ({"model": "{d}/broken.skops"}, "cannot be read as a .skops"),
    "bad target": ({"target": "good"}, "none of the model's classes"),
    "bad columns": ({"data": "{d}/narrow.csv"}, "no column 'age'"),
    "bad yaml": ({"actions": "{d}/broken.yaml"}, "broken.yaml, line 3"),
    "bad feature": ({"actions": "{d}/wrong.yaml"}, "the lower bound must not exceed"),
    "few actions": ({"actions": "{d}/few.yaml"}, "says nothing of"),
    "bad folder": ({"out": "{d}/data.csv/x"}, "cannot be made a folder"),
    "no rows": ({"data": "{d}/empty.csv"}, "has no rows"),
    "bad parquet": ({"data": "{d}/broken.parquet"}, "no parquet file"),
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
    (files / "few.yaml").write_text(
        "features:\n  age: {kind: integer, actionable: false}\n"
    )
    given = {name: value.format(d=files) for name, value in instead.items()}
    assert main(audit(files, tmp_path, **given)) == 2
    assert said in one_line(capsys)
    assert list(tmp_path.iterdir()) == []


def test_options_that_do_not_exist_are_one_line_too(files, tmp_path, capsys):
    for argv in (
        ["audit"],
        ["nothing"],
        [],
        audit(files, tmp_path, "--examples", "-3"),
        audit(files, tmp_path, "--explainers", "magic"),
    ):
        assert main(argv) == 2
        one_line(capsys)
    assert main(audit(files, tmp_path, "--groups", "gender")) == 2
    assert "no column 'gender'" in one_line(capsys)
    assert main(audit(files, tmp_path, "--sections", "peeple")) == 2
    assert "sections has 'peeple'" in one_line(capsys)


def test_check_says_which_rows_break_what(files, tmp_path, capsys):
    given = ["check", "--actions", str(files / "actions.yaml"), "--data"]
    assert main([*given, str(files / "data.csv")]) == 0
    assert "All 120 rows are fine" in capsys.readouterr().out
    broken = lender().X.copy()
    broken.loc[7, ["job", "years_employed"]] = ["not employed", 3]
    broken.to_csv(tmp_path / "broken.csv", index=False)
    assert main([*given, str(tmp_path / "broken.csv")]) == 1
    assert "1 of 120 rows break something" in capsys.readouterr().out
    assert main([*given, str(tmp_path / "broken.csv"), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["row"] == 7
    assert "not employed" in finding["broken"]


@pytest.fixture
def odd(tmp_path) -> list[str]:
    """A call of check on data with unusual values, none of which breaks a rule."""
    actions = ActionSet(
        {
            "age": Feature("integer", 18, 75, actionable=False),
            "income": Feature("real", 0, 5000),
            "loans": Feature("integer", 0, 9, step=2),
            "home": Feature("categorical", categories=["own", "rent"]),
            "grade": Feature("categorical", categories=[1, 2, 3]),
            "flag": Feature("binary", actionable=False),
        }
    )
    actions.to_file(tmp_path / "actions.yaml")
    rows = pd.DataFrame(
        {
            "age": [80, 30, None, 17],
            "income": [-1.0, 100, 5000, 6000],
            "loans": [3, 0, 9, 12],
            "home": ["boat", "own", "rent", "boat"],
            "grade": [1, 2, 3, 4],
            "flag": [0, 1, None, 1],
            "id": [1, 2, 3, 4],
            "repaid": [1, 0, 1, 0],
        }
    )
    rows.to_csv(tmp_path / "data.csv", index=False)
    return [
        *("check", "--actions", str(tmp_path / "actions.yaml")),
        *("--data", str(tmp_path / "data.csv")),
    ]


def test_check_counts_what_is_unusual_and_names_what_it_leaves_out(odd, capsys):
    assert main([*odd, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {(u["column"], u["unusual"]): u["rows"] for u in told["unusual"]} == {
        ("age", "missing"): 1,
        ("age", "outside the bounds 18 to 75"): 2,
        ("income", "outside the bounds 0 to 5000"): 2,
        ("loans", "outside the bounds 0 to 9"): 1,
        ("home", "not among the listed categories"): 2,
        ("grade", "not among the listed categories"): 1,
        ("flag", "missing"): 1,
    }
    assert told["not_checked"] == ["id", "repaid"]
    assert told["rows_unusual"] == 3
    assert told["broken"] == 0
    assert main(odd) == 0
    text = capsys.readouterr().out
    assert "Checked 4 rows: 6 columns" in text
    assert "not checked: id, repaid." in text
    assert "rows are fine" not in text
    assert "No row breaks a rule; 3 of 4 rows hold unusual values." in text
    assert any("home" in line and "'boat'" in line for line in text.splitlines())


def test_check_counts_what_breaks_rules_too(odd, tmp_path, capsys):
    rows = pd.read_csv(tmp_path / "data.csv")
    rows["loans"] = [0.5, 1, 2, None]
    rows.to_csv(tmp_path / "data.csv", index=False)
    assert main([*odd, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    counted = {(u["column"], u["unusual"]): u["rows"] for u in told["unusual"]}
    assert counted["loans", "not a whole number"] == 1
    assert counted["loans", "missing"] == 1
    assert told["broken"] == 2
    assert main(odd) == 1
    text = capsys.readouterr().out
    assert "2 of 4 rows break something" in text
    assert "fine" not in text


def test_rows_are_fine_where_nothing_is_unusual(odd, tmp_path, capsys):
    rows = pd.read_csv(tmp_path / "data.csv")[1:2]
    rows.drop(columns=["id", "repaid"]).to_csv(tmp_path / "data.csv", index=False)
    assert main(odd) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[-1] == "All 1 rows are fine."
    assert "not checked" not in text


@pytest.mark.parametrize("labels", [[1, 2, 3], [True, False], [1, "two", 3.5]])
def test_labels_that_are_not_texts_are_read_as_they_are_listed(labels, tmp_path):
    kept = ActionSet({"a": Feature("categorical", categories=labels)})
    for extra in ([], ["odd"], [None]):
        rows = pd.DataFrame({"a": [*labels, *extra]})
        rows.to_csv(tmp_path / "x.csv", index=False)
        read = read_table(str(tmp_path / "x.csv"), kept)["a"].tolist()
        assert read[: len(labels)] == labels
        unusual = unusual_values(kept, read_table(str(tmp_path / "x.csv"), kept))
        assert [u.count for u in unusual] == [1] * len(extra)


def test_actions_are_written_to_be_edited(files, tmp_path, capsys):
    out = tmp_path / "mine.yaml"
    given = ["actions", "--data", str(files / "data.csv"), "--out", str(out)]
    assert main([*given, "--immutable", "age", "sex", "--ignore", "repaid"]) == 0
    table = pd.read_csv(files / "data.csv").drop(columns="repaid")
    assert ActionSet.from_file(out) == ActionSet.infer(table, immutable=["age", "sex"])
    assert out.read_text().startswith(
        "# What people can change, inferred from data.csv"
    )
    capsys.readouterr()
    assert main(given) == 2
    assert "--force" in one_line(capsys)
    assert main([*given, "--force", "--json"]) == 0
    assert "repaid" in json.loads(capsys.readouterr().out)["features"]
    assert main([*given, "--force", "--ignore", "label"]) == 2
    assert "no column 'label'" in one_line(capsys)


def test_labels_that_look_missing_or_like_numbers_stay_labels(tmp_path):
    X = pd.DataFrame(
        {
            "a": ["NA", "None", "x"],
            "b": ["1", "2", "1"],
            "c": [1.5, None, 2],
            "zip": ["01", "02", "01"],
            "gaps": ["1", None, "2"],
        }
    )
    actions = ActionSet.infer(X, immutable=["c"])
    X.to_csv(tmp_path / "x.csv", index=False)
    pd.testing.assert_frame_equal(
        read_table(str(tmp_path / "x.csv"), actions), X, check_dtype=False
    )


def test_parquet_is_read_as_csv_is(tmp_path, files):
    polars = pytest.importorskip("polars")
    us = lender()
    frame = polars.read_csv(files / "data.csv")
    frame.write_parquet(tmp_path / "data.parquet")
    pd.testing.assert_frame_equal(
        read_table(str(tmp_path / "data.parquet"), us.actions),
        read_table(str(files / "data.csv"), us.actions),
        check_dtype=False,
    )


def test_the_demo_shows_everything(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path), "--rows", "80"]) == 0
    told = capsys.readouterr().out
    assert "denied people who get a list" in told
    assert "LIME, actionable" in told
    names = {path.name for path in tmp_path.iterdir()}
    assert names > {"report.html", "notice.txt", "comparison.png", "features.png"}
    assert ActionSet.from_file(tmp_path / "actions.yaml") == lender().actions
    assert "approval of the loan" in (tmp_path / "notice.txt").read_text()


KILLED = """
import os, pathlib, signal, sys
write = pathlib.Path.write_text
def half(self, text, *args, **kwargs):
    write(self, text[: len(text) // 2], *args, **kwargs)
    os.kill(os.getpid(), signal.SIGKILL)
pathlib.Path.write_text = half
from skresp.cli import main
main(sys.argv[1:])
"""


def test_killed_half_way_it_leaves_no_file_that_looks_whole(files, tmp_path):
    out = tmp_path / "out"
    run = subprocess.run(
        [sys.executable, "-c", KILLED, *audit(files, out)], capture_output=True
    )
    assert run.returncode == -9
    left = [path.name for path in out.iterdir()]
    assert any(name.endswith(".part.html") for name in left)
    assert not {"report.html", "report.json"} & set(left)
    whole = [name for name in left if not name.startswith(".")]
    assert set(whole) <= {"features.png", "people.csv"}
    assert len(pd.read_csv(out / "people.csv")) == 120


def test_the_command_is_installed_and_gives_its_exit_code(files, tmp_path):
    command = Path(sys.executable).with_name("skresp")
    if not command.exists():
        command = None
    start = [str(command)] if command else [sys.executable, "-m", "skresp"]
    run = subprocess.run([*start, "--version"], capture_output=True, text=True)
    assert (run.returncode, run.stdout.split()[0]) == (0, "skresp")
    run = subprocess.run(
        [sys.executable, "-m", "skresp", "check", "--data", "no.csv", "--actions", "a"],
        capture_output=True,
        text=True,
        env=os.environ,
    )
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1


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
