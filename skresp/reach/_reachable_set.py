"""Where one person can get: all features together, or by one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from skresp.actions import (
    ActionSet,
    as_row,
    code_of,
    column,
    column_positions,
    decode,
    encode,
    frame_like,
    is_frame,
    row_labels,
    spread,
)

from ._cache import Reach, make_reaches, shared_cache
from ._interventions import check_interventions
from ._minimal import list_minimal
from ._outcome import EnumerationError, Outcome, TooLargeError
from ._part import Numbers, Part, parts_of
from ._sample import sample_joint, sample_minimal
from ._search import MOST_BY_SOLVER, Search

METHODS = ("auto", "grid", "highs", "sample")
MOST_POINTS = 1_000_000
MOST_BY_HIGHS = 10_000  # a point takes it a millisecond and more
SAMPLED_POINTS = 500


@dataclass(frozen=True)
class ReachableSet:
    """The points a person can reach.

    Attributes
    ----------
    points : same container as the person
        One row a reached point.
    changes : frame or array
        What each point adds to the person, one column a feature; for a categorical
        feature the number of places moved in its categories.
    complete : bool
        Whether these are all the points there are. A sample never is.
    method : {"grid", "highs", "sample"}
        How they were found.
    n_tried : int or None
        For a sample: how many proposals it took.
    """

    points: Any
    changes: Any
    complete: bool
    method: str
    n_tried: int | None = None

    def __len__(self) -> int:
        return len(self.points)


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
    """The points that one person can reach.

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
        "sample" draws. "auto" lists where it can, and else samples.
    max_points : int, optional
        The most points to list (unless given 1,000,000, by "highs" 10,000), or how
        many to draw (500).
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
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}.")
    if max_points is not None and not (
        isinstance(max_points, (int, np.integer)) and max_points >= 1
    ):
        raise ValueError(
            f"max_points must be a whole number of at least 1, got {max_points!r}."
        )
    if not isinstance(action_set, ActionSet):
        raise TypeError(f"action_set must be an ActionSet, got {action_set!r}.")
    table = as_row(x)
    codes = encode(action_set, table, missing=missing)
    check_valid(action_set, table, codes)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    ask = _Ask(interventions, method, max_points, rng)
    if feature is None:
        changes, how, complete, tried = _everything(action_set, codes[0], ask)
    else:
        if feature not in action_set.features:
            raise ValueError(
                f"There is no feature {feature!r} in the action set; it has "
                f"{', '.join(action_set.names)}."
            )
        changes, how, complete, tried = _by_feature(action_set, codes[0], feature, ask)
    points = spread(table, np.zeros(len(changes), dtype=np.intp))
    before = np.repeat(codes, len(changes), axis=0)
    return ReachableSet(
        decode(action_set, points, before, before + changes),
        _as_container(action_set, table, changes),
        complete,
        how,
        tried,
    )


