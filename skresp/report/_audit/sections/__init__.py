"""The sections of an audit, one module each.

To add a section `xyz`:

1. `sections/_xyz.py`: a function from `Findings` to plain values. They are also what
   `report.json` has under `xyz`, so they are Python's own types, without NaN. Its
   numbers come from `AuditSums`, which one table and many files have alike; what
   cannot be computed from sums returns `not_available` with the reason,
2. `sections/_registry.py`: a line with its name, heading and function,
3. `skresp/_html/templates/audit/sections/xyz.html`: its layout. The template gets the
   plain values as `s`,
4. its name in the docstring of `AuditReport.from_estimator` and in the help of
   `--sections` (`skresp/_cli/_arguments.py`), in the order of `SECTIONS`,
5. what it needs beyond `Findings`: a sum in `AuditSums`, or a field there, filled in
   by `AuditReport.from_estimator` and `from_files`.
"""
