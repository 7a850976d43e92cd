"""Constraints between features; each file has a meaning (`holds`) and an encoding."""

from skresp._actions._constraint import Constraint

from ._if_then import IfThen
from ._linear import Linear
from ._linkage import Linkage
from ._one_hot import OneHot
from ._ordinal import Ordinal
from ._reachability import Reachability
from ._switch import Switch
from ._thermometer import Thermometer

__all__ = [
    "Constraint",
    "IfThen",
    "Linear",
    "Linkage",
    "OneHot",
    "Ordinal",
    "Reachability",
    "Switch",
    "Thermometer",
]