def check_feasibility(
    action_set: ActionSet, x: Any, reached: Mapping[str, Any]
) -> Outcome:
    """Whether one person can get some features to these values, by the solver.

    Features that are not named may move along. The answer is three-valued.

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
    table = as_row(x)
    codes = encode(action_set, table, missing="hold")
    check_valid(action_set, table, codes)
    for name in reached:
        if name not in action_set.features:
            raise ValueError(f"There is no feature {name!r} in the action set.")
    outcomes = {Outcome.FEASIBLE}
    for part in parts_of(action_set):
        wanted = {}
        for i, name in enumerate(part.names):
            if name in reached:
                place = column_positions(action_set, table)[
                    action_set.names.index(name)
                ]
                now = column(table, place)[0]
                if now == reached[name]:
                    if part.features[i].can_change or part.constraints:
                        wanted[i] = codes[0, action_set.names.index(name)]
                elif not part.constraints and not part.features[i].can_change:
                    return Outcome.INFEASIBLE
                else:
                    wanted[i] = code_of(name, part.features[i], reached[name])
        if wanted:
            search = Search(part, _on(action_set, part, codes[0]))
            outcomes.add(search.feasible(wanted))
    for outcome in (Outcome.INFEASIBLE, Outcome.UNDECIDED):
        if outcome in outcomes:
            return outcome
    return Outcome.FEASIBLE


def check_valid(
    action_set: ActionSet, table: Any, codes: Numbers, way_out: str = ""
) -> None:
    """Raise for rows that break a joint constraint as they stand."""
    for rule, bad in zip(action_set.constraints, action_set.broken(codes), strict=True):
        if bad.any():
            labels = [str(label) for label in row_labels(table)[bad][:3]]
            more = int(bad.sum()) - len(labels)
            rows = ", ".join(labels) + (f" and {more} more" if more > 0 else "")
            raise ValueError(
                f"{int(bad.sum())} of {len(codes)} rows break a constraint as they "
                f"stand (row {rows}): {rule.describe()} See ActionSet.check(X) for all "
                f"of them; correct or leave out such rows"
                f"{f', {way_out},' if way_out else ','} or drop the constraint."
            )


@dataclass(frozen=True)
class _Ask:
    interventions: str
    method: str
    max_points: int | None
    rng: np.random.Generator

    @property
    def most(self) -> int:
        return self.max_points or MOST_POINTS

    @property
    def wanted(self) -> int:
        return self.max_points or SAMPLED_POINTS


_Answer = tuple[Numbers, str, bool, int | None]


def _by_feature(actions: ActionSet, x: Numbers, feature: str, ask: _Ask) -> _Answer:
    part = next(p for p in parts_of(actions) if feature in p.names)
    if not actions.features[feature].actionable:
        return np.zeros((0, len(x))), "grid", True, None
    on_part, how, complete, tried = _on_part(part, _on(actions, part, x), feature, ask)
    changes = np.zeros((len(on_part), len(x)))
    changes[:, [actions.names.index(name) for name in part.names]] = on_part
    return changes, how, complete, tried


def _on_part(part: Part, x: Numbers, feature: str | None, ask: _Ask) -> _Answer:
    """Changes of one part: interventions on a feature, or everything feasible."""
    j = None if feature is None else part.names.index(feature)
    if ask.method in ("auto", "grid"):
        reach = shared_cache.get(part, x[None])[0]
        if isinstance(reach.refused, TooLargeError):
            # One person may have a longer list than each of a crowd.
            reach = make_reaches(part, x[None], most=ask.most)[0]
        changes = reach.changes if j is None else _pick(reach, j, ask)
        refusal = reach.refused
        if refusal is None and len(changes) > ask.most:
            refusal = TooLargeError(part.names, len(changes), ask.most)
        if refusal is None:
            return changes, "grid", True, None
        if ask.method == "grid":
            raise refusal
        if j is not None and ask.interventions == "minimal":
            for how, solver in (("grid", False), ("highs", True)):
                listed = list_minimal(part, x, j, solver=solver)
                if listed is not None and len(listed) <= ask.most:
                    return listed, how, True, None
        few = min(ask.most, MOST_BY_SOLVER)
        try:
            changes, complete = _by_solver(part, x, j, ask.interventions, few)
            if complete:
                return changes, "highs", True, None
        except EnumerationError:
            pass
    if ask.method == "highs":
        most = ask.max_points or MOST_BY_HIGHS
        changes, complete = _by_solver(part, x, j, ask.interventions, most)
        return changes, "highs", complete, None
    if j is not None and ask.interventions == "minimal":
        sample = sample_minimal(part, x, j, ask.wanted, ask.rng)
    else:
        sample = sample_joint(part, x, j, ask.wanted, ask.rng)
    return sample.changes, "sample", False, sample.tried


def _by_solver(
    part: Part, x: Numbers, j: int | None, interventions: str, most: int
) -> tuple[Numbers, bool]:
    search = Search(part, x)
    if j is not None and interventions == "minimal":
        return search.minimal(j, most)
    return search.changes(j, most)


def _pick(reach: Reach, j: int, ask: _Ask) -> Numbers:
    return reach.changes[reach.interventions(j, ask.interventions)]


def _everything(actions: ActionSet, x: Numbers, ask: _Ask) -> _Answer:
    """The product of the parts, listed or drawn."""
    parts = [p for p in parts_of(actions) if p.actionable]
    answers = [_on_part(part, _on(actions, part, x), None, ask) for part in parts]
    sizes = [len(changes) for changes, *_ in answers]
    complete = all(complete for _, _, complete, _ in answers)
    methods = {how for _, how, _, _ in answers}
    how = next((m for m in ("sample", "highs") if m in methods), "grid")
    size = math.prod(sizes)
    tried = [t for *_, t in answers if t is not None]
    if ask.method != "sample" and complete and size <= ask.most:
        picks = list(np.unravel_index(np.arange(size), sizes)) if sizes else []
    elif ask.method in ("grid", "highs"):
        raise TooLargeError(actions.names, size, ask.most)
    else:
        # The current point first; a part of which nothing was found stays put.
        how, complete = "sample", False
        n = ask.wanted
        picks = [ask.rng.integers(max(s, 1), size=n - 1) for s in sizes]
        tried.append(n - 1)
    changes = np.zeros((len(picks[0]) if sizes else 1, len(x)))
    for part, (on_part, *_), pick in zip(parts, answers, picks, strict=True):
        columns = [actions.names.index(name) for name in part.names]
        changes[:, columns] = on_part[pick] if len(on_part) else 0.0
    if how == "sample":
        changes = np.concatenate([np.zeros((1, len(x))), changes])
    return changes, how, complete, sum(tried) if tried else None


def _on(actions: ActionSet, part: Part, x: Numbers) -> Numbers:
    return x[[actions.names.index(name) for name in part.names]]


def _as_container(actions: ActionSet, table: Any, changes: Numbers) -> Any:
    order: NDArray[np.intp] = np.argsort(column_positions(actions, table))
    if not is_frame(table):
        return changes[:, order]
    columns = {str(table.columns[i]): changes[:, k] for i, k in enumerate(order)}
    if isinstance(table, pd.DataFrame):
        return pd.DataFrame(columns)
    return frame_like(table, columns)
