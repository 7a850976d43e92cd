"""One line per constraint; the catalogue tests every constraint that is listed here."""

from __future__ import annotations

from skresp import Feature
from skresp.constraints import (
    IfThen,
    Linear,
    Linkage,
    OneHot,
    Ordinal,
    Reachability,
    Switch,
    Thermometer,
)

B = Feature("binary")
I3 = Feature("integer", 0, 3)
HELD = Feature("integer", 0, 3, actionable=False)
L = Feature("categorical", categories=["p", "q", "r"])

# (constraint, the features it is about)
EXAMPLES = [
    (OneHot(["a", "b", "c"]), {"a": B, "b": B, "c": B}),
    (OneHot(["a", "b", "c"], 2, at_most=True), {"a": B, "b": B, "c": B}),
    (Ordinal(["a", "b", "c"], "increase"), {"a": B, "b": B, "c": B}),
    (Ordinal(["a", "b"], "decrease", exhaustive=False), {"a": B, "b": B}),
    (Thermometer(["a", "b", "c"]), {"a": B, "b": B, "c": B}),
    (Thermometer(["a", "b", "c"], "decrease"), {"a": B, "b": B, "c": B}),
    (Reachability(["a", "b"], [[0, 0], [0, 1], [1, 1]]), {"a": B, "b": B}),
    (
        Reachability(["l", "i"], [["p", 0], ["q", 2]], [[1, 1], [0, 1]]),
        {"l": L, "i": I3},
    ),
    (Linkage("a", {"i": 1}), {"a": B, "i": I3}),
    (Linkage("i", {"j": -2}, keep_bounds=True), {"i": I3, "j": HELD}),
    (IfThen(("i", ">=", 2), ("a", "==", 1)), {"i": I3, "a": B}),
    (IfThen(("l", "in", ["p", "q"]), ("i", "!=", 1)), {"l": L, "i": I3}),
    (IfThen(("i", "<=", 1.5), ("l", "!=", "r")), {"l": L, "i": I3}),
    (Switch("a", ["i", "l"]), {"a": B, "i": I3, "l": L}),
    (Switch("l", ["i"], "q", force_change=True), {"l": L, "i": I3}),
    (Linear({"i": 1, "j": -2}, lower=-1, upper=2), {"i": I3, "j": I3}),
    (Linear({"i": 0.5, "a": 1}, upper=1.75), {"i": I3, "a": B}),
]
