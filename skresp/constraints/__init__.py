"""Rules between features, one file each: meaning (`holds`) and encoding (`encode`)."""

from ._expression import Expression, total
from ._if_then import IfThen
from ._linear import Linear
from ._linkage import Linkage
from ._one_hot import OneHot
from ._ordinal import Ordinal
from ._program import Program, Row, row
from ._reachability import Reachability
from ._switch import Switch
from ._thermometer import Thermometer

__all__ = [
    "Expression",
    "IfThen",
    "Linear",
    "Linkage",
    "OneHot",
    "Ordinal",
    "Program",
    "Reachability",
    "Row",
    "Switch",
    "Thermometer",
    "row",
    "total",
]
