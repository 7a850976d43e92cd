"""The rows of a call in blocks, which bound memory and travel to other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import NDArray

from skresp._parallel import Sent, received, results_of, uses_processes

# Rows in memory as codes and as points, at a time.
ROWS_AT_ONCE = 65_536
# Rows that travel together, and how many blocks each process gets at least.
_SENT_ROWS, _BLOCKS_PER_JOB = 16_384, 4

#: Takes an object that all blocks share, the rows of a block, `n_jobs`, `progress`.
Compute = Callable[[Any, Any, int | None, Callable[[int], object] | None], Any]


def compute_blocks(
    compute: Compute,
    shared: Any,
    rows: Any,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
    at_once: bool = False,
) -> Iterator[tuple[slice, Any]]:
    """Yield blocks of rows with their results.

    Blocks are computed one after the other, each in threads. Where the caller has
    chosen a backend of joblib with processes, they are computed there, in any order.

    Parameters
    ----------
    compute : callable
        A function of a module. Its results must not depend on how rows are divided.
    shared : object
        What all blocks need besides their rows; sent to each process once.
    rows : table
    n_jobs : int, optional
    progress : callable, optional
        Called with the number of rows that were done.
    at_once : bool, default=False
        Whether all rows are one block in this process, as a time limit requires.
    """
    n = len(rows)
    if at_once or n <= 1:
        yield slice(0, n), compute(shared, rows, n_jobs, progress)
    elif not uses_processes(n_jobs):
        for block in blocks_of(n):
            yield block, compute(shared, rows_of(rows, block), n_jobs, progress)
    else:
        size = -(-n // (_BLOCKS_PER_JOB * effective_n_jobs(n_jobs)))
        sent = Sent.of((compute, shared))
        calls = (
            (block, rows_of(rows, block), *sent)
            for block in blocks_of(n, min(size, _SENT_ROWS))
        )
        done = results_of(_compute_there, calls, n_jobs, prefer="threads")
        for block, result in done:
            if progress is not None:
                progress(block.stop - block.start)
            yield block, result


def blocks_of(n_rows: int, size: int = ROWS_AT_ONCE) -> Iterator[slice]:
    """Yield blocks of at most that many rows."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


def rows_of(table: Any, block: slice) -> Any:
    """Return the rows of a block, without copying them."""
    if block == slice(0, len(table)):
        return table
    return table.iloc[block] if isinstance(table, pd.DataFrame) else table[block]


def _compute_there(
    block: slice, rows: Any, digest: str, pickled: NDArray[np.uint8]
) -> tuple[slice, Any]:
    """Compute a block in another process."""
    compute, shared = received(digest, pickled)
    return block, compute(shared, rows, 1, None)
