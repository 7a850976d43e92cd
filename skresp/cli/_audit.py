"""`skresp audit`: a model, data and actions from files; a folder of findings."""

from __future__ import annotations

import hashlib
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, LimeExplainer, ResponsivenessExplainer, ShapExplainer
from skresp.report import AuditReport

from ._models import dressed, read_model, read_target
from ._output import tell, write_audit
from ._says import FINE, BadCallError, folder, note, say_json, watched
from ._tables import model_columns, read_actions, read_table

_NAMES: dict[str, Any] = {
    "shap": ("SHAP", ShapExplainer),
    "lime": ("LIME", LimeExplainer),
}


def audit(given: Namespace) -> int:
    """Run it."""
    actions = read_actions(given.actions)
    model = read_model(
        given.model, trust_pickle=given.trust_pickle, trusted=given.trust
    )
    target = read_target(given.target, model)
    table = read_table(given.data, actions)
    if given.sample is not None and given.sample < len(table):
        rng = np.random.default_rng(given.seed)
        rows = np.sort(rng.choice(len(table), given.sample, replace=False))
        table = table.iloc[rows]
    if given.groups is not None and given.groups not in table.columns:
        raise BadCallError(
            f"--groups: the data has no column {given.groups!r}; it has "
            f"{', '.join(map(str, table.columns))}."
        )
    groups = None if given.groups is None else table[given.groups]
    X = dressed(model, table[model_columns(model, actions, table)], actions)
    out = folder(given.out)
    frozen = FrozenEstimator(model)
    explainer = ResponsivenessExplainer(
        frozen,
        actions,
        target=target,
        threshold=given.threshold,
        interventions=given.interventions,
        max_points=given.max_points,
        invalid_rows="nan",
        missing="hold",
        random_state=given.seed,
        n_jobs=given.n_jobs,
        verbose=watched(),
    ).fit(X)
    others = make_others(frozen, X, actions, target, given.explainers, given.seed)
    report = AuditReport.from_estimator(
        explainer,
        X,
        groups=groups,
        explainers=others,
        sections=given.sections,
        examples=given.examples,
        compare_rows=given.compare_rows,
        max_points=given.max_points,
        time_limit=given.time_limit,
        notes={
            name: f"{Path(path).name}, sha256 {_digest(path)}"
            for name, path in (
                ("Model file", given.model),
                ("Data file", given.data),
                ("Actions file", given.actions),
            )
        },
    )
    written = write_audit(report, out)
    if given.json:
        say_json({"out": str(out), "files": written, **report.to_dict()})
    else:
        tell(report, out, written)
    return FINE


def make_others(
    model: Any,
    X: pd.DataFrame,
    actions: ActionSet,
    target: Any,
    names: list[str],
    seed: int,
) -> Mapping[str, Any]:
    """The other explainers, each as it is and with zeros where nobody can act."""
    out: dict[str, Any] = {}
    for name in dict.fromkeys(names):
        title, kind = _NAMES[name]
        note(f"fitting {title}")
        common = {"target": target, "random_state": seed, "verbose": watched()}
        out[title] = kind(model, **common).fit(X)
        out[f"{title}, actionable"] = kind(model, actions, **common).fit(X)
    return out


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
