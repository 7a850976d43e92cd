"""The audit of a model: `Findings` to plain values to an HTML page.

To add a section: see `sections/__init__.py`.
"""
