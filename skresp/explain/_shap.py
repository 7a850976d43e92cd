"""SHAP values beside responsiveness: the same models, columns and explanation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state, shuffle

from skresp.actions import ActionSet, as_table, spread

from ._attribution import AttributionExplainer, as_seeds, is_table
from ._coded import Coded, Plain, places_in
from ._loop import person_by_person
from ._output import Output
from ._routes import (
    ALGORITHMS,
    KEYS,
    PERTURBATIONS,
    Direct,
    NoWayInError,
    Outside,
    import_shap,
    way_in,
)

Numbers = NDArray[np.float64]

# What shap itself takes of a larger background.
_USUAL_ROWS = 100


class ShapExplainer(AttributionExplainer):
    """SHAP values of every feature for every person, in the columns of X.

    A linear model is explained through its coefficients, trees through their nodes,
    anything else from outside by permutations. Scalers and encoders before a linear
    model or trees are seen through where each column they make comes from one column
    of X, whose contributions are then added up: labels are one feature, not many
    dummies. Any other pipeline is explained from outside.

    Values are for the target: a positive one pushes towards it. They are in the unit
    that shap has for the model: log odds for logistic regression and boosted trees,
    probabilities for forests and from outside, the prediction for a regressor (minus
    the prediction where the target is `AtMost`).

    Parameters
    ----------
    estimator : model
        Anything with `predict`. `fit(X, y)` trains a clone of it; `fit(X)` takes it
        as it is, fitted.
    action_set : ActionSet, optional
        With one, the values of features that nobody can act on are set to 0.
    target : label, AtLeast or AtMost, optional
        The wanted prediction; the last of the model's classes unless given, and a
        warning names it. A regressor needs none.
    background : int, frame or array, optional
        The rows that a person is compared with. Those given to `fit` unless given,
        of which shap takes a hundred; a number says how many. The sample is the one of
        `shap.utils.sample` with this `random_state`, so that 0 gives what
        `shap.Explainer(model, X)` takes.
    per_person : bool, default=False
        Set to 0 also the values of features that this person cannot move.
    random_state : int, RandomState or None
        Which rows are compared with, and the permutations of each person.
    n_jobs : int, optional
        Processes, through joblib, for models that are explained from outside.
    shap_kwargs : dict, optional
        `algorithm` is one of "auto", "linear", "tree", "permutation" and "exact".
        `feature_perturbation` and `model_output` go to `shap.TreeExplainer`;
        `approximate` to its call; `max_evals` and `batch_size` to
        the call of the explainers from outside. `check_additivity=False` leaves out
        the check that values and base add up to what the model says. What is meant
        for another algorithm than the one used has no effect.
    verbose : int, default=0
        1 shows a progress bar, where people are explained one by one.

    Attributes
    ----------
    estimator_ : the model that is explained
    algorithm_ : the algorithm used
    background_ : the rows compared with
    target_ : the target, default filled in
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, ShapExplainer
    >>> X = pd.DataFrame({"income": [1, 2, 3, 4], "age": [30, 50, 20, 40]})
    >>> model = LogisticRegression().fit(X, [0, 0, 1, 1])
    >>> explanation = ShapExplainer(model, target=1).fit(X).explain(X)
    >>> explanation.to_frame().round(2)
       income   age
    0   -1.46  0.57
    1   -0.49 -1.70
    2    0.49  1.70
    3    1.46 -0.57
    >>> actions = ActionSet.infer(X, immutable=["age"])
    >>> aware = ShapExplainer(model, actions, target=1).fit(X)
    >>> aware.explain(X).to_frame().round(2)
       income  age
    0   -1.46  0.0
    1   -0.49  0.0
    2    0.49  0.0
    3    1.46  0.0
    """

    _method = "shap"

    def __init__(
        self,
        estimator: Any,
        action_set: ActionSet | None = None,
        *,
        target: Any = None,
        background: Any = None,
        per_person: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        shap_kwargs: dict[str, Any] | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.action_set = action_set
        self.target = target
        self.background = background
        self.per_person = per_person
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.shap_kwargs = shap_kwargs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        import_shap()
        options = self._options()
        odd = [key for key in options if key not in KEYS]
        if odd:
            raise ValueError(
                f"shap_kwargs has {odd[0]!r}, which is not passed on; it takes "
                f"{', '.join(KEYS)}. The background has a parameter of its own."
            )
        for key, allowed in (
            ("algorithm", ALGORITHMS),
            ("feature_perturbation", PERTURBATIONS),
            ("model_output", ("raw", "probability", "predict_proba")),
        ):
            if key in options and options[key] not in allowed:
                raise ValueError(
                    f"shap_kwargs[{key!r}] must be one of "
                    f"{', '.join(map(repr, allowed))}, got {options[key]!r}."
                )
        rows = self.background
        whole = isinstance(rows, (int, np.integer)) and not isinstance(rows, bool)
        if rows is not None and not (whole and rows >= 1) and not is_table(rows):
            raise ValueError(
                f"background must be a table of rows, a whole number of at least 1, or "
                f"None for rows of the fit, got {rows!r}."
            )

    def _options(self) -> dict[str, Any]:
        return dict(self.shap_kwargs or {})

    def _prepare(self, table: Any, y: Any) -> None:
        self.compared_with_ = Plain.of(self.dress_, self._rows_compared_with(table))
        coded = Coded(self.dress_, self.background_, table[:0], self.labels_)
        self.way_ = self._way(coded)
        if self.way_ is not None:
            self.algorithm_ = self.way_.algorithm
            self.unit_ = self.way_.unit
            return
        wanted = self._options().get("algorithm", "auto")
        self.algorithm_ = "permutation" if wanted == "auto" else wanted
        self.output_ = Output.of(self.goal_, coded.rows(coded.first[:2]))
        self.unit_ = self.output_.unit

    @property
    def background_(self) -> pd.DataFrame:
        """The rows that people are compared with."""
        return self.compared_with_.frame()

    def _rows_compared_with(self, table: Any) -> Any:
        if is_table(self.background):
            rows = self.dress_.named(as_table(self.background))
            places_in(self.dress_, rows)
            if not len(rows):
                raise ValueError("background has no rows; pass some to compare with.")
            return rows
        most = _USUAL_ROWS if self.background is None else int(self.background)
        places = np.arange(len(table))
        if len(table) > most:
            random = check_random_state(self.random_state)
            places = shuffle(places, n_samples=most, random_state=random)
        return spread(table, places)

    def _way(self, coded: Coded) -> Direct | None:
        """A way in through coefficients or trees, if there is one."""
        options = self._options()
        wanted = options.get("algorithm", "auto")
        if wanted in ("permutation", "exact"):
            return None
        on_paths = options.get("feature_perturbation") == "tree_path_dependent"
        reasons = []
        for algorithm in ("linear", "tree") if wanted == "auto" else (wanted,):
            if algorithm == "linear" and on_paths:
                continue
            try:
                return way_in(self.goal_, coded, options, algorithm)
            except NoWayInError as error:
                reasons.append(f"{error}")
        if wanted != "auto" or on_paths:
            asked = f"algorithm={wanted!r}"
            if on_paths:
                asked = "feature_perturbation='tree_path_dependent'"
            raise ValueError(
                f"shap_kwargs asks for {asked}, which does not work for this model: "
                f"{reasons[-1]}. Leave it out, and the model is explained from outside "
                f"where nothing else works."
            )
        return None

    @property
    def _unit(self) -> str:
        return self.unit_

    def _attribute(self, people: Any, keys: Any) -> tuple[Numbers, Numbers, bool]:
        if self.way_ is not None:
            try:
                values, base = self.way_.attribute(self._dressed(people))
            except NoWayInError as error:
                raise ValueError(
                    f"{error}. Pass shap_kwargs={{'algorithm': 'permutation'}} to "
                    f"explain the model from outside, or {{'check_additivity': False}} "
                    f"to take the values as they are."
                ) from error
            return values, base, not self._options().get("approximate", False)
        coded = Coded(self.dress_, self.background_, people, self.labels_)
        outside = Outside(self.output_, coded, self.algorithm_, self._options())
        values, base = person_by_person(
            outside.attribute, as_seeds(keys), self.n_jobs, self.verbose
        )
        return values, base, self.algorithm_ == "exact"
