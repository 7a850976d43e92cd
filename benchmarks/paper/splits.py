"""Results of logistic regression for other splits."""

from __future__ import annotations

import numpy as np
from methods import explainer, summarise
from models import folds, load, make
from sklearn.metrics import roc_auc_score

from skresp.metrics import recourse_summary


def over_splits(data: str, splits: int) -> dict[str, list[float]]:
    """Return the figures of LR for the splits with seeds 0, 1, 2, ..."""
    bunch = load(data)
    X, y = bunch.data, bunch.target.to_numpy()
    runs: dict[str, list[float]] = {}
    for seed in range(splits):
        fit = folds(y, seed) < 5
        model = make("LR").fit(X[fit], y[fit])
        chance = model.predict_proba(X)[:, 1]
        judge = explainer(data, model, "RESP")
        truth = judge.explain(X)
        shares = recourse_summary(judge, X)
        found = {
            "train AUC": roc_auc_score(y[fit], chance[fit]),
            "test AUC": roc_auc_score(y[~fit], chance[~fit]),
            **{k: 100 * shares[k] for k in ("denied", "no_recourse", "single")},
            "n_features": summarise(truth, truth).summary["n_features"],
        }
        for name, value in found.items():
            runs.setdefault(name, []).append(float(np.round(value, 6)))
    return runs
