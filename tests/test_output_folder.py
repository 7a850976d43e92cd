"""Sets of files that appear together, in a folder that one run writes to."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skresp._output_folder import locked_folder, unfinished_folder, whole_set

NAMES = ("table.csv", "picture.png", "report.json")


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def write(folder, **texts):
    for name in NAMES:
        if name.partition(".")[0] in texts:
            (folder / name).write_text(texts[name.partition(".")[0]])


def test_a_set_replaces_the_older_one(tmp_path):
    write(tmp_path, table="old", picture="old", report="old")
    (tmp_path / "other.txt").write_text("kept")
    with whole_set(tmp_path, NAMES) as hidden:
        write(hidden, table="new", report="new")
        assert (tmp_path / "table.csv").read_text() == "old"
    assert contents(tmp_path) == {
        "table.csv": "new",
        "report.json": "new",
        "other.txt": "kept",
    }


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_set_that_fails_leaves_the_older_one(tmp_path, error):
    write(tmp_path, table="old", report="old")

    def write_half():
        with whole_set(tmp_path, NAMES) as hidden:
            write(hidden, table="new")
            raise error

    with pytest.raises(error):
        write_half()
    assert contents(tmp_path) == {"table.csv": "old", "report.json": "old"}


@pytest.mark.parametrize("moment", range(6))
@pytest.mark.parametrize("late", [False, True])
def test_ctrl_c_while_files_are_replaced_leaves_the_new_set(
    tmp_path, monkeypatch, moment, late
):
    write(tmp_path, table="old", picture="old", report="old")
    calls = iter(range(100))

    def interrupted(function):
        def call(*args, **kwargs):
            now = next(calls) == moment
            if now and not late:
                raise KeyboardInterrupt
            function(*args, **kwargs)
            if now:
                raise KeyboardInterrupt

        return call

    def replace_with_two_files():
        with whole_set(tmp_path, NAMES) as hidden:
            write(hidden, table="new", report="new")
            monkeypatch.setattr(Path, "unlink", interrupted(Path.unlink))
            monkeypatch.setattr(os, "replace", interrupted(os.replace))

    if moment < 5:  # three files are removed, two are moved
        with pytest.raises(KeyboardInterrupt):
            replace_with_two_files()
    else:
        replace_with_two_files()
    assert contents(tmp_path) == {"table.csv": "new", "report.json": "new"}


KILLED = """
import os, signal, sys
from pathlib import Path
from skresp import _output_folder
moves = int(sys.argv[2])
replace = os.replace
def killed(*paths):
    global moves
    if not moves:
        os.kill(os.getpid(), signal.SIGKILL)
    moves -= 1
    replace(*paths)
os.replace = killed
names = ("table.csv", "picture.png", "report.json")
with _output_folder.whole_set(Path(sys.argv[1]), names) as hidden:
    for name in names:
        (hidden / name).write_text("new")
"""


@pytest.mark.parametrize("moves", [0, 1, 2])
def test_killed_between_two_files_there_is_no_mixture(tmp_path, moves):
    write(tmp_path, table="old", picture="old", report="old")
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(moves)]
    assert subprocess.run(command).returncode == -9
    seen = {p.name: p.read_text() for p in tmp_path.iterdir() if p.is_file()}
    assert "report.json" not in seen
    assert set(seen.values()) <= {"new"}
    assert len(seen) == moves
    with whole_set(tmp_path, NAMES) as hidden:
        write(hidden, report="newer")
    assert contents(tmp_path) == {"report.json": "newer"}


def test_errors_name_the_file_under_its_later_name(tmp_path):
    def fill_the_disk():
        with whole_set(tmp_path, NAMES) as hidden:
            raise OSError(errno.ENOSPC, "No space left", str(hidden / "table.csv"))

    with pytest.raises(OSError, match="No space left") as raised:
        fill_the_disk()
    assert raised.value.filename == str(tmp_path / "table.csv")


def test_one_run_at_a_time(tmp_path):
    if sys.platform == "win32":
        pytest.skip("Windows has no locks on folders")
    with (
        locked_folder(tmp_path),
        pytest.raises(ValueError, match="another run"),
        locked_folder(tmp_path),
    ):
        pass


def test_what_a_killed_run_left_is_removed(tmp_path):
    (tmp_path / ".unfinished-1").mkdir()
    (tmp_path / ".unfinished-1" / "table.csv").write_text("half")
    (tmp_path / ".report.abc.part.html").write_text("half")
    (tmp_path / ".gitignore").write_text("kept")
    with unfinished_folder(tmp_path) as hidden:
        found = {path.name for path in tmp_path.iterdir()}
        assert found == {hidden.name, ".gitignore"}
    assert contents(tmp_path) == {".gitignore": "kept"}
