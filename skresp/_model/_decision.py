"""The rule by which the scores of a model reach the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from scipy.special import logit

from skresp._typing import BoolArray, FloatArray

from ._float_search import last_floats
from ._links import PredictionLink
from ._predictions import class_position, classes_of
from ._target import AtLeast, LabelRule, ProbabilityRule, TargetRule, ValueRule
from ._unwrap import ThresholdRule

# Relative error that is allowed for scores computed in float64 and in float32.
DOUBT, DOUBT32 = 1e-9, 1e-4
# The relative error of a sum of many terms in float64 and in float32.
_SUM64, _SUM32 = 1e-12, 1e-6
# The roundings, each of half a unit in the last place, between a value and its border.
ROUNDINGS = 16
# Absolute rounding error of a probability in float64 and in float32.
_FLOAT64, _FLOAT32 = 1e-14, 1e-6
# Scores whose predictions tell whether these rise or fall, and their least range.
_N_PREDICTIONS, _LEAST_SPAN = 257, 1e-6
# By how much their range is widened to find the score of a value, as shares.
_WIDENINGS = (1.0, 8.0, 64.0)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """When scores reach the target: one score passes a cut, or exceeds all others.

    `gap` is positive where they do. Where it is too close to 0 for rounding
    (`unsure`), only the model itself can decide.

    Attributes
    ----------
    column : int
        The score of the target.
    cut : float or None
        The score at which the target begins; None where it must exceed the others.
    sign : {1.0, -1.0}
        -1.0 where the target lies below the cut.
    doubt : float
        The error of the scores, relative to their size.
    rivals : int
        The number of other classes, where there is no cut.
    least_doubt : float
        The smallest absolute error. Near 0 and 1 a rounding of the probability is a
        jump of its logit.
    grain : float
        Gaps are multiples of it, since the model adds its scores without rounding; 0
        where it rounds. A gap that is far smaller is a tie.
    wins_ties : bool
        Whether a tie reaches the target, where there is a `grain`.
    """

    column: int = 0
    cut: float | None
    sign: float = 1.0
    doubt: float
    rivals: int = 1
    least_doubt: float = 0.0
    grain: float = 0.0
    wins_ties: bool = False

    def gap(self, scores: FloatArray) -> FloatArray:
        """Return how far scores of shape (n, n_scores) are beyond the border."""
        target = scores[:, self.column]
        if self.cut is not None:
            return self.sign * (target - self.cut)
        others = np.delete(scores, self.column, axis=1)
        return target - _row_maxima(others)

    def gap_bounds(
        self, lower: FloatArray, upper: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return bounds of `gap`, from bounds of scores of shape (n, n_scores)."""
        low, high = lower[:, self.column], upper[:, self.column]
        if self.cut is not None:
            ends = self.sign * (low - self.cut), self.sign * (high - self.cut)
            return np.minimum(*ends), np.maximum(*ends)
        least, most = (
            np.delete(scores, self.column, axis=1).max(axis=1)
            for scores in (lower, upper)
        )
        return low - most, high - least

    def gaps(self, scores: FloatArray) -> FloatArray:
        """Return how far the target is ahead of each rival, in shape (n, n_rivals).

        The cut is not subtracted. The target is reached where all gaps exceed
        `offset`.
        """
        target = self.sign * scores[:, [self.column]]
        if self.cut is not None:
            return target
        return target - np.delete(scores, self.column, axis=1)

    def margins(self, scores: FloatArray) -> FloatArray:
        """Return how far scores are beyond the cut, or ahead of each rival."""
        return self.gaps(scores) - self.offset

    def sizes(self, sizes: FloatArray) -> FloatArray:
        """Return the sizes of `gaps`, given the sizes of scores."""
        target = sizes[:, [self.column]]
        if self.cut is not None:
            return target
        return target + np.delete(sizes, self.column, axis=1)

    @property
    def offset(self) -> float:
        """The value that `gaps` must exceed."""
        return 0.0 if self.cut is None else self.sign * self.cut

    def unsure(
        self, scores: FloatArray, rounding: FloatArray | float = 0.0
    ) -> BoolArray:
        """Return where rounding could decide, or a tie; NaN is not unsure."""
        return np.abs(self.gap(scores)) <= self._error_of(scores, rounding)

    def answers(
        self, scores: FloatArray, rounding: FloatArray | float = 0.0
    ) -> tuple[BoolArray, BoolArray]:
        """Return which scores reach the target, and for which that is certain.

        It is not certain for NaN. `rounding` is the error of the sums that the scores
        were computed from, where large terms may cancel.
        """
        gap = self.gap(scores)
        error = self._error_of(scores, rounding)
        reached, sure = gap > 0, np.abs(gap) > error
        if self.grain:
            some = np.flatnonzero(~sure)
            is_tie = (np.abs(gap[some]) <= error[some]) & (2 * error[some] < self.grain)
            reached[some[is_tie]], sure[some[is_tie]] = self.wins_ties, True
        return reached, sure

    def _error_of(self, scores: FloatArray, rounding: FloatArray | float) -> FloatArray:
        return np.maximum(self.error(_row_maxima(np.abs(scores))), rounding)

    def error(self, size: FloatArray) -> FloatArray:
        """Return the absolute error of scores of some size, both of shape (n,)."""
        return np.maximum(self.doubt * np.maximum(size, 1.0), self.least_doubt)

    @property
    def rounding(self) -> float:
        """The error of a sum, relative to the sum of the sizes of its terms."""
        return _SUM64 if self.doubt <= DOUBT else _SUM32

    @property
    def tolerance(self) -> float:
        """The distance from 0 within which every gap is in doubt."""
        size = 10.0 if self.cut is None else abs(self.cut)
        return float(self.error(np.array([size]))[0])


