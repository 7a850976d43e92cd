"""Loaders of real data, each with its action set."""

from ._german import fetch_german
from ._heloc import fetch_heloc

__all__ = ["fetch_german", "fetch_heloc"]
