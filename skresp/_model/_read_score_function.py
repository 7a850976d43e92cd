"""Read the score function of a model, and compare it with the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from skresp._actions._action_set import ActionSet
from skresp._typing import FloatArray
from skresp.reach._deadline import LimitError

from ._decision import DOUBT, DOUBT32, Decision, decision_of, is_confirmed
from ._families import read_model
from ._float32_sums import closest_base
from ._input_format import InputFormat, is_coarse
from ._predictions import predicted_numbers
from ._raw_groups import to_raw_groups
from ._raw_rows import RawRows
from ._reading import ReadGroup, Reading
from ._score_function import ScoreFunction
from ._synthetic_codes import synthetic_codes
from ._target import TargetRule, ValueRule
from ._unreadable import UnreadableError
from ._unwrap import unwrap

# The relative error of a sum in float32 and in float64, with a margin.
_FLOAT32, _FLOAT64 = 1e-6, 1e-13
# Relative differences of predictions that are no rounding.
_FAR = 1e-4
# The largest error of scores with which a model is of use.
_MAX_DOUBT = 0.02


def read_score_function(
    target_rule: TargetRule, input_format: InputFormat, features: ActionSet
) -> ScoreFunction:
    """Read the score function of a model; raise UnreadableError for a black box.

    The scores are compared with the model's own on synthetic rows, some of them right
    at the cuts.
    """
    try:
        return _read(target_rule, input_format, features)
    except (UnreadableError, LimitError, MemoryError):
        raise
    except Exception as error:  # of the model or its steps, which may raise anything
        reason = f"The model raised {type(error).__name__} on synthetic rows: {error}"
        raise UnreadableError(reason) from error


def _read(
    target_rule: TargetRule, input_format: InputFormat, features: ActionSet
) -> ScoreFunction:
    reading = read_model(target_rule.model)
    columns, groups, sources = to_raw_groups(reading.groups, input_format, features)
    known = ScoreFunction(columns, groups, None, reading.family, sources)
    raw_rows = RawRows(input_format, features, known.columns)
    codes = raw_rows.received(synthetic_codes(known, input_format, features))
    codes, rows, own = _asked(raw_rows, codes, reading.own_scores)
    sums = known.sums(codes)
    known = _with_bases(known, reading, sums, own, rows, codes)
    scores = known.of_sums(sums)
    is_float32 = reading.is_float32 or _gets_float32(reading, input_format)
    doubt = _doubt(reading, is_float32)
    _check(reading, scores, own, is_float32, doubt)
    _check_missing(reading, rows, own)
    decision = _decision(target_rule, reading, scores, rows, doubt)
    return replace(known, decision=decision)


def agrees(
    known: ScoreFunction,
    target_rule: TargetRule,
    input_format: InputFormat,
    features: ActionSet,
) -> bool:
    """Return whether a score function still answers as its model on synthetic rows."""
    if known.decision is None:  # then the model is asked about every point
        return True
    raw_rows = RawRows(input_format, features, known.columns)
    codes = raw_rows.received(synthetic_codes(known, input_format, features))
    codes, rows, _ = _asked(raw_rows, codes, target_rule.reached)
    return is_confirmed(known.decision, target_rule, known.scores(codes), rows)


def _asked(
    raw_rows: RawRows, codes: FloatArray, ask: Callable[[Any], Any]
) -> tuple[FloatArray, Any, Any]:
    """Return codes, their rows and the model's answers, without refused values.

    The rows at fit may have had missing values that the model does not accept. Columns
    in which it refuses them get other values instead; rows that have them are left to
    the model (see `RowBatch.ask_about_missing`).
    """
    try:
        rows = raw_rows(codes)
        return codes, rows, ask(rows)
    except (UnreadableError, LimitError, MemoryError):
        raise
    except Exception:
        gaps = np.isnan(codes)
        if not gaps.any():
            raise
    first = np.argmin(gaps, axis=0)
    filled = np.where(gaps, codes[first, np.arange(codes.shape[1])], codes)
    codes = codes.copy()
    for i in np.flatnonzero(gaps.any(axis=0)):
        row = filled[:1].copy()
        row[0, i] = np.nan
        try:
            ask(raw_rows(row))
        except Exception:  # of the model, which may raise anything
            codes[:, i] = filled[:, i]
    rows = raw_rows(codes)
    return codes, rows, ask(rows)


def _with_bases(
    known: ScoreFunction,
    reading: Reading,
    sums: list[FloatArray],
    own: FloatArray,
    rows: Any,
    codes: FloatArray,
) -> ScoreFunction:
    """Return the score function with the bases that were not known.

    They are what the sums of rows lack of the model's own scores, or own sums.
    """
    groups = []
    for read, group, found in zip(reading.groups, known.groups, sums, strict=True):
        if read.base is None:
            wanted = own if read.own_sums is None else read.own_sums(rows)
            if wanted.shape[1] != len(group.base):
                raise UnreadableError(
                    "The model has a different number of scores than its trees."
                )
            missing = wanted - found
            # Without NaN, `median` gives the same in a third of the time.
            median = np.nanmedian if np.isnan(missing).any() else np.median
            group = group._replace(base=median(missing, axis=0))
            if _sums_float32(read) and len(group.base) == 1:
                group = closest_base(group, codes, wanted)
        groups.append(group)
    return replace(known, groups=tuple(groups))


def _sums_float32(group: ReadGroup) -> bool:
    """Return whether a group is a sum of trees in float32, and of nothing else."""
    trees = group.ensemble
    return trees is not None and trees.arithmetic.sums_float32 and group.coef is None


def _doubt(reading: Reading, is_float32: bool) -> float:
    """Return the error of the scores, relative to their size."""
    doubt = DOUBT32 if is_float32 else DOUBT
    error = 0.0
    for group in reading.groups:
        if not group.link.is_identity:
            size = 1.0 + (_largest_sum(group) if is_float32 else 0.0)
            error += abs(group.weight) * group.link.steepness * size
    error *= _FLOAT32 if is_float32 else _FLOAT64
    if error > _MAX_DOUBT:
        raise UnreadableError(
            "The calibration of the model is so steep that rounding errors decide; "
            "method='sigmoid', or more rows for the calibration, make it less steep."
        )
    return max(doubt, error)


def _check(
    reading: Reading,
    scores: FloatArray,
    own: FloatArray,
    is_float32: bool,
    doubt: float,
) -> None:
    """Raise if scores differ from the model's own by more than rounding."""
    if scores.shape != own.shape:
        raise UnreadableError(
            "The model has a different number of scores than expected."
        )
    size = 1.0 + np.abs(own)
    near = doubt * size
    if is_float32 and reading.family != "composite":
        near = _FLOAT32 * (size + sum(map(_largest_sum, reading.groups)))
    with np.errstate(invalid="ignore"):
        same = np.abs(scores - own) <= near
    if not same.all():
        raise UnreadableError(
            f"The scores that were read differ from the model's own on "
            f"{int((~same).any(axis=1).sum())} of {len(own)} synthetic rows."
        )


