"""Every tutorial runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("*.py")))
def test_a_tutorial_runs_and_writes_only_to_its_folder(name, tmp_path):
    (tmp_path / "here").mkdir()
    ran = subprocess.run(
        [sys.executable, DOCS / name, tmp_path / "pictures"],
        cwd=tmp_path / "here",
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"MPLBACKEND": "Agg"},
    )
    assert ran.returncode == 0, ran.stderr
    assert "target is not given" not in ran.stderr
    assert len(ran.stdout.splitlines()) > 5
    assert not list((tmp_path / "here").iterdir())
    if name == "choosing_models.py":
        found = sorted(path.name for path in (tmp_path / "pictures").iterdir())
        assert found == ["threshold.png", "trade_off.png"]
