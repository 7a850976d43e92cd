"""Linear expressions over the columns of a program."""

from __future__ import annotations

from collections.abc import Iterable

from skresp._typing import FloatArray


class Expression:
    """A weighted sum of columns plus a constant.

    Parameters
    ----------
    terms : dict of column to weight, optional
    constant : float, default=0.0
    """

    __slots__ = ("constant", "terms")

    def __init__(
        self, terms: dict[int, float] | None = None, constant: float = 0.0
    ) -> None:
        self.terms = terms or {}
        self.constant = constant

    def __add__(self, other: Expression | float) -> Expression:
        if not isinstance(other, Expression):
            return Expression(self.terms, self.constant + other)
        terms = dict(self.terms)
        for column, weight in other.terms.items():
            total = terms.get(column, 0.0) + weight
            if total:
                terms[column] = total
            else:
                terms.pop(column, None)
        return Expression(terms, self.constant + other.constant)

    __radd__ = __add__

    def __mul__(self, factor: float) -> Expression:
        if not factor:
            return Expression()
        return Expression(
            {column: weight * factor for column, weight in self.terms.items()},
            self.constant * factor,
        )

    __rmul__ = __mul__

    def __neg__(self) -> Expression:
        return self * -1.0

    def __sub__(self, other: Expression | float) -> Expression:
        return self + (-other)

    def __rsub__(self, other: float) -> Expression:
        return -self + other

    def value(self, columns: FloatArray) -> float:
        """Return the value of the expression at these values of the columns."""
        return self.constant + sum(w * columns[c] for c, w in self.terms.items())


def total(expressions: Iterable[Expression]) -> Expression:
    """Return the sum of expressions."""
    out = Expression()
    for expression in expressions:
        out = out + expression
    return out
