"""Libraries of models whose scores are sums of trees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from skresp._model._links import PredictionLink
from skresp._model._reading import ReadGroup, Reading
from skresp._model.steps._transform import transform_rows
from skresp._typing import FloatArray

from ._arrays import Ensemble
from ._category_splits import CategorySplits

#: The trees of a model, and the step before them that splits by labels, if any.
ReadTrees = tuple[Ensemble, CategorySplits | None]


@dataclass(frozen=True, kw_only=True)
class TreeLibrary:
    """A library of tree models, and how they are read.

    Attributes
    ----------
    package : str
        The package of the models; it is not imported.
    readers : dict of str to callable
        By the name of a class. Each takes a model of this class, or of a subclass, and
        returns its trees (`ReadTrees`), or raises UnreadableError.
    own_scores : callable
        Takes a model and its input, and returns the scores that the library computes,
        before any link, of shape (n_rows, n_outputs).
    prediction_link : callable
        Takes a model, and returns how its predictions follow from these scores; None
        where that is not known.
    """

    package: str
    readers: Mapping[str, Callable[[Any], ReadTrees]]
    own_scores: Callable[[Any, Any], FloatArray]
    prediction_link: Callable[[Any], PredictionLink | None]

    @property
    def classes(self) -> Collection[str]:
        """The names of the classes that are read."""
        return self.readers.keys()

    def read(self, model: Any, steps: tuple[Any, ...]) -> Reading:
        """Read a model behind some steps."""
        names = (kind.__name__ for kind in type(model).__mro__)
        reader = self.readers[next(name for name in names if name in self.readers)]
        ensemble, splits = reader(model)
        all_steps = steps if splits is None else (*steps, splits)

        def own_scores(rows: Any) -> FloatArray:
            return self.own_scores(model, transform_rows(steps, rows))

        return Reading(
            (ReadGroup(all_steps, ensemble=ensemble),),
            own_scores,
            self.prediction_link(model),
            "trees",
            ensemble.arithmetic.sums_float32,
        )
