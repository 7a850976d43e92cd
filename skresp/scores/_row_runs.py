"""The rows of a call, divided into runs that are computed in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic, thread_time
from typing import Generic, TypeVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skresp.reach._deadline import PIECE, Deadline

Result = TypeVar("Result")

# Rows of the first run, where the time of a row is not known.
_FIRST = 4
# Seconds of this run below which rows are fast, and rows of each job from which on it
# is left out where all rows take the same time: both are divided by the jobs only.
_SHORT, _MANY = 0.02, 500
# Seconds that each job is to take at least where the time of a row is known: threads
# take some milliseconds. Other processes may hold a run up, so waiting counts a part.
_WORTHWHILE, _WAITING = 0.15, 0.25
# The seconds that a run of slow rows is to take, with a progress bar and without, and
# how many times as long as the shortest one, which shows what a run takes in any case.
_SHOWN, _SECONDS, _TIMES = 0.5, 2.0, 10

# More threads than that start slowly, and no machine has use for them.
_MOST_THREADS = 256


def compute_runs(
    compute: Callable[[slice], Result],
    n_rows: int,
    max_rows: int,
    *,
    deadline: Deadline,
    n_jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
    is_even: bool = False,
    is_fast: bool = False,
    memory: tuple[dict[str, float], str] | None = None,
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
    is_even : bool
        Whether all rows take about the same time.
    is_fast : bool
        Whether that is known to be a short time, so that threads may take more than
        they save.
    memory : dict and str, optional
        Where the seconds of work of a row are kept from call to call, and under which
        key. A call that finds them needs no first run. Results do not depend on it.
    """
    known, kind = memory or ({}, "")
    jobs = max(min(effective_n_jobs(n_jobs), n_rows, _MOST_THREADS), 1)
    seconds = _SECONDS if progress is None else _SHOWN
    # With a time limit a few rows at a time, so that their results are kept.
    piece = max(PIECE, 0.05 * deadline.limit)
    seconds_of_row = known.get(kind)
    is_fast &= progress is None
    for block in deadline.slices(n_rows, piece, jobs * max_rows):
        start, pace = block.start, _Pace(compute, max_rows, seconds)
        if seconds_of_row is not None and progress is None:
            pace.set_rows(seconds_of_row)
        is_even &= not is_fast and block.stop - start >= _MANY * jobs
        is_known = jobs == 1 or is_even or seconds_of_row is not None
        if not deadline.is_limited and (progress is not None or not is_known):
            first = min(_MANY if is_fast else _FIRST, max_rows)
            start = min(start + first, block.stop)
            yield pace.timed(slice(block.start, start))
            if progress is not None:
                progress(start - block.start)
            elif is_fast:
                seconds_of_row = pace.work / pace.done
            if progress is None and (is_fast or pace.shortest < _SHORT):
                pace = _Pace(compute, max_rows, seconds)
        if seconds_of_row is not None and progress is None:
            jobs = _worthwhile(seconds_of_row * (block.stop - start), jobs)
        runs = _divided(start, block.stop, jobs, pace)
        work = pace.timed if pace.shortest < np.inf else pace.computed
        if jobs == 1 or start == block.stop:
            results = map(work, runs)
        else:
            # A run is made when a job is free, because its length depends on the time
            # of those before.
            results = Parallel(
                n_jobs=jobs,
                require="sharedmem",
                return_as="generator",
                pre_dispatch="n_jobs",
            )(delayed(work)(run) for run in runs)
        for run, result in results:
            if progress is not None:
                progress(run.stop - run.start)
            yield run, result
        if block.stop - start >= _MANY:
            known[kind] = pace.work / max(pace.done, 1)


def _worthwhile(seconds: float, jobs: int) -> int:
    """Return how many jobs some seconds of work are to be divided by."""
    return max(min(jobs, int(seconds / _WORTHWHILE)), 1)


def _divided(start: int, stop: int, jobs: int, pace: _Pace[Result]) -> Iterator[slice]:
    """Yield runs of rows, of equal lengths while the pace stays the same."""
    done = 0
    while start < stop:
        left = max(-(-(stop - start) // pace.rows), jobs - done)
        end = start + -(-(stop - start) // left)
        yield slice(start, end)
        start, done = end, done + 1


class _Pace(Generic[Result]):
    """How many rows a run has: `max_rows`, or fewer once runs were timed.

    Parameters
    ----------
    compute : callable
    max_rows : int
    seconds : float
        How long a run is to take.

    Attributes
    ----------
    rows : int
    shortest : float
        Seconds of the shortest run that was timed; infinite if none was.
    work : float
        Seconds of work of all runs.
    done : int
        Their rows.
    """

    def __init__(
        self, compute: Callable[[slice], Result], max_rows: int, seconds: float
    ) -> None:
        self.compute, self.max_rows, self.seconds = compute, max_rows, seconds
        self.rows, self.shortest = max_rows, np.inf
        self.work, self.done = 0.0, 0

    def computed(self, run: slice) -> tuple[slice, Result]:
        """Return a run with its result."""
        began, started = monotonic(), thread_time()
        result = self.compute(run)
        took = monotonic() - began
        self.work += max(thread_time() - started, _WAITING * took)
        self.done += run.stop - run.start
        return run, result

    def timed(self, run: slice) -> tuple[slice, Result]:
        """Return a run with its result, and set the number of rows by its time."""
        began = monotonic()
        result = self.computed(run)
        took = max(monotonic() - began, 1e-6)
        self.shortest = min(self.shortest, took)
        self.set_rows(took / (run.stop - run.start), _TIMES * self.shortest)
        return result

    def set_rows(self, seconds_of_row: float, least: float = 0.0) -> None:
        """Set the number of rows, given what one takes and what a run is to take."""
        rows = max(self.seconds, least) / max(seconds_of_row, 1e-9)
        self.rows = min(max(int(rows), 1), self.max_rows)
