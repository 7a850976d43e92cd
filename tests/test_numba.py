"""Compiled kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numba

from skresp._numba import compiled


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
        from skresp._model.trees._line_kernel import leaves_met
        from skresp._recourse.engines.trees._box_search import search
        from skresp._recourse.engines.linear._gains import search_sums
        import sys
        kinds = {type(kernel).__name__ for kernel in (leaves_met, search, search_sums)}
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
