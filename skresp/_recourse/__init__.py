"""Verdicts: whether a denied person has recourse at all, with proof.

`_verdict_run` gives people to an engine and re-checks what it finds. A person is

- `fixed` where nothing can change, or where a search ended, or a bound excludes the
  target, over all feasible changes (`Options.covers_all`, in boxes
  `Finding.is_exhausted`),
- `unknown` where the budget ran out, where not all changes can be compared, or where
  `predict` contradicts what was read from the model.

`_status` has the words, `_budget` the limits.
"""
