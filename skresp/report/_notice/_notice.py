"""The notice for one person: what would change the decision.

The sentences of the letter are in `_sentences`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skresp._actions._feature import Feature
from skresp._dataframe import as_table, row_labels
from skresp._explain._explanation import Explanation
from skresp._explain._person import Move, Person
from skresp._explain._working_values import (
    WorkingChange,
    share_known,
    working_changes,
)
from skresp._recourse._verdicts import Verdicts
from skresp._text import quote, state
from skresp._validation import check_feature_names, check_integer, check_type, to_python

from . import _change_text as _change
from . import _sentences as say
from ._implied_changes import implied_changes
from ._letter import as_html, as_text
from ._listed_changes import listed_changes


@dataclass(frozen=True, repr=False)
class Notice:
    """The notice for one person, as returned by `notice`.

    Attributes
    ----------
    content : dict
        The plain values that the texts are made from; see `to_dict`.
    """

    content: dict[str, Any]

    @property
    def text(self) -> str:
        """The letter as plain text."""
        return as_text(self.content)

    @property
    def html(self) -> str:
        """The letter as a fragment of HTML: escaped, without style or script."""
        return as_html(self.content)

    def to_dict(self) -> dict[str, Any]:
        """Return the plain values that the texts are made from, for JSON."""
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
    """Return what one person could change to get another decision, in plain words.

    The text is meant to be inserted in a lender's own letter, which states the
    decision, the date, the lender, a contact and the person's rights.

    Parameters
    ----------
    explanation : Explanation or fitted ResponsivenessExplainer
    row : int or table of one row, default=0
        With an explanation, the position of the person among its rows. With an
        explainer, the person as a table of one row; the person is then explained and
        verified.
    verdicts : Verdicts, optional
        Verdicts of the same rows, from `verify`; `cost="fewest"` gives short letters.
        Without verdicts a notice covers single changes only: it cannot say that
        several changes together work, or that no change works.
    label : optional
        The index label of the person among the rows, instead of `row`.
    reasons : mapping from feature to text, optional
        Display names that take precedence over `names`. A notice lists changes that
        work, so these texts are not reasons for the decision itself.
    max_reasons : int, default=4
        The maximum number of features to list. Features of which less than 5% of the
        changes work are listed only if no other feature works. Of the columns of one
        Thermometer or Ordinal constraint only the smallest change is listed, and a
        change that includes another one that works is not listed.
    names : mapping from feature to text, optional
        Display names of features. The default is the name of the column.
    wanted : str, optional
        What the target is called, such as "approval of the loan". The default is "the
        outcome you asked for".

    Returns
    -------
    Notice
        With `text`, `html` and `to_dict()`.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skresp import ActionSet, ResponsivenessExplainer
    >>> from skresp.report import notice
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "loans": [3, 0, 2, 1]})
    >>> actions = ActionSet.infer(X, immutable=["age"])
    >>> explainer = ResponsivenessExplainer(LogisticRegression(), actions, target=1)
    >>> explainer = explainer.fit(X, [0, 1, 0, 1])
    >>> print(notice(explainer, X.iloc[[0]], names={"loans": "Loans you have"}).text)
    What would change this decision
    <BLANKLINE>
    One change is enough. This change, by itself, leads to the outcome you asked for.
    <BLANKLINE>
    1. Loans you have
       Now: 3. Works: 0.
    <BLANKLINE>
    This is not the legal notice of the reasons for our decision. The main reasons may
    include things you cannot change.
    """
    if not isinstance(explanation, Explanation):
        if label is not None:
            raise ValueError(
                f"label={quote(label)} requires an Explanation. With an explainer, "
                f"pass the person as a table of one row, such as "
                f"X.loc[[{quote(label)}]]."
            )
        explanation, row, verdicts = _explain(explanation, row)
    if explanation.method != "responsiveness":
        raise ValueError(
            f"A notice requires responsiveness scores, got {explanation.method} "
            f"values, which do not say what would change the decision. Pass "
            f"ResponsivenessExplainer(...).fit(X).explain(X)."
        )
    check_integer("max_reasons", max_reasons, 1)
    row = 0 if row is None and label is None else row
    position = explanation._position(row, label)
    if verdicts is not None:
        check_type("verdicts", verdicts, Verdicts, "Pass explainer.verify(X).")
    if wanted is not None:
        check_type("wanted", wanted, str)
    if verdicts is not None and len(verdicts) != len(explanation):
        raise ValueError(
            f"verdicts must be of the {len(explanation)} rows of the explanation, got "
            f"{len(verdicts)} rows. Pass the same rows to verify and explain."
        )
    status, witness = "not single", None
    if verdicts is not None:
        status = str(verdicts.status[position])
        if verdicts.has_witness[position]:
            witness = verdicts._witness_of(position)
    return notice_of(
        *(explanation, position, status, witness),
        reasons=reasons,
        max_reasons=max_reasons,
        names=names,
        wanted=wanted,
    )


def notice_of(
    explanation: Explanation,
    row: int,
    status: str,
    witness: Any,
    *,
    reasons: Mapping[str, str] | None = None,
    max_reasons: int = 4,
    names: Mapping[str, str] | None = None,
    wanted: str | None = None,
) -> Notice:
    """Return the notice for a person whose verdict is known.

    Parameters
    ----------
    explanation : Explanation
    row : int
        The position of the person.
    status : str
        The verdict; "not single" if the person was not verified.
    witness : table of one row, or None
        A point that reaches the target, if one is known.
    reasons, max_reasons, names, wanted
        See `notice`.
    """
    called = _display_names(explanation.feature_names, names=names, reasons=reasons)
    content = _content(explanation, row, status, witness, called, max_reasons)
    if wanted:
        content["wanted"] = wanted
    return Notice(content)


def _content(
    explanation: Explanation,
    row: int,
    status: str,
    witness: Any,
    called: Mapping[str, str],
    max_reasons: int,
) -> dict[str, Any]:
    """Return the plain values of a notice; `called` are the names of features."""
    status, working = _status(explanation, row, status)
    listed, more = listed_changes(explanation, row, working, max_reasons)
    together: list[dict[str, Any]] = []
    has_ways = status in ("single", "joint", "possible")
    if has_ways and not listed and witness is not None:
        together = _together(explanation, witness, row, called)
    features = explanation._features
    return {
        "row": _plain(row_labels(as_table(explanation.data))[row]),
        "status": status,
        "wanted": say.WANTED,
        "target": str(explanation.target),
        "threshold": explanation.threshold,
        "reasons": [_reason(change, features, called) for change in listed],
        "more": more,
        "together": together,
        "by_chance": explanation._has_random_effects,
        "sampled": bool((~explanation.exact[row]).any()),
        "not_found": [
            called[explanation.feature_names[j]]
            for j in np.flatnonzero(~share_known(explanation)[row])
            if explanation.n_reachable[row, j] == 0
        ],
        "note": "" if status == "approved" else say.NOTE,
    }


def _explain(explainer: Any, person: Any) -> tuple[Explanation, int, Verdicts]:
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


def _status(explanation: Explanation, row: int, status: str) -> tuple[str, list[int]]:
    """Return the status to tell, and the features that work for the person alone.

    Without a verdict the status follows from the scores. A feature that works is a
    witness: the person is "single" even if the search ended without a result.
    """
    if np.isnan(explanation.values[row]).any():
        return "invalid", []
    if status == "approved" or explanation.at_target[row]:
        return "approved", []
    working = working_changes(explanation, row)
    if explanation._has_random_effects:
        open_ways = ("single", "not single", "possible", "unknown")
        return status, working if status in open_ways else []
    return "single" if working else status, working


def _display_names(
    features: Sequence[str],
    *,
    names: Mapping[str, str] | None,
    reasons: Mapping[str, str] | None,
) -> dict[str, str]:
    """Return the name to print for each feature; `reasons` come before `names`."""
    out = {name: name for name in features}
    for what, given in (("names", names), ("reasons", reasons)):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(
                f"{what} must be a mapping from feature to display name, got "
                f"{quote(given)}."
            )
        check_feature_names(what, given or (), features)
        for name, text in (given or {}).items():
            if not isinstance(text, str) or not text.strip():
                raise ValueError(
                    f"{what}[{quote(name)}] must be a display name, a text that is not "
                    f"empty, got {quote(text)}. Codes of denial reasons are not "
                    f"accepted: a notice lists what would work, not why the decision "
                    f"was made."
                )
            out[name] = text
    return out


def _together(
    explanation: Explanation, witness: Any, row: int, called: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the moves of a person's witness, with short numbers where they still work.

    What the person does comes first, then what follows from it; columns of an encoding
    that another column moves with it follow too.
    """
    person = Person(explanation, row)
    point = person.context.all_codes(witness)[0]
    features = explanation._features
    moves = person.moves(person.readable(point))
    implied = implied_changes(person.actions, moves)
    moves = [m._replace(follows=m.follows or m.feature in implied) for m in moves]
    return [
        {
            "feature": move.feature,
            "name": called[move.feature],
            "from": _plain(move.old),
            "to": _plain(move.new),
            "follows": move.follows,
            "words": _move_text(move, features[move.feature], called[move.feature]),
        }
        for move in sorted(moves, key=lambda move: move.follows)
    ]


