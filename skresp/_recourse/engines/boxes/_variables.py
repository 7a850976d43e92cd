"""The variables of one person, and the rules between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._actions._feature import Feature, snap_to_bounds
from skresp._typing import FloatArray
from skresp.constraints import IfThen, Linear, Linkage, Switch
from skresp.reach._part import Part

from ._model_arrays import View
from ._propagate import SLACK
from ._rules import AT_LEAST, AT_MOST, IN, INTEGER, LABEL, NOT_IN, REAL, Rules

_OPS = {"<=": AT_MOST, ">=": AT_LEAST, "==": IN, "in": IN, "!=": NOT_IN}
# Rounding of effects, relative to the sizes of what is added.
_ROUNDING = 1e-14


def _role_of(feature: Feature) -> int:
    """Return the role of a feature, see `Rules`."""
    return 1 if feature.actionable else 2 if feature.can_change else 0


def _bounds_of(feature: Feature) -> tuple[float, float]:
    """Return the bounds that reached values snap to."""
    snaps = feature.kind == "real" and feature.can_change
    return feature.bounds if snaps else (np.nan, np.nan)


class UnknownValueError(Exception):
    """The score function does not know a value that the person could reach."""


@dataclass
class Variable:
    """Something that a person can change.

    Attributes
    ----------
    part, position : int
        The part, and the position of the feature in it.
    column : int
        The column of the model; -1 where the model does not use it.
    kind : {REAL, INTEGER, LABEL}
    before : float
    step : float
        Own changes of integers are multiples of it.
    own : tuple of float
        The range of own changes apart from 0; empty where the first exceeds the second.
    bounds : tuple of float
        Those of a real, for `snap_to`; NaN for others.
    reached : tuple of float
        The range of reached values.
    role : int
        1 where it is actionable, 2 where it is mutable only, otherwise 0.
    codes : dict of int to float
        For labels, and for numbers that the model takes as labels: the value of the
        feature at each position.
    allowed : set of float or None
        The reached values, where they are listed.
    """

    part: int
    position: int
    column: int
    kind: int
    before: float
    step: float = 1.0
    own: tuple[float, float] = (1.0, 0.0)
    bounds: tuple[float, float] = (np.nan, np.nan)
    reached: tuple[float, float] = (0.0, 0.0)
    role: int = 0
    codes: dict[int, float] | None = None
    allowed: set[float] | None = None

    @property
    def own_with_zero(self) -> tuple[float, float]:
        """The range of own changes, with 0."""
        low, high = self.own
        return (min(low, 0.0), max(high, 0.0)) if low <= high else (0.0, 0.0)


@dataclass
class Variables:
    """Collects variables and rules of a person, part by part.

    Attributes
    ----------
    columns : sequence of Column
        The columns of the model.
    all : list of Variable
    order : list of int
        The variables of parts without a list, sources of effects first.
    links : list of list of (source, scale)
        The effects into each variable.
    rows : list of (weights, lower, upper, slack, least)
        Weighted sums, see `Rules`. A reached value has the number -1 - k.
    conditions : list of (variable, op, values)
    if_then : list of (condition, condition)
    switch : list of (condition, variable)
    lists : list of (variables, array of shape (n_options, n_variables))
        The reached values of parts with a list.
    """

    columns: Any
    all: list[Variable] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    links: list[list[tuple[int, float]]] = field(default_factory=list)
    rows: list[tuple[dict[int, float], float, float, float, float]] = field(
        default_factory=list
    )
    conditions: list[tuple[int, int, list[float]]] = field(default_factory=list)
    if_then: list[tuple[int, int]] = field(default_factory=list)
    switch: list[tuple[int, int]] = field(default_factory=list)
    lists: list[tuple[list[int], FloatArray]] = field(default_factory=list)

    @property
    def of_column(self) -> dict[int, int]:
        """The variable of each column of the model that has one."""
        return {v.column: k for k, v in enumerate(self.all) if v.column >= 0}

    # -- parts -----------------------------------------------------------------------

    def add_list(
        self,
        p: int,
        part: Part,
        x: FloatArray,
        columns: list[int],
        code: Any,
        changes: FloatArray,
    ) -> None:
        """Add a part with a complete list of total changes."""
        moves = [k for k in range(len(x)) if changes[:, k].any()]
        if not moves:
            return
        here, reached = [], []
        for k in moves:
            values = snap_to_bounds(part.features[k], x[k], changes[:, k])
            reached.append(values)
            variable = self._variable(p, part, k, x, columns[k], code)
            variable.reached = float(values.min()), float(values.max())
            variable.allowed = set(values.tolist())
            here.append(self._add(variable))
        self.lists.append((here, np.column_stack(reached)))

    def add_part(
        self, p: int, part: Part, x: FloatArray, columns: list[int], code: Any
    ) -> None:
        """Add a part whose features move within their limits and constraints."""
        known = ~np.isnan(x)
        at: dict[int, int] = {}
        for k in part.order:
            if not known[k]:
                continue
            variable = self._variable(p, part, k, x, columns[k], code)
            at[k] = self._add(variable)
            self.order.append(at[k])
            self.links[at[k]] = [
                (at[source], scale)
                for source, scale in part.links_into[k]
                if source in at
            ]
            self._limit(part, k, at[k])
        for k in part.held(x):
            self.all[at[k]].reached = float(x[k]), float(x[k])
        self._add_effects(at)
        for rule, where in part.rules:
            if known[where].all() or not rule.needs_values:
                self._add_rule(rule, where, at)

    def add_lone(
        self, p: int, part: Part, x: float, column: int, reach: list[float]
    ) -> None:
        """Add a part of one known number without constraints; see `lone_reach`."""
        feature, at = part.features[0], len(self.all)
        kind = REAL if feature.kind == "real" else INTEGER
        low, high, least, most = reach
        variable = Variable(p, 0, column, kind, x, float(feature.step or 1))
        variable.own, variable.reached = (low, high), (least, most)
        variable.bounds, variable.role = _bounds_of(feature), _role_of(feature)
        self.all.append(variable)
        self.order.append(at)
        self.links.append([])
        self.rows.append(({at: -1.0, -1 - at: 1.0}, x, x, _ROUNDING, abs(x)))

    def _add(self, variable: Variable) -> int:
        """Add a variable and return its number."""
        self.all.append(variable)
        self.links.append([])
        return len(self.all) - 1

    def _variable(
        self, p: int, part: Part, k: int, x: FloatArray, column: int, code: Any
    ) -> Variable:
        """Return the variable of a feature; `code` gives the model's code of values."""
        feature = part.features[k]
        kind = {"real": REAL, "categorical": LABEL}.get(feature.kind, INTEGER)
        variable = Variable(p, k, column, kind, float(x[k]))
        variable.step = float(feature.step or 1)
        variable.bounds = _bounds_of(feature)
        variable.role = _role_of(feature)
        labels = None if column < 0 else self.columns[column].labels
        if kind == LABEL:
            codes = np.arange(len(feature.categories or ()), dtype=float)
            ok = feature.allows(x[k], codes - x[k])
            variable.allowed = {float(x[k]), *codes[ok].tolist()}
            variable.own = (
                min(variable.allowed) - x[k],
                max(variable.allowed) - x[k],
            )
            variable.reached = min(variable.allowed), max(variable.allowed)
        else:
            low, high = feature.own_limits(float(x[k]))
            if kind == INTEGER:
                low = np.ceil(low / variable.step) * variable.step
                high = np.floor(high / variable.step) * variable.step
            variable.own = float(low), float(high)
        if labels is not None or kind == LABEL:
            variable.codes = code(part.names[k], feature, float(x[k]))
        return variable

    def _limit(self, part: Part, k: int, at: int) -> None:
        """Compute the interval of reached values from own changes and effects."""
        variable = self.all[at]
        if variable.kind == LABEL:
            return
        low, high = variable.own_with_zero
        size = max(-low, high)
        for source, scale in self.links[at]:
            other = self.all[source]
            ends = [scale * (end - other.before) for end in other.reached]
            low, high = low + min(ends), high + max(ends)
            size += max(map(abs, ends)) + abs(scale * other.before)
        x = variable.before
        slack = _ROUNDING * (size + abs(x)) if self.links[at] else 0.0
        feature = part.features[k]
        # A change to a bound reaches the bound itself, whatever the rounding.
        ends = snap_to_bounds(feature, np.array(x), np.array([low, high])).tolist()
        low, high = ends[0] - slack, ends[1] + slack
        if feature.kind == "binary":
            low, high = max(low, 0.0), min(high, 1.0)
        variable.reached = low, high

    def _add_effects(self, at: dict[int, int]) -> None:
        """Add the rows that tie reached values to own changes."""
        total: dict[int, dict[int, float]] = {}
        for i in at.values():
            mine = {i: 1.0}
            for source, scale in self.links[i]:
                for s, weight in total[source].items():
                    mine[s] = mine.get(s, 0.0) + scale * weight
            total[i] = mine
            x = self.all[i].before
            row = {s: -weight for s, weight in mine.items() if weight}
            row[-1 - i] = 1.0
            self.rows.append((row, x, x, _ROUNDING, abs(x)))

    def _add_rule(self, rule: Any, where: list[int], at: dict[int, int]) -> None:
        """Add a constraint between features that are all known.

        Other constraints than these, and `Switch.force_change`, are left out here. A
        point that breaks one is refused when it is found.
        """
        if isinstance(rule, Linkage):
            self._keep_bounds(rule, where, at)
        elif isinstance(rule, Linear):
            row = {
                -1 - at[k]: float(weight)
                for k, (_, weight) in zip(where, rule.terms, strict=True)
                if weight
            }
            lower = -np.inf if rule.lower is None else rule.lower
            upper = np.inf if rule.upper is None else rule.upper
            if row:
                self.rows.append((row, lower, upper, SLACK, 1.0))
        elif isinstance(rule, IfThen):
            pair = [
                self._condition(at[k], _OPS[c.op], [float(v) for v in c.values])
                for k, c in ((where[0], rule.if_), (where[-1], rule.then))
            ]
            self.if_then.append((pair[0], pair[1]))
        elif isinstance(rule, Switch):
            on = self._condition(at[where[0]], IN, [float(rule.on_value)])
            self.switch += [(on, at[k]) for k in where[1:]]

    def _condition(self, variable: int, op: int, values: list[float]) -> int:
        """Add a condition and return its number."""
        self.conditions.append((variable, op, values))
        return len(self.conditions) - 1

    def _keep_bounds(self, rule: Linkage, where: list[int], at: dict[int, int]) -> None:
        """Keep targets of effects within their bounds, or where they are."""
        if not rule.keep_bounds:
            return
        for k, (low, high) in zip(where[1:], rule._bounds, strict=True):
            if k not in at:
                continue
            variable = self.all[at[k]]
            x, (a, b) = variable.before, variable.reached
            slack = SLACK * max(1.0, abs(a), abs(b)) if variable.kind == REAL else 0.0
            low, high = min(low - slack, x), max(high + slack, x)
            variable.reached = max(a, low), min(b, high)

    # -- arrays ----------------------------------------------------------------------

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Return the ends of own changes, then of reached values, of each variable."""
        ends = [v.own_with_zero for v in self.all] + [v.reached for v in self.all]
        low, high = np.array(ends, dtype=float).reshape(-1, 2).T
        return low, high

    def rules(self, views: list[tuple[int, View]]) -> Rules:
        """Return the rules; `views` are those of variables, by number."""
        n = len(self.all)
        start = np.cumsum([0, *map(len, self.links)])
        flat = [link for links in self.links for link in links]
        entries = [
            [(c if c >= 0 else n - 1 - c, w) for c, w in row.items()]
            for row, *_ in self.rows
        ]
        entries = [sorted(each) for each in entries]
        limits = np.array([row[1:] for row in self.rows], dtype=float).reshape(-1, 4)
        low, high, label_view = self._position_values(views)
        return Rules(
            np.array([v.kind for v in self.all], dtype=np.int8),
            np.array([v.before for v in self.all], dtype=float),
            np.array([v.step for v in self.all], dtype=float),
            np.array([v.own[0] for v in self.all], dtype=float),
            np.array([v.own[1] for v in self.all], dtype=float),
            np.array([v.bounds[0] for v in self.all], dtype=float),
            np.array([v.bounds[1] for v in self.all], dtype=float),
            start.astype(np.int64),
            np.array([source for source, _ in flat], dtype=np.int64),
            np.array([scale for _, scale in flat], dtype=float),
            np.array(self.order, dtype=np.int64),
            np.cumsum([0, *map(len, entries)]).astype(np.int64),
            np.array([c for each in entries for c, _ in each], dtype=np.int64),
            np.array([w for each in entries for _, w in each], dtype=float),
            limits[:, 0].copy(),
            limits[:, 1].copy(),
            limits[:, 2].copy(),
            limits[:, 3].copy(),
            np.array([k for k, _ in views], dtype=np.int64),
            low,
            high,
            label_view,
            np.array([k for k, _, _ in self.conditions], dtype=np.int64),
            np.array([op for _, op, _ in self.conditions], dtype=np.int64),
            np.cumsum([0, *(len(v) for *_, v in self.conditions)]).astype(np.int64),
            np.array([v for *_, some in self.conditions for v in some], dtype=float),
            np.array(self.if_then, dtype=np.int64).reshape(-1, 2),
            np.array(self.switch, dtype=np.int64).reshape(-1, 2),
            *self._list_arrays(),
            np.array([v.part for v in self.all], dtype=np.int64),
            np.array([v.role for v in self.all], dtype=np.int64),
            *self._part_arrays(views),
        )

    def _part_arrays(
        self, views: list[tuple[int, View]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the rules of each part begin, and the order of views."""
        part = np.array([v.part for v in self.all], dtype=np.int64)
        of_rows = [next(iter(row)) for row, *_ in self.rows]
        of_conditions = [k for k, *_ in self.conditions]
        of_views = part[[k for k, _ in views]]
        order = np.argsort(of_views, kind="stable")
        found = [
            part,
            part[[c if c >= 0 else -1 - c for c in of_rows]],
            of_views[order],
            part[[of_conditions[i] for i, _ in self.if_then]],
            part[[k for _, k in self.switch]],
            part[[here[0] for here, _ in self.lists]],
        ]
        parts = np.arange(part.max(initial=-1) + 2)
        start = np.column_stack([np.searchsorted(each, parts) for each in found])
        return start.astype(np.int64), order.astype(np.int64)

    def _list_arrays(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]:
        """Return where the options of lists begin, their variables and values."""
        longest = max((len(here) for here, _ in self.lists), default=1)
        start = np.cumsum([0, *(len(each) for _, each in self.lists)])
        members = np.full((len(self.lists), longest), -1, dtype=np.int64)
        values = np.zeros((start[-1], longest))
        for i, (here, reached) in enumerate(self.lists):
            members[i, : len(here)] = here
            values[start[i] : start[i + 1], : len(here)] = reached
        return start.astype(np.int64), members, values

    def _position_values(
        self, views: list[tuple[int, View]]
    ) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
        """Return the values at positions of views, and the view of each label."""
        most = max([1, *(view.positions for _, view in views)])
        low = np.full((len(views), most), np.nan)
        high = np.full((len(views), most), np.nan)
        label_view = np.full(len(self.all), -1, dtype=np.int64)
        for i, (k, view) in enumerate(views):
            variable = self.all[k]
            if view.edges is None:
                label_view[k] = i
                for position, value in (variable.codes or {}).items():
                    if variable.allowed is None or value in variable.allowed:
                        low[i, position] = high[i, position] = value
            else:
                many = len(view.edges) + 1
                low[i, :many] = [-np.inf, *np.nextafter(view.edges, np.inf)]
                high[i, :many] = [*view.edges, np.inf]
        return low, high, label_view
