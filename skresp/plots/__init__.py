"""Displays of explanations, verdicts and searches, drawn with matplotlib."""

from ._comparison import ComparisonDisplay
from ._line import LineDisplay
from ._person import PersonDisplay
from ._rank import RankDisplay
from ._responsiveness import ResponsivenessDisplay
from ._threshold import ThresholdDisplay
from ._trade_off import TradeOffDisplay

__all__ = [
    "ComparisonDisplay",
    "LineDisplay",
    "PersonDisplay",
    "RankDisplay",
    "ResponsivenessDisplay",
    "ThresholdDisplay",
    "TradeOffDisplay",
]
