"""Find the entries of objects in UBJSON, see `_ubjson.py`."""

from __future__ import annotations

import numpy as np

from skresp._numba import compiled, compiled_part

_TEXT, _TYPE, _COUNT = b"S$#"
_OBJECT, _OBJECT_END, _ARRAY, _ARRAY_END = b"{}[]"
_TRUE, _FALSE, _NULL = b"TFZ"
_MAX_DEPTH = 64
# What a value is inside of, other than an array with so many values left.
_IN_OBJECT, _IN_OPEN_ARRAY = -2, -1


@compiled_part
def _size(data, at, widths):  # type: ignore[no-untyped-def]
    """Return the number at a position, of bytes or values, and where it ends.

    The number is -1 where there is none, or where the data have no room for as many.
    """
    end = at + 1 + (widths[data[at]] if at < len(data) else 0)
    if end == at + 1 or end > len(data):
        return -1, end
    size = np.int64(0)
    for k in range(at + 1, end):
        size = size << 8 | np.int64(data[k])
    return size if 0 <= size <= len(data) - end else -1, end


@compiled_part
def _position(data, at, size, names, ends):  # type: ignore[no-untyped-def]
    """Return which of some names is at a position; -1 for none."""
    start = 0
    for n in range(len(ends)):
        same = ends[n] - start == size
        for k in range(size if same else 0):
            if data[at + k] != names[start + k]:
                same = False
                break
        if same:
            return n
        start = ends[n]
    return -1


@compiled
def find_entries(data, at, names, ends, widths, out):  # type: ignore[no-untyped-def]
    """Find the values of some names in objects that follow each other.

    Parameters
    ----------
    data : array of uint8
    at : int
        Where the first object begins.
    names : array of uint8
        The names, one after the other; `ends` says where each ends. A name in an object
        within an object counts, too.
    widths : array of shape (256,)
        The number of bytes of a number of each type; 0 for other types.
    out : array of shape (n_objects, n_names, 4)
        Gets for each value its type, where it begins, its number of bytes or values,
        and for an array of numbers the type of these, else 0. Names that are not found
        keep what they had.

    Returns
    -------
    Where the last object ends; -1 - position where a value is of unknown type.
    """
    left = np.empty(_MAX_DEPTH, np.int64)
    for i in range(len(out)):
        if at >= len(data) or data[at] != _OBJECT:
            return -1 - at
        at += 1
        left[0] = _IN_OBJECT
        depth = 1
        while depth:
            if at >= len(data):
                return -1 - len(data)
            inside = left[depth - 1]
            wanted = -1
            if inside == 0:
                depth -= 1
                continue
            if data[at] == (_OBJECT_END if inside == _IN_OBJECT else _ARRAY_END):
                at += 1
                depth -= 1
                continue
            if inside == _IN_OBJECT:
                size, at = _size(data, at, widths)
                if size < 0 or at + size >= len(data):
                    return -1 - len(data)
                wanted = _position(data, at, size, names, ends)
                at += size
            elif inside > 0:
                left[depth - 1] -= 1
            mark, kind = data[at], np.int64(0)
            at += 1
            if mark == _OBJECT or (
                mark == _ARRAY and (at == len(data) or data[at] != _TYPE)
            ):
                if depth == _MAX_DEPTH:
                    return -at
                left[depth] = _IN_OBJECT if mark == _OBJECT else _IN_OPEN_ARRAY
                if mark == _ARRAY and at < len(data) and data[at] == _COUNT:
                    left[depth], at = _size(data, at + 1, widths)
                    if left[depth] < 0:
                        return -1 - len(data)
                depth += 1
                continue
            size = 1
            if mark == _ARRAY:
                if at + 4 > len(data):
                    return -1 - len(data)
                kind = np.int64(data[at + 1])
                size, at = _size(data, at + 3, widths)
                start, width = at, widths[kind]
            elif mark == _TEXT:
                size, at = _size(data, at, widths)
                start, width = at, 1
            else:
                start, width = at, widths[mark]
                if width == 0 and mark not in (_TRUE, _FALSE, _NULL):
                    return -at
            if size < 0:
                return -1 - len(data)
            if mark == _ARRAY and width == 0:
                return -at
            at = start + size * width
            if wanted >= 0:
                out[i, wanted, 0] = mark
                out[i, wanted, 1] = start
                out[i, wanted, 2] = size
                out[i, wanted, 3] = kind
    return at


@compiled
def join_bytes(data, starts, sizes, out):  # type: ignore[no-untyped-def]
    """Put pieces of some bytes one after the other."""
    at = 0
    for i in range(len(starts)):
        for k in range(sizes[i]):
            out[at + k] = data[starts[i] + k]
        at += sizes[i]
