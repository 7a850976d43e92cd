"""The command as it is installed: options and exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skresp._cli._main import main
from tests.cli.command_line import audit, one_line

# The command with a Ctrl-C after some time, or inside code in a string at an import.
INTERRUPTED = """
import os, signal, sys
from skresp._cli._main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, float(os.environ["SECONDS"]))
sys.exit(main())
"""
IMPORTING = """
import os, signal, sys
from skresp._cli._main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
library, as_error = sys.argv.pop(1), sys.argv.pop(1)
class Finder:
    def find_spec(self, name, path, target=None):
        if name == library and as_error == "ImportError":  # as numpy does
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                raise ImportError("it could not be imported") from None
        elif name == library:
            exec("os.kill(os.getpid(), signal.SIGINT)")
sys.meta_path.insert(0, Finder())
sys.exit(main())
"""


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


@pytest.mark.parametrize("command", ["audit", "score"])
def test_ctrl_c_is_quiet_at_any_moment(files, tmp_path, command):
    if sys.platform == "win32":
        pytest.skip("Windows has no SIGINT for one process")
    options = audit(files, tmp_path)[1:]
    script = [sys.executable, "-c", INTERRUPTED, command, *options]
    stopped = 0
    for moment in range(1, 10):
        run = subprocess.run(
            script,
            env={**os.environ, "SECONDS": str(0.15 * moment)},
            capture_output=True,
            text=True,
        )
        if run.returncode != 0:  # it was faster
            stopped += 1
            assert (run.returncode, run.stderr) == (130, "\nskresp: stopped.\n")
    assert stopped


@pytest.mark.parametrize("as_error", ["KeyboardInterrupt", "ImportError"])
def test_ctrl_c_during_an_import_is_quiet(files, tmp_path, as_error):
    if sys.platform == "win32":
        pytest.skip("Windows has no SIGINT for one process")
    (tmp_path / "interrupted.py").write_text(IMPORTING)
    call = audit(files, tmp_path)
    for library in ("argparse", "numpy", "pandas", "sklearn", "skresp.report"):
        run = subprocess.run(
            [sys.executable, "-m", "interrupted", library, as_error, *call],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert (run.returncode, run.stderr) == (130, "\nskresp: stopped.\n"), library


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


def test_workers_are_quiet_when_ctrl_c_reaches_all_processes(files, tmp_path):
    if not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists():
        pytest.skip("needs the list of child processes that Linux has")
    options = audit(files, tmp_path / "out")[1:]
    more = ["--jobs", "2", "--rows-per-part", "10"]
    run = subprocess.Popen(
        [sys.executable, "-m", "skresp", "score", *options, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    while run.poll() is None and len(children.read_text().split()) < 3:
        time.sleep(0.01)
    time.sleep(0.2)  # two workers import, and a third process tracks resources
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate()
    assert (run.returncode, said) == (130, "\nskresp: stopped.\n")


@pytest.mark.parametrize("words", [["--version"], ["check"]], ids=str)
def test_a_closed_output_is_discarded(files, words):
    if sys.platform == "win32":
        pytest.skip("Windows has no shell that closes streams")
    check = ["--data", files / "data.csv", "--actions", files / "actions.yaml"]
    words = [*words, *map(str, check)] if words == ["check"] else words
    run = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", sys.executable, "-m", "skresp", *words],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_a_full_disk_at_the_output_is_named(files):
    if not Path("/dev/full").exists():
        pytest.skip("the system has no /dev/full")
    check = ["check", "--data", files / "data.csv", "--actions", files / "actions.yaml"]
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "skresp", *map(str, check)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    expected = "skresp check: error: standard output: No space left on device\n"
    assert (run.returncode, run.stderr) == (2, expected)
