"""The way to come to verdicts about a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skresp.actions import ActionSet
from skresp.reach import NEVER, Deadline, Part, allow, parts_of
from skresp.scores import Door, Goal, LinearAlong, TreesAlong, along_of

from ._additive import Additive
from ._forest import Forest
from ._found import Ask, Found
from ._options import MOST_LISTED, MOST_LISTED_UNTOLD, Options
from ._product import Product

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Truth = NDArray[np.bool_]


class Engine(Protocol):
    """A way to come to verdicts about one kind of model."""

    @property
    def told(self) -> bool:
        """Whether a few places stand for a whole line."""

    @property
    def fineness(self) -> int:
        """Into how many pieces a line may be cut."""

    def cutter(self, door: Door, part: Part, codes: Numbers) -> Any:
        """Where along lines of a part the model may change its mind."""

    def examine(
        self,
        door: Door,
        options: Sequence[Options],
        costs: Sequence[Numbers],
        rows: Places,
        denied: Truth,
        ask: Ask,
    ) -> Found:
        """The verdicts of a run of people."""


def engine_of(
    goal: Goal, actions: ActionSet, rows: Any, deadline: Deadline = NEVER
) -> tuple[Engine, int]:
    """The engine for a model, and how many changes of a lone integer it has listed.

    `rows` are rows in the model's dress, many and mixed, on which is checked what is
    known of the model. Raises OutOfTimeError where reading the model takes too long.
    """
    with allow(deadline):
        for most in (MOST_LISTED, MOST_LISTED_UNTOLD):
            along = along_of(goal, rows, _moving(actions, most))
            if isinstance(along, TreesAlong) and along.decision is not None:
                return Forest.of(along), most
            if isinstance(along, LinearAlong):
                return Additive.of(along), most
    return Product(), MOST_LISTED_UNTOLD


def _moving(actions: ActionSet, most: int) -> set[str]:
    """The features that move along lines, with those that follow them."""
    tied = {
        name for part in parts_of(actions) if part.constraints for name in part.names
    }
    moving = set()
    for name in actions.effect_order:
        f = actions.features[name]
        long = f.kind == "real"
        if f.kind == "integer" and f.can_change and name not in tied:
            long = (f.bounds[1] - f.bounds[0]) / (f.step or 1) > most
        if f.can_change and long:
            moving.add(name)
        if any(t == name and s in moving for s, t in actions.effects):
            moving.add(name)
    return moving
