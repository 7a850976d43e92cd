"""A step that passes on some columns, as an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._typing import IndexArray


@dataclass(frozen=True, eq=False)
class TakeColumns:
    """Passes on some columns by position, as a model with drawn features does.

    Attributes
    ----------
    positions : array of shape (n_taken,)
    """

    positions: IndexArray

    def transform(self, table: Any) -> Any:
        """Return the columns of a table, as an array or a sparse matrix."""
        if hasattr(table, "tocsr"):
            return table.tocsr()[:, self.positions]
        return np.asarray(table)[:, self.positions]

    def get_support(self) -> IndexArray:
        """Return the positions, as selectors of scikit-learn do."""
        return self.positions
