"""The section on how the numbers were computed: settings, hashes, versions."""

from __future__ import annotations

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import joblib
import numpy as np

from skresp._actions._action_set import ActionSet
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, brief

from ._model import unfrozen

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "highspy")
_OPTIONAL = ("xgboost", "lightgbm", "catboost", "shap", "lime")


def method(f: Findings) -> Plain:
    """Return how scores and verdicts were computed."""
    explainer, explanation = f.explainer, f.explanation
    scored = explanation.n_reachable > 0
    seed = explainer.random_state
    proofs, counts = np.unique(
        f.verdicts.proof[f.denied].astype(str), return_counts=True
    )
    return {
        "interventions": explainer.interventions,
        "method": explainer.method,
        "scores": int(scored.sum()),
        "exact": int((scored & explanation.exact).sum()),
        "n_samples": str(explainer.n_samples),
        "confidence": 1 - explainer.alpha,
        "seed": int(seed) if isinstance(seed, (int, np.integer)) else None,
        "random_effects": explainer.random_effects is not None,
        "proofs": {str(p): int(n) for p, n in zip(proofs, counts, strict=True)},
        "hashes": {
            "model": _model_hash(explainer.estimator_),
            "action set": _action_hash(explainer.action_set_),
        },
        "versions": _versions(),
        "notes": {brief(key): brief(value) for key, value in f.notes.items()},
    }


def _model_hash(estimator: Any) -> str | None:
    """Return a hash of the model; None for a model that cannot be pickled."""
    try:
        return f"joblib-sha1:{joblib.hash(unfrozen(estimator), hash_name='sha1')}"
    except Exception:  # pickling runs code of the model, which may raise anything
        return None


def _action_hash(actions: ActionSet) -> str:
    """Return a hash of an action set, equal for equal action sets."""
    text = json.dumps(actions.to_dict(), sort_keys=True, ensure_ascii=True, default=str)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _versions() -> dict[str, str]:
    """Return the versions of all libraries that the numbers depend on."""
    out = {"python": platform.python_version(), "skresp": _version("skresp") or ""}
    for name in (*_LIBRARIES, *_OPTIONAL):
        found = _version(name)
        if found:
            out[name] = found
    return out


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
