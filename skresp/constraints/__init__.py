"""Constraints between features; each file has a meaning (`holds`) and an encoding.

To add a constraint `Xyz`:

1. `constraints/_xyz.py`: a frozen dataclass that extends `Constraint` (in
   `skresp/_actions/_constraint.py`, since action sets consist of constraints),
2. if it can be said: `possible`, so that enumeration skips what cannot become feasible,
   and `turning_points`, without which scores of reals that it constrains are sampled,
3. its name in this file, in `tests/test_public_names.py` and in the README,
4. `tests/constraints/examples.py`: an example, `tests/oracle.py`: its definition in
   plain Python, and `tests/strategies.py` and `tests/fuzz/world.py`: random ones. The
   tests compare meaning, encoding and definition.

Verdicts over reals are proved more often for
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
