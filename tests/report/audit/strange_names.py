"""Names and labels as an attacker, or a careless export, would have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.report import AuditReport

STRANGE = [
    "<script>document.title='owned'</script>",
    "\"'><img src=x onerror=\"document.title='owned'\">",
    "</style></table><svg onload=document.title='owned'>",
    "javascript:document.title='owned'//&lt;&amp;",
    "\u202eright to left\u0000",
    "long " + "µßЖ漢字🙂" * 80,
    "nobreak" * 60,
    "${title} {title} %s %(x)s",
]


class FirstLabel:
    """Says 1 where the first column holds its second label and the second is high."""

    classes_ = np.array([0, 1])

    def __init__(self, columns: list[str], label: str) -> None:
        self.columns, self.label = columns, label

    def predict(self, X: Any) -> Any:
        first = (X[self.columns[0]] == self.label).to_numpy()
        return (first & (X[self.columns[1]] > 2).to_numpy()).astype(int)


def strange_report(**options: Any) -> AuditReport:
    rng = np.random.default_rng(0)
    labels = STRANGE[:2]
    X = pd.DataFrame({STRANGE[0]: [labels[i] for i in rng.integers(0, 2, 60)]})
    for name in STRANGE[1:]:
        X[name] = rng.integers(0, 5, 60)
    actions = ActionSet.infer(
        X, features={STRANGE[1]: Feature("integer", 0, 4, max_increase=2)}
    )
    for name in STRANGE[2:]:
        actions = actions.replace({name: Feature("integer", 0, 4, actionable=False)})
    explainer = ResponsivenessExplainer(
        FirstLabel(STRANGE, labels[1]), actions, random_state=0
    ).fit(X)
    return AuditReport.from_estimator(
        explainer,
        X,
        groups=[STRANGE[i % 3] for i in range(60)],
        title=STRANGE[0],
        # Not in a column name: pandas with pyarrow takes no half of a pair.
        notes={STRANGE[1]: f"{STRANGE[2]} and a half \ud83d pair"},
        examples=4,
        **options,
    )
