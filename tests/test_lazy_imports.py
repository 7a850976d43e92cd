"""Heavy libraries are imported when they are needed, not with the package."""

import ast
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import skresp
from skresp.reach._highs import solve_relaxation

DATA = """
import sys
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear

def explainer(*constraints, kind="integer", **options):
    features = {name: Feature(kind, 0, 5) for name in "abc"}
    actions = ActionSet(features, constraints=constraints)
    model = RandomForestClassifier(5, random_state=0)
    explainer = ResponsivenessExplainer(model, actions, target=1, **options)
    return explainer.fit(X, y)

X = np.random.default_rng(0).integers(0, 4, (200, 3))
y = (X.sum(axis=1) > 5).astype(int)
at_most_7 = Linear({"a": 1, "b": 1}, upper=7)
"""


def run(script):
    """Run a script after DATA in a process of its own."""
    code = DATA + textwrap.dedent(script)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_package_alone_imports_no_library():
    script = """
        import sys
        before = set(sys.modules)
        import skresp, skresp._cli._main
        new = {name.partition(".")[0] for name in set(sys.modules) - before}
        assert new - sys.stdlib_module_names == {"skresp"}, new
        assert "ActionSet" not in vars(skresp)
        assert skresp.ActionSet is skresp._actions._action_set.ActionSet
        assert vars(skresp)["ActionSet"] is skresp.ActionSet
        assert skresp.reach.reachable_set
        assert dir(skresp) == sorted(skresp.__all__)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_name_that_does_not_exist_is_an_error():
    with pytest.raises(AttributeError, match="'skresp' has no attribute 'actions'"):
        skresp.actions  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Actions'"):
        from skresp import Actions  # noqa: F401


def test_names_for_type_checkers_are_those_imported_at_the_first_use():
    (static,) = (
        node.body
        for node in ast.parse(Path(skresp.__file__).read_text("utf-8")).body
        if isinstance(node, ast.If)
    )
    modules = {
        alias.name: node.module
        for node in static
        for alias in node.names
        if node.module is not None
    }
    packages = {
        alias.name for node in static for alias in node.names if node.module is None
    }
    assert modules == skresp._MODULES
    assert packages == set(skresp._PACKAGES)
    assert {*modules, *packages, "__version__"} == set(skresp.__all__)


def test_the_import_loads_few_modules_beside_those_of_scikit_learn():
    script = """
        import sys
        import numpy, pandas, sklearn.base, sklearn.utils.validation
        before = set(sys.modules)
        from skresp import *
        new = set(sys.modules) - before
        packages = {name.partition(".")[0] for name in new}
        # Later versions of scikit-learn import narwhals themselves.
        known = {"skresp", "sklearn", "narwhals"}
        assert packages - sys.stdlib_module_names <= known, packages
        slow = "ensemble linear_model model_selection pipeline preprocessing tree"
        slow = {f"sklearn.{name}" for name in slow.split()}
        assert not new & slow, new & slow
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_solver_is_imported_when_a_program_is_solved():
    run(
        """
        fitted = explainer(at_most_7)
        fitted.explain(X[:20])
        fitted.verify(X[:20])
        assert "highspy" not in sys.modules
        explainer(at_most_7, kind="real").explain(X[:5])
        assert "highspy" not in sys.modules
        explainer(at_most_7, method="highs").explain(X[:5])
        assert "highspy" in sys.modules
        """
    )


def test_numba_is_imported_when_a_kernel_runs():
    run(
        """
        fitted = explainer(at_most_7)
        fitted.explain(X[:20])
        assert "numba" not in sys.modules
        fitted.verify(X[:20])
        assert "numba" in sys.modules
        """
    )
    run(
        """
        fitted = explainer(kind="real")
        assert "numba" not in sys.modules
        fitted.explain(X[:20])
        assert "numba" in sys.modules
        """
    )


def test_nothing_of_scipy_stats_is_used():
    """scikit-learn imports scipy.stats itself, so only our own imports are checked."""
    pattern = re.compile(r"(import|from) scipy(\.| import )stats")
    files = list(Path(skresp.__file__).parent.rglob("*.py"))
    assert [f for f in files if pattern.search(f.read_text("utf-8"))] == []


def test_an_import_error_of_the_solver_names_ortools(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    cost, bounds = np.ones(1), (np.zeros(1), np.ones(1))
    with pytest.raises(ImportError, match=r"None in sys\.modules.*ortools"):
        solve_relaxation(cost, csr_array(np.ones((1, 1))), bounds, bounds)
