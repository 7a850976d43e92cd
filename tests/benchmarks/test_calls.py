"""Lines of modules are counted once each, by what they are."""

from __future__ import annotations

import runpy
from pathlib import Path

import skresp
from tests.credit_example import lender

CALLS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "calls.py"))


def test_lines_are_code_docstrings_or_comments():
    source = '''"""A module.

With a blank line in its docstring.
"""

# A comment.
x = 1  # not a line of its own


def f():
    """Return a text."""
    # Another comment.
    return """a text

of three lines"""
'''
    kinds = CALLS["line_kinds"](source)
    assert kinds == {"code": 5, "docstring": 5, "comment": 2}


def test_functions_outside_of_the_folder_are_not_counted():
    visited = CALLS["visited"]
    root = str(Path(skresp.__file__).parent)
    us = lender()
    functions, modules = visited(lambda: us.explainer.predict(us.X[:2]), root)
    assert 0 < modules <= functions
    assert visited(lambda: us.model.predict(us.X[:2]), root) == [0, 0]
