"""The rows of a call, divided into runs that are computed in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import TypeVar

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skresp.reach._deadline import PIECE, Deadline

Result = TypeVar("Result")

# Rows of the first runs, where there are to be several. The second one is made only if
# the first one took too little time to tell. And the seconds of a run.
_FIRST = 8, 64
_SHORT, _SECONDS = 0.02, 0.25


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
        start, size = block.start, max_rows
        if deadline.is_limited:
            size = min(size, _shared(block.stop - start, jobs))
        elif progress is not None or jobs > 1:
            # The first rows show how many fill a run.
            shared = max(_shared(block.stop - start, jobs), 1)
            for many in _FIRST:
                if start == block.stop:
                    break
                first = slice(start, min(start + min(many, max_rows), block.stop))
                began = monotonic()
                result = compute(first)
                took, start = monotonic() - began, first.stop
                if progress is not None:
                    progress(first.stop - first.start)
                yield first, result
                if took >= _SHORT or progress is None:
                    break
            enough = int((first.stop - first.start) * _SECONDS / max(took, 1e-6))
            if took < _SHORT and progress is None:
                enough = shared  # dividing rows that take no time only costs time
            size = min(size, max(enough, 1), shared)
        runs = [
            slice(at, min(at + size, block.stop))
            for at in range(start, block.stop, size)
        ]
        if len(runs) <= 1:
            results = (compute(run) for run in runs)
        else:
            results = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
                delayed(compute)(run) for run in runs
            )
        for run, result in zip(runs, results, strict=True):
            if progress is not None:
                progress(run.stop - run.start)
            yield run, result


def _shared(n_rows: int, jobs: int) -> int:
    """Return how many rows each job gets."""
    return -(-n_rows // jobs)
