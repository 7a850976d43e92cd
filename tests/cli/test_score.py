"""`skresp score`: the library's numbers, and a second run that goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from skresp._cli._main import main
from tests.cli.command_line import audit, one_line
from tests.credit_example import lender


@pytest.fixture
def numbered(files, tmp_path):
    """The lender's people with a number each, as a Parquet file."""
    us = lender()
    path = tmp_path / "people.parquet"
    us.X.assign(number=np.arange(len(us.X))).to_parquet(path)
    return path


def score(files, folder, /, *more, **instead):
    return ["score", *audit(files, folder, *more, **instead)[1:]]


def parts(folder):
    manifest = json.loads((folder / "_manifest.json").read_text())
    tables = [pq.read_table(folder / p["name"]).to_pandas() for p in manifest["parts"]]
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_files_are_scored_as_the_library_does(files, numbered, tmp_path, capsys, jobs):
    us, out = lender(), tmp_path / "out"
    call = score(
        *(files, out, "--id", "number:int64", "--keep", "sex"),
        *("--rows-per-part", "50", "--jobs", jobs),
        data=str(numbered),
    )
    assert main(call) == 0
    assert "Scored 120 rows, written to " in capsys.readouterr().out
    found = parts(out)
    assert found["number"].tolist() == list(range(len(us.X)))
    assert found["sex"].tolist() == us.X["sex"].tolist()
    assert found["status"].tolist() == us.verdicts.status.tolist()
    j = us.explanation.feature_names.index("income")
    assert np.array_equal(found["score__income"], us.explanation.values[:, j])
    before = {p: (out / p).stat().st_mtime_ns for p in os.listdir(out)}
    before.pop("_manifest.json")
    assert main([*call, "--json"]) == 0  # nothing is left to do
    assert json.loads(capsys.readouterr().out)["rows"] == 120
    assert all((out / p).stat().st_mtime_ns == t for p, t in before.items())


def test_a_csv_file_gives_the_same_as_a_parquet_file(files, numbered, tmp_path):
    assert main(score(files, tmp_path / "a", data=str(numbered))) == 0
    assert main(score(files, tmp_path / "b")) == 0
    pd.testing.assert_frame_equal(parts(tmp_path / "a"), parts(tmp_path / "b"))


def test_rows_with_problems_are_counted(files, tmp_path, capsys):
    data = pd.read_csv(files / "data.csv", dtype=str, keep_default_na=False)
    data.loc[3, "income"] = "much"
    data.to_csv(tmp_path / "data.csv", index=False)
    assert main(score(files, tmp_path / "out", data=str(tmp_path / "data.csv"))) == 0
    assert "1 row could not be scored" in capsys.readouterr().out
    assert parts(tmp_path / "out")["problem"].notna().sum() == 1


@pytest.mark.parametrize(
    ("more", "instead", "message"),
    [
        ((), {"data": "nowhere/*.parquet"}, "nothing was found at 'nowhere"),
        (("--id", "customer"), {}, "no column 'customer'"),
        (("--outputs", "score"), {}, "outputs must be one of"),
        (("--rows-per-part", "0"), {}, "must be at least 1"),
    ],
)
def test_wrong_calls_are_one_line(files, tmp_path, capsys, more, instead, message):
    assert main(score(files, tmp_path / "out", *more, **instead)) == 2
    assert message in one_line(capsys)
    assert not (tmp_path / "out").exists()


def test_another_model_does_not_add_to_the_parts_of_the_first(files, tmp_path, capsys):
    assert main(score(files, tmp_path / "out")) == 0
    capsys.readouterr()
    assert main(score(files, tmp_path / "out", "--seed", "7")) == 2
    assert "fingerprint" in one_line(capsys)


def test_features_that_cannot_change_may_have_any_number(files, tmp_path):
    data = pd.read_csv(files / "data.csv")
    data["late_payments"] += 0.5
    data.to_csv(tmp_path / "data.csv", index=False)
    assert main(score(files, tmp_path / "out", data=str(tmp_path / "data.csv"))) == 0
    assert parts(tmp_path / "out")["problem"].isna().all()


@pytest.fixture
def disk(tmp_path):
    """A disk of 64 kB; needs the rights to mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no rights to mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def remount(disk, options):
    subprocess.run(["mount", "-o", f"remount,{options}", disk], check=True)


def command(files, numbered, out):
    return [
        *(sys.executable, "-m", "skresp"),
        *score(
            *(files, out, "--rows-per-part", "10"),
            *("--outputs", "scores", "intervals", "verdict", "changes"),
            data=str(numbered),
        ),
    ]


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_a_later_run_completes(files, numbered, disk):
    call = command(files, numbered, disk / "out")
    run = subprocess.run(call, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert f"{disk / 'out'}" in run.stderr
    assert run.stderr.endswith("No space left on device\n")
    left = os.listdir(disk / "out")
    assert all(name.endswith(".parquet") for name in left)
    assert not [name for name in left if name.startswith(".")]
    remount(disk, "size=8m")
    subprocess.run(call, capture_output=True, check=True)
    assert len(parts(disk / "out")) == 120


@pytest.mark.slow
def test_a_read_only_folder_is_one_line_and_a_later_run_completes(
    files, numbered, disk
):
    call = command(files, numbered, disk / "out")
    (disk / "out").mkdir()
    remount(disk, "size=8m,ro")
    run = subprocess.run(call, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert f"--out: the folder {disk / 'out'} is not writable" in run.stderr
    assert os.listdir(disk / "out") == []
    remount(disk, "size=8m,rw")
    subprocess.run(call, capture_output=True, check=True)
    assert len(parts(disk / "out")) == 120
