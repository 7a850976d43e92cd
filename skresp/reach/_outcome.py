"""The outcomes of a search for feasible changes."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """Whether a feasible change exists.

    Attributes
    ----------
    FEASIBLE
        There is one.
    INFEASIBLE
        There is none; this is proven.
    UNDECIDED
        The search stopped before it found a change or a proof. This is not a "no".
    """

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNDECIDED = "undecided"
