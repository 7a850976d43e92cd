"""Is there any way at all: certificates for fixed predictions."""

from ._cost import check_cost
from ._found import STATUSES, Ask
from ._product import Product
from ._verdicts import Verdicts
from ._verify import Engine, Judged, Task, best_of, engine_of, verify

__all__ = [
    "STATUSES",
    "Ask",
    "Engine",
    "Judged",
    "Product",
    "Task",
    "Verdicts",
    "best_of",
    "check_cost",
    "engine_of",
    "verify",
]
