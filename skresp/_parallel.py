"""Calls in other processes, on whatever backend of joblib is active."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel


def uses_processes(n_jobs: int | None) -> bool:
    """Return whether joblib runs calls in other processes, for calls that fit threads.

    That is where the caller has chosen such a backend with `joblib.parallel_config`.
    """
    backend, _ = get_active_backend(prefer="threads")
    shares_memory = getattr(backend, "supports_sharedmem", False)
    return not shares_memory and effective_n_jobs(n_jobs) > 1


def results_of(calls: Iterable[Any], n_jobs: int | None, **options: Any) -> Iterator:
    """Yield the results of delayed calls as they come, in any order.

    A backend that cannot do that yields all of them at the end.
    """
    backend, _ = get_active_backend(**options)
    streams = getattr(backend, "supports_return_generator", False)
    yield from Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered" if streams else "list",
        pre_dispatch="2*n_jobs",
        **options,
    )(calls)
