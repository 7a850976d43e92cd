"""Explaining against predicting: time of explain over time of predict alone.

`predict` alone means on the same distinct points, already in the model's own
container. Interleaved, the least of several repeats.

    SKRESP_DATA=... python benchmarks/scores.py [--repeats 5]
"""

import argparse
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from skresp import ResponsivenessExplainer
from skresp.datasets import fetch_german, fetch_heloc
from skresp.reach import shared_cache

MODELS = {
    "LR": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(C=np.inf, max_iter=1_000)
    ),
    "RF": lambda: RandomForestClassifier(300, n_jobs=1, random_state=0),
    "XGB": lambda: XGBClassifier(n_estimators=300, max_depth=6, n_jobs=1),
}


class Recorder:
    """A model that keeps the batches it was asked about."""

    def __init__(self, model):
        self.model = model
        self.batches = []

    def __getattr__(self, name):
        return getattr(self.__dict__["model"], name)

    def predict(self, X):
        self.batches.append(X)
        return self.model.predict(X)


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def ratio(model, actions, X, repeats, cold):
    """Least time to explain, least time to predict the same points, points."""
    recorder = Recorder(model)
    ResponsivenessExplainer(recorder, actions).fit(X).explain(X)
    points = sum(len(batch) for batch in recorder.batches)
    explainer = ResponsivenessExplainer(FrozenEstimator(model), actions).fit(X)
    explain, predict = [], []
    for _ in range(repeats):
        if cold:
            shared_cache.clear()
        explain.append(timed(lambda: explainer.explain(X)))
        predict.append(
            timed(lambda: [model.predict(batch) for batch in recorder.batches])
        )
    return min(explain), min(predict), points


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print("data    model  rows   points   explain s  predict s  ratio (cold cache)")
    for fetch in (fetch_heloc, fetch_german):
        bunch = fetch()
        for name, make in MODELS.items():
            model = make().fit(bunch.data, bunch.target)
            for rows in (len(bunch.data), 30):
                X = bunch.data.iloc[:rows]
                explain, predict, points = ratio(
                    model, bunch.action_set, X, repeats, cold=True
                )
                print(
                    f"{fetch.__name__[6:]:7} {name:5} {rows:6} {points:8} "
                    f"{explain:10.4f} {predict:10.4f} {explain / predict:6.2f}"
                )
            one = bunch.data.to_numpy(dtype=float)
            plain = make().fit(one, bunch.target)
            explain, predict, points = ratio(
                plain, bunch.action_set, one[:1], max(repeats, 50), cold=False
            )
            print(
                f"{fetch.__name__[6:]:7} {name:5}      1 {points:8} one person as an "
                f"array, warm cache: {1e3 * (explain - predict):.2f} ms over predict "
                f"({1e3 * predict:.2f} ms)"
            )


if __name__ == "__main__":
    main()
