"""Exact scores of real features against 500 draws, and draws against predict alone.

Six real features of generated applicants; the least time of several repeats.

    python benchmarks/lines.py [--people 300]
"""

import argparse
import time

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from skresp import ActionSet, ResponsivenessExplainer

MODELS = {
    "XGB": lambda: XGBClassifier(n_estimators=300, max_depth=6, n_jobs=1),
    "RF": lambda: RandomForestClassifier(300, n_jobs=1, random_state=0),
    "LightGBM": lambda: LGBMClassifier(n_estimators=300, verbose=-1, n_jobs=1),
    "HistGB": lambda: HistGradientBoostingClassifier(max_iter=300),
    "LR": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
}


class Stopwatch:
    """A model that adds up the time its predict takes."""

    def __init__(self, model):
        self.model, self.classes_ = model, model.classes_
        self.feature_names_in_ = model.feature_names_in_
        self.seconds = 0.0

    def predict(self, X):
        start = time.perf_counter()
        out = self.model.predict(X)
        self.seconds += time.perf_counter() - start
        return out


def timed(function, repeats=3):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=300)
    people = parser.parse_args().people
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(6_000, 6)), columns=list("abcdef"))
    y = (X["a"] * X["b"] + X["c"] + rng.normal(0, 0.5, len(X)) > 0).astype(int)
    actions = ActionSet.infer(X)
    print(
        "model     exact ms  sampled ms  times faster  sampled / predict  largest gap"
    )
    for name, make in MODELS.items():
        model = make().fit(X, y)
        P = X[:people]
        frozen = FrozenEstimator(model)
        exact = ResponsivenessExplainer(frozen, actions, target=1).fit(X)
        seconds, e = timed(lambda exact=exact, P=P: exact.explain(P))
        assert e.exact.all()
        watch = Stopwatch(model)
        drawn = ResponsivenessExplainer(
            watch, actions, target=1, method="sample", random_state=0
        ).fit(X)
        drawn.explain(P[:10])
        watch.seconds = 0.0
        start = time.perf_counter()
        s = drawn.explain(P)
        slow = time.perf_counter() - start
        print(
            f"{name:9} {1e3 * seconds / people:8.2f} {1e3 * slow / people:11.2f} "
            f"{slow / seconds:13.1f} {slow / watch.seconds:18.2f} "
            f"{abs(e.values - s.values).max():12.3f}"
        )


if __name__ == "__main__":
    main()
