"""Whether a model may have been fitted again since it was read."""

from __future__ import annotations

from typing import Any

from ._unwrap import unwrap

CHANGED = (
    "The model's predictions differ from what was read of it when it was first "
    "explained. If it was fitted again or changed since, fit the explainer again."
)
_NOTHING = object()


class FitState:
    """The attributes of a model, and of the estimators inside it, at one moment.

    Every `fit` sets some of them to other objects. Changes inside an object, as in an
    array of coefficients, are not seen. A state that was pickled does not hold.

    Parameters
    ----------
    model : estimator
    """

    _attributes: list[tuple[Any, dict[str, Any]]] | None

    def __init__(self, model: Any) -> None:
        parts = unwrap(model)
        self._attributes = [
            (each, dict(vars(each)))
            for each in (*parts.models, *parts.steps)
            if hasattr(each, "__dict__")
        ]

    def holds(self) -> bool:
        """Return whether all attributes are the objects that they were."""
        return self._attributes is not None and all(
            vars(each).get(name, _NOTHING) is value
            for each, attributes in self._attributes
            for name, value in attributes.items()
        )

    def __getstate__(self) -> dict[str, Any]:
        return {"_attributes": None}
