"""Several changes that work together, with short numbers."""

from __future__ import annotations

from skresp._explain._checked_moves import Move, Person
from skresp._explain._explanation import Explanation
from skresp._recourse._verdicts import Verdicts


def together(explanation: Explanation, verdicts: Verdicts, row: int) -> list[Move]:
    """Return the moves of a person's witness, with short numbers where they still work.

    What the person does comes first, then what follows from it.
    """
    person = Person(explanation, row)
    witness = person.context.all_codes(verdicts._witness_of(row))[0]
    return person.moves(person.readable(witness))
