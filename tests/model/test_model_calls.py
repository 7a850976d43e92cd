"""Models are called in few places."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import skresp

ROOT = Path(skresp.__file__).parent
METHODS = {"predict", "predict_proba", "decision_function"}
ALLOWED = ("_model/", "_explain/_base.py", "_explain/attribution/")


def model_calls(source):
    """Return the calls of a model's methods in a source, also through getattr.

    Methods of a FittedModel are no such calls: it is in `_model/`.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in METHODS:
            if not ast.unparse(called.value).endswith("fitted_model"):
                found.add(ast.unparse(called))
        if isinstance(called, ast.Call) and ast.unparse(called.func) == "getattr":
            name = called.args[1]
            if not isinstance(name, ast.Constant) or name.value in METHODS:
                found.add(ast.unparse(called))
    return found


def outside():
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(ALLOWED):
            yield name


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        ("model.predict(X)", {"model.predict"}),
        ("getattr(self.estimator_, method)(X)", {"getattr(self.estimator_, method)"}),
        ("getattr(m, 'predict')(X)", {"getattr(m, 'predict')"}),
        ("model.predict", set()),
        ("context.fitted_model.predict(X)", set()),
        ("getattr(m, 'fit')(X)", set()),
    ],
)
def test_calls_are_recognized(source, calls):
    assert model_calls(source) == calls


def test_models_are_called_where_they_may_be():
    calls = {
        name: found
        for name in outside()
        if (found := model_calls((ROOT / name).read_text(encoding="utf-8")))
    }
    assert calls == {}
