"""`skresp actions`: an action set to be edited."""

from __future__ import annotations

import json

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