def _row_maxima(scores: FloatArray) -> FloatArray:
    """Return the largest score of each row; faster than `max` for few columns."""
    largest: FloatArray = reduce(np.maximum, scores.T)
    return largest


def decision_of(
    target_rule: TargetRule,
    scores: FloatArray,
    doubt: float,
    link: PredictionLink,
    threshold_rule: ThresholdRule | None,
    to_prediction: Callable[[FloatArray], FloatArray] | None = None,
) -> Decision | None:
    """Return when scores reach the target; None where that is not known.

    Parameters
    ----------
    scores : array of shape (n, n_scores)
        Scores of some rows.
    doubt : float
        Their relative error.
    link : PredictionLink
        How predictions follow from scores.
    threshold_rule : ThresholdRule or None
        The rule of a wrapper, where it replaces the model's own.
    to_prediction : callable, optional
        See `Reading`.
    """
    width = scores.shape[1]
    if isinstance(target_rule, ValueRule):
        sign = 1.0 if isinstance(target_rule.target, AtLeast) else -1.0
        value = float(target_rule.target.value)
        if width == 1 and link == "identity":
            return Decision(cut=value, sign=sign, doubt=doubt)
        if width == 1 and to_prediction is not None:
            return _by_prediction(to_prediction, value, sign, scores[:, 0], doubt)
        return None
    if not isinstance(target_rule, (LabelRule, ProbabilityRule)) or link == "identity":
        return None
    classes = classes_of(target_rule.model)
    if classes is None:
        return None
    position = class_position(target_rule.model, target_rule.target)
    if isinstance(target_rule, LabelRule):
        if threshold_rule is not None:
            return _by_threshold_rule(
                target_rule, threshold_rule, np.asarray(classes), width, link, doubt
            )
        if width == 1 and len(classes) == 2:
            if link == "probability":
                return _by_probability(0.5, position, 2, width, link, doubt)
            sign = 1.0 if position == 1 else -1.0
            return Decision(cut=0.0, sign=sign, doubt=doubt)
        if not width == len(classes) > 1:
            return None
        return Decision(column=position, cut=None, doubt=doubt, rivals=len(classes) - 1)
    return _by_probability(
        target_rule.threshold, position, len(classes), width, link, doubt
    )


