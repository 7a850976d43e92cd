"""Verdicts of all rows of a call, in parallel; `_verification_task` decides them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from skresp._typing import IndexArray
from skresp.reach._deadline import OutOfTimeError
from skresp.scores._row_runs import compute_runs

from ._verdict_arrays import VerdictArrays
from ._verification_task import VerificationTask


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
    out = [task.undecided(np.zeros(0, dtype=np.intp))]
    try:
        for run, verdict_arrays in compute_runs(
            lambda run: task.run(np.arange(run.start, run.stop)),
            n_rows,
            task.rows_per_run,
            deadline=task.budget.deadline,
            n_jobs=n_jobs,
            progress=progress,
            is_even=task.is_even,
        ):
            out.append(verdict_arrays)
            done = run.stop
    except OutOfTimeError:
        out.append(task.undecided(np.arange(done, n_rows)))
    return VerdictArrays.stacked(out)


def best_of(
    task: VerificationTask, rows: IndexArray, n_jobs: int | None = None
) -> VerdictArrays:
    """Search the best point that each row can reach; statuses are not computed."""
    deadline = task.budget.deadline.again()
    budget = replace(task.budget, best_only=True, deadline=deadline)
    task = replace(task, budget=budget, batch=task.batch.until(deadline))
    return verify(task, n_jobs=n_jobs).taken(rows)
