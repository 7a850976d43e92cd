"""The encoder before the models of these tests."""

from __future__ import annotations

from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def encoder(*labels):
    return ColumnTransformer(
        [("labels", OneHotEncoder(handle_unknown="ignore"), list(labels))],
        remainder=StandardScaler(),
    )
