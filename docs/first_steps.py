"""A model turns people down: what could each of them change, and would it work?"""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.constraints import IfThen, Linkage

# Generated applicants, with columns of text and of numbers.
rng = np.random.default_rng(0)
n = 400
X = pd.DataFrame(
    {
        "age": rng.integers(20, 70, n),
        "years_employed": rng.integers(0, 12, n),
        "loans": rng.integers(0, 5, n),
        "job": rng.choice(["none", "part time", "full time"], n, p=[0.2, 0.3, 0.5]),
        "housing": rng.choice(["own", "rent"], n),
        "guarantor": rng.integers(0, 2, n),
    }
)
X.loc[X["job"] == "none", "housing"] = "rent"
score = (
    0.4 * X["years_employed"]
    - 1.2 * X["loans"]
    + 1.5 * (X["housing"] == "own")
    + 1.2 * X["guarantor"]
    + 1.0 * (X["job"] == "full time")
)
y = (score + rng.normal(0, 1, n) > 1.5).astype(int)

model = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(), ["job", "housing"]), remainder=StandardScaler()
    ),
    LogisticRegression(),
).fit(X, y)

# What people can change, in the columns as they are before encoding.
actions = ActionSet.infer(
    X,
    features={
        "age": Feature("integer", actionable=False),
        "years_employed": Feature(
            "integer", 0, 40, direction="increase", max_increase=2
        ),
        "loans": Feature("integer", lower=0, direction="decrease"),
        "job": Feature("categorical", categories=["none", "part time", "full time"]),
    },
    constraints=[
        Linkage("years_employed", {"age": 1}),
        IfThen(("job", "==", "none"), ("housing", "==", "rent")),
    ],
)
print(actions, end="\n\n")

explainer = ResponsivenessExplainer(FrozenEstimator(model), actions, target=1).fit(X)
explanation = explainer.explain(X)
print(explanation, end="\n\n")

denied = np.flatnonzero(~explanation.at_target)
for row in denied[:3]:
    person = ", ".join(f"{name} {value}" for name, value in X.iloc[row].items())
    print(f"Applicant {row}: {person}")
    print(explanation.describe(int(row)), end="\n\n")
