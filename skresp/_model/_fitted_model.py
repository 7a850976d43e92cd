"""A fitted model with its target and its input format."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any

from numpy.typing import NDArray

from skresp._actions._action_set import ActionSet
from skresp._typing import FloatArray
from skresp.reach._deadline import NEVER, Deadline

from ._change_scorer import ChangeScorer
from ._fit_state import CHANGED, FitState
from ._input_format import InputFormat
from ._kernel_use import KernelUse, kernel_use
from ._point_builder import PointBuilder
from ._predictions import (
    classes_of,
    model_scores,
    predicted,
    predicted_numbers,
    probabilities,
)
from ._row_batch import RowBatch
from ._score_function import ScoreFunction
from ._target import ProbabilityRule, TargetRule, is_about_numbers, target_column
from ._unreadable import UnreadableError

# Points that a model is asked about before it is read to compute them faster.
_POINTS_BEFORE_READING = 10_000


@dataclass(frozen=True)
class FittedModel:
    """A fitted model with its target and its input format; holds no rows.

    Attributes
    ----------
    target_rule : TargetRule
    input_format : InputFormat
    features : ActionSet
        The columns of the model as features.
    """

    target_rule: TargetRule
    input_format: InputFormat
    features: ActionSet

    @property
    def estimator(self) -> Any:
        """The model itself."""
        return self.target_rule.model

    @cached_property
    def _reading(self) -> tuple[ScoreFunction | None, str]:
        """The score function, and why there is none."""
        # Imported here because the readers of all families load slowly.
        from ._read_score_function import read_score_function

        _ = self._fit_state
        try:
            known = read_score_function(
                self.target_rule, self.input_format, self.features
            )
        except UnreadableError as error:
            return None, str(error)
        return known, ""

    @cached_property
    def _fit_state(self) -> FitState:
        """The attributes of the model when it was read."""
        return FitState(self.estimator)

    def _check_unchanged(self) -> None:
        """Raise if the model was fitted again since it was read, with other answers."""
        if "_reading" not in self.__dict__ or self._fit_state.holds():
            return
        from ._read_score_function import agrees

        known = self.score_function
        if known is not None and not agrees(
            known, self.target_rule, self.input_format, self.features
        ):
            raise ValueError(CHANGED)
        self.__dict__["_fit_state"] = FitState(self.estimator)

    @property
    def score_function(self) -> ScoreFunction | None:
        """The score function, read at the first use; None for a black box."""
        return self._reading[0]

    @property
    def unread_reason(self) -> str:
        """Why there is no score function, in one sentence; empty where there is one."""
        return self._reading[1]

    def batch(
        self, X: Any, deadline: Deadline = NEVER, *, lines: bool = False
    ) -> RowBatch:
        """Return a batch of rows; with `lines` it has the score function."""
        self._check_unchanged()
        builder = PointBuilder(self.input_format, self.features, X)
        score_function = self.score_function if lines else None
        use = kernel_use()
        return RowBatch(
            self.target_rule,
            builder,
            score_function,
            deadline,
            partial(self._change_scorer_for, use),
            uses_kernels=use != "never",
            accepts_missing=self._accepts_missing,
            seconds_of_rows=self._seconds_of_rows,
        )

    def _change_scorer_for(self, use: KernelUse, n_points: int) -> ChangeScorer | None:
        """Return what scores listed changes without the model; None for `predict`.

        Reading a model takes as long as some thousand predictions. So a model that was
        not read for another reason is read once it was asked about enough points.
        """
        if use == "never":
            return None
        self._asked["points"] += n_points
        is_read = "_reading" in self.__dict__
        enough = use == "always" or self._asked["points"] >= _POINTS_BEFORE_READING
        return self._change_scorer if is_read or enough else None

    @cached_property
    def _asked(self) -> Counter[str]:
        """The number of points of all calls, in `points`."""
        return Counter()

    @cached_property
    def _accepts_missing(self) -> set[int]:
        """The columns in which the model is known to accept missing values."""
        return set()

    @cached_property
    def _seconds_of_rows(self) -> dict[str, float]:
        """The seconds that a row took in earlier calls, by the kind of call."""
        return {}

    @cached_property
    def _change_scorer(self) -> ChangeScorer | None:
        return ChangeScorer.of(self.score_function)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be computed again."""
        kept = {f.name for f in fields(self)} | {"_reading"}
        if "_reading" in self.__dict__ and not self._fit_state.holds():
            kept.add("_fit_state")
        return {k: v for k, v in self.__dict__.items() if k in kept}

    def rows(self, X: Any) -> Any:
        """Return rows in the model's input format."""
        return PointBuilder(self.input_format, self.features, X).all_rows()

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the model's predictions."""
        return predicted(self.estimator, self.rows(X))

    def probability(self, X: Any) -> FloatArray:
        """Return the probability of the target, where a threshold is set on it."""
        assert isinstance(self.target_rule, ProbabilityRule)
        return self.target_rule.probability(self.rows(X))

    @property
    def has_target_score(self) -> bool:
        """Whether one number of the model says how near a row is to the target.

        A predicted number, a probability, or the decision function of two classes.
        """
        model = self.estimator
        if is_about_numbers(self.target_rule):
            return True
        classes = classes_of(model)
        if classes is None:
            return False
        two = len(classes) == 2 and hasattr(model, "decision_function")
        return hasattr(model, "predict_proba") or two

    def target_score(self, X: Any) -> FloatArray:
        """Return for each row the number that says how near it is to the target."""
        model, rows = self.estimator, self.rows(X)
        if is_about_numbers(self.target_rule):
            return predicted_numbers(model, rows)
        if hasattr(model, "predict_proba"):
            scores = probabilities(model, rows, len(model.classes_))
        else:
            scores = model_scores(model, "decision_function", rows)
        found = target_column(self.target_rule, scores)
        assert found is not None
        return found
