"""Calls of the command line, and what they print."""

from __future__ import annotations

from pathlib import Path


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


def one_line(capsys) -> str:
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "Traceback" not in printed.err
    assert "error" in printed.err
    return printed.err
