"""The rules of a decision policy: conditions on columns, and an outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skresp._dataframe import column, real_numbers
from skresp._text import quote, quote_all, quote_names
from skresp._typing import BoolArray, IndexArray
from skresp._validation import check_finite, did_you_mean, is_number, to_python
from skresp.constraints._condition import Condition


class Rule(NamedTuple):
    """Conditions that must all hold, and the label that is predicted then."""

    conditions: tuple[Condition, ...]
    outcome: Any


def parse_rules(given: Any) -> tuple[Rule, ...]:
    """Return the rules of a policy; raise for anything that is not a rule."""
    if isinstance(given, (str, Mapping)) or not np.iterable(given):
        raise TypeError(
            f"rules must be a list of pairs (conditions, outcome), got {quote(given)}."
        )
    return tuple(_parse_rule(i, each) for i, each in enumerate(given))


def _parse_rule(i: int, given: Any) -> Rule:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(
            f"rules[{i}] must be a pair (conditions, outcome), got {quote(given)}."
        )
    conditions, outcome = given
    if isinstance(conditions, (Condition, Mapping)) or _is_triple(conditions):
        conditions = [conditions]
    if isinstance(conditions, str) or not np.iterable(conditions) or not conditions:
        raise TypeError(
            f"The conditions of rules[{i}] must be a list of triples (feature, op, "
            f"value), got {quote(conditions)}."
        )
    parsed = tuple(Condition.of(f"A condition of rules[{i}]", c) for c in conditions)
    for condition in parsed:
        _check_values(i, condition)
    return Rule(parsed, to_python(outcome))


def _is_triple(given: Any) -> bool:
    """Return whether a condition is given where a list of them is expected."""
    return (
        isinstance(given, (tuple, list)) and bool(given) and isinstance(given[0], str)
    )


def _check_values(i: int, condition: Condition) -> None:
    for value in condition.values:
        name = f"The value for {quote(condition.feature)} in rules[{i}]"
        if _is_numeric(value):
            check_finite(name, float(value))
        elif condition.op in ("<=", ">="):
            raise TypeError(
                f"{name} is {quote(value)}, but labels have no order, so "
                f"{quote(condition.op)} requires a number. List labels with 'in'."
            )


def _is_numeric(value: Any) -> bool:
    return is_number(value) or isinstance(value, bool)


def is_about_labels(condition: Condition) -> bool:
    """Return whether a condition compares labels rather than numbers."""
    return not all(map(_is_numeric, condition.values))


def positions_of(rules: Sequence[Rule], names: Sequence[str]) -> dict[str, int]:
    """Return the position of each column that the rules name."""
    position = {name: i for i, name in enumerate(names)}
    for i, rule in enumerate(rules):
        for condition in rule.conditions:
            if condition.feature not in position:
                raise ValueError(
                    f"rules[{i}] has a condition on {quote(condition.feature)}, which "
                    f"is not a column. {did_you_mean(condition.feature, names)}"
                    f"The columns are {quote_names(names)}."
                )
    return position


def outcome_positions(rules: Sequence[Rule], classes: Any) -> list[int]:
    """Return the position of each rule's outcome among the classes."""
    out = []
    for i, rule in enumerate(rules):
        found = [
            k for k, label in enumerate(classes) if to_python(label) == rule.outcome
        ]
        if len(found) != 1:
            known = quote_all(classes)
            raise ValueError(
                f"rules[{i}] has the outcome {quote(rule.outcome)}, which is not among "
                f"the classes of the model. Use one of {known}."
            )
        out.append(found[0])
    return out


def first_matches(
    rules: Sequence[Rule], table: Any, position: Mapping[str, int]
) -> IndexArray:
    """Return for each row the first rule that matches; -1 where none does."""
    found = np.full(table.shape[0], -1, dtype=np.intp)
    known: dict[Condition, BoolArray] = {}
    for i, rule in enumerate(rules):
        match = found < 0
        for condition in rule.conditions:
            if condition not in known:
                values = column(table, position[condition.feature])
                known[condition] = condition_holds(condition, values)
            match &= known[condition]
        found[match] = i
    return found


def condition_holds(condition: Condition, values: pd.Series) -> BoolArray:
    """Return where a condition holds; it does not where the value is missing."""
    missing = values.isna().to_numpy(dtype=bool)
    if is_about_labels(condition):
        if getattr(values.dtype, "kind", "O") in "uif":
            raise ValueError(
                f"A rule compares {quote(condition.feature)}, a column of numbers, "
                f"with {quote(condition.value)}. Use a number."
            )
        equal = values.astype(object).isin(list(condition.values)).to_numpy(dtype=bool)
        return (equal != (condition.op == "!=")) & ~missing
    numbers = real_numbers(values)
    if condition.op in ("<=", ">=") and (np.isnan(numbers) & ~missing).any():
        raise ValueError(
            f"A rule compares {quote(condition.feature)} by {quote(condition.op)}, but "
            f"the column has labels, which have no order. List labels with 'in'."
        )
    return condition.true(numbers) & ~missing
