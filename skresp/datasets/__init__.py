"""Data sets, each with its action set."""

from ._credit import make_credit
from ._german import fetch_german
from ._givemecredit import fetch_givemecredit
from ._heloc import fetch_heloc

__all__ = ["fetch_german", "fetch_givemecredit", "fetch_heloc", "make_credit"]
