"""Who has no recourse, and how long it takes to prove it.

    SKRESP_DATA=... python benchmarks/certificates.py [--people 150] [--credit]

For each data set and model: the verdicts of all rows; the time of `verify` over that of
`explain` on the same rows; how many times faster it is than asking the model about the
whole product of changes, person by person with early exit, on a sample of denied
people, and whether both agree; the time of the best score of all people, and the curve
over thresholds, compared with verdicts at some of them. With `--credit` also all denied
rows of Give Me Some Credit, with the peak memory.
"""

from __future__ import annotations

import argparse
import resource
from time import perf_counter

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from skresp import ResponsivenessExplainer
from skresp._recourse.engines._black_box import BlackBoxEngine
from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc
from skresp.metrics import recourse_summary
from skresp.reach import reachable_set

# The paper's table for its own models: denied, no recourse, single, joint.
PUBLISHED = {
    ("heloc", "LR"): (56.1, 22.2, 41.0, 36.8),
    ("german", "LR"): (22.9, 7.4, 74.2, 18.3),
}
MODELS = {
    "LR": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(C=np.inf, max_iter=2_000)
    ),
    "XGB": lambda: XGBClassifier(
        n_estimators=300, max_depth=6, n_jobs=1, random_state=0
    ),
    "RF": lambda: RandomForestClassifier(
        300, min_samples_leaf=3, n_jobs=1, random_state=0
    ),
}


def least(call, X, repeats=3):
    """Return the least time of a few calls, and the result of the last one."""
    times = []
    for _ in range(repeats):
        began = perf_counter()
        found = call(X)
        times.append(perf_counter() - began)
    return min(times), found


def searched(explainer, X):
    """Return verdicts by our own search of all combinations, near ones first."""
    explainer._engine = BlackBoxEngine()
    began = perf_counter()
    verdicts = explainer.verify(X, max_points=10**9)
    taken = perf_counter() - began
    explainer._engine = None
    explainer.verify(X[:1])
    return taken, verdicts


def brute(model, actions, X):
    """Return whether some combination of each person's changes is approved."""
    hits = np.zeros(len(X), dtype=bool)
    began = perf_counter()
    for i in range(len(X)):
        points = reachable_set(actions, X.iloc[i], max_points=10**7).points[X.columns]
        for start in range(0, len(points), 4_096):
            if (model.predict(points[start : start + 4_096]) == 1).any():
                hits[i] = True
                break
    return perf_counter() - began, hits


def report(name, bunch, people):
    X, y = bunch.data, bunch.target
    for kind, make in MODELS.items():
        model = make().fit(X, y)
        explainer = ResponsivenessExplainer(model, bunch.action_set, target=1).fit(X)
        explainer.verify(X[:50])  # compiles kernels and computes reachable sets
        explainer.explain(X)
        verifying, verdicts = least(explainer.verify, X)
        explaining, _ = least(explainer.explain, X)
        found = recourse_summary(verdicts)
        shares = [100 * found[k] for k in ("denied", "no_recourse", "single", "joint")]
        print(f"\n{name} {kind}: denied, no recourse, single, joint (%)")
        print("  ours      " + "  ".join(f"{share:5.1f}" for share in shares))
        if (name, kind) in PUBLISHED:
            paper = PUBLISHED[name, kind]
            print("  published " + "  ".join(f"{share:5.1f}" for share in paper))
        print(
            f"  verify {verifying:.3f} s, explain {explaining:.3f} s: ratio "
            f"{verifying / explaining:.2f}; unknown {found['unknown']:.0%}"
        )
        denied = X[verdicts.status != "approved"]
        some = denied.sample(min(people, len(denied)), random_state=0)
        fast, mine = least(explainer.verify, some)
        bulk = verifying / len(X)
        slow, other = searched(explainer, some)
        naive, hits = brute(model, bunch.action_set, some)
        wrong = int((mine.status != other.status).sum())
        wrong += int((np.isin(mine.status, ("single", "joint")) != hits).sum())
        each = 1e3 / len(some)
        print(
            f"  {len(some)} denied, ms a person: {fast * each:.2f} (in bulk "
            f"{1e3 * bulk:.2f}); the product person by person {naive * each:.1f} "
            f"({naive / fast:.0f} and {naive / len(some) / bulk:.0f} times); our own "
            f"search of it {slow * each:.1f} ({slow / fast:.1f} times); verdicts that "
            f"differ: {wrong}"
        )
        fresh = explainer.verify(X)
        began = perf_counter()
        curve = fresh.curve(np.arange(1, 20) / 20)
        taken = perf_counter() - began
        worst = 0.0
        for line in curve.iloc[[3, 9, 15]].itertuples():
            at = ResponsivenessExplainer(
                model, bunch.action_set, target=1, threshold=line.threshold
            ).fit(X)
            status = at.verify(X).status
            worst = max(worst, abs((status == "fixed").mean() - line.no_recourse))
        shares = ", ".join(
            f"{line.threshold:.2f}: {line.no_recourse:.1%}"
            for line in curve.iloc[[3, 9, 15]].itertuples()
        )
        print(
            f"  best scores of all rows {taken:.2f} s; without recourse at {shares} "
            f"(largest difference to verdicts there: {worst:.4f})"
        )


def credit():
    bunch = fetch_givemecredit()
    X, y = bunch.data, bunch.target
    rng = np.random.default_rng(0)
    bad = np.flatnonzero(y == 0)
    more = rng.choice(bad, int((y == 1).sum()) - len(bad))
    rows = np.r_[np.arange(len(X)), more]
    for kind, make in MODELS.items():
        model = make()
        if kind == "RF":  # rebalanced rows are many: full trees would be huge
            model.set_params(n_estimators=100, min_samples_leaf=50)
        model.fit(X.iloc[rows], y.iloc[rows])
        explainer = ResponsivenessExplainer(model, bunch.action_set, target=1).fit(X)
        explainer.verify(X[:50])
        denied = X[model.predict(X) == 0]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        began = perf_counter()
        verdicts = explainer.verify(denied)
        taken = perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        found = recourse_summary(verdicts)
        print(
            f"\ngivemecredit {kind}: {len(denied):,} denied of {len(X):,} in "
            f"{taken:.1f} s; peak {after:.2f} GiB ({after - before:.2f} more than "
            f"before); no recourse {found['no_recourse']:.1%}, single "
            f"{found['single']:.1%}, joint {found['joint']:.1%}, unknown "
            f"{found['unknown']:.1%}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=150)
    parser.add_argument("--credit", action="store_true")
    given = parser.parse_args()
    report("german", fetch_german(), given.people)
    report("heloc", fetch_heloc(), given.people)
    if given.credit:
        credit()
