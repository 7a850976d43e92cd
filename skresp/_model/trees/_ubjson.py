"""Read UBJSON, in which XGBoost stores models, without a Python object per number.

See https://ubjson.org. Arrays of numbers of one type become numpy arrays.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from typing import Any

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
_DTYPES = {mark: np.dtype(number.format) for mark, number in _NUMBERS.items()}
_CONSTANTS = {b"T"[0]: True, b"F"[0]: False, b"Z"[0]: None}
_INT64, _TEXT, _TYPE, _COUNT = b"LS$#"
_OBJECT, _OBJECT_END, _ARRAY, _ARRAY_END = b"{}[]"


def read_ubjson(data: bytes, skip: Collection[str] = ()) -> Any:
    """Return the value that is stored in UBJSON, without the arrays of some names.

    >>> read_ubjson(b"{i" + bytes([1]) + b"a[$U#i" + bytes([2, 7, 8]) + b"}")
    {'a': array([7, 8], dtype=uint8)}
    """
    return _Reader(data, {name.encode() for name in skip}).value(1, data[0])[0]


class _Reader:
    """Reads values; each method returns one, and where it ends.

    Parameters
    ----------
    data : bytes
    skip : set of bytes
        Names of arrays of numbers of one type that are left out.
    """

    def __init__(self, data: bytes, skip: set[bytes]) -> None:
        self.data, self.skip = data, skip

    def value(self, at: int, mark: int) -> tuple[Any, int]:
        """Return the value of a type that begins at a position."""
        if mark in _NUMBERS:
            number = _NUMBERS[mark]
            return number.unpack_from(self.data, at)[0], at + number.size
        if mark == _TEXT:
            size, at = self.size(at)
            return self.data[at : at + size].decode(), at + size
        if mark == _OBJECT:
            return self.object(at)
        if mark == _ARRAY:
            return self.array(at)
        if mark in _CONSTANTS:
            return _CONSTANTS[mark], at
        raise ValueError(f"unknown type {quote(chr(mark))} in UBJSON at byte {at - 1}")

    def size(self, at: int) -> tuple[int, int]:
        """Return a number of bytes or values."""
        data = self.data
        if data[at] == _INT64:
            return int.from_bytes(data[at + 1 : at + 9]), at + 9
        size, at = self.value(at + 1, data[at])
        return int(size), at

    def object(self, at: int) -> tuple[dict[str, Any], int]:
        """Return an object."""
        data, out = self.data, {}
        while data[at] != _OBJECT_END:
            size, at = self.size(at)
            name, at = data[at : at + size], at + size
            if name in self.skip and data[at] == _ARRAY and data[at + 1] == _TYPE:
                size, end = self.size(at + 4)
                at = end + size * _DTYPES[data[at + 2]].itemsize
                continue
            out[name.decode()], at = self.value(at + 1, data[at])
        return out, at + 1

    def array(self, at: int) -> tuple[Any, int]:
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
            each, at = self.value(at + 1, data[at])
            out.append(each)
            left -= 1
        return out, at if left == 0 else at + 1
