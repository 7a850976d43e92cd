"""Show that kernels change nothing: all results with them and without, bit by bit.

    SKRESP_DATA=... python benchmarks/equality.py [--worlds 3000] [--large 2000]
        [--rows 1000] [--seed 0] [--only WORD ...]

Scores, the ends of their intervals, statuses, proofs, points used, witnesses and the
ranges of `intervals` are computed twice: with kernels, and with `predict` for every
point. People are those of the data sets, of the random worlds of tests/fuzz, and of
larger random models; many of them are moved to cut points of their model, or to the
floats next to these. Some are also asked about alone. Whatever differs is named. The
last lines say how much was compared, how many points the kernels scored, and how many
they left to `predict`. `--only` runs the parts whose names contain a word.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from xgboost import XGBClassifier

from skresp import Feature, ResponsivenessExplainer
from skresp._model._kernel_use import kernels
from skresp.constraints import Linkage
from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc, make_credit
from skresp.metrics import RecourseScorer
from skresp.reach._cache import shared_cache
from tests.equality.compare import Differences
from tests.equality.cut_points import at_cut_points
from tests.equality.large_worlds import large_case
from tests.fuzz.checks import make_explainer
from tests.fuzz.world import make_world

DATA = {
    "german": fetch_german,
    "heloc": fetch_heloc,
    "givemecredit": fetch_givemecredit,
    "german raw": lambda: fetch_german(variant="raw"),
    "heloc raw": lambda: fetch_heloc(variant="raw"),
    "givemecredit raw": lambda: fetch_givemecredit(variant="raw"),
    "make_credit": lambda: make_credit(3_000, random_state=0),
}
MODELS = {
    "XGB": lambda: XGBClassifier(n_estimators=300, max_depth=6, n_jobs=1),
    "RF": lambda: RandomForestClassifier(300, n_jobs=1, random_state=0),
    "LR": lambda: make_pipeline(
        SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=1_000)
    ),
    "LGBM": lambda: LGBMClassifier(num_leaves=80, n_jobs=1, verbose=-1),
    "HGB native": lambda: HistGradientBoostingClassifier(max_leaf_nodes=80),
    "XGB classes": lambda: XGBClassifier(n_estimators=100, max_depth=6, n_jobs=1),
}
# Rows that models are fitted on.
FITTED = 20_000
METRICS = ("recourse_rate", "single_rate", "mean_responsiveness")


def with_held_reals(bunch):
    """Return the data with held numbers as reals, some of them missing.

    Reals can be moved to cut points. Only numbers that no constraint but a linkage into
    them mentions are changed.
    """
    actions, X = bunch.action_set, bunch.data.copy()
    tied = {
        name
        for c in actions.constraints
        for name in ([c.source] if isinstance(c, Linkage) else c.features)
    }
    held = [
        name
        for name, f in actions.features.items()
        if f.kind != "categorical" and not f.can_change and name not in tied
    ]
    rng = np.random.default_rng(0)
    targets = {n for c in actions.constraints for _, n in c.links}
    for name in held:
        X[name] = X[name].astype(float)
        if name not in targets:
            X.loc[rng.random(len(X)) < 0.05, name] = np.nan
    real = Feature("real", actionable=False)
    return actions.replace(features=dict.fromkeys(held, real)), X


def fitted_model(name, X, y):
    """Return a fitted model; labels are encoded unless it reads them itself."""
    labels = [n for n in X if not pd.api.types.is_numeric_dtype(X[n])]
    model = MODELS[name]()
    if name == "HGB native":
        # Without labels, a short number serves as one.
        short = [n for n in X if 2 < X[n].nunique() < 20 and n not in labels]
        model.set_params(categorical_features=labels or short[:2] or None)
        return model.fit(X, y)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), labels),
        remainder="passthrough",
    )
    return make_pipeline(encode, model).fit(X, y)


def data_cases(args):
    """Yield the models of the data sets with people, as they are and at cut points."""
    for data, fetch in DATA.items():
        bunch = fetch()
        actions, X = with_held_reals(bunch)
        X, y = X[:FITTED], np.asarray(bunch.target[:FITTED]).astype(int)
        for name in X:
            if not pd.api.types.is_numeric_dtype(X[name]):
                X[name] = X[name].astype("category")
        n = args.rows if " " not in data else args.rows // 4
        for name in MODELS:
            labels = y
            if name == "XGB classes":
                size = X.select_dtypes("number").rank().sum(axis=1)
                labels = y * (1 + (size > size.median()).to_numpy())
            explainer = ResponsivenessExplainer(
                FrozenEstimator(fitted_model(name, X, labels)),
                actions,
                target=1,
                missing="hold",
                invalid_rows="nan",
                random_state=0,
                n_samples=50,
            ).fit(X)
            people = X[:n].reset_index(drop=True)
            yield f"{data} {name}", explainer, people
            moved = at_cut_points(np.random.default_rng(1), explainer, people)
            yield f"{data} {name} at cut points", explainer, moved[: n // 2]


def world_cases(args):
    """Yield random small models of tests/fuzz."""
    for seed in range(args.seed, args.seed + args.worlds):
        world = make_world(seed, people=args.people)
        if world is None:
            continue
        explainer = make_explainer(world, n_samples=20)
        rng = np.random.default_rng(seed)
        half = len(world.people) // 2
        moved = at_cut_points(rng, explainer, world.people[half:])
        people = pd.concat([world.people[:half], moved], ignore_index=True)
        people = people.astype(world.people.dtypes)
        yield f"world {seed} {world.family}", explainer, people


def large_cases(args):
    """Yield larger random models."""
    for seed in range(args.seed, args.seed + args.large):
        yield large_case(seed, people=args.people)


def compare_scorer(found, name, explainer, people):
    """Compare the rates of a scorer."""
    rates = {}
    for use in ("always", "never"):
        scorer = RecourseScorer(explainer.action_set_, metric=METRICS, target=1)
        with kernels(use):
            rates[use] = scorer(explainer.estimator_, people)
    same = [rates["always"][m] == rates["never"][m] for m in METRICS]
    found.note(f"{name}: scorer", "scorer", np.array(same))


def run(part, cases, args):
    """Compare the cases of one part, and print what was found."""
    found, began = Differences(), time.process_time()
    seen = 0
    for k, (name, explainer, people) in enumerate(cases(args)):
        alone = 3 if part == "data" else int(k % 10 == 0)
        scored = found.add(name, explainer, people, alone)
        if part == "data":
            if name.endswith(" XGB"):
                compare_scorer(found, name, explainer, people)
            print(f"{name}: {len(people)} people, kernels scored {scored}", flush=True)
        shared_cache.clear()
        for place in found.places[seen:]:
            print("DIFFERS", place, flush=True)
        seen = len(found.places)
    show(part, found, time.process_time() - began)
    return found


def show(part, found, seconds=None):
    """Print how much was compared, and how much differs."""
    counts = found.counts
    print(
        f"{part}: {counts['models']} models, {counts['read']} of them read, kernels "
        f"used by {counts['used']}; {counts['people']} people"
        + ("" if seconds is None else f"; {seconds:.0f} s")
    )
    print(
        f"  points: {counts['all'] - counts['asked']} scored by kernels, "
        f"{counts['asked']} by predict"
    )
    for key, n in found.compared.items():
        print(f"  {key:22} {n:9} compared {found.differing[key]:9} differ")
    sys.stdout.flush()


PARTS = {"data": data_cases, "worlds": world_cases, "large": large_cases}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=3_000)
    parser.add_argument("--large", type=int, default=2_000)
    parser.add_argument("--people", type=int, default=10, help="people of a model")
    parser.add_argument("--rows", type=int, default=1_000, help="rows of a data set")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    total = Differences()
    for part, cases in PARTS.items():
        if any(word in part for word in args.only):
            total.merge(run(part, cases, args))
    show("in all", total)
    return int(bool(total.places))


if __name__ == "__main__":
    raise SystemExit(main())
