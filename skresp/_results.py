"""Base of the results that explainers return: Explanation and Verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pandas as pd
from numpy.typing import NDArray

from ._dataframe import as_table, frame_like, is_frame, row_labels, row_position
from ._text import one_line

# Rows in the HTML of a result.
SHOWN_ROWS = 10


class DetachedError(RuntimeError):
    """A result was unpickled, so it cannot compute what requires the model."""


class RowResults:
    """Numbers computed for rows, with a context that computes more on demand.

    A result is not changed after it was made. Pickling keeps its numbers and rows, and
    drops the context, which holds the model: an unpickled result is detached.

    Attributes
    ----------
    data : frame or array
        The rows, as they were given.
    target, threshold : object
        The target, and the minimum probability at which it counts as reached.
    """

    data: Any
    target: Any
    threshold: float | None
    _context: Any

    # The method of an explainer that makes this result.
    _made_by: ClassVar[str]
    # A property that requires the model and that a pickle keeps.
    _pickled_property: ClassVar[str]

    def _attached(self, what: str) -> Any:
        """Return the context; raise DetachedError, naming `what`, if there is none."""
        if self._context is None:
            raise DetachedError(
                f"{what} requires the model, but this {type(self).__name__} is "
                f"detached from its explainer: it was unpickled, and a pickle holds "
                f"the numbers without the model. Load the explainer and call "
                f"explainer.{self._made_by}(X) with the rows in `data`."
            )
        return self._context

    def __getstate__(self) -> dict[str, Any]:
        if self._context is not None:
            getattr(self, self._pickled_property)
        return {**self.__dict__, "_context": None}

    def __copy__(self) -> Any:
        return self  # by default a copy goes through the state of a pickle

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    # -- rows -------------------------------------------------------------------------

    def _position(self, row: Any, label: Any = None) -> int:
        """Return the position of a row given by position or by index label."""
        return row_position(as_table(self.data), row, label)

    def _row(self, row: Any, label: Any = None) -> Any:
        """Return a row as a table."""
        i = self._position(row, label)
        table = as_table(self.data)
        if isinstance(table, pd.DataFrame):
            return table.iloc[[i]]
        return table[i : i + 1]

    def _labels(self) -> NDArray[Any]:
        """Return the labels of the rows."""
        return row_labels(as_table(self.data))

    def _frame(self, columns: Mapping[str, Any]) -> Any:
        """Return columns as a frame of the library and with the index of the data."""
        table = as_table(self.data)
        if is_frame(table) and not isinstance(table, pd.DataFrame):
            return frame_like(table, columns)
        index = table.index if isinstance(table, pd.DataFrame) else None
        return pd.DataFrame(dict(columns), index=index)

    # -- texts ------------------------------------------------------------------------

    def _target_text(self) -> str:
        """Return the target in words."""
        text = f"target {self.target}"
        if self.threshold is not None:
            text += f" with probability at least {self.threshold:g}"
        return text

    def _title(self) -> str:
        """Return the result in one sentence."""
        raise NotImplementedError  # pragma: no cover

    def __repr__(self) -> str:
        return one_line(self._title())