def _reason(
    change: WorkingChange,
    features: Mapping[str, Feature],
    called: Mapping[str, str],
) -> dict[str, Any]:
    feature = features[change.feature]
    example = change.moves[0].new if change.moves else None
    numbers: list[Any] = [end for pair in change.ranges for end in pair]
    if feature.kind == "real" and change.moves:
        numbers.append(example)
    return {
        "feature": change.feature,
        "name": called[change.feature],
        "now": _plain(change.now),
        "now_words": _change.current(change.now, feature, numbers),
        "ranges": [[float(a), float(b)] for a, b in change.ranges],
        "values": [_plain(v) for v in change.values],
        "works": _change.works(change, feature),
        "certain": change.certain,
        "always": "" if change.certain else _change.works(change, feature, always=True),
        "example": _plain(example),
        "example_words": state(example, change.kind) if change.moves else None,
        "least": bool(change.moves) and change.least,
        "along": [
            say.FOLLOWER.format(
                name=called[move.feature],
                new=state(move.new, features[move.feature].kind),
            )
            for move in change.moves[1:]
        ],
        "along_values": {m.feature: _plain(m.new) for m in change.moves[1:]},
        "share": _change.share(change),
        "score": change.score,
        "lower": change.lower,
        "upper": change.upper,
        "exact": change.exact,
    }


def _move_text(move: Move, feature: Feature, name: str) -> str:
    real = feature.kind == "real"
    old = _change.current(move.old, feature, [move.new] if real else [])
    follows = say.THIS_CHANGES if feature.kind == "binary" else say.BY_THEN
    text = follows if move.follows else say.MOVE
    return text.format(name=name, old=old, new=state(move.new, feature.kind))


def _plain(value: Any) -> Any:
    value = to_python(value)
    if isinstance(value, float) and value != value:
        return None
    return (
        value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
    )
