"""The rows of a call, divided into runs that are computed in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skresp.reach._deadline import PIECE, Deadline

Result = TypeVar("Result")


def compute_runs(
    compute: Callable[[slice], Result],
    n_rows: int,
    max_rows: int,
    *,
    deadline: Deadline,
    n_jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Iterator[tuple[slice, Result]]:
    """Yield runs of rows in order, each with its result.

    Raises OutOfTimeError at the deadline; what was yielded by then is kept. Results
    must not depend on how rows are divided.

    Parameters
    ----------
    compute : callable
        Returns the result of a run.
    n_rows : int
    max_rows : int
        Maximum number of rows of a run.
    deadline : Deadline
    n_jobs : int, optional
        Number of threads.
    progress : callable, optional
        Called with the number of rows of each run that is done.
    """
    jobs = effective_n_jobs(n_jobs)
    # With a time limit a few rows at a time, so that their results are kept.
    piece = max(PIECE, 0.05 * deadline.limit)
    for block in deadline.slices(n_rows, piece, jobs * max_rows):
        length, size = block.stop - block.start, max_rows
        if progress is not None or jobs > 1:
            # Enough runs for all threads and for the progress bar.
            size = min(size, max(length // 32, 64))
        if deadline.is_limited:
            size = min(size, -(-length // jobs))
        runs = [
            slice(start, min(start + size, block.stop))
            for start in range(block.start, block.stop, size)
        ]
        if len(runs) == 1:
            results = (compute(run) for run in runs)
        else:
            results = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
                delayed(compute)(run) for run in runs
            )
        for run, result in zip(runs, results, strict=True):
            if progress is not None:
                progress(run.stop - run.start)
            yield run, result
