"""Every tutorial runs as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("*.py")))
def test_a_tutorial_runs(name, tmp_path):
    ran = subprocess.run(
        [sys.executable, DOCS / name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) > 5
    assert not list(tmp_path.iterdir()), "writes only where it is told to"


def test_pictures_of_the_tutorial(tmp_path):
    pytest.importorskip("matplotlib")
    ran = subprocess.run(
        [sys.executable, DOCS / "choosing_models.py", tmp_path / "pictures"],
        capture_output=True,
        text=True,
        check=False,
        env={"MPLBACKEND": "Agg", "PATH": ""},
    )
    assert ran.returncode == 0, ran.stderr
    found = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert found == ["threshold.png", "trade_off.png"]
