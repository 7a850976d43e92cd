"""Which single thing could a person change, and how likely is it to work?"""

from . import constraints, reach, scores
from ._version import __version__
from .actions import ActionSet, Feature
from .explain import (
    Explanation,
    LimeExplainer,
    ResponsivenessExplainer,
    ShapExplainer,
)
from .scores import AtLeast, AtMost

__all__ = [
    "ActionSet",
    "AtLeast",
    "AtMost",
    "Explanation",
    "Feature",
    "LimeExplainer",
    "ResponsivenessExplainer",
    "ShapExplainer",
    "__version__",
    "constraints",
    "reach",
    "scores",
]
