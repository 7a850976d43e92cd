"""The rows of a call, divided into runs that are computed in parallel."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from time import monotonic
from typing import TypeVar

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skresp.reach._deadline import PIECE, Deadline

Result = TypeVar("Result")

# Rows of the first two runs, where there are to be several. They show the time that a
# run takes in any case, and the time of a row.
_FIRST = 4, 16
# Seconds of a run below which dividing rows costs more than it gains; the seconds that
# a run is to take; and how many times as long as what it takes in any case.
_SHORT, _SECONDS, _TIMES = 0.02, 0.25, 10


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
            shared = max(_shared(block.stop - start, jobs), 1)
            times: list[tuple[int, float]] = []
            for many in _FIRST:
                first = slice(start, min(start + min(many, max_rows), block.stop))
                if first.start == first.stop:
                    break
                began = monotonic()
                result = compute(first)
                start = first.stop
                times.append((first.stop - first.start, monotonic() - began))
                if progress is not None:
                    progress(first.stop - first.start)
                yield first, result
                if progress is None and times[0][1] < _SHORT:
                    break
            size = min(size, shared, _enough(times))
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


def _enough(times: list[tuple[int, float]]) -> int:
    """Return how many rows fill a run, from the rows and seconds of the first runs."""
    if len(times) < 2:
        return sys.maxsize
    (few, short), (many, long) = times
    each = max((long - short) / max(many - few, 1), 1e-7)
    fixed = max(short - few * each, 0.0)
    return max(int(max(_SECONDS, _TIMES * fixed) / each), 1)
