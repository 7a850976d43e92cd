"""Compiled kernels."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import textwrap
import threading

import numba
import numpy as np

from skresp import _numba
from skresp._numba import compiled, is_compiled_in


def test_kernels_give_the_same_answers_without_compilation():
    script = textwrap.dedent(
        """
        import numpy as np
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from skresp import ActionSet, Feature, ResponsivenessExplainer
        rng = np.random.default_rng(0)
        X = rng.integers(0, 4, (120, 4))
        y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(0, 1, 120) > 6).astype(int)
        features = {n: Feature("integer", 0, 3, max_increase=2) for n in "abcd"}
        features["d"] = Feature("real", 0, 3)
        for model in (RandomForestClassifier(6, random_state=0), LogisticRegression()):
            explainer = ResponsivenessExplainer(model, ActionSet(features)).fit(X, y)
            verdicts = explainer.verify(X[:40], cost="fewest")
            print(verdicts.status.tolist(), verdicts.best_score.round(9).tolist())
            print(explainer.explain(X[:40]).values.round(9).tolist())
        from skresp._model.lines._line_kernel import line_pieces
        from skresp._recourse.engines.trees._combination_search import search
        from skresp._recourse.engines.linear._gains import search_sums
        import sys
        kinds = {type(kernel).__name__ for kernel in (line_pieces, search, search_sums)}
        print(*kinds, file=sys.stderr)
        """
    )
    plain, fast = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        )
        for disabled in "10"
    )
    assert plain.stderr.split() == ["function"]
    assert fast.stderr.split() == ["CPUDispatcher"]
    assert plain.stdout == fast.stdout
    assert "joint" in plain.stdout


def test_functions_are_compiled_where_no_cache_can_be_written(monkeypatch):
    real = numba.njit

    def nowhere(*given, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return real(*given, **options)

    monkeypatch.setattr(numba, "njit", nowhere)
    assert compiled(lambda x: x + 1)(2) == 3


def test_a_time_limit_does_not_wait_for_compilation(monkeypatch):
    may_go, real = threading.Event(), _numba._compile
    started = []

    def held(kernel, types):
        started.append(types)
        may_go.wait()
        real(kernel, types)

    monkeypatch.setattr(_numba, "_compile", held)
    kernel = compiled(lambda x: x.sum())
    whole, real_numbers = np.arange(3), np.arange(3.0)
    assert not is_compiled_in(0.0, kernel, whole)
    assert not is_compiled_in(0.01, kernel, whole)
    assert not is_compiled_in(0.0, kernel, real_numbers)
    assert len(started) == 2  # each kind of argument once
    may_go.set()
    assert is_compiled_in(60.0, kernel, whole)
    assert is_compiled_in(60.0, kernel, real_numbers)
    assert len(kernel.signatures) == 2
    assert len(started) == 2
    assert not _numba._compiling


def test_calls_with_a_time_limit_compile_nothing_by_themselves(tmp_path):
    script = textwrap.dedent(
        """
        import importlib, os, sys, threading, traceback
        import numpy as np
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.ensemble import RandomForestClassifier
        from skresp import ActionSet, Feature, ResponsivenessExplainer, _numba

        may_go, compile_now = threading.Event(), _numba._compile

        def held(kernel, types):
            may_go.wait()
            compile_now(kernel, types)

        _numba._compile = held
        # An error ends the process, though kernels wait to be compiled.
        sys.excepthook = lambda *e: (traceback.print_exception(*e), may_go.set())
        rng = np.random.default_rng(0)
        X = rng.uniform(0, 3, (200, 3))
        y = (X.sum(axis=1) > 5).astype(int)
        actions = ActionSet({n: Feature("real", 0, 3, max_increase=1) for n in "abc"})
        tree = RandomForestClassifier(5, random_state=0)
        for model in (tree, CalibratedClassifierCV(tree)):
            explainer = ResponsivenessExplainer(model, actions, target=1).fit(X, y)
            explainer.explain(X[:60], time_limit=1.0)
            verdicts = explainer.verify(X[:60], time_limit=1.0)
            print(sorted({*verdicts.status.tolist()}))
        engines = "skresp._recourse.engines"
        for module, names in {
            "skresp._model.lines._line_kernel": ["line_pieces"],
            f"{engines}.trees._combination_search": ["search", "search_all"],
            f"{engines}.trees._single_part": ["single_part_gains"],
            f"{engines}.trees._nodes": ["tree_sums"],
            f"{engines}.linear._gains": ["search_sums"],
            f"{engines}.boxes._forest": ["restrict"],
            f"{engines}.boxes._search": ["search"],
            f"{engines}.boxes._point_gaps": ["gaps_of", "needless"],
            f"{engines}.boxes._single_bounds": ["single_bounds"],
        }.items():
            for name in names:
                kernel = getattr(importlib.import_module(module), name)
                assert not kernel.overloads, (module, name)
        print(sorted(key[0].__name__ for key in _numba._compiling))
        _numba._compile = compile_now
        may_go.set()
        explainer = ResponsivenessExplainer(tree, actions, target=1).fit(X, y)
        print(sorted({*explainer.verify(X[:60], time_limit=300.0).status.tolist()}))
        sys.stdout.flush()
        os._exit(0)  # without waiting for the other kernels
        """
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *early, waiting, late = done.stdout.splitlines()
    assert all("unknown" in statuses for statuses in early)
    assert "restrict" in waiting
    assert "line_pieces" in waiting
    assert "unknown" not in late
    assert "joint" in late


def test_a_cache_of_other_sources_is_not_read(tmp_path, monkeypatch):
    """The index names types that may have moved since: reading it would raise."""
    monkeypatch.syspath_prepend(tmp_path)
    types, kernel = tmp_path / "stale_types.py", tmp_path / "stale_kernel.py"
    types.write_text(
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: int\n"
    )
    kernel.write_text(
        "import stale_types\n"
        "from skresp._numba import compiled\n"
        "@compiled\n"
        "def one(pair):\n    return pair.a\n"
    )

    def load():
        for name in ("stale_types", "stale_kernel"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module("stale_kernel")

    assert load().one(load().stale_types.Pair(1)) == 1
    again = load()
    assert again.one(again.stale_types.Pair(2)) == 2
    assert sum(again.one.stats.cache_hits.values()) == 1
    types.write_text(types.read_text().replace("Pair", "Couple"))
    monkeypatch.setattr(_numba, "_source_stamp", lambda: "other")
    other = load()
    assert other.one(other.stale_types.Couple(3)) == 3
    assert sum(other.one.stats.cache_hits.values()) == 0
