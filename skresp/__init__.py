"""Which single thing could a person change, and how likely is it to work?"""

from ._version import __version__

TYPE_CHECKING = False  # the name that type checkers know, without importing typing
if TYPE_CHECKING:
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
else:
    # Imported at the first use, so that `skresp --help` is fast and Ctrl-C is quiet
    # while libraries are imported.
    _MODULES = {
        "ActionSet": "_actions._action_set",
        "AtLeast": "_model._target",
        "AtMost": "_model._target",
        "DecisionPolicy": "_model._decision_policy",
        "Explanation": "_explain._explanation",
        "Feature": "_actions._feature",
        "LimeExplainer": "_explain.attribution._lime",
        "ResponsivenessExplainer": "_explain._responsiveness",
        "ShapExplainer": "_explain.attribution._shap",
        "show_versions": "_show_versions",
    }
    _PACKAGES = ("constraints", "reach", "scores")

    def __getattr__(name):
        from importlib import import_module

        if name in _PACKAGES:
            return import_module(f".{name}", __name__)
        if name not in _MODULES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        found = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = found
        return found

    def __dir__():
        return __all__.copy()


del TYPE_CHECKING

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
