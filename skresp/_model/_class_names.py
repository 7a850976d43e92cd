"""The class of a model by name, so that no library is imported for it."""

from __future__ import annotations

from typing import Any


def class_names(model: Any) -> set[str]:
    """Return the names of the class of a model and of its base classes."""
    return {kind.__name__ for kind in type(model).__mro__}


def is_sklearn(model: Any, *names: str) -> bool:
    """Return whether a model is an instance of one of these classes of scikit-learn."""
    return any(
        kind.__name__ in names and package_of(kind) == "sklearn"
        for kind in type(model).__mro__
    )


def package_of(kind: type) -> str:
    """Return the top-level package of a class."""
    return kind.__module__.split(".")[0]
