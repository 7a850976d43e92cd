"""Options of values of parts, kept from call to call.

A list of all feasible changes depends on the part and its value only, so do the costs
of the changes, and what a model makes of them. They are made once for each value, and
serve all people and all models that come later.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from skresp._typing import BoolArray, FloatArray, IndexArray

from ._cache import shared_cache
from ._errors import TooManyTogetherError
from ._options import Options, joined_options, listed_options
from ._part import Part
from ._value_options import ValueOptions

# Maximum number of options in one table; other values are listed again in each call.
MAX_OPTIONS = 20_000
# Maximum number of tables; the least recently used are dropped first.
_MAX_TABLES = 256


@dataclass(frozen=True, eq=False)
class OptionTable:
    """The listed options of some values of a part.

    Attributes
    ----------
    options : Options
        Of all values; `which` is of nobody, and no value has a row. All changes of a
        valid value are listed, and no change but staying put of an invalid one.
    position : dict of bytes to int
        The position of each value.
    costs : dict of int to array of shape (n_options,)
        The default costs of the options, by the number of features of all parts; see
        `table_costs`.
    """

    options: Options
    position: dict[bytes, int]
    costs: dict[int, FloatArray] = field(default_factory=dict)

    @cached_property
    def feasible(self) -> BoolArray:
        """Which options satisfy the constraints, by the constraints' own meaning."""
        part, changes = self.options.part, self.options.changes
        return part.feasible(self.options.before, part.own(changes))

    def find(self, values: FloatArray) -> IndexArray | None:
        """Return the positions of values; None if there is one that is not here."""
        if len(values) > len(self.position):
            return None
        try:
            found = [self.position[row.tobytes()] for row in values + 0.0]
        except KeyError:
            return None
        return np.array(found, dtype=np.intp)

    def extended(self, values: FloatArray, entries: list[ValueOptions]) -> OptionTable:
        """Return the table with more values."""
        before, part = self.options, self.options.part
        added = joined_options(part, values, entries)
        joined = Options(
            part,
            np.concatenate([before.values, values]),
            np.full(len(before.values) + len(values), -1, dtype=np.intp),
            before.which,
            np.concatenate([before.offsets[:-1], before.offsets[-1] + added.offsets]),
            np.concatenate([before.changes, added.changes]),
            np.concatenate([before.single, added.single]),
            np.concatenate([before.covers_all, added.covers_all]),
            np.concatenate([before.listed, added.listed]),
            np.concatenate([before.inward, added.inward]),
            np.concatenate([before.points, added.points]),
            np.concatenate([before.spent, added.spent]),
        )
        keys = (row.tobytes() for row in values + 0.0)
        at = range(len(before.values), len(joined.values))
        return OptionTable(
            joined,
            self.position | dict(zip(keys, at, strict=True)),
        )


class OptionTables:
    """The tables of this process, by part and kind of interventions."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove all tables."""
        self._tables: OrderedDict[tuple[Part, str], OptionTable] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self, part: Part, interventions: str, values: FloatArray
    ) -> tuple[OptionTable, IndexArray] | None:
        """Return a table that has these distinct values, and their positions in it.

        None where they are too many, or the changes of one cannot be listed.
        """
        key = part, interventions
        table = self._tables.get(key)
        if table is None:
            if not _is_listed(part):
                return None
            table = _empty(part)
        found = table.find(values)
        if found is not None:
            return table, found
        with self._lock:
            # Another thread may have added some of them.
            table = _with_values(self._tables.get(key, table), interventions, values)
            if table is None:
                return None
            self._tables[key] = table
            self._tables.move_to_end(key)
            while len(self._tables) > _MAX_TABLES:
                self._tables.popitem(last=False)
        found = table.find(values)
        assert found is not None
        return table, found


def _is_listed(part: Part) -> bool:
    """Return whether the values of a part are numbers whose changes may be listed.

    Labels that are not listed share a code, but not what the model makes of them.
    """
    return not any(
        f.kind == "categorical" or (f.kind == "real" and f.can_change)
        for f in part.features
    )


def _empty(part: Part) -> OptionTable:
    """Return a table without values."""
    nothing = np.zeros((0, len(part.names)))
    return OptionTable(joined_options(part, nothing, []), {})


def _with_values(
    table: OptionTable, interventions: str, values: FloatArray
) -> OptionTable | None:
    """Return a table with more values; None where it cannot have them."""
    if len(values) + len(table.options.changes) > MAX_OPTIONS:
        return None
    part = table.options.part
    new = np.array([row.tobytes() not in table.position for row in values + 0.0])
    if np.isnan(values[new]).any():
        return None
    try:
        reaches = shared_cache.get(part, values[new])
    except TooManyTogetherError:
        return None
    total = len(table.options.changes) + sum(len(reach.changes) for reach in reaches)
    if total > MAX_OPTIONS or any(reach.refused is not None for reach in reaches):
        return None
    entries = [listed_options(part, reach, interventions) for reach in reaches]
    return table.extended(values[new], entries)


#: The tables of this process, shared by all explainers and scorers.
shared_tables = OptionTables()
