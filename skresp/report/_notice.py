"""What would change a decision, in the words of a letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp.actions import as_table, row_labels
from skresp.explain import (
    Explanation,
    WorkingChange,
    number,
    state,
    working_change,
    working_changes,
)
from skresp.recourse import Verdicts

from . import _change
from ._letter import as_html, as_text
from ._names import display_names
from ._witness import together

NOTE = (
    "This notice tells what would change the outcome, as the model stands today. That "
    "is not by itself the legal statement of the reasons for the decision: a main "
    "reason can be something that nobody can change."
)


@dataclass(frozen=True, repr=False)
class Notice:
    """One person's notice, as `notice` makes it.

    Attributes
    ----------
    content : dict
        What is told, as plain values; see `to_dict`.
    """

    content: dict[str, Any]

    @property
    def text(self) -> str:
        """As plain text."""
        return as_text(self.content)

    @property
    def html(self) -> str:
        """As a fragment of HTML, everything escaped, without style or script."""
        return as_html(self.content)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return self.content

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def notice(
    explanation: Any,
    row: Any = None,
    verdicts: Verdicts | None = None,
    *,
    label: Any = None,
    reasons: Mapping[str, str] | None = None,
    max_reasons: int = 4,
    names: Mapping[str, str] | None = None,
    wanted: str | None = None,
) -> Notice:
    """What one person could change for another decision, in plain words.

    Parameters
    ----------
    explanation : Explanation, or fitted ResponsivenessExplainer
    row : int, default=0
        The position of the person among the rows of the explanation. For an explainer
        the person itself, a table of one row, which is then explained and verified.
    verdicts : Verdicts, optional
        Of the same rows, from `verify`; `cost="fewest"` makes for short letters. Only
        with them a notice can say that nothing helps, or that only several changes
        made together do.
    label : optional
        The index label of the person among the rows, instead of `row`.
    reasons : mapping from feature to text, optional
        What to call features, before `names`. A notice lists changes that help, so
        these are no reasons for the decision itself.
    max_reasons : int, default=4
        The most features to list.
    names : mapping from feature to text, optional
        What to call features; by their own name unless given.
    wanted : str, optional
        What the target is called: "approval of the loan".

    Returns
    -------
    Notice
        With `text`, `html` and `to_dict()`.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, Feature, ResponsivenessExplainer
    >>> from skresp.report import notice
    >>> X = pd.DataFrame(
    ...     [(i, n) for i in range(1, 6) for n in range(4)],
    ...     columns=["income", "loans"],
    ... )
    >>> y = (X["income"] - X["loans"] >= 2).astype(int)
    >>> actions = ActionSet(
    ...     {
    ...         "income": Feature("integer", 1, 5, max_increase=1),
    ...         "loans": Feature("integer", 0, 3, max_decrease=1),
    ...     }
    ... )
    >>> explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
    >>> explainer = explainer.fit(X, y)
    >>> print(notice(explainer, X.iloc[[5]], names={"income": "Your income"}).text)
    What would change this decision
    <BLANKLINE>
    One change is enough. Each of these, by itself, leads to the outcome 1.
    <BLANKLINE>
    1. Your income
       Now: 2. Works: 3.
       1 of the 2 changes open to you works.
    <BLANKLINE>
    2. loans
       Now: 1. Works: 0.
       1 of the 3 changes open to you works.
    <BLANKLINE>
    This notice tells what would change the outcome, as the model stands today. That is
    not by itself the legal statement of the reasons for the decision: a main reason can
    be something that nobody can change.
    """
    if not isinstance(explanation, Explanation):
        if label is not None:
            raise ValueError(
                f"label={label!r} needs an Explanation. With an explainer pass the "
                f"person, a table of one row, such as X.loc[[{label!r}]]."
            )
        explanation, row, verdicts = _ask(explanation, row)
    if explanation.method != "responsiveness":
        raise ValueError(
            f"A notice needs responsiveness, and this explanation holds "
            f"{explanation.method} values, which do not tell what would help. Pass "
            f"ResponsivenessExplainer(...).fit(X).explain(X)."
        )
    if not isinstance(max_reasons, (int, np.integer)) or max_reasons < 1:
        raise ValueError(
            f"max_reasons must be a whole number of at least 1, got {max_reasons!r}."
        )
    row = 0 if row is None and label is None else row
    place = explanation._position(row, label)
    if verdicts is not None and len(verdicts) != len(explanation):
        raise ValueError(
            f"verdicts must be of the {len(explanation)} rows of the explanation, got "
            f"{len(verdicts)}: verify and explain the same rows."
        )
    called = display_names(explanation.feature_names, names=names, reasons=reasons)
    status, working = _status(explanation, place, verdicts)
    listed = working[:max_reasons]
    content: dict[str, Any] = {
        "row": _plain(row_labels(as_table(explanation.data))[place]),
        "status": status,
        "wanted": wanted or _goal(explanation),
        "target": str(explanation.target),
        "threshold": explanation.threshold,
        "reasons": [],
        "more": len(working) - len(listed),
        "together": [],
        "by_chance": explanation.source.question.effects is not None,
        "sampled": bool((~explanation.exact[place]).any()),
        "note": NOTE,
    }
    for j in listed:
        change = working_change(explanation, place, j)
        content["reasons"].append(_reason(change, called))
    known = status in ("single", "joint", "possible") and not listed
    if verdicts is not None and known and verdicts.has_witness[place]:
        content["together"] = [
            {
                "feature": move.feature,
                "name": called[move.feature],
                "from": _plain(move.old),
                "to": _plain(move.new),
                "words": _moved(explanation, move, called),
            }
            for move in together(explanation, verdicts, place)
        ]
    return Notice(content)


def _ask(explainer: Any, person: Any) -> tuple[Explanation, int, Verdicts]:
    if not hasattr(explainer, "verify"):
        raise TypeError(
            f"explanation must be an Explanation or a fitted ResponsivenessExplainer, "
            f"got {type(explainer).__name__}."
        )
    if person is None or np.ndim(person) == 0 or len(as_table(person)) != 1:
        raise ValueError(
            "With an explainer, row must be the person: a table of one row, such as "
            "X.iloc[[0]]."
        )
    return explainer.explain(person), 0, explainer.verify(person, cost="fewest")


def _status(
    explanation: Explanation, row: int, verdicts: Verdicts | None
) -> tuple[str, list[int]]:
    """Return the verdict, and the features that work for the person alone.

    Without a verdict the scores tell the status. A feature that works is a witness:
    the person is "single" whatever the search for one has settled.
    """
    status = "not single" if verdicts is None else str(verdicts.status[row])
    if np.isnan(explanation.values[row]).any():
        return "invalid", []
    if status == "approved" or explanation.at_target[row]:
        return "approved", []
    working = working_changes(explanation, row)
    if explanation.source.question.effects is not None:
        open_ways = ("single", "not single", "possible", "unknown")
        return status, working if status in open_ways else []
    return "single" if working else status, working


def _goal(explanation: Explanation) -> str:
    goal = f"the outcome {explanation.target}"
    if explanation.threshold is not None:
        goal += f" (with a probability of at least {explanation.threshold:g})"
    return goal


def _reason(change: WorkingChange, called: Mapping[str, str]) -> dict[str, Any]:
    example = change.moves[0].new if change.moves else None
    return {
        "feature": change.feature,
        "name": called[change.feature],
        "now": _plain(change.now),
        "now_words": state(change.now, change.kind),
        "ranges": [[float(a), float(b)] for a, b in change.ranges],
        "values": [_plain(v) for v in change.values],
        "works": _change.works(change),
        "certain": change.certain,
        "always": "" if change.certain else _change.works(change, always=True),
        "example": _plain(example),
        "example_words": state(example, change.kind) if change.moves else None,
        "least": bool(change.moves) and change.least,
        "along": [
            f"{called[m.feature]} {'follows to' if m.follows else 'goes along to'} "
            f"{number(m.new)}"
            for m in change.moves[1:]
        ],
        "along_values": {m.feature: _plain(m.new) for m in change.moves[1:]},
        "share": _change.share(change),
        "score": change.score,
        "lower": change.lower,
        "upper": change.upper,
        "exact": change.exact,
    }


def _moved(explanation: Explanation, move: Any, called: Mapping[str, str]) -> str:
    kind = explanation.source.actions.features[move.feature].kind
    old, new = state(move.old, kind), state(move.new, kind)
    if move.follows:
        return f"{called[move.feature]} follows from {old} to {new}"
    return f"{called[move.feature]} from {old} to {new}"


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value != value:
        return None
    return (
        value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
    )
