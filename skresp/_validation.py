"""Checks of parameter values that several packages share."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer; a bool is not."""
    return isinstance(value, Integral) and is_number(value)


def is_number(value: Any) -> bool:
    """Return whether a value is a real number; a bool or a duration is not."""
    # numpy counts its durations among the integers.
    return isinstance(value, Real) and not isinstance(value, (bool, np.timedelta64))


def check_integer(name: str, value: Any, minimum: int) -> int:
    """Return the value of a parameter as an int.

    Parameters
    ----------
    name : str
        The parameter, as the error message names it.
    value : object
    minimum : int
        The smallest value allowed.

    Raises
    ------
    ValueError
        If the value is not an integer, or is below `minimum`.
    """
    if not is_integer(value) or value < minimum:
        raise ValueError(
            f"{name} must be a whole number of at least {minimum}, got {value!r}."
        )
    return int(value)


def check_number(name: str, value: Any, minimum: float) -> float:
    """Return the value of a parameter as a float.

    Parameters
    ----------
    name : str
        The parameter, as the error message names it.
    value : object
    minimum : float
        The smallest value allowed.

    Raises
    ------
    ValueError
        If the value is not a number, is NaN or is below `minimum`.
    """
    if not is_number(value) or not value >= minimum:
        raise ValueError(
            f"{name} must be a number of at least {minimum:g}, got {value!r}."
        )
    return float(value)


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """Raise ValueError if the value of a parameter is not one of those allowed."""
    listed = list(allowed)
    if value not in listed:
        text = f"{name} must be one of {', '.join(map(repr, listed))}, got {value!r}."
        raise ValueError(f"{text} {did_you_mean(value, listed)}".rstrip())


def check_feature_names(
    parameter: str, names: Iterable[Any], features: Sequence[str]
) -> None:
    """Raise ValueError if a parameter names something that is not a feature."""
    for name in names:
        if name not in features:
            raise ValueError(
                f"{parameter} has {name!r}, which is not a feature. "
                f"{did_you_mean(name, features)}The features are "
                f"{', '.join(features)}."
            )


def did_you_mean(name: Any, names: Sequence[str]) -> str:
    """Return a question with the name that is most like this one; empty if none is.

    >>> did_you_mean("incme", ["age", "income"])
    "Did you mean 'income'? "
    """
    close = difflib.get_close_matches(str(name), list(names), n=1)
    return f"Did you mean {close[0]!r}? " if close else ""


def check_time_limit(time_limit: Any) -> None:
    """Raise ValueError if a time limit is neither None nor a number of seconds."""
    if time_limit is not None and not (is_number(time_limit) and time_limit >= 0):
        raise ValueError(
            f"time_limit must be a number of seconds of at least 0, or None for no "
            f"limit, got {time_limit!r}."
        )


def check_finite(name: str, value: Any, remedy: str = "") -> Any:
    """Return a finite number, as a Python number of its own type.

    Parameters
    ----------
    name : str
        The parameter, as the error message names it.
    value : object
    remedy : str, default=""
        What to do about a number that is not finite.

    Raises
    ------
    TypeError
        If the value is not a number.
    ValueError
        If the number is not finite.
    """
    if not is_number(value):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value!r}. {remedy}".rstrip())
    return to_python(value)


def check_bool(name: str, value: Any) -> bool:
    """Return the value of a parameter as a bool; raise TypeError if it is not one."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{name} must be True or False (true or false in a file), got {value!r}."
        )
    return bool(value)


def to_python(value: Any) -> Any:
    """Return a numpy scalar as the Python value it equals, anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value
