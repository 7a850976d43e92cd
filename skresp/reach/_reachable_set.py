"""The points that one person can reach: by all features together, or by one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skresp._actions._action_set import ActionSet
from skresp._actions._encoding import code_of, column_positions, decode, encode
from skresp._dataframe import (
    as_row,
    column,
    frame_like,
    is_frame,
    row_labels,
    take_rows,
)
from skresp._text import one_line, plural, quote
from skresp._typing import FloatArray, IndexArray
from skresp._validation import (
    check_choice,
    check_feature_names,
    check_integer,
    check_mapping,
    check_type,
    make_generator,
)

from ._cache import make_reaches, shared_cache
from ._errors import EnumerationError, TooLargeError
from ._interventions import check_interventions
from ._minimal_list import list_minimal
from ._outcome import Outcome
from ._part import Part, located_parts, part_with
from ._sampling import MOST_DRAWS, sample_interventions, sample_joint
from ._solver_search import MAX_BY_SOLVER, Search

METHODS = ("auto", "grid", "highs", "sample")
MAX_POINTS = 1_000_000
MAX_BY_HIGHS = 10_000  # a point takes a millisecond or more
SAMPLED_POINTS = 500


@dataclass(frozen=True, repr=False)
class ReachableSet:
    """The points a person can reach.

    Attributes
    ----------
    points : same container as the person
        The reached points, one per row.
    changes : frame or array
        The change that leads to each point, with one column per feature. For a
        categorical feature it is the number of places moved in its categories.
    complete : bool
        Whether these are all points. It is False for a sample.
    method : {"grid", "highs", "sample"}
        How the points were found.
    n_tried : int or None
        The number of proposals of a sample.
    """

    points: Any
    changes: Any
    complete: bool
    method: str
    n_tried: int | None = None

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        whole = "complete" if self.complete else "not complete"
        tried = "" if self.n_tried is None else f", {self.n_tried:,} proposals"
        points = plural(len(self), "point")
        return f"ReachableSet({points}, {whole}, method={quote(self.method)}{tried})"


def reachable_set(
    action_set: ActionSet,
    x: Any,
    feature: str | None = None,
    *,
    interventions: str = "minimal",
    method: str = "auto",
    max_points: int | None = None,
    missing: str = "raise",
    random_state: Any = None,
) -> ReachableSet:
    """Return the points that one person can reach.

    Parameters
    ----------
    action_set : ActionSet
    x : Series, mapping, one-row frame, or array
        The person.
    feature : str, optional
        The feature to intervene on. Without it: all features together, the current
        point included.
    interventions : {"minimal", "joint"}, default="minimal"
        Whether the rest of the part moves only where it must, or freely.
    method : {"auto", "grid", "highs", "sample"}, default="auto"
        "grid" and "highs" list every point, or raise where that cannot be done;
        "sample" draws. "auto" lists where it can, and otherwise draws.
    max_points : int, optional
        Maximum number of points to list (default 1,000,000; 10,000 with "highs"), or
        the number of points to draw (default 500).
    missing : {"raise", "hold"}, default="raise"
        Whether to refuse a missing value in a feature that can change, or to keep
        that feature as it is.
    random_state : int, RandomState or None
        For samples.

    Returns
    -------
    ReachableSet

    Examples
    --------
    >>> from skresp import ActionSet, Feature
    >>> from skresp.constraints import Linkage
    >>> from skresp.reach import reachable_set
    >>> actions = ActionSet(
    ...     {
    ...         "years": Feature("integer", 0, 7, direction="increase", max_increase=2),
    ...         "age": Feature("integer", actionable=False),
    ...     },
    ...     [Linkage("years", {"age": 1})],
    ... )
    >>> reachable_set(actions, {"years": 3, "age": 30}, "years").points
       years  age
    0      4   31
    1      5   32
    """
    check_interventions(interventions)
    check_choice("method", method, METHODS)
    if max_points is not None:
        max_points = check_integer("max_points", max_points, 1)
    check_type("action_set", action_set, ActionSet)
    table = as_row(x)
    codes = encode(action_set, table, missing=missing)
    check_valid(action_set, table, codes)
    rng = np.random.default_rng(make_generator(random_state).randint(2**31))
    request = _Request(interventions, method, max_points, rng)
    if feature is None:
        found = _everything(action_set, codes[0], request)
    else:
        check_choice("feature", feature, action_set.names)
        found = _by_feature(action_set, codes[0], feature, request)
    n = len(found.changes)
    points = take_rows(table, np.zeros(n, dtype=np.intp))
    before = np.repeat(codes, n, axis=0)
    return ReachableSet(
        decode(action_set, points, before, before + found.changes),
        _as_container(action_set, table, found.changes),
        found.complete,
        found.method,
        found.tried,
    )


def check_feasibility(
    action_set: ActionSet, x: Any, reached: Mapping[str, Any]
) -> Outcome:
    """Return whether a person can reach these values of some features.

    Parameters
    ----------
    action_set : ActionSet
        What people can change.
    x : dict, Series, frame or array with one row
        The person.
    reached : dict from str to value
        The value to reach, by feature. Other features may change as well.

    Returns
    -------
    outcome : Outcome
        FEASIBLE, INFEASIBLE, or UNDECIDED if the solver runs out of time.

    Examples
    --------
    >>> from skresp import ActionSet, Feature
    >>> from skresp.constraints import Linear
    >>> from skresp.reach import check_feasibility
    >>> actions = ActionSet(
    ...     {"rent": Feature("real", 0, 900), "food": Feature("real", 0, 900)},
    ...     [Linear({"rent": 1, "food": 1}, upper=1000)],
    ... )
    >>> check_feasibility(actions, {"rent": 500, "food": 400}, {"rent": 850})
    <Outcome.FEASIBLE: 'feasible'>
    >>> check_feasibility(actions, {"rent": 500, "food": 400}, {"rent": 950})
    <Outcome.INFEASIBLE: 'infeasible'>
    """
    check_type("action_set", action_set, ActionSet)
    check_mapping("reached", reached, "from feature to the value to reach")
    table = as_row(x)
    codes = encode(action_set, table, missing="hold")
    check_valid(action_set, table, codes)
    check_feature_names("reached", reached, action_set.names)
    outcomes = {Outcome.FEASIBLE}
    positions = column_positions(action_set, table)
    for part, columns in located_parts(action_set):
        wanted = {}
        for i, (name, k) in enumerate(zip(part.names, columns, strict=True)):
            if name not in reached:
                continue
            is_fixed = not part.constraints and not part.features[i].can_change
            if column(table, positions[k])[0] != reached[name]:
                if is_fixed:
                    return Outcome.INFEASIBLE
                wanted[i] = code_of(name, part.features[i], reached[name])
            elif not is_fixed:
                wanted[i] = codes[0, k]
        if wanted:
            outcomes.add(Search(part, codes[0, columns]).feasible(wanted))
    for outcome in (Outcome.INFEASIBLE, Outcome.UNDECIDED):
        if outcome in outcomes:
            return outcome
    return Outcome.FEASIBLE


def check_valid(
    action_set: ActionSet, table: Any, codes: FloatArray, way_out: str = ""
) -> None:
    """Raise for rows that break a joint constraint before any change."""
    for rule, bad in zip(action_set.constraints, action_set.broken(codes), strict=True):
        if bad.any():
            labels = [one_line(label) for label in row_labels(table)[bad][:3]]
            more = int(bad.sum()) - len(labels)
            rows = ", ".join(labels) + (f" and {more} more" if more > 0 else "")
            raise ValueError(
                f"{int(bad.sum())} of {len(codes)} rows break a constraint before any "
                f"change (row {rows}): {one_line(rule.describe())} See "
                f"ActionSet.check(X) for all of them; correct or leave out such rows"
                f"{f', {way_out},' if way_out else ','} or drop the constraint."
            )


@dataclass(frozen=True)
class _Request:
    """The options of a call of `reachable_set`."""

    interventions: str
    method: str
    max_points: int | None
    rng: np.random.Generator

    @property
    def most(self) -> int:
        """Maximum number of points to list."""
        return self.max_points or MAX_POINTS

    @property
    def wanted(self) -> int:
        """The number of points to draw."""
        wanted = self.max_points or SAMPLED_POINTS
        if wanted > MOST_DRAWS:
            raise ValueError(
                f"max_points must be at most {MOST_DRAWS:,} where points are drawn, "
                f"got {quote(wanted)}."
            )
        return wanted


class _FoundChanges(NamedTuple):
    """Changes, and how they were found; see `ReachableSet`."""

    changes: FloatArray
    method: str
    complete: bool
    tried: int | None = None


def _by_feature(
    actions: ActionSet, x: FloatArray, feature: str, request: _Request
) -> _FoundChanges:
    """Return the interventions on one feature."""
    if not actions.features[feature].actionable:
        return _FoundChanges(np.zeros((0, len(x))), "grid", True)
    part, columns = part_with(actions, feature)
    found = _changes_on_part(part, x[columns], feature, request)
    changes = np.zeros((len(found.changes), len(x)))
    changes[:, columns] = found.changes
    return found._replace(changes=changes)


def _changes_on_part(
    part: Part, x: FloatArray, feature: str | None, request: _Request
) -> _FoundChanges:
    """Return changes of one part: interventions on a feature, or all feasible ones."""
    j = None if feature is None else part.names.index(feature)
    if request.method in ("auto", "grid"):
        reach = shared_cache.get(part, x[None])[0]
        if isinstance(reach.refused, TooLargeError):
            # For one person a longer list fits in memory than for many.
            reach = make_reaches(part, x[None], most=request.most)[0]
        changes = reach.changes
        if j is not None:
            changes = changes[reach.interventions(j, request.interventions)]
        refusal = reach.refused
        if refusal is None and len(changes) > request.most:
            refusal = TooLargeError(part.names, len(changes), request.most)
        if refusal is None:
            return _FoundChanges(changes, "grid", True)
        if request.method == "grid":
            raise refusal
        if j is not None and request.interventions == "minimal":
            for how, solver in (("grid", False), ("highs", True)):
                listed = list_minimal(part, x, j, solver=solver)
                if listed is not None and len(listed) <= request.most:
                    return _FoundChanges(listed, how, True)
        few = min(request.most, MAX_BY_SOLVER)
        try:
            changes, complete = _by_solver(part, x, j, request.interventions, few)
            if complete:
                return _FoundChanges(changes, "highs", True)
        except EnumerationError:
            pass
    if request.method == "highs":
        most = request.max_points or MAX_BY_HIGHS
        changes, complete = _by_solver(part, x, j, request.interventions, most)
        return _FoundChanges(changes, "highs", complete)
    n, rng = request.wanted, request.rng
    if j is None:
        sample = sample_joint(part, x, None, n, rng)
    else:
        sample = sample_interventions(part, x, j, n, rng, request.interventions)
    return _FoundChanges(sample.changes, "sample", False, sample.tried)


def _by_solver(
    part: Part, x: FloatArray, j: int | None, interventions: str, most: int
) -> tuple[FloatArray, bool]:
    """Return changes listed by the solver, and whether these are all."""
    search = Search(part, x)
    if j is None:
        return search.changes(None, most)
    return search.interventions(j, interventions, most)


def _everything(actions: ActionSet, x: FloatArray, request: _Request) -> _FoundChanges:
    """Return the product of the parts' changes, listed or drawn."""
    parts = [each for each in located_parts(actions) if each[0].actionable]
    answers = [
        _changes_on_part(part, x[columns], None, request) for part, columns in parts
    ]
    sizes = [len(answer.changes) for answer in answers]
    complete = all(answer.complete for answer in answers)
    methods = {answer.method for answer in answers}
    how = next((m for m in ("sample", "highs") if m in methods), "grid")
    size = math.prod(sizes)
    tried = [answer.tried for answer in answers if answer.tried is not None]
    if request.method != "sample" and complete and size <= request.most:
        picks = list(np.unravel_index(np.arange(size), sizes)) if sizes else []
    elif request.method in ("grid", "highs"):
        raise TooLargeError(actions.names, size, request.most)
    else:
        # The current point first; a part without drawn changes stays put.
        how, complete = "sample", False
        n = request.wanted
        picks = [request.rng.integers(max(s, 1), size=n - 1) for s in sizes]
        tried.append(n - 1)
    changes = np.zeros((len(picks[0]) if sizes else 1, len(x)))
    for (_, columns), answer, pick in zip(parts, answers, picks, strict=True):
        changes[:, columns] = answer.changes[pick] if len(answer.changes) else 0.0
    if how == "sample":
        changes = np.concatenate([np.zeros((1, len(x))), changes])
    return _FoundChanges(changes, how, complete, sum(tried) if tried else None)


def _as_container(actions: ActionSet, table: Any, changes: FloatArray) -> Any:
    """Return changes in the container and the column order of a table."""
    order: IndexArray = np.argsort(column_positions(actions, table))
    if not is_frame(table):
        return changes[:, order]
    columns = {str(table.columns[i]): changes[:, k] for i, k in enumerate(order)}
    if isinstance(table, pd.DataFrame):
        return pd.DataFrame(columns)
    return frame_like(table, columns)
