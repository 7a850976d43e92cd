"""Verdicts of all rows of a call, in batches and in parallel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skresp._typing import IndexArray
from skresp.reach._deadline import PIECE, OutOfTimeError

from ._decide_verdicts import VerificationTask
from ._verdict_arrays import VerdictArrays


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
        Called with the number of rows of each batch that is done; batches are smaller
        then.
    """
    deadline = task.budget.deadline
    jobs = effective_n_jobs(n_jobs)
    out = [task.run(np.zeros(0, dtype=np.intp))]
    rows = len(task.codes)
    done = 0
    try:
        # With a time limit a few rows at a time: what is decided stays decided.
        piece = max(PIECE, 0.05 * deadline.limit)
        for block in deadline.slices(rows, piece, jobs * task.rows_per_run):
            size = task.rows_per_run
            if progress is not None or jobs > 1:
                # Enough runs for all threads and for the display. Verdicts do not
                # depend on how rows are divided.
                size = min(size, max((block.stop - block.start) // 32, 64))
            if deadline.is_limited:
                size = min(size, -(-(block.stop - block.start) // jobs))
            runs = [
                np.arange(start, min(start + size, block.stop))
                for start in range(block.start, block.stop, size)
            ]
            found = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
                delayed(task.run)(run) for run in runs
            )
            for run, verdict_arrays in zip(runs, found, strict=True):
                out.append(verdict_arrays)
                done += len(run)
                if progress is not None:
                    progress(len(run))
    except OutOfTimeError:
        out.append(task.undecided(np.arange(done, rows)))
    return VerdictArrays.stacked(out)


def best_of(
    task: VerificationTask, rows: IndexArray, n_jobs: int | None = None
) -> VerdictArrays:
    """Search the best point that each row can reach; statuses are not computed."""
    deadline = task.budget.deadline.again()
    budget = replace(task.budget, best_only=True, deadline=deadline)
    task = replace(task, budget=budget, batch=task.batch.until(deadline))
    return verify(task, n_jobs=n_jobs).taken(rows)
