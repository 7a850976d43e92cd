"""All attacks by topic."""

from __future__ import annotations

from . import (
    action_sets,
    attributions,
    batches,
    calls,
    column_names,
    command_files,
    commands,
    constraints,
    datasets,
    dicts,
    explanations,
    features,
    files,
    inference,
    metrics,
    models,
    parameters,
    plots,
    policies,
    reach,
    reports,
    tables,
)
from .attack import Attack

TOPICS: dict[str, list[Attack]] = {
    "Feature": features.ATTACKS,
    "ActionSet": action_sets.ATTACKS,
    "constraints": constraints.ATTACKS,
    "ActionSet.infer": inference.ATTACKS,
    "action sets in dicts": dicts.ATTACKS,
    "action-set files": files.ATTACKS,
    "parameters of explainers": parameters.ATTACKS,
    "calls of explainers": calls.ATTACKS,
    "tables": tables.ATTACKS,
    "column names": column_names.ATTACKS,
    "models that misbehave": models.ATTACKS,
    "SHAP and LIME": attributions.ATTACKS,
    "DecisionPolicy": policies.ATTACKS,
    "Explanation and Verdicts": explanations.ATTACKS,
    "reachable sets and scores": reach.ATTACKS,
    "metrics and model selection": metrics.ATTACKS,
    "plots": plots.ATTACKS,
    "notices and reports": reports.ATTACKS,
    "datasets": datasets.ATTACKS,
    "batches": batches.ATTACKS,
    "files of commands": command_files.ATTACKS,
    "options of commands": commands.ATTACKS,
}
