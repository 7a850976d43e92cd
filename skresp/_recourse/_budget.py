"""Limits and aims of a search for verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skresp.reach._deadline import Deadline


@dataclass(frozen=True)
class SearchBudget:
    """How far a search may go, and what it looks for.

    Attributes
    ----------
    max_points : int
        Maximum number of points or partial choices evaluated per person.
    deadline : Deadline
    cost : None, "fewest", mapping or callable
        What makes a witness cheap; None to accept any witness.
    seed : int
    n_features : int
        Number of features in the action set.
    best_only : bool
        Whether to search the best score of every person instead of verdicts.
    any_witness : bool
        Whether it matters only who has a witness, not which one. Who has one is the
        same; `single`, `joint` and `possible` are not told apart.
    """

    max_points: int
    deadline: Deadline
    cost: Any
    seed: int
    n_features: int
    best_only: bool = False
    any_witness: bool = False
