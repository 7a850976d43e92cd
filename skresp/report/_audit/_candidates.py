"""People who may be shown as examples, chosen by a hash.

It is a hash of their id or of their row, so every division and every order of the rows
shows the same people.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from skresp._typing import IndexArray

from ._block import DENIED, Block

MAX_EXAMPLES = 10


class Candidate(NamedTuple):
    """A person who may be shown.

    Attributes
    ----------
    key : int
        The hash; the smallest come first.
    place : object
        Where to find the row again; decides between equal keys.
    """

    key: int
    place: Any


Candidates = dict[str, list[Candidate]]


def find_candidates(block: Block, denied: IndexArray) -> Candidates:
    """Return the people of each status who come first, by status.

    Parameters
    ----------
    block : Block
    denied : array of int
        The positions of the denied in the block.
    """
    status, keys = block.status[denied], block.keys
    found: Candidates = {}
    for name in DENIED:
        positions = np.flatnonzero(status == name)
        first = positions[np.argsort(keys[positions], kind="stable")[:MAX_EXAMPLES]]
        found[name] = [
            Candidate(int(keys[i]), block.place(int(denied[i]))) for i in first
        ]
    return found


def merge_candidates(first: Candidates, second: Candidates) -> Candidates:
    """Return the people of each status who come first among those of both."""
    return {
        name: sorted([*first[name], *second[name]])[:MAX_EXAMPLES] for name in DENIED
    }


def choose(candidates: Candidates, count: int) -> list[tuple[str, Any]]:
    """Return some people as status and place; the statuses take turns."""
    queues = {name: list(candidates[name]) for name in DENIED}
    chosen: list[tuple[str, Any]] = []
    while len(chosen) < min(count, MAX_EXAMPLES) and any(queues.values()):
        for name, queue in queues.items():
            if queue and len(chosen) < min(count, MAX_EXAMPLES):
                chosen.append((name, queue.pop(0).place))
    return chosen
