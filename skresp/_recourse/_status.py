"""Statuses of people and proofs of verdicts."""

from __future__ import annotations

from enum import IntEnum
from typing import Self


class _LabelledEnum(IntEnum):
    """Integers that fit into an array, with the texts that users see."""

    label: str

    def __new__(cls, value: int, label: str) -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.label = label
        return member


class Status(_LabelledEnum):
    """What is known about the recourse of a person."""

    APPROVED = 0, "approved"  # at the target already
    SINGLE = 1, "single"  # a change of one feature works
    JOINT = 2, "joint"  # only changes of several features together work
    POSSIBLE = 3, "possible"  # several together work; whether one does is open
    FIXED = 4, "fixed"  # no feasible change works
    UNKNOWN = 5, "unknown"  # no change that works was found, and none ruled out
    INVALID = 6, "invalid"  # the row breaks a rule


class Proof(_LabelledEnum):
    """What a status rests on; for `UNKNOWN`, why nothing is known."""

    NONE = 0, ""
    WITNESS = 1, "witness"
    BOUND = 2, "bound"
    EXHAUSTION = 3, "exhaustion"
    NO_CHANGE = 4, "no feasible change"
    OUT_OF_BUDGET = 5, "out of budget"
    INCOMPLETE = 6, "not all changes can be evaluated"
    CONTRADICTED = 7, "the prediction contradicts the structure read from the model"
    CHEAPEST = 8, "cheapest"
    CHEAPEST_FOUND = 9, "cheapest found"


#: Texts by value.
STATUSES = tuple(status.label for status in Status)
PROOFS = tuple(proof.label for proof in Proof)
