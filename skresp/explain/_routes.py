"""How shap gets at a model: through its coefficients, its trees, or from outside.

A way in is believed only where contributions and base add up to what the model itself
says; otherwise shap asks the model from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp.scores import Goal, link_of, own_scores

from ._coded import Coded
from ._output import Output, place_of, sign_of
from ._owners import owners_of, unwrapped
from ._ranks import Ranks
from ._seeded import seeded

Numbers = NDArray[np.float64]

ALGORITHMS = ("auto", "linear", "tree", "permutation", "exact")
_MAKING = ("feature_perturbation", "model_output")
_ASKING_OUTSIDE = ("max_evals", "batch_size")
KEYS = ("algorithm", "check_additivity", "approximate", *_MAKING, *_ASKING_OUTSIDE)
PERTURBATIONS = ("auto", "interventional", "tree_path_dependent")

_SUM_ERROR = 1e-4
# Rows on which the columns that a step makes are told apart.
_CHECKED_ROWS = 32
# Rows that a way in is tried on; later every row is checked.
_TRIED_ROWS = 16


class NoWayInError(ValueError):
    """Shap cannot get at a model this way, and why."""


def import_shap() -> Any:
    """The library, or how to get it."""
    try:
        import shap
    except ImportError:
        raise ImportError(
            "ShapExplainer needs shap, which is not installed. Install it with "
            "pip install 'skresp[shap]'."
        ) from None
    return shap


@dataclass(frozen=True)
class Direct:
    """Through the coefficients of a linear model, or through trees.

    Attributes
    ----------
    steps, model : the transformers before the estimator, and the estimator
    owners : for each column the estimator sees, the column of the table it comes from
    background : rows to compare with, as numbers that the estimator sees
    base : what it says of them on average, one number an output
    column, sign : which output of the estimator is explained, and which way
    width : how many columns the table has
    """

    algorithm: str
    steps: tuple[Any, ...]
    model: Any
    owners: NDArray[np.intp]
    background: Any
    base: Any
    column: int
    sign: float
    unit: str
    width: int
    options: Mapping[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        # Shap's own object is made again where it is needed: not every one pickles.
        return {k: v for k, v in self.__dict__.items() if k != "_explainer"}

    @property
    def on_paths(self) -> bool:
        """Whether the trees' own counts stand in for a background."""
        kind = self.options.get("feature_perturbation")
        return self.algorithm == "tree" and kind == "tree_path_dependent"

    @cached_property
    def _explainer(self) -> tuple[Any, Any]:
        """Shap's own object, and how rows are prepared for it."""
        shap = import_shap()
        making = {k: v for k, v in self.options.items() if k in _MAKING}
        if self.on_paths:
            return shap.TreeExplainer(self.model, **making), _plain
        # All rows are meant: shap would take a hundred of them otherwise.
        masker = shap.maskers.Independent(
            self.background, max_samples=len(self.background)
        )
        if self.algorithm == "linear":
            return shap.LinearExplainer(self.model, masker), _matrix
        explainer = shap.TreeExplainer(self.model, masker, **making)
        ranks = Ranks(explainer)
        return explainer, lambda rows: ranks(_matrix(rows))

    def seen(self, rows: Any) -> Any:
        """Rows as the estimator sees them."""
        for step in self.steps:
            rows = step.transform(rows)
        return rows

    def own(self, seen: Any) -> Numbers:
        """What the estimator itself says, in the space that is explained."""
        if self.options.get("model_output", "raw") == "raw":
            return own_scores(self.model, seen)
        found = np.asarray(self.model.predict_proba(seen), dtype=float)
        return found if found.shape[1] > 2 else found[:, 1:]

    def attribute(self, rows: Any) -> tuple[Numbers, Numbers]:
        """Contributions of the table's columns, and the base of each row."""
        seen = self.seen(rows)
        explainer, prepared = self._explainer
        if self.algorithm == "tree":
            # Whether values add up is checked below, against the model itself.
            asking = {k: v for k, v in self.options.items() if k == "approximate"}
            found = explainer(prepared(seen), check_additivity=False, **asking).values
        else:
            found = explainer.shap_values(prepared(seen))
        found = np.asarray(found, dtype=float)
        found = found[:, :, None] if found.ndim == 2 else found
        own = self.own(seen)
        if found.shape[2] == 2 and own.shape[1] == 1:
            found = found[:, :, 1:]
        if found.shape[2] != own.shape[1]:
            raise NoWayInError(
                f"shap explains {found.shape[2]} outputs of {self._name}, which has "
                f"{own.shape[1]}"
            )
        base = self.base
        if self.on_paths:
            base = np.atleast_1d(np.asarray(explainer.expected_value))
            base = base[-own.shape[1] :].astype(float)
        mine = found[:, :, self.column]
        if self.algorithm == "linear" or self.options.get("check_additivity", True):
            self._check(mine.sum(axis=1) + base[self.column], own[:, self.column])
        values = np.zeros((len(mine), self.width))
        np.add.at(values.T, self.owners, mine.T)
        return self.sign * values, np.full(len(mine), self.sign * base[self.column])

    def _check(self, total: Numbers, own: Numbers) -> None:
        off = np.abs(total - own) / np.maximum(1.0, np.abs(own))
        if len(off) and off.max() > _SUM_ERROR:
            worst = int(off.argmax())
            raise NoWayInError(
                f"shap's values for {self._name} do not add up: base and contributions "
                f"give {total[worst]:.6g} where the model says {own[worst]:.6g}"
            )

    @property
    def _name(self) -> str:
        return type(self.model).__name__


def _plain(rows: Any) -> Any:
    """Numbers where there are only numbers; labels as the model knows them."""
    kinds = getattr(rows, "dtypes", None)
    if kinds is not None and not all(getattr(k, "kind", "O") in "buif" for k in kinds):
        return rows
    return _matrix(rows)


