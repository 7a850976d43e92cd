"""The `verify` method of the responsiveness explainer."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from sklearn.utils.validation import check_is_fitted

from skresp._actions._action_set import ActionSet
from skresp._dataframe import as_table, snapshot
from skresp._model._fitted_model import FittedModel
from skresp._recourse._budget import SearchBudget
from skresp._recourse._cost import check_cost
from skresp._recourse._verdicts import VerdictContext, Verdicts
from skresp._recourse.engines._base import Engine
from skresp._recourse.engines._black_box import BlackBoxEngine
from skresp._recourse.engines._make_engine import make_box_engine, make_engine
from skresp._validation import check_points, check_time_limit
from skresp.reach._deadline import Deadline, OutOfTimeError
from skresp.scores._score_task import InvalidRowsError

from ._context import ResponsivenessContext
from ._verify_call import VerifyCall


class VerifyMixin:
    """Mixin that adds `verify` to an explainer."""

    action_set_: ActionSet
    _fitted_model: FittedModel
    target_: Any
    threshold: float | None
    interventions: str
    max_points: int
    invalid_rows: str
    n_jobs: int | None
    verbose: int
    _engine: Engine | None
    _box_engine: Engine | None

    def _make_context(self, deadline: Deadline) -> ResponsivenessContext:
        raise NotImplementedError  # pragma: no cover

    def _raise_for_invalid_rows(
        self, context: ResponsivenessContext, table: Any
    ) -> None:
        raise NotImplementedError  # pragma: no cover

    def verify(
        self,
        X: Any,
        *,
        max_points: int | None = None,
        time_limit: float | None = None,
        cost: Any = None,
    ) -> Verdicts:
        """Return whether some change of each row reaches the target.

        Verdicts are exact for linear models and tree ensembles, also in pipelines
        whose steps transform each column by itself. Any other model is evaluated at
        combinations of changes, cheap ones first; the verdict is then "fixed" only if
        all of them were evaluated. Random effects are ignored: a verdict is about
        changes without noise.

        Parameters
        ----------
        X : frame or array
            A frame may have its columns in any order.
        max_points : int, optional
            The maximum number of points, or partial choices, evaluated per row; beyond
            it the verdict is "unknown". By default the explainer's `max_points`. A
            line of a real feature along which the model is known counts as one point.
        time_limit : float, optional
            Maximum seconds for the whole call; rows not decided by then are "unknown".
            With a limit two calls may decide different rows.
        cost : "fewest", mapping or callable, optional
            Search for the cheapest witness of its status: the cheapest single change
            if there is one. This takes longer if several changes are needed at once.
            "fewest": as few features as possible, then the smallest change, each as a
            share of its range. A mapping from feature to the cost of a unit of change,
            one number or a pair (up, down). Or a function of two frames of numbers,
            the columns of one part before and after; the costs of parts are summed.

            The proof is "cheapest" if all changes of that status were compared,
            otherwise "cheapest found". All are compared for discrete features; for a
            real feature with "fewest" or a mapping, if the model is linear or a tree
            ensemble and no other real feature of its part is free. The change is then
            minimal up to 1e-9 of the numbers involved (1e-6 at a border that a
            constraint excludes). Linear models with several changes that involve real
            features, functions over real features, and several changes of a black-box
            model give "cheapest found". Without `cost` the proof is "witness", and the
            witness need not be cheap.

        Returns
        -------
        Verdicts

        Examples
        --------
        >>> import pandas as pd
        >>> from sklearn.linear_model import LogisticRegression
        >>> from skresp import ActionSet, Feature, ResponsivenessExplainer
        >>> X = pd.DataFrame(
        ...     [(i, n) for i in range(1, 6) for n in range(4)],
        ...     columns=["income", "loans"],
        ... )
        >>> y = (X["income"] - X["loans"] >= 2).astype(int)
        >>> actions = ActionSet(
        ...     {
        ...         "income": Feature("integer", 1, 5, max_increase=1),
        ...         "loans": Feature("integer", 0, 3, max_decrease=1),
        ...     }
        ... )
        >>> explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
        >>> people = pd.DataFrame({"income": [4, 2, 2, 1], "loans": [1, 1, 2, 3]})
        >>> verdicts = explainer.fit(X, y).verify(people)
        >>> verdicts.status.tolist()
        ['approved', 'single', 'joint', 'fixed']
        >>> verdicts.witness
           income  loans
        1       3      1
        2       3      1
        """
        return self._verify(X, max_points, time_limit, cost)

    def _verify(
        self,
        X: Any,
        max_points: int | None = None,
        time_limit: float | None = None,
        cost: Any = None,
        *,
        any_witness: bool = False,
    ) -> Verdicts:
        """Return verdicts; see `verify`, and `SearchBudget` for `any_witness`."""
        if not hasattr(self, "estimator_"):  # check_is_fitted takes 0.5 ms
            check_is_fitted(self, "estimator_")
        check_cost(cost, self.action_set_)
        max_points = self.max_points if max_points is None else max_points
        max_points = check_points(max_points, 0)
        check_time_limit(time_limit)
        deadline = Deadline.after(time_limit)
        table = self._fitted_model.input_format.named(as_table(X))
        context = self._make_context(deadline)
        width = len(context.actions.names)
        budget = SearchBudget(
            max_points, deadline, cost, context.seed, width, any_witness=any_witness
        )
        call = VerifyCall(
            context=context,
            budget=budget,
            engine=self._get_engine(deadline),
            box_engine=partial(self._get_box_engine, deadline),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        try:
            verdict_arrays = call.verdicts(table)
        except InvalidRowsError:
            self._raise_for_invalid_rows(context, table)
            raise
        return Verdicts(
            data=snapshot(table),
            target=self.target_,
            threshold=self.threshold,
            _arrays=verdict_arrays,
            _action_set=context.actions,
            _context=VerdictContext(self._fitted_model, call.best),
        )

    def _get_engine(self, deadline: Deadline) -> Engine:
        """Return the verification engine, cached since reading a model is expensive.

        Without the time to read it, the model is a black box.
        """
        if self._engine is None:
            try:
                self._engine = make_engine(self._fitted_model, deadline)
            except OutOfTimeError:
                return BlackBoxEngine()
        return self._engine

    def _get_box_engine(self, deadline: Deadline) -> Engine | None:
        """Return the engine over boxes, cached; None where it cannot be made."""
        if self._box_engine is None:
            with suppress(OutOfTimeError):
                self._box_engine = make_box_engine(self._fitted_model, deadline)
        return self._box_engine
