"""Two models predict equally well: which one gives more people recourse?

This tutorial searches a grid with two scores, chooses a model by a rule, compares
decision thresholds, and compares groups by how many people have no recourse.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skresp import ResponsivenessExplainer
from skresp.datasets import make_credit
from skresp.metrics import RecourseScorer, recourse_summary
from skresp.model_selection import best_recourse_within, threshold_curve, trade_off

# Loan applicants, and what each of them can change.
credit = make_credit(800, random_state=0)
X, X_test, y, y_test = train_test_split(
    credit.data, credit.target, test_size=0.3, random_state=0
)
print(credit.action_set)
THRESHOLD = 0.65  # the lender approves if the probability of repaying is at least this

# 1. A grid search with one more score than usual. For each candidate the scorer
#    computes the share of people who are approved or have recourse.
model = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_exclude="number")),
        remainder="passthrough",
    ),
    RandomForestClassifier(60, random_state=0),
)
rule = best_recourse_within(1.0)  # among models within one standard error of the best
search = GridSearchCV(
    model,
    {
        "randomforestclassifier__min_samples_leaf": [2, 10, 40],
        "randomforestclassifier__max_features": [0.3, 1.0],
    },
    scoring={
        "auc": "roc_auc",
        "recourse": RecourseScorer(credit.action_set, target=1, threshold=THRESHOLD),
    },
    refit=rule,
    cv=3,
).fit(X, y)

# 2. The candidates, and which of them the rule chose.
table = trade_off(search.cv_results_, rule)
print(table.drop(columns="params").round(4).to_string())
best, chosen = table.loc[table["score"].idxmax()], table[table["chosen"]].iloc[0]
print(
    f"The choice gives up {best['score'] - chosen['score']:.4f} of AUC and gains "
    f"{chosen['recourse'] - best['recourse']:.4f} of recourse rate."
)

# 3. The chosen model on new people. An explainer can replace its model, also in a
#    search: GridSearchCV(explainer, ...).
explainer = ResponsivenessExplainer(
    search.best_estimator_, credit.action_set, target=1, threshold=THRESHOLD
).fit(X_test)
summary = recourse_summary(explainer, X_test)
print({name: round(float(share), 3) for name, share in summary.items()})

# 4. The decision threshold matters as much as the model. Each person is verified once,
#    for all thresholds.
curve = threshold_curve(explainer, X_test, y_test, np.arange(3, 10) / 10)
print(curve.round(3).to_string(index=False))

# 5. Who has no recourse? Sex has no effect on repayment in these data.
print(recourse_summary(explainer, X_test, groups="sex").round(3).to_string())
gap = RecourseScorer(
    credit.action_set,
    "neg_recourse_rate_gap",
    target=1,
    threshold=THRESHOLD,
    groups="sex",
)
print("gap between the sexes:", round(-gap(search.best_estimator_, X_test), 3))

# 6. Pictures, if a folder is given:
#    python docs/choosing_models.py pictures
if len(sys.argv) > 1:
    from skresp.plots import ThresholdDisplay, TradeOffDisplay

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, display in {
        "trade_off": TradeOffDisplay.from_search(search, rule),
        "threshold": ThresholdDisplay.from_estimator(explainer, X_test, y_test),
    }.items():
        figure = display.plot().figure_
        figure.savefig(folder / f"{name}.png", dpi=120, bbox_inches="tight")
