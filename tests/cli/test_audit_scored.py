"""`skresp audit --scored`: the audit of what `skresp score` has written."""

from __future__ import annotations

import json

import numpy as np
import pytest

from skresp._cli._main import main
from skresp.report import AuditReport
from tests.cli.command_line import audit, one_line
from tests.credit_example import lender


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The lender's people with a number each, as a Parquet file."""
    path = tmp_path_factory.mktemp("data") / "people.parquet"
    lender().X.assign(number=np.arange(len(lender().X))).to_parquet(path)
    return path


@pytest.fixture(scope="module")
def scored(files, data, tmp_path_factory):
    """A folder that `skresp score` has written."""
    out = tmp_path_factory.mktemp("scored")
    options = audit(
        *(files, out, "--id", "number", "--keep", "sex", "--rows-per-part", "50"),
        *("--outputs", "scores", "intervals", "verdict"),
        data=str(data),
    )
    assert main(["score", *options[1:]]) == 0
    return out


def call(scored, out, *more):
    return ["audit", "--scored", str(scored), "--out", str(out), *more]


def test_scored_files_have_the_figures_of_an_audit(files, scored, tmp_path, capsys):
    us = lender()
    assert main(call(scored, tmp_path / "out", "--groups", "sex", "--json")) == 0
    printed = json.loads(capsys.readouterr().out)
    made = AuditReport.from_estimator(us.explainer, us.X, groups="sex").to_dict()
    for part in ("people", "features", "actions"):
        assert printed[part] == made[part]
    assert "from_estimator" in printed["comparison"]["not_available"]
    assert "manifest.json, sha256 " in printed["method"]["notes"]["Scored files"]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == sorted(printed["files"]) == ["report.html", "report.json"]
    assert main(call(scored, tmp_path / "out")) == 0
    assert "29 of 120 people are denied" in capsys.readouterr().out


def test_with_the_model_and_the_data_the_examples_have_notices(
    files, data, scored, tmp_path, capsys
):
    options = audit(files, tmp_path / "out", "--json", data=str(data))
    assert main([*options, "--scored", str(scored)]) == 0
    examples = json.loads(capsys.readouterr().out)["examples"]
    us = lender()
    assert len(examples) == 5
    for example in examples:
        assert example["status"] == us.verdicts.status[int(example["row"])]
        assert example["notice"]["status"] == example["status"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--groups", "age"), "--groups must be a column that was kept"),
        (("--scored", "nowhere"), "--scored must be a folder"),
        (("--scored", "{files}"), "--scored: {files} has no _manifest.json"),
        (("--model", "m.skops"), "got only --model"),
        (("--explainers", "shap"), "--explainers needs the rows in memory"),
        (("--time-limit", "3"), "--time-limit needs the rows in memory"),
        (("--sections", "peeple"), "--sections has 'peeple'"),
    ],
)
def test_a_bad_call_is_one_clear_line(files, scored, tmp_path, capsys, more, said):
    more = [word.format(files=files) for word in more]
    assert main(call(scored, tmp_path / "out", *more)) == 2
    assert said.format(files=files) in one_line(capsys)
    assert not (tmp_path / "out").exists()


def test_another_model_is_one_clear_line(files, data, scored, tmp_path, capsys):
    options = audit(files, tmp_path / "out", "--seed", "3", data=str(data))
    assert main([*options, "--scored", str(scored)]) == 2
    assert "random_state=0 was scored, random_state=3 is given" in one_line(capsys)


def test_without_scored_files_a_model_is_required(tmp_path, capsys):
    assert main(["audit", "--out", str(tmp_path)]) == 2
    line = one_line(capsys)
    assert "required: --model, --data, --actions, --target; or --scored" in line
