"""Work that goes person by person, shared out and shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from ._progress import Progress

# Runs that each worker gets, so that none waits long for the last.
_RUNS_EACH = 4


def person_by_person(
    work: Callable[[NDArray[np.intp], NDArray[np.int64]], tuple[Any, Any]],
    seeds: NDArray[np.int64],
    n_jobs: int | None,
    verbose: int,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """What `work` returns for positions and their seeds, put together in order."""
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
    progress = Progress(len(seeds), "explain", verbose)
    parts = []
    for run, part in zip(runs, done, strict=True):
        parts.append(part)
        progress(len(run))
    first, second = zip(*parts, strict=True)
    return np.concatenate(first), np.concatenate(second)
