"""The section on how the numbers were computed: settings, hashes, versions."""

from __future__ import annotations

import numpy as np

from skresp.batch._identity import action_hash, library_versions, model_hash
from skresp.report._audit._findings import Findings
from skresp.report._audit._plain_values import Plain, brief


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
            "model": model_hash(explainer.estimator_),
            "action set": action_hash(explainer.action_set_),
        },
        "versions": library_versions(),
        "notes": {brief(key): brief(value) for key, value in f.notes.items()},
    }
