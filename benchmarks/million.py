"""A million people: time over predict alone, and peak memory.

HELOC rows repeated, with noise in the features that nobody can change, so that no two
are equal; a pipeline that ends in XGBoost.

    SKRESP_DATA=... python benchmarks/million.py [--rows 1000000] [--n-jobs 1]
"""

import argparse
import resource
import time

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from skresp import ResponsivenessExplainer
from skresp.datasets import fetch_heloc


class Stopwatch:
    """A model that adds up the time its predict takes."""

    def __init__(self, model):
        self.model, self.classes_ = model, model.classes_
        self.feature_names_in_ = model.feature_names_in_
        self.seconds, self.points = 0.0, 0

    def predict(self, X):
        start = time.perf_counter()
        out = self.model.predict(X)
        self.seconds += time.perf_counter() - start
        self.points += len(X)
        return out


def many_people(bunch, rows):
    rng = np.random.default_rng(0)
    X = bunch.data.iloc[rng.integers(len(bunch.data), size=rows)].reset_index(drop=True)
    fixed = [
        name
        for name in X
        if name not in bunch.action_set.actionable
        and name not in bunch.action_set.constrained
    ]
    noise = {name: X[name] + rng.normal(0, 0.01, rows) for name in fixed}
    return X.assign(**noise).astype(float)


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--n-jobs", type=int, default=1)
    args = parser.parse_args()
    bunch = fetch_heloc()
    model = make_pipeline(
        StandardScaler(), XGBClassifier(n_estimators=300, max_depth=6, n_jobs=1)
    ).fit(bunch.data.astype(float), bunch.target)
    X = many_people(bunch, args.rows)
    distinct = len(X) - int(
        pd.util.hash_pandas_object(X, index=False).duplicated().sum()
    )
    data = X.memory_usage().sum() / 2**20
    before = peak_mib()
    print(
        f"{len(X)} rows, {distinct} distinct, {data:.0f} MiB; "
        f"peak so far {before:.0f} MiB"
    )

    watch = Stopwatch(model)
    explainer = ResponsivenessExplainer(
        watch, bunch.action_set, target=1, n_jobs=args.n_jobs
    )
    start = time.perf_counter()
    explanation = explainer.fit(X).explain(X)
    seconds = time.perf_counter() - start
    arrays = ("values", "lower", "upper", "exact", "n_reachable")
    kept = {id(a): a for a in (getattr(explanation, name) for name in arrays)}
    own = sum(array.nbytes for array in kept.values())
    print(
        f"explain {seconds:.1f} s for {watch.points} points, predict alone "
        f"{watch.seconds:.1f} s of it: ratio {seconds / watch.seconds:.3f}"
    )
    print(
        f"peak memory {peak_mib():.0f} MiB, {peak_mib() - before:.0f} MiB above "
        f"the data; the explanation itself takes {own / 2**20:.0f} MiB"
    )


if __name__ == "__main__":
    main()
