"""The part of the explainer that tells who has any way back."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skresp.actions import ActionSet, as_table, kept
from skresp.reach import Deadline, OutOfTimeError
from skresp.recourse import (
    Ask,
    Product,
    Singles,
    Task,
    Verdicts,
    best_of,
    check_cost,
    engine_of,
    verify,
)
from skresp.scores import Dress, Goal, InvalidRowsError

from ._limits import check_max_points, check_time_limit
from ._progress import Progress
from ._source import Source


class Verifier:
    """Gives an explainer its `verify`."""

    action_set_: ActionSet
    dress_: Dress
    goal_: Goal
    target_: Any
    threshold: float | None
    interventions: str
    max_points: int
    invalid_rows: str
    n_jobs: int | None
    verbose: int

    def _source(self) -> Source:
        raise NotImplementedError  # pragma: no cover

    def _mixed_rows(self) -> Any:
        raise NotImplementedError  # pragma: no cover

    def _name_invalid(self, source: Source, table: Any) -> None:
        raise NotImplementedError  # pragma: no cover

    def verify(
        self,
        X: Any,
        *,
        max_points: int | None = None,
        time_limit: float | None = None,
        cost: Any = None,
    ) -> Verdicts:
        """Return whether each row has any way to the target: single, joint, or none.

        Exact for linear models and tree ensembles, also behind pipelines of column by
        column steps. Any other model is asked about combinations of changes, the
        cheap ones first; a prediction is then called fixed only where all of them
        were tried. Random effects play no part: a verdict is about changes without
        noise.

        Parameters
        ----------
        X : frame or array
            A frame may have its columns in any order.
        max_points : int, optional
            The most points, or partial choices, to go through for one row; the
            explainer's own `max_points` unless given. A line of a real feature that
            can be told at once counts as one point.
        time_limit : float, optional
            Seconds that the call may take; whatever is left then is "unknown". With a
            limit two calls may differ in what they got done.
        cost : "fewest", mapping or callable, optional
            Look for the cheapest witness of its status: the cheapest single change,
            where there is one. This takes longer where several changes are needed at
            once. "fewest": as few features as possible and then the smallest change,
            each as a share of its range. A mapping from feature to the cost of a unit
            of change, one number or a pair (up, down). Or a function of two frames of
            numbers, the columns of one part before and after, whose results are added
            up.

            The proof is "cheapest" where all changes of that status were compared,
            otherwise "cheapest found". All are compared for discrete features; for a
            real feature with "fewest" or a mapping, if the model is linear or a tree
            ensemble and no other real feature of its part is free. The change is then
            minimal up to 1e-9 of the numbers involved (1e-6 at a border that a
            constraint excludes). A linear model with several changes that involve
            real features, a function over real features, and several changes of a
            model that can only be evaluated give "cheapest found". Without `cost` the
            proof is "witness" and the witness need not be cheap.

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
        check_is_fitted(self, "estimator_")
        check_cost(cost, self.action_set_)
        max_points = self.max_points if max_points is None else max_points
        check_max_points(max_points)
        check_time_limit(time_limit)
        deadline = Deadline.after(time_limit)
        table = self.dress_.named(as_table(X))
        source = self._source()
        people, which = source.people(table)
        codes = source.codes(people)
        width = len(source.actions.names)
        ask = Ask(int(max_points), deadline, cost, source.seed, width)
        door = source.door(people, deadline)
        at_target, answered = door.ask_in_time(np.arange(len(codes)))
        task = Task(
            door,
            source.actions,
            codes,
            self.interventions,
            self._engine_of_model(deadline),
            ask,
            at_target,
            answered,
            Singles.of(source.question, partial(source.keys, people)),
            self.invalid_rows,
        )
        try:
            judged = verify(
                task,
                n_jobs=self.n_jobs,
                progress=Progress(len(codes), "verify", self.verbose),
                shown=bool(self.verbose),
            )
        except InvalidRowsError:
            self._name_invalid(source, table)
            raise
        return Verdicts(
            judged.taken(which),
            kept(table),
            self.target_,
            self.threshold,
            source.actions,
            codes[which],
            source.measure,
            partial(best_of, task, which, self.n_jobs),
        )

    def _engine_of_model(self, deadline: Deadline) -> Any:
        """How verdicts are come by, found out once: it takes reading the model.

        Where there is no time for that, nothing is known of the model.
        """
        if getattr(self, "_engine", None) is None:
            try:
                self._engine = engine_of(
                    self.goal_, self.action_set_, self._mixed_rows(), deadline
                )
            except OutOfTimeError:
                return Product(), 0
        return self._engine
