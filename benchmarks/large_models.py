"""Verdicts of large tree ensembles: reading, time a person, memory, what is decided.

    SKRESP_DATA=... python benchmarks/large_models.py [--people 300]
        [--models forest lightgbm] [--keep FOLDER] [--boxes]
    SKRESP_DATA=... python benchmarks/large_models.py --engines [--people 300]

On the raw columns of Give Me Some Credit, with missing values held: a random forest of
500 unpruned trees and LightGBM with 1000 trees of 31 leaves, fitted on 75,000 rows. The
goals are at most 20 ms and 5 ms of CPU time a person on average, less than 2 % of
`unknown` and less than 1 GB of memory above the model. Each model is fitted in one
process and measured in another, so that the peak of fitting does not count; `--keep`
keeps fitted models in a folder, and uses those that are there. `--boxes` uses the
engine over boxes even if another engine is chosen for the model.

With `--engines`, people of german, heloc and `make_credit` (without reals, and with
some) are decided by the engine that is chosen for a model and by the engine over boxes:
the time of both, and how many statuses differ.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from xgboost import XGBClassifier

from skresp import Feature, ResponsivenessExplainer
from skresp._recourse import _verification_task
from skresp._recourse.engines._make_engine import make_box_engine
from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc, make_credit
from skresp.reach._deadline import NEVER

TRAINING_ROWS = 75_000
STATUSES = ("fixed", "single", "joint", "possible", "unknown")
# A model, and the probability of repayment from which people are approved.
MODELS = {
    "forest": (
        lambda: RandomForestClassifier(500, class_weight="balanced", random_state=0),
        0.9,
    ),
    "lightgbm": (
        lambda: LGBMClassifier(
            n_estimators=1_000,
            num_leaves=31,
            class_weight="balanced",
            random_state=0,
            n_jobs=1,
            verbose=-1,
        ),
        0.9,
    ),
}


def explainer_of(model, bunch, X, **options):
    """Return an explainer for a fitted model."""
    return ResponsivenessExplainer(
        FrozenEstimator(model), bunch.action_set, target=1, random_state=0, **options
    ).fit(X)


def memory(peak=False):
    """Return the memory of this process in MB; Linux only."""
    if peak:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def counted(status):
    """Return the shares of statuses in words."""
    shares = {name: np.mean(status == name) for name in STATUSES}
    return ", ".join(f"{name} {share:.1%}" for name, share in shares.items() if share)


# -- large models ----------------------------------------------------------------------


def fit(name, path):
    """Fit a model and write it to a file."""
    bunch = fetch_givemecredit(variant="raw")
    X, y = bunch.data[:TRAINING_ROWS], bunch.target[:TRAINING_ROWS]
    joblib.dump(MODELS[name][0]().fit(X, y), path)


def warm_up(bunch):
    """Compile the kernels with a small model."""
    X, y = bunch.data[:2_000], bunch.target[:2_000]
    model = RandomForestClassifier(5, class_weight="balanced", random_state=0).fit(X, y)
    people = X[model.predict(X) == 0]
    explainer = explainer_of(model, bunch, X, missing="hold")
    explainer._engine = make_box_engine(explainer._fitted_model)
    explainer.verify(people)


def timed_people(run, seconds):
    """Return the search of one person, with its CPU time noted."""

    def timed(self, i):
        began = time.process_time()
        try:
            return run(self, i)
        finally:
            seconds.append(time.process_time() - began)

    return timed


def measure(name, path, n_people, boxes):
    """Print what reading a model and deciding people takes."""
    from skresp._recourse.engines.boxes._engine import _BoxRun

    bunch = fetch_givemecredit(variant="raw")
    warm_up(bunch)
    model, threshold = joblib.load(path), MODELS[name][1]
    later = bunch.data[TRAINING_ROWS:]
    chance = model.predict_proba(later[: 30 * n_people])[:, 1]
    people = later[: 30 * n_people][chance < threshold][:n_people]
    explainer = explainer_of(
        model, bunch, later[:1_000], missing="hold", threshold=threshold
    )
    base = memory()
    began = time.process_time()
    box_engine = explainer._get_box_engine(NEVER)
    if boxes:
        explainer._engine = box_engine
    explainer._get_engine(NEVER)
    reading = time.process_time() - began
    after_reading = memory(peak=True)
    seconds = []
    _BoxRun._case = timed_people(_BoxRun._case, seconds)
    began = time.process_time()
    verdicts = explainer.verify(people)
    total = time.process_time() - began
    began = time.process_time()
    model.predict(people)
    asking = time.process_time() - began
    each = 1e3 / len(people)
    print(f"{name}: {len(people)} denied people, {chance.size} rows looked at")
    print(
        f"  reading {reading:.1f} s; ms a person: verify {total * each:.2f}, predict "
        f"{asking * each:.2f}"
    )
    if seconds:
        ms = 1e3 * np.array(seconds)
        print(
            f"  of which boxes, for {len(ms)} people: mean {ms.mean():.2f}, median "
            f"{np.median(ms):.2f}, p95 {np.quantile(ms, 0.95):.2f}, max {ms.max():.0f}"
        )
    print(f"  {counted(verdicts.status)}")
    print(
        f"  peak memory above the fitted model ({base:.0f} MB): "
        f"{after_reading - base:.0f} MB after reading, "
        f"{memory(peak=True) - base:.0f} MB at the end",
        flush=True,
    )


def run_apart(task, name, path, given):
    """Run one step in a process of its own."""
    command = [sys.executable, __file__, "--step", task, name, str(path)]
    command += ["--people", str(given.people), *(["--boxes"] if given.boxes else [])]
    subprocess.run(command, check=True)


# -- engines ---------------------------------------------------------------------------

TEXT = make_column_selector(dtype_include=["object", "string", "category"])


def with_labels(encoder, model):
    """Return a model behind an encoder of the columns of labels."""
    encode = make_column_transformer((encoder, TEXT), remainder="passthrough")
    return make_pipeline(encode, model)


ENGINE_MODELS = {
    "LR": lambda: with_labels(
        OneHotEncoder(drop="first", sparse_output=False),
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=2_000)),
    ),
    "XGB": lambda: with_labels(
        OrdinalEncoder(),
        XGBClassifier(n_estimators=300, max_depth=6, n_jobs=1, random_state=0),
    ),
    "RF": lambda: with_labels(
        OrdinalEncoder(),
        RandomForestClassifier(300, min_samples_leaf=3, random_state=0),
    ),
}


def credit(**features):
    """Return `make_credit` with other features in its action set."""
    bunch = make_credit(4_000, random_state=0)
    bunch.action_set = bunch.action_set.replace(features)
    return bunch


DATA = {
    "german": fetch_german,
    "heloc": fetch_heloc,
    "credit, discrete": lambda: credit(
        income=Feature("real", 0, 10_000, actionable=False)
    ),
    "credit, one real": credit,
    "credit, tied reals": lambda: credit(
        loan_amount=Feature(
            "real", 500, 20_000, direction="decrease", max_decrease=2_000
        )
    ),
}


def verify_with(explainer, engine, people, repeats=2):
    """Return the least CPU time of a few calls with an engine, and the verdicts."""
    explainer._engine = engine
    times = []
    for _ in range(repeats):
        began = time.process_time()
        verdicts = explainer.verify(people)
        times.append(time.process_time() - began)
    return min(times), verdicts


def compare_engines(n_people):
    """Print the time and the verdicts of the chosen engine and of boxes."""
    _verification_task._MAX_SPLITS_ON_LINES = np.inf  # else boxes are chosen for some
    print(
        f"{'data, model':26}{'people':>7}{'engine':>14}{'ms':>8}{'boxes ms':>10}",
        end="",
    )
    print(f"{'ratio':>7}{'differ':>8}  statuses of boxes")
    for name, load in DATA.items():
        bunch = load()
        X, y = bunch.data, bunch.target
        for kind, make in ENGINE_MODELS.items():
            model = make().fit(X, y)
            people = X[model.predict(X) == 0][:n_people]
            explainer = explainer_of(model, bunch, X)
            chosen = explainer._get_engine(NEVER)
            boxes = explainer._get_box_engine(NEVER)
            ours, first = verify_with(explainer, chosen, people)
            other, second = verify_with(explainer, boxes, people)
            each = 1e3 / len(people)
            differ = pd.Series(first.status + " " + second.status)
            differ = differ[first.status != second.status].value_counts()
            print(
                f"{name + ', ' + kind:26}{len(people):7}{type(chosen).__name__:>14}"
                f"{ours * each:8.2f}{other * each:10.2f}{other / ours:7.1f}"
                f"{differ.sum():8}  {counted(second.status)} {dict(differ) or ''}",
                flush=True,
            )


def main():
    """Run the steps of each model, or compare engines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("--boxes", action="store_true")
    parser.add_argument("--engines", action="store_true")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.step:
        task, name, path = given.step
        if task == "fit":
            fit(name, path)
        else:
            measure(name, path, given.people, given.boxes)
        return
    if given.engines:
        compare_engines(given.people)
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in given.models:
            path = (given.keep or Path(folder)) / f"{name}.joblib"
            if not path.exists():
                run_apart("fit", name, path, given)
            run_apart("measure", name, path, given)


if __name__ == "__main__":
    main()
