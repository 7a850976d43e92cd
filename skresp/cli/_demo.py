"""`skresp demo`: a model of made-up applicants, trained and audited."""

from __future__ import annotations

from argparse import Namespace
from importlib.util import find_spec
from typing import Any

from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skresp import ResponsivenessExplainer
from skresp.datasets import make_credit
from skresp.report import AuditReport, notice, whole_file, write_text

from ._audit import make_others
from ._output import tell, write_audit
from ._says import FINE, folder, note, say, say_json, watched

_LABELS = ["job", "sex", "savings", "checking_account", "housing"]
_NAMES = {
    "job": "Your job",
    "years_employed": "Years in your present job",
    "income": "Your income",
    "loan_amount": "Amount of the loan",
    "loan_months": "Months to pay the loan back",
    "savings": "Your savings",
    "checking_account": "Your checking account",
    "housing": "Your housing",
    "has_guarantor": "A guarantor for the loan",
}


def demo(given: Namespace) -> int:
    """Run it."""
    out = folder(given.out)
    note("training a model on made-up applicants")
    credit: Any = make_credit(given.rows, random_state=given.seed)
    X = credit.data
    model = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), _LABELS), remainder="passthrough"
        ),
        GradientBoostingClassifier(n_estimators=40, random_state=0),
    ).fit(X, credit.target)
    frozen = FrozenEstimator(model)
    explainer = ResponsivenessExplainer(
        frozen,
        credit.action_set,
        target=1,
        random_state=given.seed,
        verbose=watched(),
    ).fit(X)
    names = [name for name in ("shap", "lime") if find_spec(name)]
    others = make_others(frozen, X, credit.action_set, 1, names, given.seed)
    report = AuditReport.from_estimator(
        explainer,
        X,
        groups="sex",
        explainers=others,
        title="A loan model on made-up applicants",
        names=_NAMES,
        notes={"Data": f"make_credit({given.rows}, random_state={given.seed})"},
    )
    written = write_audit(report, out)
    with whole_file(out / "actions.yaml") as part:
        credit.action_set.to_file(part)
    written.append("actions.yaml")
    if len(report.denied):
        person = X.iloc[[int(report.denied[0])]]
        letter = notice(explainer, person, names=_NAMES, wanted="approval of the loan")
        write_text(out / "notice.txt", f"{letter.text}\n")
        written.append("notice.txt")
    if given.json:
        say_json({"out": str(out), "files": written, **report.to_dict()})
        return FINE
    tell(report, out, written)
    for name in ("shap", "lime", "matplotlib"):
        if not find_spec(name):
            extra = "plots" if name == "matplotlib" else name
            say(f"With {name} there is more to see: pip install 'skresp[{extra}]'")
    say(f"Open {out / 'report.html'} in a browser.")
    return FINE
