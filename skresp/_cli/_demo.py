"""`skresp demo`: train a model on generated applicants and audit it."""

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
from skresp._output_folder import whole_set
from skresp._text import one_line
from skresp._write import write_text
from skresp.datasets import make_credit
from skresp.report import AuditReport, notice

from ._audit import make_others
from ._audit_output import AUDIT_FILES, print_audit, write_audit
from ._console import FINE, BadCallError, note, output_folder, say, say_json, verbosity

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
    "credit_cards": "Number of your credit cards",
    "has_guarantor": "A guarantor for the loan",
}
_FEWEST_ROWS = 20
_WANTED = "approval of the loan"


def demo(args: Namespace) -> int:
    """Run the command and return its exit code."""
    if args.rows < _FEWEST_ROWS:
        raise BadCallError(
            f"--rows: a model needs at least {_FEWEST_ROWS} applicants to learn from, "
            f"got {args.rows}."
        )
    out = output_folder(args.out)
    note("training a model on generated applicants")
    credit: Any = make_credit(args.rows, random_state=args.seed)
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
        random_state=args.seed,
        verbose=verbosity(),
    ).fit(X)
    names = [name for name in ("shap", "lime") if find_spec(name)]
    others = make_others(frozen, X, credit.action_set, 1, names, args.seed)
    report = AuditReport.from_estimator(
        explainer,
        X,
        groups="sex",
        explainers=others,
        title="Recourse audit of a loan model on generated applicants",
        names=_NAMES,
        wanted=_WANTED,
        notes={"Data": f"make_credit({args.rows}, random_state={args.seed})"},
    )
    with whole_set(out, ("actions.yaml", "notice.txt", *AUDIT_FILES)) as hidden:
        written = write_audit(report, hidden)
        credit.action_set.to_file(hidden / "actions.yaml")
        written.append("actions.yaml")
        if len(report.denied):
            person = X.iloc[[_with_single_change(report)]]
            letter = notice(explainer, person, names=_NAMES, wanted=_WANTED)
            write_text(hidden / "notice.txt", f"{letter.text}\n")
            written.append("notice.txt")
    if args.json:
        say_json({"out": str(out), "files": written, **report.to_dict()})
        return FINE
    print_audit(report, out, written)
    for name in ("shap", "lime", "matplotlib"):
        if not find_spec(name):
            extra = "plots" if name == "matplotlib" else name
            say(f"Install {name} to see more: pip install 'skresp[{extra}]'")
    say(f"Open {one_line(out / 'report.html')} in a browser.")
    return FINE


def _with_single_change(report: AuditReport) -> int:
    """Return the row of a denied person, one with a single change if there is one."""
    status = report.verdicts.status[report.denied]
    return int(report.denied[int((status == "single").argmax())])
