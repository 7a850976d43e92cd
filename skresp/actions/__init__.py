"""What a person can change: one feature, the set of them, its file form."""

from ._action_set import ActionSet
from ._codes import (
    check_columns,
    code_of,
    column_codes,
    column_positions,
    decode,
    encode,
    values_of,
)
from ._columns import (
    as_row,
    as_table,
    column,
    column_names,
    frame_like,
    is_frame,
    is_polars,
    kept,
    number_matrix,
    polars_frame,
    real_numbers,
    row_labels,
    row_position,
    spread,
    with_values,
)
from ._constraint import Constraint, Truth, Values, check_keys
from ._feature import DIRECTIONS, Feature, format_number, landed, slack
from ._unusual import Unusual, unusual_values

__all__ = [
    "DIRECTIONS",
    "ActionSet",
    "Constraint",
    "Feature",
    "Truth",
    "Unusual",
    "Values",
    "as_row",
    "as_table",
    "check_columns",
    "check_keys",
    "code_of",
    "column",
    "column_codes",
    "column_names",
    "column_positions",
    "decode",
    "encode",
    "format_number",
    "frame_like",
    "is_frame",
    "is_polars",
    "kept",
    "landed",
    "number_matrix",
    "polars_frame",
    "real_numbers",
    "row_labels",
    "row_position",
    "slack",
    "spread",
    "unusual_values",
    "values_of",
    "with_values",
]
