"""Facts about a model and how it was examined: names, versions, hashes."""

from __future__ import annotations

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import joblib
import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from skresp.actions import ActionSet

from ._safe import plain

_LONGEST = 120
_MOST = 40
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "highspy")
_OPTIONAL = ("xgboost", "lightgbm", "catboost", "shap", "lime")


def bare_model(model: Any) -> Any:
    """The model itself, without what freezes it."""
    while isinstance(model, FrozenEstimator):
        model = model.estimator
    return model


def model_facts(model: Any) -> dict[str, Any]:
    """What the model is, in short."""
    model = bare_model(model)
    steps = [model]
    if isinstance(model, Pipeline):
        steps = [bare_model(step) for _, step in model.steps]
    classes = getattr(model, "classes_", None)
    return {
        "name": " → ".join(type(step).__name__ for step in steps),
        "parameters": _parameters(steps[-1]),
        "classes": [] if classes is None else [brief(c) for c in classes[:_MOST]],
    }


def _parameters(model: Any) -> dict[str, str]:
    try:
        given = model.get_params(deep=False)
    except Exception:  # whatever a stranger's model does: it has none to tell
        return {}
    told = {k: brief(v) for k, v in sorted(given.items()) if v is not None}
    return dict(list(told.items())[:_MOST])


def brief(value: Any) -> str:
    """A value on one short line."""
    text = " ".join(plain(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def model_hash(model: Any) -> str | None:
    """A hash of what the model holds; None for one that cannot be pickled."""
    try:
        return f"joblib-sha1:{joblib.hash(bare_model(model), hash_name='sha1')}"
    except Exception:  # pickling runs the code of strangers
        return None


def action_hash(actions: ActionSet) -> str:
    """A hash of the file form of an action set."""
    text = json.dumps(actions.to_dict(), sort_keys=True, ensure_ascii=True, default=str)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def versions() -> dict[str, str]:
    """Versions of everything that has a part in the numbers."""
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


def method_facts(explainer: Any, explanation: Any, verdicts: Any) -> dict[str, Any]:
    """How it was computed."""
    scored = explanation.n_reachable > 0
    seed = explainer.random_state
    denied = (verdicts.status != "approved") & (verdicts.status != "invalid")
    proofs, counts = np.unique(verdicts.proof[denied].astype(str), return_counts=True)
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
            "model": model_hash(explainer.estimator_),
            "action set": action_hash(explainer.action_set_),
        },
        "versions": versions(),
    }
