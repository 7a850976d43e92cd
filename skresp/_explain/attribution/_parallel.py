"""Work done for one person at a time, in parallel and with a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from skresp._explain._progress import progress_bar
from skresp._typing import IndexArray

# Several runs per worker, so that no worker waits long for the last one.
_RUNS_EACH = 4


def map_people(
    work: Callable[[IndexArray, NDArray[np.int64]], tuple[Any, Any]],
    seeds: NDArray[np.int64],
    n_jobs: int | None,
    verbose: int,
    phase: str,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what `work` returns for all people, in order.

    Parameters
    ----------
    work : callable
        Takes positions of people and their seeds, returns two arrays with a row each.
    seeds : array of shape (n_people,)
    n_jobs : int or None
    verbose : int
    phase : str
        What is shown before the progress bar.
    """
    workers = effective_n_jobs(n_jobs)
    size = 1 if workers == 1 else -(-len(seeds) // (workers * _RUNS_EACH))
    runs = [
        np.arange(start, min(start + size, len(seeds)))
        for start in range(0, len(seeds), size)
    ]
    if workers == 1:
        done: Any = (work(run, seeds[run]) for run in runs)
    else:
        done = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(work)(run, seeds[run]) for run in runs
        )
    parts = []
    with progress_bar(len(seeds), phase, verbose) as progress:
        for run, part in zip(runs, done, strict=True):
            parts.append(part)
            if progress is not None:
                progress(len(run))
    first, second = zip(*parts, strict=True)
    return np.concatenate(first), np.concatenate(second)
