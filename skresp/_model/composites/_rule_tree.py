"""The rules of a decision policy as a tree, and the columns that it splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from skresp._actions._feature import slack
from skresp._dataframe import column, real_numbers
from skresp._model._float_search import last_floats
from skresp._model._policy_rules import Rule, condition_holds, is_about_labels
from skresp._model._unreadable import UnreadableError
from skresp._model.trees._arrays import Tree
from skresp._text import quote
from skresp._typing import FloatArray, IndexArray
from skresp.constraints._condition import Condition

_MAX_NODES = 20_000
# Whole numbers within the tolerance of a value that are looked at.
_MAX_WHOLE = 8


@dataclass(frozen=True, eq=False)
class RuleColumns:
    """A step that makes the columns which the tree of some rules splits.

    First the numbers that the rules compare. Then one column for each condition on
    labels: 0 where it holds, else 1.

    Attributes
    ----------
    numbers : tuple of int
        The positions of columns of numbers in the input.
    labels : tuple of (int, Condition)
        The conditions on labels, with the positions of their columns.
    """

    numbers: tuple[int, ...]
    labels: tuple[tuple[int, Condition], ...]

    @classmethod
    def of(cls, rules: Sequence[Rule], position: Mapping[str, int]) -> RuleColumns:
        """Return the columns that rules need."""
        conditions = dict.fromkeys(c for rule in rules for c in rule.conditions)
        numbers = [position[c.feature] for c in conditions if not is_about_labels(c)]
        labels = [(position[c.feature], c) for c in conditions if is_about_labels(c)]
        return cls(tuple(dict.fromkeys(numbers)), tuple(labels))

    def transform(self, table: Any) -> FloatArray:
        """Return the columns for rows of the input."""
        made = [real_numbers(column(table, i)) for i in self.numbers]
        for i, condition in self.labels:
            holds = condition_holds(condition, column(table, i))
            made.append(np.where(holds, 0.0, 1.0))
        return np.column_stack(made)

    def get_support(self) -> IndexArray:
        """Return the column of the input that each column comes from."""
        return np.array([*self.numbers, *(i for i, _ in self.labels)], dtype=np.intp)


class Piece(NamedTuple):
    """Numbers from `first` to `last` for which a condition holds, or does not."""

    first: float
    last: float
    holds: bool


def pieces_of(condition: Condition) -> list[Piece]:
    """Return the pieces of a condition on numbers, in ascending order.

    Fractions are compared with a tolerance and whole numbers without one, so a piece
    may end next to a whole number.
    """
    found: list[Piece] = []
    start = -np.inf
    for point in [*_special_points(condition), np.inf]:
        before = float(np.nextafter(point, -np.inf))
        if np.isinf(start):
            first = _holds(condition, before)
            found.append(Piece(start, before, first))
        elif start <= before:
            found += _one_border(condition, start, before)
        if np.isfinite(point):
            found.append(Piece(point, point, _holds(condition, point)))
            start = float(np.nextafter(point, np.inf))
    found[-1] = found[-1]._replace(last=np.inf)
    return _joined(found)


def _special_points(condition: Condition) -> list[float]:
    """Return points between which a condition changes at most once."""
    values = sorted({float(v) for v in condition.values})
    points = set(values)
    points |= {(a + b) / 2 for a, b in pairwise(values)}
    for value in values:
        width = 2.0 * float(slack(np.array([value]))[0])
        low, high = value - width, value + width
        whole = np.arange(np.ceil(low), np.floor(high) + 1) if width < 4 else ()
        if width >= 4 or len(whole) > _MAX_WHOLE:
            raise UnreadableError(
                f"A rule compares {quote(condition.feature)} with {value:g}, and "
                f"numbers of this size are compared with a tolerance that is too large "
                f"to be read; use a larger unit."
            )
        points |= {low, high, *map(float, whole)}
    return sorted(points)


def _one_border(condition: Condition, first: float, last: float) -> list[Piece]:
    """Return the pieces of a range in which a condition changes at most once."""
    at_first, at_last = _holds(condition, first), _holds(condition, last)
    if at_first == at_last:
        return [Piece(first, last, at_first)]
    border = last_floats(
        lambda x: condition.true(x) == at_first, np.array([first]), np.array([last])
    )[0]
    after = float(np.nextafter(border, np.inf))
    return [Piece(first, float(border), at_first), Piece(after, last, at_last)]


def _holds(condition: Condition, number: float) -> bool:
    return bool(condition.true(np.array([number]))[0])


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Return pieces with neighbours joined that are alike."""
    out = pieces[:1]
    for piece in pieces[1:]:
        if piece.holds == out[-1].holds:
            out[-1] = out[-1]._replace(last=piece.last)
        else:
            out.append(piece)
    return out


