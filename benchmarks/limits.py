"""Check that `verify` and `explain` keep their `time_limit` on hard cases.

Prints for each case and limit the time taken (wall and CPU) and what was decided.
Reading and coding the model count. Kernels are compiled first; with `--cold` each call
is the first one of a new process that finds no compiled kernels.

    python benchmarks/limits.py                  # all cases, limits of 1 s and 5 s
    python benchmarks/limits.py --limits 1 --cases chain labels
    python benchmarks/limits.py --cold
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import Linear, Linkage
from skresp.datasets import fetch_givemecredit

#: A case returns a fitted explainer and the rows to explain.
Case = tuple[ResponsivenessExplainer, Any]


def bills() -> Case:
    """60 rows, 6 reals each linked to another, 100 unpruned trees."""
    rng = np.random.default_rng(0)

    def draw(n: int) -> pd.DataFrame:
        return pd.DataFrame(
            {
                f"{w}{i}": rng.lognormal(9, 1, n).round()
                for i in range(6)
                for w in ("bill", "pay")
            }
        )

    X = draw(15_000)
    ratio = X.filter(like="pay").sum(axis=1) / X.filter(like="bill").sum(axis=1)
    y = (ratio + rng.normal(0, 0.3, len(X)) > 1.1).astype(int)
    model = RandomForestClassifier(random_state=0).fit(X, y)
    pay = Feature("real", 0, 2e5, direction="increase", max_increase=2e4)
    fixed = Feature("real", actionable=False)
    actions = ActionSet.infer(
        X,
        features={
            **{f"bill{i}": fixed for i in range(6)},
            **{f"pay{i}": pay for i in range(6)},
        },
        constraints=[Linkage(f"pay{i}", {f"bill{i}": -1}) for i in range(6)],
    )
    people = draw(400)
    people = people[model.predict(people) == 0].iloc[:60]
    return _fitted(model, actions, X), people


def wide() -> Case:
    """One row, 2,000 features, 50 trees."""
    X, y = make_classification(400, 2_000, n_informative=20, random_state=0)
    model = RandomForestClassifier(50, random_state=0).fit(X, y)
    people = X[model.predict(X) == 0][:1]
    return _fitted(model, ActionSet.infer(X), X), people


def unpruned() -> Case:
    """Ten rows, 500 unpruned trees."""
    X, y = make_classification(8_000, 12, n_informative=8, flip_y=0.2, random_state=0)
    model = RandomForestClassifier(500, random_state=0).fit(X, y)
    people = X[model.predict(X) == 0][:10]
    return _fitted(model, ActionSet.infer(X), X), people


def chain() -> Case:
    """Twenty rows, 12 reals linked in a chain, one Linear over all of them."""
    rng = np.random.default_rng(0)
    names = [f"r{i}" for i in range(12)]
    X = pd.DataFrame(rng.uniform(0, 1, (600, 12)), columns=names)
    y = (X.sum(axis=1) > 6).astype(int)
    model = RandomForestClassifier(50, random_state=0).fit(X, y)
    actions = ActionSet(
        {name: Feature("real", 0, 1) for name in names},
        [
            *(Linkage(a, {b: 0.5}) for a, b in itertools.pairwise(names)),
            Linear(dict.fromkeys(names, 1.0), upper=9.0),
        ],
    )
    people = X[(model.predict(X) == 0) & (X.sum(axis=1) < 9)].iloc[:20]
    return _fitted(model, actions, X), people


def labels() -> Case:
    """100 rows, a categorical of 5,000 labels beside two reals, a linear model."""
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(5_000)]
    X = pd.DataFrame(
        {
            "code": rng.choice(names, 20_000),
            "a": rng.normal(size=20_000),
            "b": rng.normal(size=20_000),
        }
    )
    worth = rng.normal(size=5_000)
    y = (X["a"] + worth[X["code"].str[1:].astype(int)] > 1).astype(int)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["code"]), remainder="passthrough"
    )
    model = make_pipeline(encode, LogisticRegression()).fit(X, y)
    actions = ActionSet.infer(X)
    people = X[model.predict(X) == 0].iloc[:100]
    return _fitted(model, actions, X), people


def credit() -> Case:
    """500 rows of Give Me Some Credit as published, 100 unpruned trees."""
    data = fetch_givemecredit(variant="raw")
    X, y = data.data, data.target
    model = RandomForestClassifier(100, random_state=0).fit(X[:20_000], y[:20_000])
    later = X[20_000:60_000]
    people = later[model.predict(later) == 0].iloc[:500]
    return _fitted(model, data.action_set, X[:20_000], missing="hold"), people


def _fitted(model: Any, actions: ActionSet, X: Any, **more: Any) -> Any:
    return ResponsivenessExplainer(
        model, actions, target=1, random_state=0, **more
    ).fit(X)


CASES: dict[str, Callable[[], Case]] = {
    "bills": bills,
    "wide": wide,
    "unpruned": unpruned,
    "chain": chain,
    "labels": labels,
    "credit": credit,
}


def warm_up() -> None:
    """Compile all kernels."""
    X, y = make_classification(200, 6, random_state=0)
    for model in (RandomForestClassifier(5, random_state=0), LogisticRegression()):
        explainer = _fitted(model.fit(X, y), ActionSet.infer(X), X)
        explainer.explain(X[:5])
        for limit in (None, 5.0):
            explainer.verify(X[:50], time_limit=limit)
            explainer.verify(X[:50], time_limit=limit, cost="fewest")


def measure(case: Case, call: str, limit: float | None) -> tuple[float, float, str]:
    """Return the wall time and CPU time of a call, and its result in words."""
    explainer, people = case
    explainer._engine = None  # reading the model counts
    wall, cpu = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if call == "verify":
            found = explainer.verify(people, time_limit=limit)
        else:
            found = explainer.explain(people, time_limit=limit)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if call == "verify":
        kinds, counts = np.unique(found.status, return_counts=True)
        said = ", ".join(f"{k} {n}" for k, n in zip(kinds, counts, strict=True))
    else:
        scored = np.isfinite(found.values).mean()
        said = f"{scored:.0%} scored, {found.exact.mean():.0%} exact"
    return wall, cpu, said


def run_cold(name: str, call: str, limit: float) -> None:
    """Make a call in a new process without compiled kernels."""
    command = [sys.executable, __file__, "--first", "--cases", name]
    command += ["--calls", call, "--limits", str(limit)]
    with tempfile.TemporaryDirectory() as empty:
        subprocess.run(command, env={**os.environ, "NUMBA_CACHE_DIR": empty})


def main() -> None:
    """Print a line for each case, call and limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limits", type=float, nargs="+", default=[1.0, 5.0])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--calls", nargs="+", default=["verify", "explain"])
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--first", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.first:
        print(f"{'case':10}{'call':9}{'limit':>6}{'wall':>7}{'cpu':>7}  kept  found")
    if given.cold:
        for each in itertools.product(given.cases, given.calls, given.limits):
            run_cold(*each)
        return
    if not given.first:
        warm_up()
    for name in given.cases:
        case = CASES[name]()
        for call in given.calls:
            for limit in given.limits:
                wall, cpu, said = measure(case, call, limit)
                kept = "yes" if min(wall, cpu) <= 1.3 * limit + 0.5 else "NO"
                print(
                    f"{name:10}{call:9}{limit:6.1f}{wall:7.2f}{cpu:7.2f}  {kept:4}  "
                    f"{said}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