def _check_missing(reading: Reading, rows: Any, own: FloatArray) -> None:
    """Raise if the model tells None from NaN, which have the same code."""
    if isinstance(rows, pd.DataFrame):
        texts = [i for i, t in enumerate(rows.dtypes) if str(t) == "object"]
        if not texts or not rows.iloc[:, texts].isna().to_numpy().any():
            return
        other = rows.copy()
        for i in texts:
            column = rows.iloc[:, i]
            other.isetitem(i, column.where(column.notna(), _other_missing(column)))
    elif isinstance(rows, np.ndarray) and rows.dtype == object:
        missing = pd.isna(rows)
        if not missing.any():
            return
        other = np.where(missing, _other_missing(rows[missing]), rows)
    else:
        return
    try:
        found = reading.own_scores(other)
    except Exception:  # a model may refuse one of them, and says so itself
        return
    if not np.array_equal(found, own, equal_nan=True):
        raise UnreadableError(
            "The model tells None from NaN in a column of labels; write missing labels "
            "in one way."
        )


def _other_missing(values: Any) -> Any:
    """Return NaN for values of which some are None, else None."""
    return np.nan if any(value is None for value in values) else None


def _largest_sum(group: ReadGroup) -> float:
    """Return the sum of the largest leaves of all trees of a group."""
    trees = group.ensemble
    return 0.0 if trees is None else trees.largest_sum(trees.leaves)


def _gets_float32(reading: Reading, input_format: InputFormat) -> bool:
    """Return whether a model that multiplies its input gets it in float32."""
    if not any(group.coef is not None for group in reading.groups):
        return False
    return any(map(is_coarse, input_format.dtypes))


def _decision(
    target_rule: TargetRule,
    reading: Reading,
    scores: FloatArray,
    rows: Any,
    doubt: float,
) -> Decision | None:
    """Return when the scores reach the target; None where only `predict` knows."""
    if reading.prediction_link is None:
        return None
    rule = unwrap(target_rule.model).threshold_rule
    decision = decision_of(
        target_rule,
        scores,
        doubt,
        reading.prediction_link,
        rule,
        reading.to_prediction,
    )
    if decision is None:
        return None
    decision = _with_ties(decision, reading)
    if not is_confirmed(decision, target_rule, scores, rows):
        return None
    if isinstance(target_rule, ValueRule):
        found = predicted_numbers(target_rule.model, rows)
        if not _predicts(reading, scores[:, 0], found):
            return None
    return decision


def _with_ties(decision: Decision, reading: Reading) -> Decision:
    """Return the decision with the answer to ties of two classes, where it is known.

    The first of the classes wins where a forest adds its scores without rounding.
    """
    trees = reading.groups[0].ensemble
    known = reading.family == "trees" and reading.prediction_link == "probability"
    if trees is None or not known or decision.cut is not None or decision.rivals != 1:
        return decision
    return replace(decision, grain=trees.grain, wins_ties=decision.column == 0)


def _predicts(reading: Reading, scores: FloatArray, found: FloatArray) -> bool:
    """Return whether the predictions of a regressor follow from its scores as read.

    Few synthetic rows may reach the target, so the numbers themselves are compared.
    """
    with np.errstate(all="ignore"):
        turned = reading.to_prediction
        expected = scores if turned is None else turned(scores)
    near = _FAR * np.abs(found).max()
    return bool(np.allclose(expected, found, rtol=_FAR, atol=near))
