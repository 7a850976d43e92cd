"""Work done for one person at a time, in parallel and with a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from skresp._explain._progress import progress_bar
from skresp._parallel import workers_without_ctrl_c
from skresp._typing import FloatArray, IndexArray

# The number of runs for each worker; with several, no worker waits long at the end.
_RUNS_EACH = 4


def map_people(
    attribute: Callable[[int, int], tuple[FloatArray, float]],
    seeds: NDArray[np.int64],
    n_jobs: int | None,
    verbose: int,
    phase: str,
) -> tuple[FloatArray, FloatArray]:
    """Return the contributions and base values of all people, in order.

    Parameters
    ----------
    attribute : callable
        Takes the position of a person and a seed, and returns the contributions of the
        columns, and the base value.
    seeds : array of shape (n_people,)
    n_jobs : int or None
    verbose : int
    phase : str
        What is shown before the progress bar.
    """
    workers = max(min(effective_n_jobs(n_jobs), len(seeds)), 1)
    size = 1 if workers == 1 else -(-len(seeds) // (workers * _RUNS_EACH))
    runs = [
        np.arange(start, min(start + size, len(seeds)))
        for start in range(0, len(seeds), size)
    ]
    if workers == 1:
        done: Any = (_attribute_run(attribute, run, seeds) for run in runs)
    else:
        backend, _ = get_active_backend()
        streams = getattr(backend, "supports_return_generator", False)
        calls = (delayed(_attribute_run)(attribute, run, seeds) for run in runs)
        parallel = Parallel(
            n_jobs=workers, return_as="generator" if streams else "list"
        )
        with workers_without_ctrl_c() if streams else nullcontext():
            done = parallel(calls)
    parts = []
    with progress_bar(len(seeds), phase, verbose) as progress:
        for run, part in zip(runs, done, strict=True):
            parts += part
            if progress is not None:
                progress(len(run))
    values, base = zip(*parts, strict=True)
    return np.array(values, dtype=float), np.array(base)


def _attribute_run(
    attribute: Callable[[int, int], tuple[FloatArray, float]],
    run: IndexArray,
    seeds: NDArray[np.int64],
) -> list[tuple[FloatArray, float]]:
    """Return the results of some people."""
    return [attribute(i, int(seeds[i])) for i in run.tolist()]
