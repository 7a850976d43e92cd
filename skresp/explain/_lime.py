"""LIME weights beside responsiveness: the same models, columns and explanation."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from skresp.actions import ActionSet, spread

from ._attribution import AttributionExplainer, as_seeds
from ._coded import Coded, Plain
from ._loop import person_by_person
from ._output import Output

Numbers = NDArray[np.float64]

# What the explainer itself says to lime.
_OURS = (
    "self",
    "training_data",
    "mode",
    "feature_names",
    "categorical_names",
    "random_state",
    "data_row",
    "predict_fn",
    "labels",
    "top_labels",
    "num_samples",
)


def import_lime() -> Any:
    """The part of the library that knows tables, or how to get it."""
    try:
        from lime import lime_tabular
    except ImportError:
        raise ImportError(
            "LimeExplainer needs lime, which is not installed. Install it with "
            "pip install 'skresp[lime]'."
        ) from None
    return lime_tabular


class LimeExplainer(AttributionExplainer):
    """LIME weights of every feature for every person, in the columns of X.

    Weights are those of a linear model of the target's probability around the person:
    for a column of numbers the change with one standard deviation more, for labels
    with having this one. All features are listed and numbers are not cut into
    quartiles, unless `lime_kwargs` says so. A positive weight is for the target; for a
    classifier without probabilities its score is explained, for a regressor its
    prediction (minus the prediction where the target is `AtMost`).

    Parameters
    ----------
    estimator : model
        Anything with `predict`. `fit(X, y)` trains a clone of it; `fit(X)` takes it
        as it is, fitted.
    action_set : ActionSet, optional
        With one, the weights of features that nobody can act on are set to 0.
    target : label, AtLeast or AtMost, optional
        The wanted prediction; the last of the model's classes unless given, and a
        warning names it. A regressor needs none.
    num_samples : int, default=1000
        Points drawn around each person.
    per_person : bool, default=False
        Set to 0 also the weights of features that this person cannot move.
    random_state : int, RandomState or None
        The points depend on it and on the person, on nothing else; see `row_seeds`.
    n_jobs : int, optional
        Processes, through joblib.
    lime_kwargs : dict, optional
        Passed on to `lime.lime_tabular.LimeTabularExplainer` (`kernel_width`,
        `discretize_continuous`, `feature_selection`, `categorical_features` by name
        or position, ...) and to its `explain_instance` (`num_features`,
        `distance_metric`, `model_regressor`), each to the one that knows it.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    estimator_ : the model that is explained
    target_ : the target, default filled in
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import LimeExplainer
    >>> X = pd.DataFrame({"income": [1, 2, 3, 4], "age": [30, 50, 20, 40]})
    >>> model = LogisticRegression().fit(X, [0, 0, 1, 1])
    >>> explainer = LimeExplainer(model, target=1, random_state=0).fit(X)
    >>> explanation = explainer.explain(X[:2])
    >>> explanation.top(1)[["row", "feature"]]
       row feature
    0    0     age
    1    1     age
    """

    _method = "lime"

    def __init__(
        self,
        estimator: Any,
        action_set: ActionSet | None = None,
        *,
        target: Any = None,
        num_samples: int = 1000,
        per_person: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        lime_kwargs: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.action_set = action_set
        self.target = target
        self.num_samples = num_samples
        self.per_person = per_person
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.lime_kwargs = lime_kwargs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # LIME draws around means
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._arguments()
        whole = isinstance(self.num_samples, (int, np.integer))
        if not whole or self.num_samples < 2:
            raise ValueError(
                f"num_samples must be a whole number of at least 2, got "
                f"{self.num_samples!r}."
            )

    def _arguments(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What goes to lime's constructor, and what to its call."""
        lime = import_lime().LimeTabularExplainer
        making = {"discretize_continuous": False, "feature_selection": "none"}
        asking: dict[str, Any] = {}
        for key, value in (self.lime_kwargs or {}).items():
            if key in _OURS:
                raise ValueError(
                    f"lime_kwargs has {key!r}, which the explainer itself says to "
                    f"lime; see the parameters num_samples, target and random_state."
                )
            if key in inspect.signature(lime.__init__).parameters:
                making[key] = value
            elif key in inspect.signature(lime.explain_instance).parameters:
                asking[key] = value
            else:
                raise ValueError(
                    f"lime_kwargs has {key!r}, which neither LimeTabularExplainer nor "
                    f"its explain_instance knows."
                )
        return making, asking

    def _prepare(self, table: Any, y: Any) -> None:
        making, _ = self._arguments()
        named = [self._place(c) for c in making.get("categorical_features") or ()]
        self.coded_columns_ = tuple(sorted({*self.labels_, *named}))
        coded = Coded(self.dress_, table, table[:0], self.coded_columns_)
        self._check_numbers(coded.first)
        self.training_ = coded.first
        # A row for each label, which the model's column of it is made from.
        examples = {0} if len(table) else set()
        for i in self.coded_columns_:
            examples |= set(np.unique(coded.first[:, i], return_index=True)[1].tolist())
        rows = np.array(sorted(examples), dtype=np.intp)
        self.examples_ = Plain.of(self.dress_, spread(table, rows))
        self.output_ = Output.of(self.goal_, coded.rows(coded.first[:2]))

    def _place(self, column: Any) -> int:
        names = self.dress_.names
        if isinstance(column, str) and column in names:
            return names.index(column)
        if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
            return int(column)
        raise ValueError(
            f"lime_kwargs['categorical_features'] has {column!r}, which is no column; "
            f"there are {', '.join(names)}."
        )

    def _check_numbers(self, codes: Numbers) -> None:
        gone = np.flatnonzero(~np.isfinite(codes).all(axis=0))
        if len(gone):
            name = self.dress_.names[gone[0]]
            raise ValueError(
                f"LIME draws numbers around a column's mean, and the column {name!r} "
                f"has missing (NaN) or infinite values. Fill them in, or explain with "
                f"ShapExplainer."
            )

    @property
    def _unit(self) -> str:
        return self.output_.unit

    def _attribute(self, people: Any, keys: Any) -> tuple[Numbers, Numbers, bool]:
        coded = Coded(
            self.dress_,
            self.examples_.frame(),
            people,
            self.coded_columns_,
            fractions=True,
        )
        self._check_numbers(coded.people)
        making, asking = self._arguments()
        around = Around(
            self.output_,
            coded,
            self.training_,
            self.dress_.names,
            self.coded_columns_,
            self.num_samples,
            making,
            asking,
        )
        values, base = person_by_person(
            around.attribute, as_seeds(keys), self.n_jobs, self.verbose
        )
        return values, base, False


