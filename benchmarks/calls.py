"""Count the functions and modules of the package that a call visits.

    python benchmarks/calls.py

A sign of how far a reader has to go to follow one call; not a measure of time.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import warnings
from pathlib import Path

from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

import skresp
from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.datasets import make_credit

ROOT = str(Path(skresp.__file__).parent)


def visited(call):
    """The functions and modules of the package that run in a call."""
    functions = set()

    def profile(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            code = frame.f_code
            if not code.co_name.startswith("<"):
                functions.add((code.co_filename, code.co_qualname))

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(functions), len({path for path, _ in functions})


def main():
    warnings.simplefilter("ignore")
    bunch = make_credit(400, random_state=0)
    X, y = bunch.data.select_dtypes("number"), bunch.target
    model = RandomForestClassifier(20, max_depth=5, random_state=0).fit(X, y)

    def explainer_of(kind):
        features = {n: Feature("integer", actionable=False) for n in X.columns}
        first, second = X.columns[:2]
        features[first] = Feature("integer", 0, 20)
        features[second] = Feature(kind, 0, 20)
        return ResponsivenessExplainer(
            FrozenEstimator(model), ActionSet(features), target=1, random_state=0
        )

    discrete, real = explainer_of("integer"), explainer_of("real")
    rows = {"fit": lambda: discrete.fit(X)}
    real.fit(X)
    rows["explain (discrete)"] = lambda: discrete.explain(X)
    rows["explain (real feature)"] = lambda: real.explain(X)
    rows["verify (trees)"] = lambda: discrete.verify(X)
    rows["skresp audit"] = audit(bunch, model, X)
    print(f"{'call':24s}{'functions':>10s}{'modules':>9s}")
    for name, call in rows.items():
        functions, modules = visited(call)
        print(f"{name:24s}{functions:10d}{modules:9d}")


def audit(bunch, model, X):
    """The command line's audit, in this process."""
    import joblib

    from skresp._cli._main import main as command

    folder = Path(tempfile.mkdtemp())
    X.to_csv(folder / "data.csv", index=False)
    joblib.dump(model, folder / "model.joblib")
    ActionSet.infer(X).to_file(folder / "actions.yaml")

    def call():
        words = f"audit --model {folder}/model.joblib --trust-pickle --target 1 "
        words += f"--data {folder}/data.csv --actions {folder}/actions.yaml "
        words += f"--out {folder}/out"
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            command(words.split())

    return call


if __name__ == "__main__":
    main()
