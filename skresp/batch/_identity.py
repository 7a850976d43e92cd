"""Hashes of a model and an action set, and the versions that numbers depend on."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import platform
from collections.abc import Mapping
from typing import Any

from sklearn.frozen import FrozenEstimator

from skresp._actions._action_set import ActionSet
from skresp._optional import installed_version

from ._value_hash import value_hash

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "highspy")
_MODELS = ("xgboost", "lightgbm", "catboost")
_COMPARED = ("shap", "lime")


def unfrozen(estimator: Any) -> Any:
    """Return the model inside a FrozenEstimator."""
    while isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    return estimator


def model_hash(estimator: Any) -> str | None:
    """Return a hash of the model; None for a model that cannot be pickled.

    It is the hash of the unpickled model: some models leave out attributes, or add
    some, when they are pickled for the first time.
    """
    try:
        plain = pickle.loads(pickle.dumps(unfrozen(estimator)))
        return f"sha256:{value_hash(plain)}"
    except Exception:  # pickling runs code of the model, which may raise anything
        return None


def action_hash(actions: ActionSet) -> str:
    """Return a hash of an action set, equal for equal action sets."""
    return f"sha256:{json_hash(actions.to_dict())}"


def effects_hash(effects: Any) -> str:
    """Return a hash of random effects; raise for functions without a global name.

    The random numbers that a distribution brings with it do not count: draws use those
    of the explainer.
    """
    plain = copy.deepcopy(effects)
    for effect in plain.values() if isinstance(plain, Mapping) else (plain,):
        if hasattr(effect, "random_state"):
            effect.random_state = 0
    return f"sha256:{value_hash(plain)}"


def json_hash(values: Any) -> str:
    """Return a hash of plain values, equal for equal values."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in which entries two identities of scorers differ, and how.

    >>> differences({"top_k": 4, "parameters": {}}, {"top_k": 3, "parameters": {}})
    'top_k (4 was scored, 3 is given)'
    """
    return ", ".join(
        f"{name} ({_difference(value, now[name])})"
        for name, value in then.items()
        if value != now[name]
    )


def _difference(then: Any, now: Any) -> str:
    if not isinstance(then, Mapping):
        before, after = (v[:19] if isinstance(v, str) else v for v in (then, now))
        return f"{before} was scored, {after} is given"
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    return ", ".join(
        f"{name}={then.get(name)} was scored, {name}={now.get(name)} is given"
        for name in names
    )


def library_versions() -> dict[str, str]:
    """Return the versions that scores and verdicts depend on."""
    python = ".".join(platform.python_version_tuple()[:2])
    skresp = installed_version("skresp") or ""
    return {"python": python, "skresp": skresp, **_versions(*_LIBRARIES, *_MODELS)}


def compared_versions() -> dict[str, str]:
    """Return the versions that other explanations, in an audit, depend on."""
    return _versions(*_COMPARED)


def _versions(*names: str) -> dict[str, str]:
    found = {name: installed_version(name) for name in names}
    return {name: version for name, version in found.items() if version}
