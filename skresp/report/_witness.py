"""Several changes that work together, with numbers people can read."""

from __future__ import annotations

from skresp.actions import decode
from skresp.explain import Explanation, Move, Person
from skresp.recourse import Verdicts


def together(explanation: Explanation, verdicts: Verdicts, row: int) -> list[Move]:
    """Return what a person's witness changes; reals are rounded where it still works.

    What people do comes first, then what follows.
    """
    person = Person(explanation, row)
    before = verdicts.codes[[row]]
    point = decode(
        verdicts.actions, person.table, before, before + verdicts.judged.change[[row]]
    )
    return person.moves(person.readable(person.source.numbers(point)[0]))
