"""What the kernels of changes share."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from skresp._numba import compiled, compiled_part

from ._ranked_trees import COLUMN, CUT


@compiled_part
def goes_left(rank, link, missing, missing_left, tables):  # type: ignore[no-untyped-def]
    """Return whether a rank goes left at a node.

    `link` is the node's row of `Nodes.links`, `missing_left` its own entry; `missing`
    and `tables` are those of all nodes.
    """
    cut = link[CUT]
    if cut < 0:
        return tables[-1 - cut, rank]
    return rank <= cut or (rank == missing[link[COLUMN]] and missing_left)


@compiled_part
def _rank_of(code, cuts, low, high):  # type: ignore[no-untyped-def]
    """Return the position of a code among the cuts from `low` to `high`."""
    while low < high:
        middle = (low + high) // 2
        if cuts[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def set_ranks(cuts, begin, columns, codes, out):  # type: ignore[no-untyped-def]
    """Set the ranks of codes in some columns of `out`, -1 where a code is missing."""
    for i in range(len(codes)):
        for k in range(len(columns)):
            code = codes[i, columns[k]]
            rank = -1
            if not np.isnan(code):
                rank = _rank_of(code, cuts, begin[k], begin[k + 1]) - begin[k]
            out[i, columns[k]] = rank


@compiled
def ranks_of_codes(cuts, begin, columns, which, codes):  # type: ignore[no-untyped-def]
    """Return how many cuts of its column are less than each code.

    `begin` says where the cuts of each column begin; see `RankedTrees.ranks`. A missing
    value comes after all others.
    """
    out = np.zeros(codes.shape, np.int32)
    for i in range(len(codes)):
        n = 0
        for j in range(codes.shape[1]):
            k, code = columns[which[i], j], codes[i, j]
            if k < 0:
                continue
            rank = begin[k + 1] + 1
            if not np.isnan(code):
                rank = _rank_of(code, cuts, begin[k], begin[k + 1])
            out[i, n] = rank - begin[k]
            n += 1
    return out


@intrinsic
def _count_trailing_zeros(typing_context: Any, mask: Any) -> Any:
    """Return the instruction that counts the zeros below the lowest bit."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


def _lowest_bit_in_python(mask: Any) -> int:
    """Do the same without compilation, for a debugger."""
    return (int(mask) & -int(mask)).bit_length() - 1


#: The position of the lowest bit of a mask that is not 0.
lowest_bit: Any = _count_trailing_zeros
if config.DISABLE_JIT:  # type: ignore[attr-defined]
    lowest_bit = _lowest_bit_in_python
