"""The base class of constraints; the constraints are in `skresp.constraints`."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from skresp._text import quote, quote_names
from skresp._typing import BoolArray, FloatArray
from skresp._validation import did_you_mean

from ._feature import Feature


class Constraint(ABC):
    """Base class of constraints between features.

    A subclass is a frozen dataclass that sets `type`, its name in files, and defines
    its meaning (`holds`), its encoding as rows of an integer program (`encode`), the
    kinds of features it accepts (`check_features`) and its text (`describe`).
    Setting `type` makes files with this type readable. The methods that are not
    abstract are optional: `links` for downstream effects, `coded` for labels,
    `possible` and `turning_points` for speed and exact scores. `OneHot` is a short
    example.

    Values are numbers, in columns ordered as `features`. A categorical value is its
    position in the categories of the feature, -1 for a label that is not listed.

    Attributes
    ----------
    type : str
        The name of the constraint in files.
    features : sequence of str
        The features it constrains: a field or a property of the subclass.
    needs_values : bool
        Whether the constraint can be evaluated only if none of its values is
        missing. If one is missing, its other features are kept unchanged.
    """

    type: ClassVar[str]
    features: Any
    needs_values: ClassVar[bool] = True
    types: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "type" in vars(cls):
            Constraint.types[cls.type] = cls

    @property
    def links(self) -> dict[tuple[str, str], float]:
        """Return its downstream effects, a dict of (source, target) to scale."""
        return {}

    @abstractmethod
    def check_features(self, features: Mapping[str, Feature]) -> None:
        """Raise ValueError if a feature is of a kind that it cannot constrain."""

    def coded(self, features: Mapping[str, Feature]) -> Constraint:
        """Return the constraint with category labels replaced by their positions."""
        return self

    @abstractmethod
    def holds(self, before: FloatArray, after: FloatArray) -> BoolArray:
        """Return whether each move from a row of `before` to one of `after` is allowed.

        Parameters
        ----------
        before, after : arrays of shape (n_moves, n_features)

        Returns
        -------
        array of bool of shape (n_moves,)
        """

    def possible(
        self, before: FloatArray, after: FloatArray, bound: Sequence[int]
    ) -> BoolArray:
        """Return whether the constraint can hold if some columns of `after` are open.

        Enumeration uses it to skip partial points early. It may return True too
        often, but never False where some values of the open columns are allowed.

        Parameters
        ----------
        before, after : arrays of shape (n_moves, n_features)
        bound : sequence of int
            The columns of `after` whose values are decided.

        Returns
        -------
        array of bool of shape (n_moves,)
        """
        return np.ones(len(after), dtype=bool)

    def turning_points(
        self, before: FloatArray, rates: FloatArray
    ) -> list[float] | None:
        """Return every t at which `holds` may change along `before + rates * t`.

        Parameters
        ----------
        before, rates : arrays of shape (n_features,)

        Returns
        -------
        list of float, or None if the points are not known
            None is always safe.
        """
        return None if rates.any() else []

    @abstractmethod
    def encode(self, program: Any) -> None:
        """Add rows to a program that are satisfied exactly where `holds` is true.

        Parameters
        ----------
        program : skresp.constraints._program.Program
        """

    @abstractmethod
    def describe(self) -> str:
        """Return the constraint as a sentence."""

    def _describe_for(self, features: Mapping[str, Feature]) -> str:
        """Return a sentence that takes account of the kinds of the features."""
        return self.describe()

    def to_dict(self) -> dict[str, Any]:
        """Return `type` and the fields that are set, as they are written to files."""
        out: dict[str, Any] = {"type": self.type}
        for name in _public_fields(self):
            value = getattr(self, name)
            if value is not None:
                out[name] = _plain(value)
        return out

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Constraint:
        """Return the constraint with these fields; `type` is not among them."""
        known = _public_fields(cls)
        required = [
            field.name
            for field in dataclasses.fields(cls)  # type: ignore[arg-type]
            if field.name in known and field.default is dataclasses.MISSING
        ]
        check_keys(f"A constraint of type {quote(cls.type)}", fields, known, required)
        return cls(**fields)


def check_keys(
    what: str,
    given: Mapping[str, Any],
    known: Sequence[str],
    required: Sequence[str] = (),
) -> None:
    """Raise ValueError if a key is unknown, or a required one is missing."""
    for key in required:
        if key not in given:
            raise ValueError(
                f"{what} requires the key {quote(key)}, got "
                f"{quote_names(given) or 'none'}."
            )
    for key in given:
        if key not in known:
            raise ValueError(
                f"{what} has no key {quote(key)}. {did_you_mean(key, known)}Its keys "
                f"are {', '.join(known)}."
            )


def _public_fields(constraint: Any) -> list[str]:
    names = [field.name for field in dataclasses.fields(constraint)]
    return [name for name in names if not name.startswith("_")]


def _plain(value: Any) -> Any:
    return [_plain(v) for v in value] if isinstance(value, tuple) else value
