"""Explaining against predicting: time of explain over time of predict alone.

`predict` alone means on the same distinct points, already in the model's own
container. Calls are interleaved; the least time of several repeats counts. With a cold
cache the reachable sets are computed each time; with a warm one they are there, as for
every model after the first.

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
from skresp._actions._encoding import encode
from skresp.datasets import fetch_german, fetch_heloc
from skresp.reach._cache import make_reaches, shared_cache
from skresp.reach._distinct_rows import distinct_rows
from skresp.reach._part import parts_of

MODELS = {
    "LR": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(C=np.inf, max_iter=1_000)
    ),
    "RF": lambda: RandomForestClassifier(300, n_jobs=1, random_state=0),
    "XGB": lambda: XGBClassifier(n_estimators=300, max_depth=6, n_jobs=1),
}


class Recorder:
    """A model that keeps the batches it predicts."""

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


def compare(model, actions, X, repeats):
    """Return the times of explain (cold, warm cache) and predict, and the points."""
    recorder = Recorder(model)
    ResponsivenessExplainer(recorder, actions, target=1).fit(X).explain(X)
    frozen = FrozenEstimator(model)
    explainer = ResponsivenessExplainer(frozen, actions, target=1).fit(X)
    times = []
    for _ in range(repeats):
        shared_cache.clear()
        times.append(
            (
                timed(lambda: explainer.explain(X)),
                timed(lambda: explainer.explain(X)),
                timed(lambda: [model.predict(batch) for batch in recorder.batches]),
            )
        )
    points = sum(len(batch) for batch in recorder.batches)
    return (*np.min(times, axis=0), points)


def enumeration(bunch):
    """Return the least time to compute every reachable set of the data."""
    codes = encode(bunch.action_set, bunch.data)
    parts = parts_of(bunch.action_set)
    columns = [[bunch.action_set.names.index(n) for n in p.names] for p in parts]

    def run():
        for part, places in zip(parts, columns, strict=True):
            if part.actionable:
                values = codes[:, places]
                make_reaches(part, values[distinct_rows(values)[0]])

    return min(timed(run) for _ in range(7))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    print("data    model   rows   points  predict s   cold   warm  (explain / predict)")
    for fetch in (fetch_heloc, fetch_german):
        bunch = fetch()
        data = fetch.__name__[6:]
        for name, make in MODELS.items():
            model = make().fit(bunch.data, bunch.target)
            for rows in (len(bunch.data), 100):
                X = bunch.data.iloc[:rows]
                cold, warm, predict, points = compare(
                    model, bunch.action_set, X, repeats
                )
                print(
                    f"{data:7} {name:5} {rows:6} {points:8} {predict:10.4f} "
                    f"{cold / predict:6.2f} {warm / predict:6.2f}"
                )
                if name == "XGB" and rows > 100:
                    share = enumeration(bunch) / predict
                    print(f"{data:7} enumeration / XGB predict: {share:.3f}")
            array = bunch.data.to_numpy(dtype=float)
            plain = make().fit(array, bunch.target)
            _, warm, predict, points = compare(
                plain, bunch.action_set, array[:1], max(repeats, 50)
            )
            print(
                f"{data:7} {name:5}      1 {points:8} as an array, warm: "
                f"{1e3 * (warm - predict):.2f} ms over predict's {1e3 * predict:.2f} ms"
            )


if __name__ == "__main__":
    main()
