"""Constraints between features; each file has a meaning (`holds`) and an encoding.

To add a constraint `Xyz`:

1. `constraints/_xyz.py`: a frozen dataclass that extends `Constraint` (in
   `skresp/_actions/_constraint.py`, since action sets consist of constraints),
2. its name in this file,
3. `tests/constraints/examples.py`: an example, and `tests/oracle.py`: its definition in
   plain Python. The tests compare meaning, encoding and definition.

Scores and verdicts need no more. Verdicts over reals are proved more often for
constraints that the search over boxes knows: `Linear`, `Linkage`, `IfThen` and `Switch`
(`skresp/_recourse/engines/boxes/_variables.py`).
"""

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
