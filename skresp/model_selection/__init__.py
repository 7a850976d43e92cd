"""Selection of models and thresholds by recourse."""

from ._threshold import threshold_curve
from ._trade_off import BestRecourse, best_recourse_within, trade_off

__all__ = ["BestRecourse", "best_recourse_within", "threshold_curve", "trade_off"]
