"""Choosing a model by the recourse it leaves: a search on HELOC.

    SKRESP_DATA=... python benchmarks/selection.py [--quick] [--n-jobs 1] [--picture F]

Thirty XGBoost candidates in five folds, scored by AUC and recourse rate: the table of
both, the model that the rule chooses, and what it costs in AUC and gains in recourse.
Prints how many reachable sets were computed and how many came from the cache. The time
that the recourse scores add is in `speed.py --only scorer`.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.model_selection import GridSearchCV
from xgboost import XGBClassifier

from skresp.datasets import fetch_heloc
from skresp.metrics import RecourseScorer
from skresp.model_selection import best_recourse_within, trade_off
from skresp.reach._cache import shared_cache

GRID = {
    "max_depth": [2, 3, 4, 5, 6],
    "learning_rate": [0.05, 0.1, 0.3],
    "min_child_weight": [1, 20],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="four candidates")
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--picture", help="where to write the trade-off as a PNG")
    given = parser.parse_args()
    grid = GRID
    if given.quick:
        grid = {"max_depth": [2, 5], "learning_rate": [0.1, 0.3]}
    bunch = fetch_heloc()
    X, y = bunch.data, bunch.target
    model = XGBClassifier(n_estimators=given.trees, n_jobs=1, random_state=0)
    rule = best_recourse_within(1.0)
    scorer = RecourseScorer(bunch.action_set, target=1)
    scorer(model.fit(X[:500], y[:500]), X[:50])  # compiles kernels
    shared_cache.clear()
    scoring = {"auc": "roc_auc", "recourse": scorer}
    search = GridSearchCV(
        model, grid, scoring=scoring, refit=rule, cv=5, n_jobs=given.n_jobs
    ).fit(X, y)
    table = trade_off(search.cv_results_, rule)
    shown = table.sort_values("score", ascending=False)
    for line in shown.itertuples():
        mark = "<- chosen" if line.chosen else "within" if line.eligible else ""
        print(
            f"AUC {line.score:.4f} ± {line.score_error:.4f}  recourse rate "
            f"{line.recourse:.4f} ± {line.recourse_error:.4f}  "
            f"{' '.join(f'{k}={v}' for k, v in line.params.items())}  {mark}"
        )
    best = table.loc[table["score"].idxmax()]
    mine = table[table["chosen"]].iloc[0]
    lost = 1 - best["recourse"], 1 - mine["recourse"]
    print(
        f"\nchosen over the best by AUC: AUC {mine['score'] - best['score']:+.4f}, "
        f"recourse rate {mine['recourse'] - best['recourse']:+.4f} (without recourse "
        f"{lost[0]:.2%} -> {lost[1]:.2%} of all people)"
    )
    if given.n_jobs == 1:
        found = f"{shared_cache.misses} made, {shared_cache.hits} found again"
        print(f"reachable sets: {found}")
    digest = np.round(table["recourse"].to_numpy(), 6).tolist()
    print("recourse rates:", " ".join(f"{rate:.6f}" for rate in digest))
    if given.picture:
        from skresp.plots import TradeOffDisplay

        display = TradeOffDisplay.from_search(search, rule).plot()
        display.figure_.savefig(given.picture, dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
