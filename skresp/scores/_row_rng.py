"""Random numbers that depend only on a seed, a row's content and a feature.

They do not depend on the order of rows, batches, dtypes or other rows. Every row has a
64-bit key. The numbers of a score come from SplitMix64 with that key (Steele, Lea,
Flood, "Fast splittable pseudorandom number generators", 2014), for many rows at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._typing import FloatArray

Keys = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def row_keys(seed: int, columns: Mapping[str, Any], rows: int) -> Keys:
    """Return a key for each row, from its values as float64 bits and labels.

    Each value is mixed with the name of its column and all are summed, so the order of
    the columns does not matter.
    """
    total = np.zeros(rows, dtype=np.uint64)
    for name, column in columns.items():
        total += _mixed(_mixed(_bits(column) + _word(name)) * _GOLDEN + _word(name))
    return _mixed(total + _word(f"skresp {seed}"))


def feature_keys(keys: Keys, feature: str) -> Keys:
    """Return the keys of rows for one feature."""
    return _mixed(keys + _word(feature))


def uniforms(keys: Keys, count: int) -> FloatArray:
    """Return numbers in [0, 1), of shape (n_keys, count)."""
    steps = np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
    words = _mixed(keys[:, None] + steps)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def generator(key: np.uint64) -> np.random.Generator:
    """Return a generator for one key, where uniform numbers are not enough."""
    return np.random.Generator(np.random.PCG64(int(key)))


def _mixed(words: Keys) -> Keys:
    """Apply the output function of SplitMix64."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _bits(column: Any) -> Keys:
    """Return a word for each value: the bits of a float64, or a digest of a label."""
    values = pd.Series(column, copy=False)
    if pd.api.types.is_numeric_dtype(values.dtype):
        return _float_bits(values.to_numpy(dtype=np.float64, na_value=np.nan))
    which, labels = pd.factorize(values, use_na_sentinel=False)
    words = np.array([_label_word(label) for label in labels], dtype=np.uint64)
    return words[which]


def _label_word(label: Any) -> np.uint64:
    """Return the word of a label; a number has the word of its float64."""
    if isinstance(label, (bool, int, float, np.bool_, np.number)):
        return _float_bits(np.array([label], dtype=np.float64))[0]
    if label is None or label is pd.NA or label is pd.NaT:
        return _float_bits(np.array([np.nan]))[0]
    return _word(str(label))


def _float_bits(numbers: FloatArray) -> Keys:
    """Return the bits of each number."""
    # -0.0 equals 0.0, and all NaN are equal.
    return np.where(np.isnan(numbers), np.nan, numbers + 0.0).view(np.uint64)


def _word(text: str) -> np.uint64:
    """Return a digest of a text."""
    digest = hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=8
    ).digest()
    return np.uint64(int.from_bytes(digest, "little"))