@dataclass(frozen=True)
class _Known:
    """What the nodes above say of a row.

    Attributes
    ----------
    ranges : dict of int to (low, high, missing)
        For columns of numbers, where they lie, and whether they may be missing.
    labels : dict of int to bool
        Which conditions on labels hold.
    """

    ranges: Mapping[int, tuple[float, float, bool]]
    labels: Mapping[int, bool]


class RuleTree:
    """Builds the tree of some rules, whose leaves are outcomes.

    Parameters
    ----------
    rules : sequence of Rule
    outcomes : sequence of int
        The class of each rule's outcome.
    columns : RuleColumns
    position : mapping of name to position of a column in the input
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        outcomes: Sequence[int],
        columns: RuleColumns,
        position: Mapping[str, int],
    ) -> None:
        self.rules, self.outcomes = rules, outcomes
        self.number_at = {position: k for k, position in enumerate(columns.numbers)}
        start = len(columns.numbers)
        self.label_at = {c: start + k for k, (_, c) in enumerate(columns.labels)}
        self.position = position
        self.pieces = {
            c: pieces_of(c)
            for rule in rules
            for c in rule.conditions
            if not is_about_labels(c)
        }
        self.nodes: list[list[Any]] = []
        self.leaf: list[int] = []
        self._next_rule(0, _Known({}, {}))

    def tree(self, values: FloatArray) -> Tree:
        """Return the tree; `values` are the leaves of each class, of no rule the last.

        They have the shape (n_classes + 1, n_outputs).
        """
        column_, threshold, left, right, missing = zip(*self.nodes, strict=True)
        return Tree(
            np.array(column_),
            np.array(threshold, dtype=float),
            np.array(left),
            np.array(right),
            np.array(missing, dtype=bool),
            values[np.array(self.leaf)],
        )

    def _add(self, leaf: int = -1) -> int:
        if len(self.nodes) >= _MAX_NODES:
            raise UnreadableError(
                "DecisionPolicy has too many rules to be read as one tree; join rules "
                "with the same outcome by 'in'."
            )
        self.nodes.append([-1, 0.0, -1, -1, False])
        self.leaf.append(leaf)
        return len(self.nodes) - 1

    def _next_rule(self, r: int, known: _Known) -> int:
        """Add the nodes of the rules from `r` on, and return the first."""
        if r == len(self.rules):
            return self._add()
        return self._condition(r, 0, known)

    def _condition(self, r: int, c: int, known: _Known) -> int:
        """Add the nodes of rule `r` from its condition `c` on, and return the first."""
        if c == len(self.rules[r].conditions):
            return self._add(self.outcomes[r])
        condition = self.rules[r].conditions[c]
        if condition in self.label_at:
            return self._label(r, c, self.label_at[condition], known)
        return self._number(r, c, condition, known)

    def _branch(self, r: int, c: int, holds: bool, known: _Known) -> int:
        return (
            self._condition(r, c + 1, known) if holds else self._next_rule(r + 1, known)
        )

    def _label(self, r: int, c: int, k: int, known: _Known) -> int:
        """Add the node of a condition on labels."""
        if k in known.labels:
            return self._branch(r, c, known.labels[k], known)
        node = self._add()
        left, right = (
            self._branch(r, c, holds, replace(known, labels={**known.labels, k: holds}))
            for holds in (True, False)
        )
        self.nodes[node] = [k, 0.5, left, right, False]
        return node

    def _number(self, r: int, c: int, condition: Condition, known: _Known) -> int:
        """Add the nodes of a condition on numbers: one piece after the other."""
        k = self.number_at[self.position[condition.feature]]
        low, high, missing = known.ranges.get(k, (-np.inf, np.inf, True))
        pieces = self.pieces[condition]
        live = [p for p in pieces if p.first <= high and p.last >= low]
        if not any(p.holds for p in live):
            return self._next_rule(r + 1, known)
        if not missing:
            pieces = live
        if len(pieces) == 1:
            return self._condition(r, c + 1, known)
        # A missing value goes to the first piece where the condition does not hold.
        taken = next((i for i, p in enumerate(pieces) if not p.holds), -1)
        if not missing:
            taken = -1

        def child(i: int) -> int:
            first, last = max(pieces[i].first, low), min(pieces[i].last, high)
            if first > last and i != taken:
                return self._add()  # no row gets there
            ranges = {**known.ranges, k: (first, last, i == taken)}
            return self._branch(r, c, pieces[i].holds, replace(known, ranges=ranges))

        first_node = node = self._add()
        for i in range(len(pieces) - 1):
            left = child(i)
            is_last = i == len(pieces) - 2
            right = child(i + 1) if is_last else self._add()
            self.nodes[node] = [k, pieces[i].last, left, right, i == taken]
            node = right
        return first_node
