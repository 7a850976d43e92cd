"""Calls in other processes, on whatever backend of joblib is active."""

from __future__ import annotations

import hashlib
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs, parallel_config, wrap_non_picklable_objects
from joblib.externals.loky.backend.resource_tracker import ensure_running
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed


def uses_processes(n_jobs: int | None) -> bool:
    """Return whether joblib runs calls in other processes, for calls that fit threads.

    That is where the caller has chosen such a backend with `joblib.parallel_config`.
    """
    backend, _ = get_active_backend(prefer="threads")
    shares_memory = getattr(backend, "supports_sharedmem", False)
    return not shares_memory and effective_n_jobs(n_jobs) > 1


def results_of(
    function: Callable[..., Any],
    arguments: Iterable[Sequence[Any]],
    n_jobs: int | None,
    **options: Any,
) -> Iterator[Any]:
    """Yield the results of a function as they come, in any order.

    A backend that cannot do that yields all of them at the end.

    Parameters
    ----------
    function : callable
        A function of a module.
    arguments : iterable of sequence
        The arguments of each call.
    n_jobs : int or None
    **options
        Further arguments of `joblib.Parallel`.
    """
    calls = (delayed(_call_alone)(function, *given) for given in arguments)
    backend, _ = get_active_backend(**options)
    if not getattr(backend, "supports_return_generator", False):
        yield from Parallel(n_jobs=n_jobs, **options)(calls)
        return
    parallel = Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered",
        pre_dispatch="2*n_jobs",
        **options,
    )
    with workers_without_ctrl_c():
        results = parallel(calls)
    yield from results


@contextmanager
def workers_without_ctrl_c() -> Iterator[None]:
    """Keep Ctrl-C from the processes that start here: this process ends them.

    A terminal sends it to all of them, and each would print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    from multiprocessing import resource_tracker

    # These processes start with the workers, and then the signal would be let through.
    resource_tracker.ensure_running()
    ensure_running()
    # Processes inherit which signals are blocked; here they are late only.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _call_alone(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a worker, where steps of the model start no workers.

    On Dask they would be tasks of the same cluster. The worker may then begin another
    call while it waits for them, and the two wait for each other's locks for ever.
    """
    with parallel_config(backend="sequential"):
        return function(*arguments)


class Sent(NamedTuple):
    """An object that many calls share, to be sent to each process once.

    Pass both fields as arguments of a call: backends send a large array only once.
    loky and multiprocessing write it to a file, Dask scatters it.

    Attributes
    ----------
    digest : str
    pickled : array of uint8
    """

    digest: str
    pickled: NDArray[np.uint8]

    @classmethod
    def of(cls, value: Any) -> Sent:
        """Pickle an object, with functions of any kind in it."""
        content = pickle.dumps(wrap_non_picklable_objects(value, keep_wrapper=False))
        array = np.frombuffer(content, dtype=np.uint8)
        return cls(hashlib.sha256(content).hexdigest(), array)


# The object that this process received last, by its digest.
_received: dict[str, Any] = {}


def received(digest: str, pickled: NDArray[np.uint8]) -> Any:
    """Return an object that was sent; a process unpickles it once."""
    value = _received.get(digest)
    if value is None:
        value = pickle.loads(pickled.data)
        _received.clear()
        _received[digest] = value
    return value
