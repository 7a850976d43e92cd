"""Hashes of objects by value.

A pickle, and so a hash of one, depends on which of its equal strings, numbers or arrays
are one object. That differs between a model that was fitted and one that was read from
a file, and even between two readings of the file. The hash of an object here is a hash
of the hashes of its parts, so it depends on their values only.
"""

from __future__ import annotations

import copyreg
import hashlib
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)
_PLAIN = (type(None), type(...), type(NotImplemented), bool, int, float, complex, str)


def value_hash(value: Any) -> str:
    """Return a hash of an object that can be pickled, equal for equal contents."""
    return _Digests().of(value).hex()


class _Digests:
    """The digests of the parts of one object."""

    def __init__(self) -> None:
        # The object is kept too, so that its id is not given to another.
        self._known: dict[int, tuple[Any, bytes]] = {}

    def of(self, value: Any) -> bytes:
        """Return the digest of a value."""
        kind = type(value)
        if kind in _PLAIN:
            return _digest(kind.__name__, [repr(value).encode(errors="surrogatepass")])
        if isinstance(value, _NAMED):
            return _digest("global", [_name(value).encode()])
        known = self._known.get(id(value))
        if known is None:
            # What an object inside itself counts as: how many objects were begun.
            inside = _digest("inside itself", [str(len(self._known)).encode()])
            self._known[id(value)] = (value, inside)
            known = (value, _digest(_name(kind), self._parts(value)))
            self._known[id(value)] = known
        return known[1]

    def _parts(self, value: Any) -> Iterable[bytes]:
        kind = type(value)
        if kind in (bytes, bytearray):
            return [value]
        if kind in (list, tuple):
            return map(self.of, value)
        if kind is dict:
            return (self.of(v) for item in value.items() for v in item)
        if kind in (set, frozenset):
            return sorted(map(self.of, value))
        if kind is np.ndarray:
            return self._of_array(value)
        if isinstance(value, np.random.BitGenerator):
            # Not its seed, which skops does not restore.
            return [self.of(value.state)]
        return self._of_object(value)

    def _of_array(self, value: Any) -> Iterable[bytes]:
        yield self.of(value.shape)
        yield self.of(value.dtype)
        if value.dtype.hasobject:
            yield from map(self.of, value.ravel().tolist())
        elif value.dtype.names:  # bytes between fields can be anything
            yield from (self.of(value[name]) for name in value.dtype.names)
        else:
            yield np.ascontiguousarray(value).tobytes()

    def _of_object(self, value: Any) -> Iterable[bytes]:
        """Yield the digests of what a pickle of an object contains."""
        reduce = copyreg.dispatch_table.get(type(value))
        made = reduce(value) if reduce else value.__reduce_ex__(4)
        if isinstance(made, str):
            yield made.encode()
            return
        make, arguments, state, items, pairs = (*made, None, None, None)[:5]
        yield self.of(make)
        yield self.of(arguments)
        if type(state) is dict:  # attributes have no order
            state = sorted(state.items(), key=lambda item: self.of(item[0]))
        yield self.of(state)
        yield self.of(None if items is None else list(items))
        yield self.of(None if pairs is None else list(pairs))


def _name(value: Any) -> str:
    """Return the name under which a class or function can be imported."""
    name = f"{value.__module__}.{getattr(value, '__qualname__', value.__name__)}"
    if "<" in name:
        raise TypeError(f"{name} has no hash, since it cannot be imported by its name.")
    return name


def _digest(kind: str, parts: Iterable[bytes]) -> bytes:
    """Return the digest of parts, each with its length, so that none runs on."""
    found = hashlib.sha256(kind.encode())
    for part in parts:
        found.update(b"\0%d:" % len(part))
        found.update(part)
    return found.digest()
