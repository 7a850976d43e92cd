"""Read UBJSON, in which XGBoost stores models, without a Python object per number.

See https://ubjson.org. Arrays of numbers of one type become numpy arrays.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from skresp._text import quote

_NUMBERS = {
    b"i"[0]: struct.Struct(">b"),
    b"U"[0]: struct.Struct(">B"),
    b"I"[0]: struct.Struct(">h"),
    b"l"[0]: struct.Struct(">i"),
    b"L"[0]: struct.Struct(">q"),
    b"d"[0]: struct.Struct(">f"),
    b"D"[0]: struct.Struct(">d"),
}
_SIZE = _NUMBERS[b"L"[0]]
_DTYPES = {mark: np.dtype(number.format) for mark, number in _NUMBERS.items()}
_CONSTANTS = {b"T"[0]: True, b"F"[0]: False, b"Z"[0]: None}
_INT64, _TEXT, _TYPE, _COUNT = b"LS$#"
_OBJECT, _OBJECT_END, _ARRAY, _ARRAY_END = b"{}[]"


def read_ubjson(data: bytes, skip: Collection[str] = ()) -> Any:
    """Return the value that is stored in UBJSON, without the arrays of some names.

    >>> read_ubjson(b"{i" + bytes([1]) + b"a[$U#i" + bytes([2, 7, 8]) + b"}")
    {'a': array([7, 8], dtype=uint8)}
    """
    return _Reader(data, frozenset(skip)).value(1, data[0])[0]


class _Entry(NamedTuple):
    """What an entry of an object begins with, before its size or value.

    Attributes
    ----------
    header : bytes
        The name and the type, of an array of numbers also their type.
    name : str
    mark : int
        The type of the value.
    dtype : dtype or None
        The type of the numbers of an array; None for all other values.
    """

    header: bytes
    name: str
    mark: int
    dtype: np.dtype[Any] | None


class _Reader:
    """Reads values; each method returns one, and where it ends.

    Parameters
    ----------
    data : bytes
    skip : set of str
        Names of arrays of numbers of one type that are left out.

    Attributes
    ----------
    follows : dict of str to _Entry
        The entry that last followed an entry of this name. Most objects are trees, of
        the same entries in the same order, which are faster to compare than to read.
    """

    def __init__(self, data: bytes, skip: frozenset[str]) -> None:
        self.data, self.skip = data, skip
        self.follows: dict[str, _Entry] = {}

    def value(self, at: int, mark: int, name: str = "") -> tuple[Any, int]:
        """Return the value of a type and name that begins at a position."""
        if mark == _TEXT:
            size, at = self.size(at)
            return self.data[at : at + size].decode(), at + size
        if mark in _NUMBERS:
            number = _NUMBERS[mark]
            return number.unpack_from(self.data, at)[0], at + number.size
        if mark == _OBJECT:
            return self.object(at, name)
        if mark == _ARRAY:
            return self.array(at, name)
        if mark in _CONSTANTS:
            return _CONSTANTS[mark], at
        raise ValueError(f"unknown type {quote(chr(mark))} in UBJSON at byte {at - 1}")

    def size(self, at: int) -> tuple[int, int]:
        """Return a number of bytes or values."""
        data = self.data
        if data[at] == _INT64:
            return _SIZE.unpack_from(data, at + 1)[0], at + 9
        size, at = self.value(at + 1, data[at])
        return int(size), at

    def object(self, at: int, name: str) -> tuple[dict[str, Any], int]:
        """Return an object."""
        data, follows, skip, out = self.data, self.follows, self.skip, {}
        startswith, size_at = data.startswith, _SIZE.unpack_from
        name += "{"  # before the first entry
        while data[at] != _OBJECT_END:
            entry = follows.get(name)
            if entry is None or not startswith(entry.header, at):
                entry = follows[name] = self.entry(at)
            header, name, mark, dtype = entry
            at += len(header)
            if dtype is None and mark != _TEXT:
                out[name], at = self.value(at, mark, name)
                continue
            if data[at] == _INT64:  # as `size` does, without a call
                (size,), at = size_at(data, at + 1), at + 9
            else:
                size, at = self.size(at)
            if dtype is None:
                out[name], at = data[at : at + size].decode(), at + size
                continue
            if name not in skip:
                out[name] = np.frombuffer(data, dtype, size, at)
            at += size * dtype.itemsize
        return out, at + 1

    def entry(self, start: int) -> _Entry:
        """Return the entry that begins at a position."""
        data = self.data
        size, at = self.size(start)
        name, at = data[at : at + size].decode(), at + size
        mark, dtype = data[at], None
        at += 1
        if mark == _ARRAY and data[at] == _TYPE:
            dtype = _DTYPES[data[at + 1]]
            at += 3
        return _Entry(data[start:at], name, mark, dtype)

    def array(self, at: int, name: str) -> tuple[Any, int]:
        """Return an array, of numpy where its values are numbers of one type."""
        data = self.data
        if data[at] == _TYPE:
            dtype = _DTYPES[data[at + 1]]
            size, at = self.size(at + 3)
            found = np.frombuffer(data, dtype, size, at)
            return found, at + size * dtype.itemsize
        out, left = [], -1
        if data[at] == _COUNT:
            left, at = self.size(at + 1)
        while left and data[at] != _ARRAY_END:
            each, at = self.value(at + 1, data[at], name)
            out.append(each)
            left -= 1
        return out, at if left == 0 else at + 1
