"""Which single thing could a person change, and how likely is it to work?"""

from . import constraints, reach, scores
from ._actions._action_set import ActionSet
from ._actions._feature import Feature
from ._explain._explanation import Explanation
from ._explain._responsiveness import ResponsivenessExplainer
from ._explain.attribution._lime import LimeExplainer
from ._explain.attribution._shap import ShapExplainer
from ._model._decision_policy import DecisionPolicy
from ._model._target import AtLeast, AtMost
from ._show_versions import show_versions
from ._version import __version__

__all__ = [
    "ActionSet",
    "AtLeast",
    "AtMost",
    "DecisionPolicy",
    "Explanation",
    "Feature",
    "LimeExplainer",
    "ResponsivenessExplainer",
    "ShapExplainer",
    "__version__",
    "constraints",
    "reach",
    "scores",
    "show_versions",
]
