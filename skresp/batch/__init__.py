"""Scores and verdicts of many rows: batch by batch, over files, on any engine.

`BatchScorer` turns a table into a flat table of scores and verdicts. It is an ordinary
function of one table, so Dask, Ray and Spark can run it; `score_files` runs it over
Parquet and CSV files.
"""

from ._score_files import score_files
from ._scorer import BatchScorer

__all__ = ["BatchScorer", "score_files"]
