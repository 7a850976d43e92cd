"""The audit of a model: rows to sums to plain values to an HTML page.

Rows in memory (`AuditedTable`) and scored files (`ScoredRows`) come as blocks, whose
sums (`AuditSums`) are added. The sections turn `Findings` into plain values.

To add a section: see `sections/__init__.py`.
"""
