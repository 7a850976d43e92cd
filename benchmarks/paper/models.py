"""The study's models: its split, its search, its seed.

What the paper leaves out is from the study's public code: the seed and the folds
(github.com/ustunb/responsiveness, research/iclr2025), the ranges of the search
(github.com/harrycheon/responsiveness-public; later versions have others, which do not
lead to the published figures). The search goes by accuracy there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, ParameterSampler, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch, resample

from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc

SEED = 2338
FETCH = {
    "heloc": fetch_heloc,
    "german": fetch_german,
    "givemecredit": fetch_givemecredit,
}
TREES = [int(n) for n in np.linspace(300, 2_000, 10)]
FOREST = {
    "n_estimators": TREES,
    "max_depth": [None, *(int(n) for n in np.linspace(5, 110, 11))],
    "min_samples_split": [2, 5, 7, 10, 12],
    "min_samples_leaf": [1, 2, 4, 6, 8],
    "max_features": ["sqrt", "log2", None],
    "bootstrap": [True, False],
}
BOOSTED = {
    "learning_rate": [0.01, 0.05, 0.1, 0.15, 0.2],
    "max_depth": list(range(12)),
    "n_estimators": TREES,
    "min_child_weight": [1, 5, 15],
    "gamma": list(range(10)),
    "booster": ["gbtree"],
    # 1.1 is not a valid share and fails; with it in the list the draws are the same.
    "subsample": [0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1],
    "grow_policy": ["depthwise", "lossguide"],
}
# With more rows than MANY, the search fits forests of FEW trees.
MANY, FEW = 20_000, 20


@dataclass(frozen=True)
class Trained:
    """A model, its AUC, the chosen parameters and the time of the search."""

    model: Any
    auc: tuple[float, float]
    chosen: dict[str, Any]
    seconds: float


@cache
def load(data: str) -> Bunch:
    """Return a data set as in the study."""
    return FETCH[data](variant="paper")


def folds(y: NDArray[Any], seed: int = SEED) -> NDArray[np.int64]:
    """Divide rows into five stratified folds; the fifth is for testing.

    The study draws three and four folds from the same generator before.
    """
    stream = np.random.RandomState(seed)
    out = np.zeros(len(y), dtype=int)
    for many in (3, 4, 5):
        splitter = StratifiedKFold(many, shuffle=True, random_state=stream)
        for k, (_, rows) in enumerate(splitter.split(y, y)):
            out[rows] = k + 1
    return out


def balanced(rows: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Return rows in which the rarer label is oversampled to balance."""
    rare = rows[y[rows] == 0]
    missing = len(rows) - 2 * len(rare)
    return np.concatenate([rows, resample(rare, n_samples=missing, random_state=SEED)])


def train(data: str, kind: str, draws: int = 10, trees: int = max(TREES)) -> Trained:
    """Return the model of a data set, chosen by three folds among `draws` candidates.

    It has at most `trees` trees.
    """
    start = time.perf_counter()
    bunch = load(data)
    X, y = bunch.data, bunch.target.to_numpy()
    fold = folds(y)
    fit, test = np.flatnonzero(fold < 5), np.flatnonzero(fold == 5)
    if data == "givemecredit":
        fit, test = balanced(fit, y), balanced(test, y)
    chosen: dict[str, Any] = {}
    model = make(kind)
    if kind != "LR":
        space = FOREST if kind == "RF" else BOOSTED
        chosen = _search(model, space, X.iloc[fit], y[fit], draws, trees)
        model.set_params(**chosen)
    model.fit(X.iloc[fit], y[fit])
    auc = [
        float(roc_auc_score(y[rows], model.predict_proba(X.iloc[rows])[:, 1]))
        for rows in (fit, test)
    ]
    return Trained(model, (auc[0], auc[1]), chosen, time.perf_counter() - start)


def make(kind: str) -> Any:
    """Return a model with default parameters."""
    if kind == "LR":  # no penalty, standardised features
        linear = LogisticRegression(
            C=np.inf, solver="saga", max_iter=100_000, random_state=SEED
        )
        return make_pipeline(StandardScaler(), linear)
    if kind == "RF":
        return RandomForestClassifier(random_state=SEED, n_jobs=1)
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=SEED, n_jobs=1)


def _search(
    model: Any, space: dict[str, list[Any]], X: Any, y: Any, draws: int, trees: int
) -> dict[str, Any]:
    drawn = [
        one | {"n_estimators": min(one["n_estimators"], trees)}
        for one in ParameterSampler(space, draws, random_state=SEED)
        if one.get("subsample", 1) <= 1
    ]
    tried = drawn
    if len(X) > MANY and isinstance(model, RandomForestClassifier):
        tried = [one | {"n_estimators": FEW} for one in drawn]
    grid = [{name: [value] for name, value in one.items()} for one in tried]
    search = GridSearchCV(model, grid, scoring="accuracy", cv=3, refit=False)
    return drawn[search.fit(X, y).best_index_]
