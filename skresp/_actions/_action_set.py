"""Action sets: the features of a table in column order, and their constraints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Any

import numpy as np

from skresp._text import one_line, quote
from skresp._typing import BoolArray, FloatArray
from skresp._validation import check_feature_names, check_mapping

from ._checks import (
    check_constraint,
    check_distinct,
    check_feature,
    check_precision,
)
from ._constraint import Constraint
from ._display import as_html, as_text
from ._encoding import ColumnMasks
from ._feature import Feature
from ._inference import infer_features
from ._problems import problem_frame
from ._serialization import parse_action_set


class ActionSet:
    """The changes that people can make: features, and constraints between them.

    An action set is immutable and hashable. Make a changed copy with `replace` or
    `with_constraints`.

    Parameters
    ----------
    features : mapping of column name to Feature
        The features, in the order of the columns.
    constraints : sequence of constraints, default=()
        See `skresp.constraints`.

    Attributes
    ----------
    names : tuple of str
        The columns, in order.
    actionable : tuple of str
        The features that people can intervene on.
    parts : tuple of tuples of str
        The features connected by constraints, each group in column order.

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
    feature         kind     values    can change
    --------------  -------  --------  ----------
    age             integer  18 to 90  no
    years_employed  integer  0 to 40   up only
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
                f"one entry, got {quote(features)}."
            )
        for name, feature in features.items():
            check_feature(name, feature)
        if isinstance(constraints, Constraint):
            raise TypeError(
                f"constraints must be a list, got one {type(constraints).__name__}. "
                f"Put it in a list."
            )
        if not isinstance(constraints, Iterable):
            raise TypeError(f"constraints must be a list, got {quote(constraints)}.")
        rules = tuple(constraints)
        for rule in rules:
            check_constraint(rule, features)
        check_distinct(rules)
        check_precision(rules, features)
        vars(self)["features"] = MappingProxyType(dict(features))
        vars(self)["constraints"] = rules
        _ = self.effect_order  # raises for a cycle now rather than at first use

    # -- immutable value ----------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"ActionSet is frozen, {quote(name)} cannot be set. Make a changed copy "
            f"with .replace(...)."
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
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    # -- contents -------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the columns, in order."""
        return tuple(self.features)

    @cached_property
    def actionable(self) -> tuple[str, ...]:
        """Return the features that people can intervene on."""
        return tuple(name for name, f in self.features.items() if f.actionable)

    @cached_property
    def constrained(self) -> frozenset[str]:
        """Return the features that are in at least one constraint."""
        return frozenset(name for rule in self.constraints for name in rule.features)

    @cached_property
    def column_masks(self) -> ColumnMasks:
        """Return which columns are read, by kind."""
        features = self.features.items()
        read = np.array([f.can_change or n in self.constrained for n, f in features])
        kinds = np.array([f.kind for _, f in features])
        return ColumnMasks(
            read=read,
            binary=read & (kinds == "binary"),
            integer=read & (kinds == "integer"),
            changeable=np.array([f.can_change for _, f in features]),
            categorical=read & (kinds == "categorical"),
        )

    @cached_property
    def effects(self) -> Mapping[tuple[str, str], float]:
        """Return all downstream effects, as a mapping of (source, target) to scale."""
        out: dict[tuple[str, str], float] = {}
        for rule in self.constraints:
            for link, scale in rule.links.items():
                out[link] = out.get(link, 0) + scale
        return MappingProxyType(out)

    @cached_property
    def effect_order(self) -> tuple[str, ...]:
        """Return the features, every source of an effect before its targets."""
        graph: dict[str, list[str]] = {name: [] for name in self.features}
        for source, target in self.effects:
            graph[target].append(source)
        try:
            return tuple(TopologicalSorter(graph).static_order())
        except CycleError as error:
            cycle = " -> ".join(map(quote, error.args[1]))
            raise ValueError(
                f"The linkages form a cycle, {cycle}, so effects would never end. "
                f"Remove one of them."
            ) from None

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Return the features connected by constraints, each group in column order."""
        parent = {name: name for name in self.features}  # a disjoint-set forest

        def find(name: str) -> str:
            while parent[name] != name:
                parent[name] = parent[parent[name]]
                name = parent[name]
            return name

        for rule in self.constraints:
            first, *rest = rule.features
            for name in rest:
                parent[find(name)] = find(first)
        groups: dict[str, list[str]] = {}
        for name in self.features:
            groups.setdefault(find(name), []).append(name)
        return tuple(map(tuple, groups.values()))

    # -- other action sets ------------------------------------------------------------

    def replace(
        self,
        features: Mapping[str, Feature] | None = None,
        constraints: Iterable[Constraint] | None = None,
    ) -> ActionSet:
        """Return a copy with some features, or all constraints, replaced.

        Parameters
        ----------
        features : mapping of column name to Feature, optional
            The features to replace; the others are kept.
        constraints : sequence of constraints, optional
            The constraints of the copy, instead of the present ones.
        """
        check_mapping("features", features or {}, "from column name to Feature")
        features = dict(features or {})
        check_feature_names("replace", features, self.names)
        return ActionSet(
            {**self.features, **features},
            self.constraints if constraints is None else constraints,
        )

    def with_constraints(self, *constraints: Constraint) -> ActionSet:
        """Return a copy with these constraints added."""
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
        """Infer an action set from data.

        Columns of 0 and 1 become binary features, other whole numbers integer ones,
        strings, categories and objects categorical ones, other numbers real ones. The
        bounds are the smallest and the largest value in the column.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The columns of an array are named x0, x1, ...
        features : mapping of column name to Feature, optional
            Features to use instead of the inferred ones. Bounds and categories that
            they leave out are inferred.
        immutable : list of column names, default=()
            Features that nobody can change.
        constraints : list of constraints, default=()

        Returns
        -------
        ActionSet

        Examples
        --------
        >>> import pandas as pd
        >>> from skresp import ActionSet
        >>> X = pd.DataFrame({"loans": [0, 3], "home": ["own", "rent"], "sex": [0, 1]})
        >>> print(ActionSet.infer(X, immutable=["sex"]))
        ActionSet: 3 features, 2 actionable, 0 constraints
        feature  kind         values           can change
        -------  -----------  ---------------  ------------------------
        loans    integer      0 to 3           up or down
        home     categorical  own, rent        to any value in the list
        sex      binary       0 (no), 1 (yes)  no
        """
        check_mapping("features", features or {}, "from column name to Feature")
        given = dict(features or {})
        for name, feature in given.items():
            if not isinstance(feature, Feature):
                raise TypeError(
                    f"features[{quote(name)}] must be a Feature, got {quote(feature)}."
                )
        return cls(infer_features(X, given, immutable), constraints)

    # -- dicts and files --------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the action set as a dict of lists, dicts, strings and numbers."""
        return {
            "features": {name: f.to_dict() for name, f in self.features.items()},
            "constraints": [rule.to_dict() for rule in self.constraints],
        }

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> ActionSet:
        """Return the action set of a dict such as `to_dict` returns."""
        return cls(*parse_action_set(d))

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write the action set to a file.

        Parameters
        ----------
        path : path
            Its suffix decides the format: .yaml or .yml for YAML, .json for JSON.
        """
        from ._files import write_file  # yaml loads slowly

        write_file(path, self.to_dict())

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> ActionSet:
        """Read an action set from a YAML or JSON file; see `to_file`."""
        from ._files import read_file  # yaml loads slowly

        values = read_file(path)
        try:
            return cls.from_dict(values)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{one_line(os.fspath(path))}: {error}") from None

    # -- checks of data ---------------------------------------------------------------

    def check(self, X: Any) -> Any:
        """Return the problems in a table, one row per problem; empty if none.

        Problems are values that are not of their feature's kind, missing values in
        features that can change, and constraints that a row breaks before any change.
        Values outside the bounds and labels outside the listed categories are no
        problem: they limit changes, not people. `skresp check` on the command line
        counts them by column.

        Parameters
        ----------
        X : frame or array

        Returns
        -------
        frame with the columns `row`, `features`, `values` and `broken`
            Of the library of `X`; pandas for an array.

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
        return problem_frame(self, X)

    def broken(self, codes: FloatArray) -> list[BoolArray]:
        """Return, for each constraint, a mask of the rows that break it.

        `codes` has shape (n_rows, n_features), see `skresp._actions._encoding`. A row
        with a missing value among the features of a constraint does not break it.
        """
        out = []
        position = {name: i for i, name in enumerate(self.names)}
        for rule in self.constraints:
            columns = [position[name] for name in rule.features]
            values = codes[:, columns]
            known = ~np.isnan(values).any(axis=1)
            coded = rule.coded(self.features)
            breaks = np.zeros(len(codes), dtype=bool)
            breaks[known] = ~coded.holds(values[known], values[known])
            out.append(breaks)
        return out
