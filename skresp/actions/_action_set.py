"""The set of what people can change: features in column order, and constraints."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Any

import numpy as np

from . import _file, _table
from ._codes import column_codes, column_positions
from ._columns import as_table, column, frame_like, row_labels
from ._constraint import Constraint, check_keys
from ._feature import Feature
from ._form import read_feature, read_rule
from ._infer import infer_features


class ActionSet:
    """What people can change, and the rules between features. A frozen value.

    Parameters
    ----------
    features : mapping of column name to Feature
        In the order of the columns.
    constraints : sequence of constraints
        See `skresp.constraints`.

    Examples
    --------
    >>> from skresp import ActionSet, Feature
    >>> from skresp.constraints import Linkage
    >>> actions = ActionSet(
    ...     {
    ...         "age": Feature("integer", 18, 90, actionable=False),
    ...         "years_employed": Feature("integer", 0, 40, direction="increase"),
    ...     },
    ...     [Linkage("years_employed", {"age": 1})],
    ... )
    >>> print(actions)
    ActionSet: 2 features, 1 actionable, 1 constraint
    feature         kind     values  can change
    --------------  -------  ------  ----------
    age             integer  18..90  no
    years_employed  integer  0..40   up only
    Each unit of change in years_employed changes age by 1.
    >>> actions.parts
    (('age', 'years_employed'),)
    """

    features: Mapping[str, Feature]
    constraints: tuple[Constraint, ...]

    def __init__(
        self,
        features: Mapping[str, Feature],
        constraints: Iterable[Constraint] = (),
    ) -> None:
        if not isinstance(features, Mapping) or not features:
            raise TypeError(
                f"features must be a mapping from column name to Feature with at least "
                f"one entry, got {features!r}."
            )
        for name, feature in features.items():
            _check_feature(name, feature)
        if isinstance(constraints, Constraint):
            raise TypeError(
                f"constraints must be a list, got one {type(constraints).__name__}. "
                f"Write [...] around it."
            )
        rules = tuple(constraints)
        for rule in rules:
            _check_constraint(rule, features)
        vars(self)["features"] = MappingProxyType(dict(features))
        vars(self)["constraints"] = rules
        _ = self.effect_order  # a cycle is an error here, not later

    # -- a frozen value -----------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"An ActionSet is frozen; {name!r} cannot be set. Make a new one with "
            f".replace(...)."
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ActionSet):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return ActionSet, (dict(self.features), self.constraints)

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return tuple(self.features.items()), self.constraints

    def __repr__(self) -> str:
        return _table.as_text(self)

    def _repr_html_(self) -> str:
        return _table.as_html(self)

    # -- what it says ---------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.features)

    @cached_property
    def actionable(self) -> tuple[str, ...]:
        """The features that people can intervene on."""
        return tuple(name for name, f in self.features.items() if f.actionable)

    @cached_property
    def constrained(self) -> frozenset[str]:
        """The features that take part in some constraint."""
        return frozenset(name for rule in self.constraints for name in rule.features)

    @cached_property
    def columns_by_kind(self) -> tuple[np.ndarray, ...]:
        """Masks over the columns: those to read, and among them the binary, the
        integer, the changeable and the categorical ones."""
        features = self.features.items()
        read = np.array([f.can_change or n in self.constrained for n, f in features])
        kinds = np.array([f.kind for _, f in features])
        change = np.array([f.can_change for _, f in features])
        return (
            read,
            read & (kinds == "binary"),
            read & (kinds == "integer"),
            read & change,
            read & (kinds == "categorical"),
        )

    @cached_property
    def effects(self) -> Mapping[tuple[str, str], float]:
        """All downstream effects: (source, target) to scale."""
        out: dict[tuple[str, str], float] = {}
        for rule in self.constraints:
            for link, scale in rule.links.items():
                out[link] = out.get(link, 0) + scale
        return MappingProxyType(out)

    @cached_property
    def effect_order(self) -> tuple[str, ...]:
        """The features with every source of an effect before its targets."""
        graph: dict[str, list[str]] = {name: [] for name in self.features}
        for source, target in self.effects:
            graph[target].append(source)
        try:
            return tuple(TopologicalSorter(graph).static_order())
        except CycleError as error:
            # graphlib lists each node before what depends on it
            cycle = " -> ".join(map(repr, error.args[1]))
            raise ValueError(
                f"The linkages form a cycle, {cycle}: a change would never come to "
                f"rest. Remove one of them."
            ) from None

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Groups of features tied by joint constraints, each in column order."""
        leader = {name: name for name in self.features}

        def find(name: str) -> str:
            while leader[name] != name:
                leader[name] = leader[leader[name]]
                name = leader[name]
            return name

        for rule in self.constraints:
            first, *rest = rule.features
            for name in rest:
                leader[find(name)] = find(first)
        groups: dict[str, list[str]] = {}
        for name in self.features:
            groups.setdefault(find(name), []).append(name)
        return tuple(map(tuple, groups.values()))

    # -- making others ---------------------------------------------------------------

    def replace(
        self,
        features: Mapping[str, Feature] | None = None,
        constraints: Iterable[Constraint] | None = None,
    ) -> ActionSet:
        """A copy with some features, or all the constraints, replaced."""
        features = dict(features or {})
        for name in features:
            if name not in self.features:
                raise ValueError(f"replace: {_unknown(name, self.features)}")
        return ActionSet(
            {**self.features, **features},
            self.constraints if constraints is None else constraints,
        )

    def with_constraints(self, *constraints: Constraint) -> ActionSet:
        """A copy with these constraints added."""
        return ActionSet(self.features, (*self.constraints, *constraints))

    @classmethod
    def infer(
        cls,
        X: Any,
        *,
        features: Mapping[str, Feature] | None = None,
        immutable: Iterable[str] = (),
        constraints: Iterable[Constraint] = (),
    ) -> ActionSet:
        """An action set with kinds and bounds from the data.

        Columns of 0 and 1 are binary, whole numbers integer, strings, categories
        and objects categorical, other numbers real; bounds are the least and the
        greatest value seen.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The columns of an array are named x0, x1, ...
        features : mapping of column name to Feature
            Only what differs; bounds and categories left out are filled in.
        immutable : list of column names
            What nobody can change.
        constraints : list of constraints

        Examples
        --------
        >>> import pandas as pd
        >>> from skresp import ActionSet
        >>> X = pd.DataFrame({"loans": [0, 3], "home": ["own", "rent"], "sex": [0, 1]})
        >>> print(ActionSet.infer(X, immutable=["sex"]))
        ActionSet: 3 features, 2 actionable, 0 constraints
        feature  kind         values     can change
        -------  -----------  ---------  ----------
        loans    integer      0..3       yes
        home     categorical  own, rent  yes
        sex      binary       0, 1       no
        """
        given = dict(features or {})
        for name, feature in given.items():
            if not isinstance(feature, Feature):
                raise TypeError(
                    f"features[{name!r}] must be a Feature, got {feature!r}."
                )
        return cls(infer_features(X, given, immutable), constraints)

    # -- the file form ---------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain values: lists, dicts, strings and numbers."""
        return {
            "features": {name: f.to_dict() for name, f in self.features.items()},
            "constraints": [rule.to_dict() for rule in self.constraints],
        }

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> ActionSet:
        """The action set that `to_dict` wrote down."""
        if not isinstance(d, Mapping):
            raise TypeError(
                f"An action set is a mapping with the keys features and constraints, "
                f"got {type(d).__name__}."
            )
        check_keys("An action set", d, ("features", "constraints"))
        given = d.get("features")
        if not isinstance(given, Mapping):
            raise TypeError(
                f"The features of an action set are a mapping from name to its fields, "
                f"got {given!r}."
            )
        features = {name: read_feature(name, value) for name, value in given.items()}
        rules = d.get("constraints") or []
        if not isinstance(rules, list | tuple):
            raise TypeError(
                f"The constraints of an action set are a list, got {rules!r}."
            )
        return cls(features, [read_rule(i, rule) for i, rule in enumerate(rules)])

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write it as YAML or JSON, by the ending."""
        _file.write(path, self.to_dict())

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> ActionSet:
        """Read what `to_file`, or a person, wrote."""
        try:
            return cls.from_dict(_file.read(path))
        except (TypeError, ValueError) as error:
            name = os.fspath(path)
            if str(error).startswith(name):
                raise
            raise type(error)(f"{name}: {error}") from None

    # -- against data -----------------------------------------------------------------

    def check(self, X: Any) -> Any:
        """Return which rows break what: a frame, empty when none does.

        Named are values that are not of their feature's kind, missing values in
        features that can change, and joint constraints that a row breaks as it
        stands. Not named are values outside the bounds and labels outside the listed
        categories, which limit changes and not people; `skresp check` on the command
        line counts them by column.

        Examples
        --------
        >>> import pandas as pd
        >>> from skresp import ActionSet
        >>> from skresp.constraints import OneHot
        >>> X = pd.DataFrame({"own": [1, 1], "rent": [0, 1]}, index=["ann", "bob"])
        >>> actions = ActionSet.infer(X, constraints=[OneHot(["own", "rent"])])
        >>> print(actions.check(X).to_string(index=False))
        row  features values                                broken
        bob own, rent   1, 1 Exactly one of own and rent is on.
        """
        table = as_table(X)
        labels = row_labels(table)
        found: dict[str, list[Any]] = {
            key: [] for key in ("row", "features", "values", "broken")
        }
        codes = np.zeros((len(table), len(self.names)))
        columns = {}
        for i, position in enumerate(column_positions(self, table)):
            name = self.names[i]
            feature, values = self.features[name], column(table, position)
            columns[name] = values
            codes[:, i], wrong = column_codes(feature, values)
            problems = {f"The value is not {_article(feature.kind)}.": wrong}
            if feature.can_change:
                problems["The value is missing, though the feature can change."] = (
                    np.isnan(codes[:, i]) & ~wrong
                )
            for broken, rows in problems.items():
                for row in np.flatnonzero(rows):
                    _note(found, labels[row], [name], [values[row]], broken)
            codes[wrong, i] = np.nan
        for rule, broken_rows in zip(self.constraints, self.broken(codes), strict=True):
            for row in np.flatnonzero(broken_rows):
                shown = [columns[name][row] for name in rule.features]
                _note(found, labels[row], rule.features, shown, rule.describe())
        return frame_like(table, found)

    def broken(self, codes: np.ndarray) -> list[np.ndarray]:
        """For each constraint, the rows (of numbers) that break it as they stand."""
        out = []
        for rule in self.constraints:
            columns = [self.names.index(name) for name in rule.features]
            values = codes[:, columns]
            known = ~np.isnan(values).any(axis=1)
            coded = rule.coded(self.features)
            bad = np.zeros(len(codes), dtype=bool)
            bad[known] = ~coded.holds(values[known], values[known])
            out.append(bad)
        return out


def _check_feature(name: Any, feature: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"Feature names must be strings, got {name!r}.")
    if not isinstance(feature, Feature):
        raise TypeError(f"features[{name!r}] must be a Feature, got {feature!r}.")
    if not feature.can_change:
        return
    if feature.kind in ("integer", "real"):
        for bound in ("lower", "upper"):
            if getattr(feature, bound) is None:
                raise ValueError(
                    f"Feature {name!r} can change but has no {bound} bound. Give it "
                    f"both bounds, take them from data with ActionSet.infer, or pass "
                    f"actionable=False."
                )
    if feature.kind == "categorical" and feature.categories is None:
        raise ValueError(
            f"Feature {name!r} can change but lists no categories. Give it "
            f"categories=[...], take them from data with ActionSet.infer, or pass "
            f"actionable=False."
        )


def _check_constraint(rule: Any, features: Mapping[str, Feature]) -> None:
    if not isinstance(rule, Constraint):
        raise TypeError(
            f"constraints must hold constraints from skresp.constraints, got {rule!r}."
        )
    for name in rule.features:
        if name not in features:
            raise ValueError(f"{type(rule).__name__}: {_unknown(name, features)}")
    rule.check_features(features)


def _unknown(name: str, features: Mapping[str, Feature]) -> str:
    close = difflib.get_close_matches(str(name), list(features), n=1)
    hint = f"Did you mean {close[0]!r}?" if close else "Check the spelling."
    return f"there is no feature {name!r} in the action set. {hint}"


def _note(
    found: dict[str, list[Any]],
    row: Any,
    features: Iterable[str],
    values: Iterable[Any],
    broken: str,
) -> None:
    found["row"].append(row)
    found["features"].append(", ".join(features))
    found["values"].append(", ".join(map(str, values)))
    found["broken"].append(broken)


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
