"""Mixed-integer programs of one person on one part, independent of the solver."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from skresp._actions._feature import Feature, slack

from ._expression import Expression, total

INF = math.inf

Row = tuple[dict[int, float], float, float]  # weights, lower, upper

# Rounding error of sums and differences of a few numbers, relative to their size.
_ROUNDING = 2e-15
# Tolerance of the solver and of proofs, relative to the range of a row.
_ALLOWED = 1e-10


def row(expression: Expression, lower: float = -INF, upper: float = INF) -> Row:
    """Return the row `lower <= expression <= upper`, in the units of the features."""
    constant = expression.constant
    return dict(expression.terms), lower - constant, upper - constant


class Program:
    """Columns and rows whose solutions are the feasible changes of one person.

    The columns are the own changes of the features. A reached value is an
    expression of them: the current value, the own change and the effects of
    linkages. *Literals* are expressions that are 1 where a statement about the
    reached point is true, and 0 where it is false: `equals`, `at_least`, `at_most`,
    `changed`.

    Literals of discrete features are exact. Rows cannot express strict
    inequalities, so literals of a real feature are closed on both sides. The program
    therefore allows a few points at a boundary that `Constraint.holds` does not
    allow, and never excludes a point that it allows. If the program is infeasible,
    so is the constraint; its solutions are checked again with `holds`.

    Parameters
    ----------
    features : mapping of name to Feature
        The features of the part, in column order.
    effects : mapping of (source, target) to scale
    before : mapping of name to current value
        Codes for categorical features, NaN for missing values.
    order : sequence of names
        The features with every source before its targets.
    """

    def __init__(
        self,
        features: Mapping[str, Feature],
        effects: Mapping[tuple[str, str], float],
        before: Mapping[str, float],
        order: Sequence[str],
    ) -> None:
        self.features = features
        self.before = before
        self.column_lower: list[float] = []
        self.column_upper: list[float] = []
        self.column_integer: list[bool] = []
        # By how much `holds` lets a real column be off at its present value.
        self.column_slack: list[float] = []
        self.rows: list[Row] = []
        # Literals of reals, with an amount and a range: where the literal is 0, the
        # amount is outside the range. Rows cannot express this at its ends.
        self.strict: list[tuple[Expression, Expression, float, float]] = []
        self._own: dict[str, Expression] = {}
        self._change: dict[str, Expression] = {}
        self._levels: dict[str, dict[int, Expression]] = {}
        self._literals: dict[tuple[object, ...], Expression] = {}
        for name in order:
            own = self._add_own(name)
            self._own[name] = own
            arriving = total(
                scale * self._change[source]
                for (source, target), scale in effects.items()
                if target == name
            )
            self._change[name] = own + arriving
            if features[name].kind == "binary" and arriving.terms:
                if not math.isnan(before[name]):
                    self.require(self.reached(name), 0, 1)
        self._require_actionable_change()

    # -- columns ----------------------------------------------------------------

    def column(
        self, lower: float, upper: float, *, integer: bool, slack: float = 0.0
    ) -> Expression:
        """Add a column with finite bounds."""
        if lower == upper:
            return Expression(constant=lower)
        self.column_slack.append(slack)
        self.column_lower.append(lower)
        self.column_upper.append(upper)
        self.column_integer.append(integer)
        return Expression({len(self.column_lower) - 1: 1.0})

    def binary(self) -> Expression:
        """Add a column that is 0 or 1."""
        return self.column(0, 1, integer=True)

    def _add_own(self, name: str) -> Expression:
        feature, value = self.features[name], self.before[name]
        if feature.kind == "categorical":
            return self._add_levels(name)
        low, high = feature.own_limits(value)
        if feature.kind == "integer" and low <= high:
            step = feature.step or 1
            first, last = math.ceil(low / step), math.floor(high / step)
            return step * self._around_zero(first, last, integer=True)
        off = float(slack(np.asarray(value)))
        return self._around_zero(low, high, integer=feature.kind != "real", slack=off)

    def _around_zero(
        self, low: float, high: float, *, integer: bool, slack: float = 0.0
    ) -> Expression:
        """Add a column whose values are 0 and [low, high]."""
        if low > high:
            return Expression()
        if low <= 0 <= high:
            return self.column(low, high, integer=integer, slack=slack)
        moves = self.binary()
        amount = self.column(min(low, 0), max(high, 0), integer=integer, slack=slack)
        self.require(amount - low * moves, lower=0)
        self.require(amount - high * moves, upper=0)
        return amount

    def _add_levels(self, name: str) -> Expression:
        feature, value = self.features[name], self.before[name]
        if math.isnan(value) or not feature.can_change:
            codes: list[int] = []
        else:
            codes = [
                code
                for code in range(len(feature.categories or ()))
                if code != value and bool(feature.allows(value, code - value))
            ]
        levels = {code: self.binary() for code in codes}
        if codes:
            stays = self.binary()
            self.require(total([stays, *levels.values()]), 1, 1)
        else:
            stays = Expression(constant=1.0)
        if not math.isnan(value):
            levels[int(value)] = stays
        self._levels[name] = levels
        return total((code - value) * level for code, level in levels.items())

    def _require_actionable_change(self) -> None:
        """Let a feature that is only mutable change with an actionable one only."""
        actionable = [n for n, f in self.features.items() if f.actionable]
        only_mutable = [
            n for n, f in self.features.items() if f.can_change and not f.actionable
        ]
        if only_mutable:
            acted = total(self._differs(n, self._own[n]) for n in actionable)
            for name in only_mutable:
                self.require(acted - self._differs(name, self._own[name]), lower=0)

    # -- rows -------------------------------------------------------------------

    def bounds(self, expression: Expression) -> tuple[float, float]:
        """Return the smallest and largest value within the bounds of the columns."""
        low = high = expression.constant
        for column, weight in expression.terms.items():
            ends = (
                weight * self.column_lower[column],
                weight * self.column_upper[column],
            )
            low, high = low + min(ends), high + max(ends)
        return low, high

    def require(
        self, expression: Expression, lower: float = -INF, upper: float = INF
    ) -> None:
        """Add the row `lower <= expression <= upper`."""
        self.rows.append(row(expression, lower, upper))

    def require_if(
        self,
        literal: Expression,
        expression: Expression,
        lower: float = -INF,
        upper: float = INF,
    ) -> None:
        """Add the row `lower <= expression <= upper`, required where the literal is 1.

        The big-M follows from the bounds of the columns.
        """
        low, high = self.bounds(expression)
        if lower > low:
            self.require(expression + (low - lower) * literal, lower=low)
        if upper < high:
            self.require(expression + (high - upper) * literal, upper=high)

    def leeway(self, expression: Expression, size: float) -> float:
        """Return by how much to widen the limits of a row of reals.

        `size` is the size of the numbers that the limits are computed from. A row
        without columns gets the tolerance of `holds`. Other rows get the rounding
        error of their limits, and only if the numbers are so large relative to the
        range of the row that the tolerance of the solver does not cover it.
        """
        low, high = self.bounds(expression)
        if low == high:
            return float(slack(np.asarray(size)))
        rounding = _ROUNDING * size
        return rounding if rounding > _ALLOWED * (high - low) else 0.0

    def freeze(self, names: Sequence[str]) -> None:
        """Keep these features unchanged."""
        for name in names:
            self.require(self._change[name], 0, 0)

    # -- expressions for constraints ---------------------------------------------

    def own(self, name: str) -> Expression:
        """Return the own change of a feature."""
        return self._own[name]

    def change(self, name: str) -> Expression:
        """Return the total change of a feature."""
        return self._change[name]

    def reached(self, name: str) -> Expression:
        """Return the value of a feature at the reached point."""
        return self._change[name] + self.before[name]

    def at_least(self, name: str, value: float) -> Expression:
        """Return the literal "the reached value is at least `value`"."""
        amount, before = self._change[name], self.before[name]
        if self.features[name].kind == "real":
            return self._real_at_least(amount, value, before)
        return self._at_least(amount, value - before)

    def at_most(self, name: str, value: float) -> Expression:
        """Return the literal "the reached value is at most `value`"."""
        if self.features[name].kind == "real":
            # Not 1 - `at_least`: both are true at the value itself.
            opposite = -self._change[name]
            return self._real_at_least(opposite, -value, -self.before[name])
        return 1.0 - self.at_least(name, math.floor(value) + 1)

    def equals(self, name: str, value: float) -> Expression:
        """Return the literal "the reached value is `value`"."""
        if self.features[name].kind == "categorical":
            return self._levels[name].get(int(value), Expression())
        amount, before = self._change[name], self.before[name]
        if self.features[name].kind == "real":
            return self._real_equals(amount, value, before)
        return self._equals(amount, value - before)

    def changed(self, name: str) -> Expression:
        """Return the literal "the feature changes"."""
        return self._differs(name, self._change[name])

    def agreement(self, after: Mapping[str, float]) -> Expression:
        """Return the number of features in which the reached point equals `after`.

        A no-good cut requires it to be less than the number of features.
        """
        return total(self.equals(name, value) for name, value in after.items())

    # -- literals of an amount, which is the own or the total change of a feature ---

    def _differs(self, name: str, amount: Expression) -> Expression:
        if self.features[name].kind == "categorical":
            stays = self._levels[name].get(
                int(np.nan_to_num(self.before[name], nan=-2))
            )
            return Expression() if stays is None else 1.0 - stays
        if self.features[name].kind == "real":
            return 1.0 - self._real_equals(amount, 0.0, 0.0)
        return 1.0 - self._equals(amount, 0.0)

    def _equals(self, amount: Expression, value: float) -> Expression:
        if value != round(value):
            return Expression()
        return self._at_least(amount, value) - self._at_least(amount, value + 1)

    def _at_least(self, amount: Expression, value: float) -> Expression:
        gap = _lattice(amount)
        # Round up to the next possible sum of the columns.
        steps = math.ceil(math.ceil(value - 1e-9 - amount.constant) / gap)
        value = amount.constant + gap * steps
        low, high = self.bounds(amount)
        if value <= low or value > high:
            return Expression(constant=float(value <= low))
        if high - low == gap:
            return (amount - low) * (1 / gap)
        literal, is_new = self._literal(">=", amount, value)
        if is_new:
            self.require(amount - (value - low) * literal, lower=low)
            self.require(amount - (high - value + gap) * literal, upper=value - gap)
        return literal

    # For reals `before + amount` is compared with `value`. If `holds` takes the value
    # for an end of the range, so does the literal. It can be 1 at that end and also 0,
    # since `holds` has no tolerance for whole numbers.

    def _real_equals(
        self, amount: Expression, value: float, before: float
    ) -> Expression:
        low, high = self.bounds(amount)
        if low == high:
            same = abs(before + low - value) <= _condition_tolerance(before + low)
            return Expression(constant=float(same))
        wanted, near = value - before, _nearness(value, before)
        if not low - near <= wanted <= high + near:
            return Expression()
        at_end = not low <= wanted <= high
        wanted = min(max(wanted, low), high)
        literal, is_new = self._literal("=~" if at_end else "==", amount, wanted)
        if is_new:
            off = self.leeway(amount, abs(value) + abs(before))
            self.require_if(literal, amount, wanted - off, wanted + off)
            if not at_end:
                self.strict.append((literal, amount, wanted, wanted))
        return literal

    def _real_at_least(
        self, amount: Expression, value: float, before: float
    ) -> Expression:
        low, high = self.bounds(amount)
        if low == high:
            reached = before + low
            return Expression(
                constant=float(reached >= value - _condition_tolerance(reached))
            )
        wanted, near = value - before, _nearness(value, before)
        if wanted <= low or wanted > high + near:
            return Expression(constant=float(wanted <= low))
        at_end = wanted > high or wanted <= low + near
        wanted = min(wanted, high)
        literal, is_new = self._literal(">~" if at_end else ">=", amount, wanted)
        if is_new:
            off = self.leeway(amount, abs(value) + abs(before))
            least = low if wanted <= low + near else max(wanted - off, low)
            most = min(wanted + off, high)
            self.require(amount - (least - low) * literal, lower=low)
            self.require(amount - (high - most) * literal, upper=most)
            if not at_end:
                self.strict.append((literal, amount, wanted, INF))
        return literal

    def _literal(
        self, relation: str, amount: Expression, value: float
    ) -> tuple[Expression, bool]:
        """Return the literal of a statement, and whether it is new."""
        key = relation, tuple(amount.terms.items()), value - amount.constant
        if key in self._literals:
            return self._literals[key], False
        self._literals[key] = self.binary()
        return self._literals[key], True


def _lattice(amount: Expression) -> int:
    """Return the step between values of a sum of integer columns."""
    return math.gcd(*(int(weight) for weight in amount.terms.values())) or 1


def _condition_tolerance(reached: float) -> float:
    """Return the tolerance of `Condition.true` at a reached real value."""
    return 0.0 if reached == round(reached) else float(slack(np.asarray(reached)))


def _nearness(value: float, before: float) -> float:
    """Return the largest distance at which `holds` can take a change for a value."""
    # `holds` computes its tolerance at the reached value, which is off by as much.
    off = float(slack(np.asarray(value))) * (1 + 1e-8)
    return off + _ROUNDING * (abs(value) + abs(before))
