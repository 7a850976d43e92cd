"""Verdicts of all rows of a call, in parallel; `_verdict_run` decides them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skresp._model import _listed_answers as listed_answers
from skresp._model._row_batch import RowBatch
from skresp._typing import BoolArray
from skresp.reach._deadline import OutOfTimeError
from skresp.scores._row_runs import compute_runs

from ._verdict_arrays import VerdictArrays
from ._verdict_run import verdicts_of
from ._verification_task import VerificationTask
from .engines._base import Engine


def verify(
    task: VerificationTask,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> VerdictArrays:
    """Compute the verdict of every row of a task.

    Parameters
    ----------
    task : VerificationTask
    n_jobs : int, optional
        Number of threads.
    progress : callable, optional
        Called with the number of rows of each run that is done; runs are smaller then.
    """
    n_rows, done = len(task.codes), 0
    out = VerdictArrays.unknown(n_rows, len(task.actions.names))
    try:
        for run, verdict_arrays in compute_runs(
            lambda run: verdicts_of(task, np.arange(run.start, run.stop)),
            n_rows,
            task.rows_per_run,
            deadline=task.budget.deadline,
            n_jobs=n_jobs,
            progress=progress,
            is_fast=task.is_fast,
            memory=(task.batch.seconds_of_rows, "verdicts"),
        ):
            done = run.stop
            if run == slice(0, n_rows):
                out = verdict_arrays
            else:
                out.put_run(run, verdict_arrays)
    except OutOfTimeError:
        out.put_run(slice(done, n_rows), task.undecided(np.arange(done, n_rows)))
    return out


def rows_at_target(
    engine: Engine, batch: RowBatch, n_rows: int
) -> tuple[BoolArray, BoolArray]:
    """Return which rows reach the target unchanged, and which were evaluated in time.

    The engine knows most of them, and the model is asked about the rest.
    """
    answers = None
    if batch.uses_kernels and not batch.deadline.is_limited:
        answers = engine.answers(batch)
    if answers is None:
        return listed_answers.rows_at_target(batch, n_rows)
    listed_answers.settle_rows(batch, answers)
    return answers.astype(bool), np.ones(n_rows, dtype=bool)
