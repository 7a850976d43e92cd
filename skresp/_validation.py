"""Checks of parameter values that several packages share."""

from __future__ import annotations

import difflib
import heapq
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._text import quote, quote_all, quote_names


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
            f"{name} must be a whole number of at least {minimum}, got {quote(value)}."
        )
    return int(value)


def check_points(value: Any, minimum: int) -> int:
    """Return the value of `max_points`; numbers that no run can reach are all equal."""
    return min(check_integer("max_points", value, minimum), _UNREACHABLE)


# Sums of such numbers still fit 64 bits.
_UNREACHABLE = 2**62


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
            f"{name} must be a number of at least {minimum:g}, got {quote(value)}."
        )
    return float(value)


def check_share(name: str, value: Any) -> float:
    """Return the value of a parameter that must lie strictly between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise ValueError(
            f"{name} must be a number between 0 and 1, both excluded, got "
            f"{quote(value)}."
        )
    return float(value)


def check_n_jobs(n_jobs: Any) -> None:
    """Raise ValueError unless n_jobs is a number of workers, as joblib counts them."""
    if n_jobs is not None and (not is_integer(n_jobs) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be a whole number other than 0 (-1 for all cores) or None, "
            f"got {quote(n_jobs)}."
        )
    if n_jobs is not None and n_jobs > _MOST_JOBS:
        raise ValueError(
            f"n_jobs must be at most {_MOST_JOBS:,}, got {quote(n_jobs)}. Pass -1 for "
            f"as many as there are cores."
        )


# joblib starts as many workers as it is asked for.
_MOST_JOBS = 10_000


def check_verbose(verbose: Any) -> None:
    """Raise ValueError unless verbose is a whole number of at least 0, or a bool."""
    if not isinstance(verbose, (bool, np.bool_)):
        check_integer("verbose", verbose, 0)


def check_seed(random_state: Any) -> None:
    """Raise ValueError if the parameter gives no generator."""
    known = random_state is None or random_state is np.random
    seeds = is_integer(random_state) and 0 <= random_state < 2**32
    if not (known or seeds or isinstance(random_state, np.random.RandomState)):
        raise ValueError(
            f"random_state must be a whole number from 0 to {2**32 - 1}, a numpy "
            f"RandomState or None, got {quote(random_state)}."
        )


def make_generator(random_state: Any) -> np.random.RandomState:
    """Return a generator; raise ValueError if the parameter gives none."""
    check_seed(random_state)
    return check_random_state(random_state)


def check_type(name: str, value: Any, kind: type, remedy: str = "") -> None:
    """Raise TypeError unless the value of a parameter is of a type."""
    if not isinstance(value, kind):
        raise TypeError(
            f"{name} must be of type {kind.__name__}, got {quote(value)}. "
            f"{remedy}".rstrip()
        )


def check_mapping(name: str, value: Any, entries: str) -> None:
    """Raise TypeError unless the value of a parameter is a mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping {entries}, got {quote(value)}.")


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """Raise ValueError if the value of a parameter is not one of those allowed."""
    listed = list(allowed)
    if value not in listed:
        text = f"{name} must be one of {quote_all(listed)}, got {quote(value)}."
        raise ValueError(f"{text} {did_you_mean(value, listed)}".rstrip())


def check_feature_names(
    parameter: str, names: Iterable[Any], features: Collection[str]
) -> None:
    """Raise ValueError if a parameter names something that is not a feature."""
    for name in names:
        if not isinstance(name, str) or name not in features:
            raise ValueError(
                f"{parameter} has {quote(name)}, which is not a feature. "
                f"{did_you_mean(name, features)}The features are "
                f"{quote_names(features)}."
            )


def did_you_mean(name: Any, names: Iterable[Any]) -> str:
    """Return a question with the name that is most like this one; empty if none is.

    >>> did_you_mean("incme", ["age", "income"])
    "Did you mean 'income'? "
    """
    text = str(name)
    if len(text) > _MAX_COMPARED:
        return ""
    known = [n for n in map(str, names) if len(n) <= _MAX_COMPARED]
    close = [n for n in known if n.strip().casefold() == text.strip().casefold()]
    if not close:
        if len(known) > _MAX_COMPARED:
            known = _most_alike(text, known)
        close = difflib.get_close_matches(text, known, n=1)
    return f"Did you mean {quote(close[0])}? " if close else ""


def _most_alike(text: str, names: list[str]) -> list[str]:
    """Return the names that have most of their characters in common with a text."""
    wanted = Counter(text)
    size = len(text)

    def difference(other: str) -> int:
        return size + len(other) - 2 * (wanted & Counter(other)).total()

    near = [n for n in names if abs(len(n) - size) <= max(2, size // 4)]
    return heapq.nsmallest(_MAX_COMPARED, near, key=difference)


# Names, and characters of a name: comparing more takes seconds.
_MAX_COMPARED = 2_000


def check_time_limit(time_limit: Any) -> None:
    """Raise ValueError if a time limit is neither None nor a number of seconds."""
    if time_limit is not None and not (is_number(time_limit) and time_limit >= 0):
        raise ValueError(
            f"time_limit must be a number of seconds of at least 0, or None for no "
            f"limit, got {quote(time_limit)}."
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
        raise TypeError(f"{name} must be a number, got {quote(value)}.")
    if not _is_finite(value):
        raise ValueError(
            f"{name} must be finite, got {quote(value)}. {remedy}".rstrip()
        )
    return to_python(value)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer or a fraction beyond the floats
        return False


def check_encodable(name: str, text: str) -> None:
    """Raise ValueError if a text has halves of characters, which no file can hold."""
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError(
            f"{name} must be texts that can be written to a file, got {text!a:.120}, "
            f"which has half of a character (a surrogate). Correct or remove it."
        )


def check_bool(name: str, value: Any) -> bool:
    """Return the value of a parameter as a bool; raise TypeError if it is not one."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{name} must be True or False (true or false in a file), got "
            f"{quote(value)}."
        )
    return bool(value)


def to_python(value: Any) -> Any:
    """Return a numpy scalar as the Python value it equals, anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value
