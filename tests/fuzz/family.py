"""What the checks need to know of a kind of model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Family:
    """A kind of model.

    `read` says that its structure is known, so that verdicts are never open on
    discrete features; `lines` that scores along one real are exact; `lattice` that its
    decision changes on the lattice only; `policy` that random rules decide before it;
    `peak` that the target lies between the ends of ranges; `smooth` that the margin is
    smooth along reals; `rounding` that rounding may decide, so that scores along reals
    may be drawn; `constant` that some columns are made constant in a class; `positive`
    that the predicted numbers are; `picky` that the model raises for some numbers.
    `encoder` is a name in `steps.ENCODERS`, "native" or
    "woe".
    """

    make: Any
    read: bool = True
    lines: bool = True
    lattice: bool = True
    classes: int = 2
    number: bool = False
    encoder: str = "dense"
    missing: bool = False
    threshold: bool = False
    policy: bool = False
    peak: bool = False
    smooth: bool = False
    rounding: bool = False
    constant: bool = False
    positive: bool = False
    picky: bool = False


#: Packages that some families need, beside those that the tests need.
PACKAGES = {
    "CatBoost": "catboost",
    "EBM": "interpret",
    "peak EBM": "interpret",
    "weight of evidence": "category_encoders",
    "oversampled": "imblearn",
}
