"""The fitted model: target, input format, queries, decision and score function.

`FittedModel` is what others use, with `RowBatch` for the rows of a call. How a model is
read, in order:

1. `_unwrap` takes pipelines and wrappers apart,
2. `_families` finds the reader: `trees/`, `_linear`, `composites/`, ...,
3. `steps/` turns thresholds and terms of transformed columns into those of raw ones,
4. `_read_score_function` compares the result with the model on synthetic rows.

`_score_function` has the result, `_decision` says when its scores reach the target,
`lines/` follows them along lines, `_change_scorer` computes them for many changes.
"""