def _matrix(rows: Any) -> Numbers:
    table = rows.toarray() if hasattr(rows, "toarray") else rows
    if hasattr(table, "to_numpy") and not isinstance(table, np.ndarray):
        table = table.to_numpy()
    try:
        return np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise NoWayInError("the estimator takes labels, not only numbers") from None


def way_in(
    goal: Goal, coded: Coded, options: Mapping[str, Any], algorithm: str
) -> Direct:
    """Through the coefficients or the trees of a model; an error where that fails.

    `coded` holds the background rows.
    """
    try:
        return _way_in(goal, coded, options, algorithm)
    except (MemoryError, NoWayInError):
        raise
    except Exception as error:  # shap refuses models in many ways
        reason = str(error).strip().split("\n")[0]
        raise NoWayInError(f"shap does not take it: {reason}") from error


def _way_in(
    goal: Goal, coded: Coded, options: Mapping[str, Any], algorithm: str
) -> Direct:
    steps, model = unwrapped(goal.model)  # type: ignore[attr-defined]
    width = coded.first.shape[1]
    owners = owners_of(steps, width)
    if owners is None:
        raise NoWayInError("a step before the estimator mixes columns")
    if algorithm == "linear" and not hasattr(model, "coef_"):
        raise NoWayInError(f"{type(model).__name__} has no coefficients")
    rows = coded.rows(coded.first)
    blank = Direct(
        algorithm, tuple(steps), model, owners, None, None, 0, 1.0, "", width, options
    )
    seen = blank.seen(rows)
    if len(owners) != seen.shape[1] or not _owned(blank, coded):
        raise NoWayInError("a step before the estimator mixes columns")
    own = blank.own(seen)
    outputs = own.shape[1]
    column, sign = 0, sign_of(goal)
    classes = getattr(goal.model, "classes_", None)  # type: ignore[attr-defined]
    if classes is not None:
        if outputs == len(classes) > 1:
            column, sign = place_of(goal), 1.0
        elif not outputs == 1 == len(classes) - 1:
            raise NoWayInError(f"it has {outputs} outputs for {len(classes)} classes")
    elif outputs != 1:
        raise NoWayInError("it has several outputs")
    found = replace(
        blank,
        background=None if blank.on_paths else _matrix(seen),
        # The mean by definition; shap's own figure misses the starting values that
        # some releases of some libraries have.
        base=own.mean(axis=0),
        column=column,
        sign=sign,
        unit=_unit(goal, model, options, algorithm, outputs),
    )
    few = np.linspace(0, len(coded.first) - 1, _TRIED_ROWS).astype(np.intp)
    found.attribute(coded.rows(coded.first[np.unique(few)]))  # does it add up?
    return found


def _owned(way: Direct, coded: Coded) -> bool:
    """Whether moving one column of the table moves only the columns said to be its."""
    codes = coded.first[:_CHECKED_ROWS]
    if not way.steps or len(codes) < 2:
        return True
    before = _matrix(way.seen(coded.rows(codes)))
    for j in range(codes.shape[1]):
        mixed = codes.copy()
        mixed[:, j] = np.roll(mixed[:, j], 1)
        after = _matrix(way.seen(coded.rows(mixed)))
        same = (before == after) | (np.isnan(before) & np.isnan(after))
        if (~same).any(axis=0)[way.owners != j].any():
            return False
    return True


def _unit(
    goal: Goal, model: Any, options: Mapping[str, Any], algorithm: str, outputs: int
) -> str:
    classes = getattr(goal.model, "classes_", None)  # type: ignore[attr-defined]
    if classes is None:
        return "minus the prediction" if sign_of(goal) < 0 else "the prediction"
    if algorithm == "linear":
        logistic = type(model).__name__ in (
            "LogisticRegression",
            "LogisticRegressionCV",
        )
        link = "logit" if logistic else "margin"
    elif options.get("model_output", "raw") != "raw":
        link = "probability"
    else:
        link = link_of(model) or "margin"
    if link == "logit" and outputs == 1:
        return f"the log odds of {goal.target}"
    if link == "probability":
        return f"the probability of {goal.target}"
    return f"the score of {goal.target}"


@dataclass(frozen=True)
class Outside:
    """From outside: the model is asked about people mixed with background rows."""

    output: Output
    coded: Coded
    algorithm: str
    options: Mapping[str, Any]

    def attribute(
        self, some: NDArray[np.intp], seeds: NDArray[np.int64]
    ) -> tuple[Numbers, Numbers]:
        """Contributions for people at these positions, each with its own seed."""
        shap = import_shap()
        background = self.coded.first
        masker = shap.maskers.Independent(background, max_samples=len(background))
        width = background.shape[1]
        values, base = np.zeros((len(some), width)), np.zeros(len(some))
        asking: dict[str, Any] = {"silent": True}
        if self.algorithm == "permutation":
            asking["max_evals"] = max(500, 2 * width + 1)
        asking |= {k: v for k, v in self.options.items() if k in _ASKING_OUTSIDE}
        for k, (i, seed) in enumerate(zip(some, seeds, strict=True)):
            with seeded(int(seed)):
                if self.algorithm == "exact":
                    explainer = shap.ExactExplainer(self._ask, masker)
                else:
                    explainer = shap.PermutationExplainer(
                        self._ask, masker, seed=int(seed)
                    )
                found = explainer(self.coded.people[i : i + 1], **asking)
            values[k], base[k] = found.values[0], np.ravel(found.base_values)[0]
        return values, base

    def _ask(self, codes: Numbers) -> Numbers:
        return self.output(self.coded.rows(codes))
