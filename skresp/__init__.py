"""Which single thing could a person change, and how likely is it to work?"""

from . import constraints, reach
from ._version import __version__
from .actions import ActionSet, Feature

__all__ = ["ActionSet", "Feature", "__version__", "constraints", "reach"]
