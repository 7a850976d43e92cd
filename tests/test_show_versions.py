"""Versions, as reports of problems should quote them."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import skresp
from skresp._optional import installed_version
from skresp._show_versions import _OPTIONAL, _REQUIRED

ROOT = Path(__file__).parents[1]


def test_it_prints_the_system_and_all_required_libraries(capsys):
    skresp.show_versions()
    out = capsys.readouterr().out
    assert sys.executable in out
    for name in _REQUIRED:
        assert f" {name}: {version(name)}\n" in out


def test_libraries_that_are_not_installed_are_named_as_such(capsys, monkeypatch):
    def none_of_them(name):
        return None if name in _OPTIONAL else version(name)

    monkeypatch.setattr("skresp._show_versions.installed_version", none_of_them)
    skresp.show_versions()
    assert capsys.readouterr().out.count("not installed") == len(_OPTIONAL)


def test_every_dependency_of_the_project_is_listed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {line.split(">")[0] for line in project["dependencies"]}
    assert names <= set(_REQUIRED)


def test_no_version_without_the_package():
    assert installed_version("no-such-library") is None


@pytest.mark.parametrize("wrong", ["1.14.0"])
def test_versions_of_the_solver_with_wrong_answers_are_refused(wrong, monkeypatch):
    from skresp import ActionSet, Feature
    from skresp.constraints import OneHot
    from skresp.reach import _highs, reachable_set

    monkeypatch.setattr(_highs, "installed_version", lambda name: wrong)
    names = list("abc")
    actions = ActionSet({n: Feature("binary") for n in names}, [OneHot(names)])
    with pytest.raises(ImportError, match=rf"highspy {wrong} returns wrong answers"):
        reachable_set(actions, [1, 0, 0], "b", method="highs")
