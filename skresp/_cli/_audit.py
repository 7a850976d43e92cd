"""`skresp audit`: read a model, data and actions; write a report to a folder."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, LimeExplainer, ResponsivenessExplainer, ShapExplainer
from skresp._output_folder import whole_set
from skresp._text import quote, quote_names
from skresp._validation import did_you_mean
from skresp.report import AuditReport

from ._audit_output import AUDIT_FILES, print_audit, write_audit
from ._console import FINE, BadCallError, note, output_folder, say_json, verbosity
from ._digest import file_digest
from ._load_model import load_model, read_target, with_categories
from ._read_data import cells_named, model_columns, read_actions, read_table

_NAMES: dict[str, Any] = {
    "shap": ("SHAP", ShapExplainer),
    "lime": ("LIME", LimeExplainer),
}
_INPUTS = ("Model file", "Data file", "Actions file")


def audit(args: Namespace) -> int:
    """Run the command and return its exit code."""
    check_required(args)
    actions = read_actions(args.actions)
    model = load_model(args.model, trust_pickle=args.trust_pickle, trusted=args.trust)
    target = read_target(args.target, model)
    table = read_table(args.data, actions)
    if args.sample is not None and args.sample < len(table):
        rng = np.random.default_rng(args.seed)
        rows = np.sort(rng.choice(len(table), args.sample, replace=False))
        table = table.iloc[rows]
    if args.groups is not None and args.groups not in table.columns:
        raise BadCallError(
            f"--groups: the data has no column {quote(args.groups)}. "
            f"{did_you_mean(args.groups, table.columns)}The columns are "
            f"{quote_names(table.columns)}."
        )
    groups = None if args.groups is None else table[args.groups]
    X = with_categories(model, table[model_columns(model, actions, table)], actions)
    inputs = (args.model, args.data, args.actions)
    out = output_folder(args.out, AUDIT_FILES, inputs)
    explainer = make_explainer(args, model, actions, target, n_jobs=args.n_jobs)
    with cells_named(actions, table):
        explainer.fit(X)
        others = make_others(
            explainer.estimator, X, actions, target, args.explainers, args.seed
        )
        report = AuditReport.from_estimator(
            explainer,
            X,
            groups=groups,
            explainers=others,
            sections=args.sections,
            examples=args.examples,
            compare_rows=args.compare_rows,
            max_points=args.max_points,
            time_limit=args.time_limit,
            notes={
                name: f"{Path(path).name}, sha256 {file_digest(path)}"
                for name, path in zip(_INPUTS, inputs, strict=True)
            },
        )
    with whole_set(out, AUDIT_FILES) as hidden:
        written = write_audit(report, hidden)
    if args.json:
        say_json({"out": str(out), "files": written, **report.to_dict()})
    else:
        print_audit(report, out, written)
    return FINE


def check_required(args: Namespace) -> None:
    """Raise for options that only an audit of scored files does without."""
    needed = ("model", "data", "actions", "target")
    missing = [f"--{name}" for name in needed if getattr(args, name) is None]
    if missing:
        raise BadCallError(
            f"the following arguments are required: {', '.join(missing)}; or --scored, "
            f"for the audit of files that skresp score has written; see skresp audit "
            f"--help"
        )


def make_explainer(
    args: Namespace, model: Any, actions: ActionSet, target: Any, **options: Any
) -> ResponsivenessExplainer:
    """Return the explainer that the options of a command describe, not fitted."""
    return ResponsivenessExplainer(
        FrozenEstimator(model),
        actions,
        target=target,
        threshold=args.threshold,
        interventions=args.interventions,
        max_points=args.max_points,
        invalid_rows="nan",
        missing="hold",
        random_state=args.seed,
        verbose=verbosity(),
        **options,
    )


def make_others(
    model: Any,
    X: pd.DataFrame,
    actions: ActionSet,
    target: Any,
    names: list[str],
    seed: int,
) -> Mapping[str, Any]:
    """Return the other explainers, each without and with the action set."""
    out: dict[str, Any] = {}
    for name in dict.fromkeys(names):
        title, kind = _NAMES[name]
        note(f"fitting {title}")
        common = {"target": target, "random_state": seed, "verbose": verbosity()}
        out[title] = kind(model, **common).fit(X)
        out[f"{title}, actionable"] = kind(model, actions, **common).fit(X)
    return out
