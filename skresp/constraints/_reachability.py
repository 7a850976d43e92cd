"""Listed combinations of values, and the moves between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._actions._constraint import Constraint
from skresp._actions._feature import Feature
from skresp._text import join_words, quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import to_python

from ._checks import check_kind, check_names, code_of
from ._expression import total


@dataclass(frozen=True)
class Reachability(Constraint):
    """Features take one of several combinations of values, with listed moves.

    Parameters
    ----------
    features : list of str
    values : list of rows
        The combinations: each row has one value for each feature, a label for a
        categorical feature.
    reachable : square matrix of 0 and 1, optional
        `reachable[i][k]` is 1 if row `i` can become row `k`. The diagonal is 1. By
        default every row can become every other.

    Examples
    --------
    >>> from skresp.constraints import Reachability
    >>> r = Reachability(["car", "loan"], [[0, 0], [1, 1]], [[1, 1], [0, 1]])
    >>> r.describe()
    '(car, loan) is one of (0, 0), (1, 1); it can change from (0, 0) to (1, 1).'
    """

    type = "reachability"

    features: Sequence[str]
    values: Sequence[Sequence[Any]]
    reachable: Sequence[Sequence[int]] | None = None

    def __post_init__(self) -> None:
        names = check_names("Reachability", self.features, minimum=1)
        object.__setattr__(self, "features", names)
        given = list(self.values) if np.iterable(self.values) else []
        if not given or any(
            isinstance(row, str) or not np.iterable(row) or len(list(row)) != len(names)
            for row in given
        ):
            raise ValueError(
                f"values of Reachability must be rows of {len(names)} values, one for "
                f"each of {join_words(names)}, got {quote(self.values)}."
            )
        rows = tuple(tuple(map(to_python, row)) for row in given)
        for value in (value for row in rows for value in row):
            if not isinstance(value, (str, int, float)):
                raise TypeError(
                    f"values of Reachability must be numbers and labels, got "
                    f"{quote(value)}."
                )
        if len(set(rows)) < len(rows):
            twice = next(row for row in rows if rows.count(row) > 1)
            raise ValueError(
                f"values of Reachability must be distinct, got {list(twice)} twice. "
                f"Keep one of them."
            )
        object.__setattr__(self, "values", rows)
        if self.reachable is not None:
            self._check_matrix(len(rows))

    def _check_matrix(self, size: int) -> None:
        try:
            matrix = np.asarray(self.reachable)
        except ValueError:  # rows of different lengths
            matrix = np.zeros(0)
        if matrix.shape != (size, size):
            raise ValueError(
                f"reachable of Reachability must be {size} x {size}, one row and one "
                f"column for each row of values, got {quote(self.reachable)}."
            )
        if not np.isin(matrix, (0, 1)).all():
            raise ValueError(
                f"reachable of Reachability must have 0 and 1 only, got "
                f"{matrix.tolist()}."
            )
        zeros = np.flatnonzero(np.diag(matrix) == 0)
        if len(zeros):
            raise ValueError(
                f"reachable of Reachability must have 1 on its diagonal, since not "
                f"changing is always possible, got 0 for {list(self.values[zeros[0]])}."
            )
        rows = tuple(tuple(int(v) for v in row) for row in matrix)
        object.__setattr__(self, "reachable", rows)

    def check_features(self, features: Mapping[str, Feature]) -> None:
        for name in self.features:
            check_kind(
                "Reachability",
                name,
                features,
                ("binary", "integer", "categorical"),
                "Use Linear or IfThen for a real feature.",
            )
        for row in self.values:
            for name, value in zip(self.features, row, strict=True):
                code = code_of("Reachability", name, features[name], value)
                kind = features[name].kind
                if (kind == "binary" and code not in (0, 1)) or code != round(code):
                    raise ValueError(
                        f"Reachability gives the {kind} feature {quote(name)} the "
                        f"value {quote(value)}, which is not {kind}."
                    )

    def coded(self, features: Mapping[str, Feature]) -> Reachability:
        return dataclasses.replace(
            self,
            values=tuple(
                tuple(
                    code_of("Reachability", name, features[name], value)
                    for name, value in zip(self.features, row, strict=True)
                )
                for row in self.values
            ),
        )

    @property
    def _matrix(self) -> BoolArray:
        if self.reachable is None:
            return np.ones((len(self.values), len(self.values)), dtype=bool)
        return np.asarray(self.reachable, dtype=bool)

    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        return self.possible(before, after, range(len(self.features)))

    def possible(
        self, before: FloatArray, after: FloatArray, bound: Sequence[int]
    ) -> BoolArray:
        columns = list(bound)
        table = np.asarray(self.values, dtype=float)
        is_before = (before[:, None, :] == table).all(axis=2)
        can_be_after = (after[:, None, columns] == table[:, columns]).all(axis=2)
        return ((is_before @ self._matrix) & can_be_after).any(axis=1)

    def encode(self, program: Any) -> None:
        before = tuple(program.before[name] for name in self.features)
        reachable = self._matrix[self.values.index(before)]
        chosen = {int(row): program.binary() for row in np.flatnonzero(reachable)}
        program.require(total(chosen.values()), 1, 1)
        for i, name in enumerate(self.features):
            if program.features[name].kind == "categorical":
                codes = {self.values[row][i] for row in chosen}
                for code in codes:
                    hit = total(
                        z for row, z in chosen.items() if self.values[row][i] == code
                    )
                    program.require(program.equals(name, code) - hit, 0, 0)
            else:
                value = total(self.values[row][i] * z for row, z in chosen.items())
                program.require(program.reached(name) - value, 0, 0)

    def describe(self) -> str:
        def show(row: Sequence[Any]) -> str:
            inside = ", ".join(map(str, row))
            return f"({inside})" if len(row) > 1 else inside

        group = show(self.features)
        text = f"{group} is one of {', '.join(map(show, self.values))}"
        if self.reachable is None:
            return f"{text}."
        moves = []
        for i, row in enumerate(self.reachable):
            to = [show(self.values[k]) for k, r in enumerate(row) if r and k != i]
            if to:
                moves.append(f"from {show(self.values[i])} to {join_words(to, 'or')}")
        how = f"can change {'; '.join(moves)}" if moves else "cannot change"
        return f"{text}; it {how}."
