"""The command as it is installed: options and exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skresp._cli._main import main
from tests.cli.command_line import audit, one_line


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


def test_a_closed_pipe_ends_the_command_quietly(files):
    if sys.platform == "win32":
        pytest.skip("Windows reports closed pipes in another way")
    check = ["check", "--data", files / "data.csv", "--actions", files / "actions.yaml"]
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(
        [sys.executable, "-m", "skresp", *map(str, check)],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert (run.returncode, run.stderr) == (0, "")
