"""Everything that is computed about people, with kernels and without."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import numpy as np

from skresp._model._kernel_use import kernels
from skresp._model._target import LabelRule, ProbabilityRule, ValueRule

SCORES = ("values", "lower", "upper", "exact", "n_reachable", "at_target")
VERDICTS = ("status", "proof", "used", "has_witness")
# People who are also asked about one by one, and whose intervals are compared.
ALONE = 2


@contextmanager
def asked_points():
    """Count the points that models are asked about, in `points`."""
    tally = Counter()

    def counting(reached):
        def count(self, X):
            tally["points"] += X.shape[0]
            return reached(self, X)

        return count

    with ExitStack() as stack:
        for rule in (LabelRule, ProbabilityRule, ValueRule):
            stack.enter_context(patch.object(rule, "reached", counting(rule.reached)))
        yield tally


def results(explainer, people, alone=ALONE):
    """Return all results for people as arrays, one entry for each person."""
    explanation, verdicts = explainer.explain(people), explainer.verify(people)
    out = {name: np.asarray(getattr(explanation, name)) for name in SCORES}
    out |= {name: np.asarray(getattr(verdicts, name)) for name in VERDICTS}
    out["witness"] = np.full(len(people), "", dtype=object)
    points = verdicts.witness.to_dict("records")
    for i, point in zip(np.flatnonzero(verdicts.has_witness), points, strict=True):
        out["witness"][i] = _exactly(point)
    out["intervals"] = np.full(len(people), "", dtype=object)
    for i in range(min(alone, len(people))):
        out["intervals"][i] = _exactly(
            {
                name: _intervals(explanation, i, name)
                for name, value in zip(
                    explanation.feature_names, explanation.values[i], strict=True
                )
                if value > 0
            }
        )
    return out


def _intervals(explanation, i, name):
    try:
        return explanation.intervals(i, name)
    except ValueError:  # not a number, or sampled
        return None


def _exactly(values):
    """Return values as text that is the same only for the same bits."""
    return repr({k: v.hex() if isinstance(v, float) else v for k, v in values.items()})


class Differences:
    """What was compared, and what differs.

    Attributes
    ----------
    compared, differing : Counter
        The entries of each array.
    counts : Counter
        Models, those that are read, people, and points: `all` are those that the model
        is asked about without kernels, `asked` those with kernels.
    places : list of str
        What differs where.
    """

    def __init__(self):
        self.compared, self.differing = Counter(), Counter()
        self.counts, self.places = Counter(), []

    def add(self, name, explainer, people, alone=ALONE):
        """Compare all results for people; return how many points kernels scored."""
        found, points = {}, {}
        for use in ("always", "never"):
            with kernels(use), asked_points() as tally:
                found[use] = results(explainer, people, alone)
            points[use] = tally["points"]
        self._compare(name, found["always"], found["never"])
        for i in range(min(alone, len(people))):
            mine = {k: v[[i]] for k, v in found["never"].items()}
            with kernels("always"):
                one = results(explainer, people.iloc[[i]], 1)
            self._compare(f"{name}, row {i} alone", one, mine)
        self._compare_single(name, explainer, found["always"], found["never"])
        known = explainer._fitted_model.score_function
        read = known is not None and known.decision is not None
        scored = points["never"] - points["always"]
        self.counts.update(
            models=1,
            read=int(read),
            used=int(scored > 0),
            people=len(people),
            all=points["never"],
            asked=points["always"],
        )
        return scored

    def _compare(self, name, one, other):
        for key in one:
            same = _same(one[key], other[key])
            self.note(f"{name}: {key}", key, same)

    def _compare_single(self, name, explainer, on, off):
        """Compare verdicts with the scores of `predict`, where all is listed."""
        features = explainer.action_set_.features.values()
        if any(f.kind == "real" and f.can_change for f in features):
            return
        settled = np.isin(on["status"], ["single", "joint", "fixed"])
        rows = np.flatnonzero(settled & off["exact"].all(axis=1))
        has_single = (off["values"][rows] > 0).any(axis=1)
        same = (on["status"][rows] == "single") == has_single
        self.note(f"{name}: status against scores", "status against scores", same)

    def note(self, place, key, same):
        self.compared[key] += same.size
        wrong = int((~same).sum())
        if wrong:
            self.differing[key] += wrong
            self.places.append(f"{place}: {wrong} of {same.size}")

    def merge(self, other):
        """Add what another comparison found."""
        for name in ("compared", "differing", "counts"):
            getattr(self, name).update(getattr(other, name))
        self.places += other.places


def _same(one, other):
    """Return which entries are equal, floats bit by bit."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return np.zeros(max(one.size, other.size), dtype=bool)
    if one.dtype.kind == "f":
        return one.view(f"u{one.dtype.itemsize}") == other.view(
            f"u{one.dtype.itemsize}"
        )
    return np.asarray(one == other)
