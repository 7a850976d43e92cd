"""The study's logistic regression beside ours: who can be helped by one feature.

No penalty, standardised features, 80 % of the rows to train, all rows explained. The
study's split is not published, so several are tried: close, not equal.

    SKRESP_DATA=... python benchmarks/paper_lr.py [--splits 20]
"""

import argparse

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skresp import ResponsivenessExplainer
from skresp.datasets import fetch_german, fetch_heloc

# Cheon et al. 2025: Table 2 (denied, 1-D recourse), Table 3 (RESP, features
# highlighted), Table 7 (AUC), for LR. Shares in percent.
PAPER = {
    fetch_german: {
        "train AUC": 0.819,
        "test AUC": 0.760,
        "denied": 22.9,
        "some responsive": 74.2,
        "features listed": 1.8,
    },
    fetch_heloc: {
        "train AUC": 0.772,
        "test AUC": 0.788,
        "denied": 56.1,
        "some responsive": 41.0,
        "features listed": 2.3,
    },
}


def figures(bunch, seed):
    X, y = bunch.data, bunch.target
    train, test = train_test_split(np.arange(len(X)), test_size=0.2, random_state=seed)
    model = make_pipeline(
        StandardScaler(), LogisticRegression(C=np.inf, max_iter=2_000)
    )
    model.fit(X.iloc[train], y.iloc[train])
    explainer = ResponsivenessExplainer(FrozenEstimator(model), bunch.action_set).fit(X)
    explanation = explainer.explain(X)
    denied = ~explanation.at_target
    lengths = np.array([len(places) for places in explanation.top_features(4)])
    once = denied & ~X.duplicated().to_numpy() & (lengths > 0)  # over distinct rows
    return {
        "train AUC": roc_auc_score(
            y.iloc[train], model.predict_proba(X.iloc[train])[:, 1]
        ),
        "test AUC": roc_auc_score(
            y.iloc[test], model.predict_proba(X.iloc[test])[:, 1]
        ),
        "denied": 100 * denied.mean(),
        "some responsive": 100 * (lengths[denied] > 0).mean(),
        "features listed": lengths[once].mean(),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=20)
    splits = parser.parse_args().splits
    for fetch, published in PAPER.items():
        bunch = fetch()
        runs = [figures(bunch, seed) for seed in range(splits)]
        print(f"{fetch.__name__[6:]}, {splits} splits: mean (least to greatest), paper")
        for name, paper in published.items():
            values = [run[name] for run in runs]
            print(
                f"  {name:16} {np.mean(values):7.3f} ({min(values):.3f} to "
                f"{max(values):.3f})  {paper:.3f}"
            )


if __name__ == "__main__":
    main()
