"""Read UBJSON, in which XGBoost stores models, without a Python object per number.

See https://ubjson.org. Arrays of numbers of one type become numpy arrays. Objects that
repeat, such as the trees of a model, are read by a kernel as `JoinedObjects`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skresp._text import quote
from skresp._typing import IntArray
from skresp.reach._allowance import allowance

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
# The number of bytes of each type; 0 for those that are no numbers.
_WIDTHS = np.zeros(256, dtype=np.int64)
_WIDTHS[list(_DTYPES)] = [dtype.itemsize for dtype in _DTYPES.values()]
_CONSTANTS = {b"T"[0]: True, b"F"[0]: False, b"Z"[0]: None}
_TEXT, _TYPE, _COUNT = b"S$#"
_OBJECT, _OBJECT_END, _ARRAY, _ARRAY_END = b"{}[]"


def read_ubjson(
    data: bytes | bytearray, joined: Mapping[str, Sequence[str]] | None = None
) -> Any:
    """Return the value that is stored in UBJSON.

    Parameters
    ----------
    data : bytes or bytearray
    joined : mapping of str to sequence of str, optional
        Names of arrays of objects, such as the trees of a model, and the entries that
        are wanted of their objects. Such an array becomes `JoinedObjects`.

    Examples
    --------
    >>> read_ubjson(b"{i" + bytes([1]) + b"a[$U#i" + bytes([2, 7, 8]) + b"}")
    {'a': array([7, 8], dtype=uint8)}
    """
    return _Reader(data, joined or {}).value(1, data[0])[0]


class JoinedObjects:
    """Entries of objects that follow each other.

    Parameters
    ----------
    data : bytes or bytearray
    names : sequence of str
    found : array of shape (n_objects, n_names, 4)
        See `find_entries`.
    """

    def __init__(
        self, data: bytes | bytearray, names: Sequence[str], found: IntArray
    ) -> None:
        self._data, self._names, self._found = data, names, found

    def __len__(self) -> int:
        return len(self._found)

    def first(self, n: int) -> JoinedObjects:
        """Return the first objects."""
        return JoinedObjects(self._data, self._names, self._found[:n])

    def texts(self, name: str) -> list[str]:
        """Return the texts of a name."""
        found = self._entries(name, _TEXT)
        ends = found[:, 1] + found[:, 2]
        pairs = zip(found[:, 1].tolist(), ends.tolist(), strict=True)
        return [self._data[start:end].decode() for start, end in pairs]

    def sizes(self, name: str) -> IntArray:
        """Return the sizes of the arrays of a name."""
        return self._entries(name, _ARRAY)[:, 2]

    def values(self, name: str) -> NDArray[Any]:
        """Return the numbers in all arrays of a name, one array after the other."""
        found = self._entries(name, _ARRAY)
        kinds = np.unique(found[:, 3])
        if len(kinds) > 1:
            raise ValueError(f"arrays {quote(name)} in UBJSON have several types")
        dtype = _DTYPES[int(kinds[0])] if len(kinds) else np.dtype(float)
        sizes = found[:, 2] * dtype.itemsize
        out = np.empty(int(sizes.sum()), dtype=np.uint8)
        given = _as_array(self._data), found[:, 1], sizes, out
        allowance().deadline.call(_scan().join_bytes, *given)
        return out.view(dtype)

    def _entries(self, name: str, mark: int) -> IntArray:
        """Return where the values of a name are, all of one type."""
        found = self._found[:, self._names.index(name)]
        if (found[:, 0] != mark).any():
            raise ValueError(
                f"entries {quote(name)} in UBJSON are missing, or of another type"
            )
        return found


def _scan() -> Any:
    """Return the module with the kernels; numba loads slowly."""
    from . import _ubjson_scan

    return _ubjson_scan


def _as_array(data: bytes | bytearray) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


class _Reader:
    """Reads values; each method returns one, and where it ends.

    Parameters
    ----------
    data : bytes or bytearray
    joined : mapping of str to sequence of str
        See `read_ubjson`.
    """

    def __init__(
        self, data: bytes | bytearray, joined: Mapping[str, Sequence[str]]
    ) -> None:
        self.data, self.joined = data, joined

    def value(self, at: int, mark: int, name: str = "") -> tuple[Any, int]:
        """Return the value of a type and name that begins at a position."""
        if mark == _TEXT:
            return self.text(at)
        if mark in _NUMBERS:
            number = _NUMBERS[mark]
            return number.unpack_from(self.data, at)[0], at + number.size
        if mark == _OBJECT:
            return self.object(at)
        if mark == _ARRAY:
            return self.array(at, name)
        if mark in _CONSTANTS:
            return _CONSTANTS[mark], at
        raise _unknown_type(self.data, at - 1)

    def size(self, at: int) -> tuple[int, int]:
        """Return a number of bytes or values."""
        size, at = self.value(at + 1, self.data[at])
        return int(size), at

    def text(self, at: int) -> tuple[str, int]:
        """Return a text."""
        size, at = self.size(at)
        return self.data[at : at + size].decode(), at + size

    def object(self, at: int) -> tuple[dict[str, Any], int]:
        """Return an object."""
        out = {}
        while self.data[at] != _OBJECT_END:
            name, at = self.text(at)
            out[name], at = self.value(at + 1, self.data[at], name)
        return out, at + 1

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
            if name in self.joined:
                return self.objects(at, left, self.joined[name])
        while left and data[at] != _ARRAY_END:
            each, at = self.value(at + 1, data[at], name)
            out.append(each)
            left -= 1
        return out, at if left == 0 else at + 1

    def objects(self, at: int, n: int, names: Sequence[str]) -> tuple[Any, int]:
        """Return entries of objects that follow each other."""
        found = np.zeros((n, len(names), 4), dtype=np.int64)
        wanted = [name.encode() for name in names]
        data = _as_array(self.data)
        ends = np.cumsum([len(name) for name in wanted])
        given = data, at, _as_array(b"".join(wanted)), ends, _WIDTHS, found
        end = allowance().deadline.call(_scan().find_entries, *given)
        if end < 0:
            raise _unknown_type(self.data, -1 - end)
        return JoinedObjects(self.data, names, found), end


def _unknown_type(data: bytes | bytearray, at: int) -> ValueError:
    """Return the error for a value that cannot be read."""
    if at >= len(data):
        return ValueError("UBJSON ends too early")
    return ValueError(f"unknown type {quote(chr(data[at]))} in UBJSON at byte {at}")
