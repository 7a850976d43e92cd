"""The `structure_` of the responsiveness explainer, and its place in the HTML repr."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from skresp._html._render import render
from skresp._model._fitted_model import FittedModel
from skresp._recourse.engines._base import Engine
from skresp.reach._deadline import NEVER, Deadline

from ._structure_summary import StructureSummary, summarize_structure


class StructureMixin:
    """Mixin that adds `structure_` to an explainer."""

    method: str
    interventions: str
    random_effects: Any
    _fitted_model: FittedModel
    _structure: StructureSummary | None

    def _get_engine(self, deadline: Deadline) -> Engine:
        raise NotImplementedError  # pragma: no cover

    @property
    def structure_(self) -> StructureSummary:
        """How the model was read, and what is exact because of it.

        The model is read at the first use.
        """
        check_is_fitted(self, "estimator_")
        if self._structure is None:
            self._structure = summarize_structure(
                self._fitted_model,
                self._get_engine(NEVER),
                method=self.method,
                interventions=self.interventions,
                random_effects=self.random_effects is not None,
            )
        return self._structure

    @property
    def _has_read_model(self) -> bool:
        """Whether `structure_` takes no time."""
        known = getattr(self, "_structure", None) or getattr(self, "_engine", None)
        return known is not None

    def __dir__(self) -> list[str]:
        """Return the attributes that take no time to compute.

        scikit-learn evaluates all of them for its HTML repr.
        """
        names = set(object.__dir__(self))
        if not self._has_read_model:
            names.discard("structure_")
        return sorted(name for name in names if hasattr(self, name))

    def _structure_html(self) -> str:
        """Return one line of HTML on how the model was read; "" if it was not yet."""
        if not self._has_read_model:
            return ""
        return render("reprs/structure.html", structure=self.structure_)

    @property
    def _repr_html_(self) -> Any:
        parent: Any = super()
        diagram = parent._repr_html_  # raises AttributeError if display="text"
        return lambda: diagram() + self._structure_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        parent: Any = super()
        bundle = parent._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._structure_html()
        return dict(bundle)