@dataclass(frozen=True)
class Around:
    """Lime, asked about one person after the other."""

    output: Output
    coded: Coded
    training: Numbers
    names: tuple[str, ...]
    labels: tuple[int, ...]
    num_samples: int
    making: Mapping[str, Any]
    asking: Mapping[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        # Lime's own object does not pickle; it is made again where it is needed.
        return {k: v for k, v in self.__dict__.items() if k != "_lime"}

    @cached_property
    def _lime(self) -> Any:
        return import_lime().LimeTabularExplainer(
            self.training,
            **{
                **self.making,
                "mode": "regression",
                "feature_names": list(self.names),
                "categorical_features": list(self.labels),
                "categorical_names": {
                    i: [str(v) for v in labels]
                    for i, labels in self.coded.names.items()
                },
                "random_state": 0,
            },
        )

    def _seeded(self, seed: int) -> Any:
        """Lime as if it had been made with this seed, without making it again."""
        lime = copy.copy(self._lime)
        lime.random_state = np.random.RandomState(seed)
        lime.base = copy.copy(lime.base)
        lime.base.random_state = lime.random_state
        if lime.discretizer is not None:
            lime.discretizer = copy.copy(lime.discretizer)
            lime.discretizer.random_state = lime.random_state
        return lime

    def attribute(
        self, some: NDArray[np.intp], seeds: NDArray[np.int64]
    ) -> tuple[Numbers, Numbers]:
        """Weights for people at these positions, each with its own seed."""
        width = len(self.names)
        values, base = np.zeros((len(some), width)), np.zeros(len(some))
        for k, (i, seed) in enumerate(zip(some, seeds, strict=True)):
            asking = {"num_features": width, **self.asking}
            if asking.get("model_regressor") is not None:
                asking["model_regressor"] = clone(asking["model_regressor"])
            found = self._seeded(int(seed)).explain_instance(
                self.coded.people[i], self._ask, num_samples=self.num_samples, **asking
            )
            # In its regression mode lime files the weights under 1.
            for j, weight in found.local_exp[1]:
                values[k, j] = weight
            base[k] = float(np.ravel(found.intercept[1])[0])
        return values, base

    def _ask(self, codes: Numbers) -> Numbers:
        return self.output(self.coded.rows(codes))