def _by_prediction(
    to_prediction: Callable[[FloatArray], FloatArray],
    value: float,
    sign: float,
    scores: FloatArray,
    doubt: float,
) -> Decision | None:
    """Return when predictions that rise or fall with the scores reach a value.

    The cut is where they pass the value. None where they do not rise or fall all the
    way, or do not reach the value anywhere near the scores.
    """
    known = scores[np.isfinite(scores)]
    low, high = float(known.min()), float(known.max())
    span = max(high - low, _LEAST_SPAN)
    # Rounding may move the prediction, which is a jump of the score where it is flat.
    off = _FLOAT64 * max(1.0, abs(value)) * np.array([0.0, -1.0, 1.0])
    for widening in _WIDENINGS:
        first, last = low - widening * span, high + widening * span
        with np.errstate(all="ignore"):
            steps = np.diff(to_prediction(np.linspace(first, last, _N_PREDICTIONS)))
        if not ((steps >= 0).all() or (steps <= 0).all()):
            return None
        turn = -1.0 if (steps < 0).any() else 1.0

        def below(x: FloatArray, turn: float = turn) -> BoolArray:
            with np.errstate(all="ignore"):
                return turn * to_prediction(x) < turn * (value + off)

        ends = np.full(3, first), np.full(3, last)
        if below(ends[0]).all() and not below(ends[1]).any():
            break
    else:
        return None
    cuts = last_floats(below, *ends)
    return Decision(
        cut=float(cuts[0]),
        sign=sign * turn,
        doubt=doubt,
        least_doubt=float(np.ptp(cuts)),
    )


def _by_probability(
    threshold: float,
    position: int,
    classes: int,
    width: int,
    link: PredictionLink,
    doubt: float,
) -> Decision | None:
    """Return when the probability of a class is at least a threshold."""
    if width == classes and link == "probability":
        return Decision(column=position, cut=threshold, doubt=doubt)
    if width != 1 or classes != 2:
        return None
    sign = 1.0 if position == 1 else -1.0
    if link == "probability":
        # The score is the probability of the second class.
        cut = threshold if position == 1 else 1.0 - threshold
        return Decision(cut=cut, sign=sign, doubt=doubt)
    if link == "logit" and 0 < threshold < 1:
        rounding = _FLOAT32 if doubt > DOUBT else _FLOAT64
        least_doubt = rounding / (threshold * (1.0 - threshold))
        cut = sign * float(logit(threshold))
        return Decision(cut=cut, sign=sign, doubt=doubt, least_doubt=least_doubt)
    if link == "clipped" and 0 < threshold < 1:
        # The probability of the second class is (score + 1) / 2, cut off at 0 and 1.
        return Decision(cut=sign * (2.0 * threshold - 1.0), sign=sign, doubt=doubt)
    return None


def _by_threshold_rule(
    target_rule: LabelRule,
    rule: ThresholdRule,
    classes: Any,
    width: int,
    link: PredictionLink,
    doubt: float,
) -> Decision | None:
    """Return when a wrapper's own rule predicts the target."""
    if len(classes) != 2:
        return None
    position = int(np.flatnonzero(classes == rule.positive)[0])
    if rule.of_probability:
        decision = _by_probability(rule.threshold, position, 2, width, link, doubt)
    elif width == 1:
        sign = 1.0 if position == 1 else -1.0
        decision = Decision(cut=sign * rule.threshold, sign=sign, doubt=doubt)
    else:
        decision = None
    if decision is None or target_rule.target == rule.positive:
        return decision
    # The other label is predicted below the threshold.
    return replace(decision, sign=-decision.sign)


def is_confirmed(
    decision: Decision, target_rule: TargetRule, scores: FloatArray, rows: Any
) -> bool:
    """Return whether the decision agrees with the model on these rows."""
    reached, sure = decision.answers(scores)
    sure |= ~decision.unsure(scores)  # NaN too
    return bool((target_rule.reached(rows) == reached)[sure].all())
