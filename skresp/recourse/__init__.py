"""Is there any way at all: certificates for fixed predictions.

A run of people goes through `_verify`: what each can do (`_options`, with `_places`
along lines), an engine that looks for a way (`_additive` for linear models, `_forest`
for trees, `_product` for any other), what scores know of single features (`_settle`),
the witnesses checked and made small (`_shrink`).
The forest groups changes that no split tells apart (`_classes`), tries one part
(`_one_part`), then all together: `_boxes` halves what is too large, `_tables` adds up
leaves, `_branch` chooses. `Verdicts` is what comes out.
"""

from ._cost import check_cost
from ._engine import engine_of
from ._found import Ask
from ._product import Product
from ._settle import Singles
from ._verdicts import Verdicts
from ._verify import Task, best_of, verify

__all__ = [
    "Ask",
    "Product",
    "Singles",
    "Task",
    "Verdicts",
    "best_of",
    "check_cost",
    "engine_of",
    "verify",
]
