"""Models of which only `predict` is used."""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler


def doubled(X):
    return X * 2


BLACK_BOXES = {
    "MLP": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((8,), random_state=0, max_iter=300)
    ),
    "function": lambda: make_pipeline(
        FunctionTransformer(doubled), LogisticRegression(max_iter=500)
    ),
}
