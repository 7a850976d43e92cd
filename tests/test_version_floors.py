"""The oldest supported versions, which `.ci/floors` runs the tests on."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = ROOT / ".ci" / "constraints-min.txt"

pytestmark = pytest.mark.skipif(
    not FLOORS.exists(), reason="the tests run outside of the repository"
)


def requirements():
    """Return the names and lowest versions that the extra `test` asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    texts = project["dependencies"] + extras["test"]
    own = next(text for text in texts if text.startswith("skresp["))
    texts.remove(own)
    for extra in re.search(r"\[(.+)\]", own)[1].split(","):
        texts += extras[extra]
    return dict(re.match(r"([\w-]+)>=([\d.]+)", text).groups() for text in texts)


def test_floors_are_those_of_the_project():
    floors = dict(
        line.split("==") for line in FLOORS.read_text().splitlines() if "==" in line
    )
    declared = requirements()
    assert floors.keys() == declared.keys()
    for name, lowest in declared.items():
        assert f"{floors[name]}.".startswith(f"{lowest}."), name
