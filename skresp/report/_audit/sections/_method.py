"""The section on how the numbers were computed: settings, hashes, versions."""

from __future__ import annotations

from skresp._html._plain_values import Plain, brief
from skresp.report._audit._findings import Findings


def method(f: Findings) -> Plain:
    """Return how scores and verdicts were computed.

    The numbers of scores are None if files were scored without intervals.
    """
    sums = f.sums.features
    return {
        **f.about["settings"],
        "scores": None if sums.can_move is None else int(sums.can_move.sum()),
        "exact": None if sums.exact is None else int(sums.exact.sum()),
        "proofs": dict(sorted(f.sums.proofs.items())),
        "hashes": dict(f.hashes),
        "versions": dict(f.versions),
        "notes": {brief(key): brief(value) for key, value in f.notes.items()},
    }
