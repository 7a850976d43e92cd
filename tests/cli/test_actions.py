"""`skresp actions`: an action set to be edited."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pandas as pd

from skresp import ActionSet
from skresp._cli._main import main
from tests.cli.command_line import one_line


def test_actions_are_written_to_be_edited(files, tmp_path, capsys):
    out = tmp_path / "mine.yaml"
    given = ["actions", "--data", str(files / "data.csv"), "--out", str(out)]
    assert main([*given, "--immutable", "age", "sex", "--ignore", "repaid"]) == 0
    table = pd.read_csv(files / "data.csv").drop(columns="repaid")
    assert ActionSet.from_file(out) == ActionSet.infer(table, immutable=["age", "sex"])
    assert out.read_text().startswith(
        "# What people can change, inferred from data.csv"
    )
    marked = [line for line in out.read_text().splitlines() if line.endswith("# check")]
    assert len(marked) == len(table.columns) - 2
    assert not [line for line in marked if line.startswith(("  age", "  sex"))]
    capsys.readouterr()
    assert main(given) == 2
    assert "--force" in one_line(capsys)
    assert main([*given, "--force", "--json"]) == 0
    assert "repaid" in json.loads(capsys.readouterr().out)["features"]
    assert main([*given, "--force", "--ignore", "label"]) == 2
    assert "no column 'label'" in one_line(capsys)


def test_strange_names_and_labels_survive_the_marks(tmp_path):
    names = ["a b", "# no", "x: {kind: y}", "'", "? q", "long " * 60, "- l", "ü\n  z"]
    names += ["p\u2028q", "p\u2029  q", "p\x85q: r"]
    table = pd.DataFrame(
        {name: [f"{{kind: {name}}}", "  b: 1", "c # d"] for name in names}
    )
    table.to_csv(tmp_path / "odd.csv", index=False)
    out = tmp_path / "odd.yaml"
    given = ["actions", "--data", str(tmp_path / "odd.csv"), "--out", str(out)]
    assert main(given) == 0
    assert ActionSet.from_file(out) == ActionSet.infer(table)
    assert main([*given, "--force", "--ignore", names[5], names[7]]) == 0
    rest = table.drop(columns=[names[5], names[7]])
    assert ActionSet.from_file(out) == ActionSet.infer(rest)
    assert out.read_text().count("# check\n") == len(rest.columns)


def test_a_full_disk_names_the_file_that_was_asked_for(
    files, tmp_path, capsys, monkeypatch
):
    def fail(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    out = tmp_path / "a.yaml"
    monkeypatch.setattr(Path, "write_text", fail)
    assert main(["actions", "--data", str(files / "data.csv"), "--out", str(out)]) == 2
    assert f"{out}: No space left on device" in one_line(capsys)
    assert not list(tmp_path.iterdir())


def test_a_file_that_does_not_read_back_is_not_written(
    files, tmp_path, capsys, monkeypatch
):
    out = tmp_path / "a.yaml"
    given = ["actions", "--data", str(files / "data.csv"), "--out", str(out)]
    text = "features: {a: {kind: binary}}"
    monkeypatch.setattr("skresp._cli._actions._with_marks", lambda *_: text)
    assert main(given) == 2
    assert "does not read back" in one_line(capsys)
    assert not list(tmp_path.iterdir())


def test_the_ending_of_the_file_may_be_in_capitals(files, tmp_path):
    for name in ("a.YAML", "a.Yml", "a.JSON"):
        out = tmp_path / name
        given = ["actions", "--data", str(files / "data.csv"), "--out", str(out)]
        assert main(given) == 0
        assert ActionSet.from_file(out).names
        assert out.read_text().startswith("{") == (name == "a.JSON")


def test_a_folder_with_a_line_break_prints_no_line_of_its_own(files, tmp_path, capsys):
    out = tmp_path / "a\nSPOOF: all fine.yaml"
    given = ["actions", "--data", str(files / "data.csv"), "--out", str(out)]
    assert main(given) == 0
    printed = capsys.readouterr().out
    assert "a SPOOF: all fine.yaml" in printed
    assert "\nSPOOF" not in printed
