"""The explainer that computes SHAP values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import shuffle

from skresp._actions._action_set import ActionSet
from skresp._dataframe import as_table, take_rows
from skresp._text import quote
from skresp._typing import FloatArray
from skresp._validation import check_choice, check_mapping, is_integer, make_generator

from ._base import AttributionExplainer, is_table
from ._numeric_rows import (
    ArrayTable,
    NumericModel,
    NumericRows,
    model_column_positions,
)
from ._shap_backends import (
    ALGORITHMS,
    KEYS,
    PERTURBATIONS,
    ModelAgnosticBackend,
    NativeBackend,
    NoBackendError,
    import_shap,
    native_backend,
)

# The number of rows that shap itself takes from a larger background.
_DEFAULT_ROWS = 100


class ShapExplainer(AttributionExplainer):
    """Explain predictions by SHAP values, in the columns of X.

    A linear model is explained by its coefficients, trees by their nodes, any other
    model as a black box by permutations. Scalers and encoders before a linear model or
    trees are followed if each of their output columns comes from one column of X; the
    contributions to that column are then summed, so a categorical column is one feature
    and not several dummies. Any other pipeline is explained as a black box.

    A positive value pushes towards the target. The unit is the one that shap uses for
    the model: log odds for logistic regression and boosted trees, probabilities for
    forests and black boxes, the prediction for a regressor (minus the prediction if
    the target is `AtMost`).

    Parameters
    ----------
    estimator : estimator
        Any model with `predict`. `fit(X, y)` trains a clone of it; `fit(X)` requires a
        fitted model and uses it unchanged.
    action_set : ActionSet, optional
        If given, the values of features that nobody can act on are set to 0.
    target : label, AtLeast or AtMost, optional
        The wanted prediction; by default the last of the model's classes, and a
        warning names it. A regressor does not require one.
    background : int, frame or array, optional
        The rows that a person is compared with, or their number. By default 100 of
        the rows given to `fit`, as in shap. The sample is the one of
        `shap.utils.sample` with this `random_state`; 0 gives the background of
        `shap.Explainer(model, X)`.
    per_person : bool, default=False
        Whether to set the values of features that this person cannot move to 0 as well.
    random_state : int, RandomState or None
        Determines the background sample and the permutations of each person.
    n_jobs : int, optional
        Number of joblib processes, for models explained as a black box.
    shap_kwargs : dict, optional
        `algorithm` is one of "auto", "linear", "tree", "permutation" and "exact".
        `feature_perturbation` and `model_output` are passed to `shap.TreeExplainer`,
        `approximate` to its call, `max_evals` and `batch_size` to the call of the
        black-box explainers. `check_additivity=False` skips the check that base and
        values add up to the model's output. Options of other algorithms than the one
        used have no effect.
    verbose : int, default=0
        1 shows a progress bar for models explained as a black box.

    Attributes
    ----------
    estimator_ : estimator
        The model that is explained.
    algorithm_ : str
        The algorithm used.
    background_ : pandas.DataFrame
        The rows that people are compared with.
    target_ : label, AtLeast, AtMost or None
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X had column names at fit.

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
        super().__init__(
            estimator,
            action_set,
            target=target,
            per_person=per_person,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.background = background
        self.shap_kwargs = shap_kwargs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        import_shap()
        check_mapping("shap_kwargs", self.shap_kwargs or {}, "from option to value")
        options = self._options()
        odd = [key for key in options if key not in KEYS]
        if odd:
            raise ValueError(
                f"shap_kwargs must have keys among {', '.join(KEYS)}, got "
                f"{quote(odd[0])}. Pass background rows as background=."
            )
        for key, allowed in (
            ("algorithm", ALGORITHMS),
            ("feature_perturbation", PERTURBATIONS),
            ("model_output", ("raw", "probability", "predict_proba")),
        ):
            if key in options:
                check_choice(f"shap_kwargs[{quote(key)}]", options[key], allowed)
        rows = self.background
        positive = is_integer(rows) and rows >= 1
        if rows is not None and not positive and not is_table(rows):
            raise ValueError(
                f"background must be a table of rows, a whole number of at least 1, or "
                f"None for rows of the fit, got {quote(rows)}."
            )

    def _options(self) -> dict[str, Any]:
        return dict(self.shap_kwargs or {})

    def _prepare(self, table: Any) -> None:
        self._background_table = ArrayTable.of(
            self._input_format, self._background_rows(table)
        )
        numeric_rows = NumericRows(
            self._input_format,
            self.background_,
            table[:0],
            self._label_columns,
        )
        self._backend = self._native_backend(numeric_rows)
        if self._backend is not None:
            self.algorithm_ = self._backend.algorithm
            self._unit = self._backend.unit
            return
        wanted = self._options().get("algorithm", "auto")
        self.algorithm_ = "permutation" if wanted == "auto" else wanted
        self._set_output(numeric_rows)

    @property
    def background_(self) -> pd.DataFrame:
        """The rows that people are compared with."""
        return self._background_table.frame()

    def _background_rows(self, table: Any) -> Any:
        """Return the background: the rows given, or a sample of those of the fit."""
        if is_table(self.background):
            rows = self._input_format.named(as_table(self.background))
            model_column_positions(self._input_format, rows)
            if not len(rows):
                raise ValueError("background must have at least one row, got none.")
            return rows
        most = _DEFAULT_ROWS if self.background is None else int(self.background)
        positions = np.arange(len(table))
        if len(table) > most:
            random = make_generator(self.random_state)
            positions = shuffle(positions, n_samples=most, random_state=random)
        return take_rows(table, positions)

    def _native_backend(self, numeric_rows: NumericRows) -> NativeBackend | None:
        """Return a backend for coefficients or trees, or None."""
        options = self._options()
        wanted = options.get("algorithm", "auto")
        if wanted in ("permutation", "exact"):
            return None
        path_dependent = options.get("feature_perturbation") == "tree_path_dependent"
        reasons = []
        for algorithm in ("linear", "tree") if wanted == "auto" else (wanted,):
            if algorithm == "linear" and path_dependent:
                continue
            try:
                return native_backend(
                    self._fitted_model.target_rule, numeric_rows, options, algorithm
                )
            except NoBackendError as error:
                reasons.append(f"{error}")
        if wanted != "auto" or path_dependent:
            option = f"algorithm={quote(wanted)}"
            if path_dependent:
                option = "feature_perturbation='tree_path_dependent'"
            raise ValueError(
                f"shap_kwargs has {option}, which does not work for this model: "
                f"{reasons[-1]}. Leave it out to explain the model as a black box if "
                f"nothing else works."
            )
        return None

    def _attribute(self, people: Any, keys: Any) -> tuple[FloatArray, FloatArray, bool]:
        if self._backend is not None:
            try:
                values, base = self._backend.attribute(self._fitted_model.rows(people))
            except NoBackendError as error:
                raise ValueError(
                    f"{error}. Pass shap_kwargs={{'algorithm': 'permutation'}} to "
                    f"explain the model as a black box, or "
                    f"{{'check_additivity': False}} to skip the check."
                ) from error
            return values, base, not self._options().get("approximate", False)
        numeric_rows = NumericRows(
            self._input_format,
            self.background_,
            people,
            self._label_columns,
        )
        model = NumericModel(self._output, numeric_rows)
        backend = ModelAgnosticBackend(model, self.algorithm_, self._options())
        values, base = self._attribute_people(backend.attribute, keys)
        return values, base, self.algorithm_ == "exact"
