"""Read OneVsRestClassifier."""

from __future__ import annotations

from typing import Any

from skresp._model._reading import Reading
from skresp._model._unreadable import UnreadableError

from ._members import ReadMember, check_two_classes


def read_one_vs_rest(
    model: Any, steps: tuple[Any, ...], read_member: ReadMember
) -> Reading:
    """Read a OneVsRestClassifier of two classes: its only member decides."""
    check_two_classes(model)
    if len(model.estimators_) != 1:
        raise UnreadableError("OneVsRestClassifier is read for two classes only.")
    return read_member(model.estimators_[0], steps)
