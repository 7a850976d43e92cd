"""The sections of the page, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ._letter import as_html
from ._parts import (
    Cell,
    bar,
    code,
    count_cell,
    facts,
    key,
    mark,
    paragraph,
    percent,
    plural,
    share_cell,
    table,
)
from ._safe import safe

Plain = Mapping[str, Any]

_FATES = {
    "single": "one change is enough",
    "joint": "several changes together",
    "possible": "a way is known, perhaps not the simplest",
    "fixed": "no change helps",
    "unknown": "not known",
}
# Shown only where somebody has them.
_UNSETTLED = ("possible", "unknown")
_BANDS = {
    "b4": "more than 75% of changes work",
    "b3": "more than 50%",
    "b2": "more than 25%",
    "b1": "some work",
    "none": "none works",
    "held": "cannot be moved",
}


def of_model(s: Plain) -> str:
    """The model, its target, the data."""
    target = s["target"]
    if s["threshold"] is not None:
        target += f", with a probability of at least {s['threshold']:g}"
    shown = facts(
        {
            "Model": s["name"],
            "Wanted outcome": target,
            "Outcomes": ", ".join(s["classes"]),
            "Rows": f"{s['rows']:,}",
            "Features": f"{s['columns']:,}",
            "Rows left out": (
                plural(s["invalid"], "row") + ", which break a rule as they stand"
                if s["invalid"]
                else None
            ),
        }
    )
    if s["parameters"]:
        lines = [(name, value) for name, value in s["parameters"].items()]
        shown += (
            "<details><summary>Parameters of the model</summary>"
            f"{table(('parameter', 'value'), lines, sorts=False)}</details>"
        )
    return shown


def of_people(s: Plain) -> str:
    """How many are denied, and their ways back."""
    counts, denied = s["counts"], s["n_denied"]
    tiles = [
        (f"{denied:,}", f"denied, {percent(s['denied'])} of {s['n_rows']:,}", ""),
    ]
    for fate, words in _FATES.items():
        n = counts.get(fate, 0)
        if n or fate not in _UNSETTLED:
            share = percent(n / denied if denied else None)
            tiles.append((f"{n:,}", f"{words}, {share} of the denied", fate))
    items = "".join(
        f"<li><b>{value}</b><span>{mark(fate) if fate else ''}{safe(words)}</span></li>"
        for value, words, fate in tiles
    )
    out = f'<ul class="tiles">{items}</ul>'
    if denied:
        out += _fates_bar(counts, denied, tall=True)
    out += paragraph(
        "A person is without a way back where no change they could make, alone or "
        "together, leads to the wanted outcome; that is said only where it is certain."
    )
    if s["groups"]:
        out += _groups(s)
    return out


def _fates_bar(counts: Plain, n: int, tall: bool = False) -> str:
    parts = [(fate, counts.get(fate, 0) / n) for fate in _FATES]
    words = "; ".join(f"{_FATES[fate]}: {percent(share)}" for fate, share in parts)
    return bar(parts, words, tall)


def _groups(s: Plain) -> str:
    rows = []
    for line in s["groups"]:
        shares = {
            "single": line["single"],
            "joint": line["joint"],
            "possible": line["possible"],
            "fixed": line["no_recourse"],
            "unknown": line["unknown"],
        }
        picture = ""
        if line["n_denied"]:
            picture = _fates_bar({k: v or 0.0 for k, v in shares.items()}, 1)
        rows.append(
            (
                line["group"],
                count_cell(line["n_rows"]),
                share_cell(line["denied"]),
                share_cell(shares["single"]),
                share_cell(shares["joint"]),
                share_cell(shares["possible"]),
                share_cell(shares["fixed"]),
                share_cell(shares["unknown"]),
                Cell(picture, shares["fixed"], "bar"),
            )
        )
    heads = (
        s["group_name"],
        "people",
        "denied",
        "one change",
        "several",
        "a way is known",
        "none helps",
        "not known",
        "of the denied",
    )
    out = f"<h3>By {safe(s['group_name'])}</h3>{table(heads, rows)}{key(_FATES)}"
    if s["more_groups"]:
        out += paragraph(f"and {plural(s['more_groups'], 'smaller group')}", soft=True)
    return out


def of_features(s: Plain) -> str:
    """Which features help whom."""
    n = s["denied"]
    if not n:
        return paragraph("Nobody is denied.")
    rows = []
    for line in s["features"]:
        # The strongest at the left, where bars start together.
        b1, b2, b3, b4 = line["bands"]
        moved, helps = line["can_move"], line["helps"]
        parts = [
            ("b4", b4 / n),
            ("b3", b3 / n),
            ("b2", b2 / n),
            ("b1", b1 / n),
            ("none", (moved - helps) / n),
            ("held", (n - moved) / n),
        ]
        label = f"helps {percent(helps / n)}, can be moved by {percent(moved / n)}"
        rows.append(
            (
                line["feature"],
                share_cell(moved / n)
                if line["actionable"]
                else Cell("nobody", -1, "n"),
                share_cell(helps / n),
                Cell(f"{line['mean']:.2f}", line["mean"], "n"),
                *(share_cell(line["groups"][g]) for g in s["groups"]),
                Cell(bar(parts, label), helps / n, "bar"),
            )
        )
    heads = (
        "feature",
        "can be moved by",
        "helps",
        "mean score",
        *(f"helps: {g}" for g in s["groups"]),
        "the denied",
    )
    out = paragraph(
        f"Of the {plural(n, 'person', 'people')} denied: who can move a feature, and "
        f"for whom some change in it alone leads to the wanted outcome. The score of a "
        f"feature is the share of its possible changes that work."
    )
    out += table(heads, rows) + key(_BANDS)
    if s["more"]:
        out += paragraph(f"and {plural(s['more'], 'more feature')}", soft=True)
    return out


def of_comparison(s: Plain) -> str:
    """What the lists of other explainers are worth."""
    if not s["explainers"]:
        why = "Nobody is denied." if not s["denied"] else "No other was asked for."
        return paragraph(why)
    rows = []
    for line in s["explainers"]:
        shown = line["presented"] or 0.0
        every, some = line["all_responsive"] or 0.0, line["some_responsive"] or 0.0
        parts = [
            ("single", shown * every),
            ("joint", shown * (some - every)),
            ("fixed", shown * (line["all_unresponsive"] or 0.0)),
            ("none", 1 - shown),
        ]
        rows.append(
            (
                line["name"],
                share_cell(line["presented"]),
                share_cell(line["all_responsive"]),
                share_cell(line["some_responsive"]),
                share_cell(line["all_unresponsive"]),
                Cell(
                    "–" if line["n_features"] is None else f"{line['n_features']:.1f}",
                    line["n_features"],
                    "n",
                ),
                Cell(bar(parts, "shares of the denied"), shown * every, "bar"),
            )
        )
    heads = (
        "explanation",
        "get a list",
        "all listed work",
        "some work",
        "none works",
        "listed",
        "the denied",
    )
    who = f"the {plural(s['rows'], 'person', 'people')} denied"
    if s["rows"] < s["denied"]:
        who = f"{s['rows']:,} of the {s['denied']:,} people denied"
    return (
        paragraph(
            f"If {who} were shown the {s['top_k']} largest features of an explanation: "
            f"for how many do those features work? RESP is responsiveness, which lists "
            f"only what works and lists nothing for people whom nothing helps. Columns "
            f"after the first are shares of those who get a list."
        )
        + table(heads, rows)
        + key(
            {
                "single": "all listed features work",
                "joint": "some work",
                "fixed": "none works",
                "none": "no list",
            }
        )
    )


def of_examples(s: Any) -> str:
    """Some people, and what each is told."""
    if not s:
        return paragraph("Nobody is shown.")
    out = [paragraph("What a notice would tell each of them.", soft=True)]
    for person in s:
        lines = [(v["feature"], v["value"]) for v in person["values"]]
        more = person["more_values"]
        rest = (
            paragraph(f"and {plural(more, 'more feature')}", soft=True) if more else ""
        )
        out.append(
            f'<article class="person"><h3>Row {safe(person["row"])}: '
            f"{safe(_FATES.get(person['status'], person['status']))}</h3>"
            f"{as_html(person['notice'], title='')}"
            f"<details><summary>What is known of them</summary>"
            f"{table(('feature', 'value'), lines, sorts=False)}{rest}</details>"
            f"</article>"
        )
    return "".join(out)


def of_actions(s: Plain) -> str:
    """The action set in words."""
    rows = [
        (f["feature"], f["kind"], f["values"], f["can_change"]) for f in s["features"]
    ]
    out = table(("feature", "kind", "values", "can change"), rows)
    if s["more_features"]:
        out += paragraph(f"and {plural(s['more_features'], 'more feature')}", soft=True)
    if s["rules"]:
        items = "".join(f"<li>{safe(rule)}</li>" for rule in s["rules"])
        out += f"<h3>Rules between features</h3><ul>{items}</ul>"
    if s["more_rules"]:
        out += paragraph(f"and {plural(s['more_rules'], 'more rule')}", soft=True)
    return out


def of_method(s: Plain) -> str:
    """How it was computed."""
    drawn = s["scores"] - s["exact"]
    scores = f"{s['exact']:,} of {s['scores']:,} exact"
    if drawn:
        scores += (
            f"; {drawn:,} from samples of {s['n_samples']}, with intervals of "
            f"confidence {s['confidence']:.0%}"
        )
    proofs = ", ".join(f"{name} ({n:,})" for name, n in s["proofs"].items())
    told = {
        "Scores": scores,
        "Interventions": s["interventions"],
        "Verdicts known by": proofs,
        "Seed": "none" if s["seed"] is None else str(s["seed"]),
        "Random effects": "yes" if s["random_effects"] else None,
    }
    for name, value in s["hashes"].items():
        told[f"Hash of the {name}"] = code(value) or "none: it cannot be pickled"
    told |= dict(s["notes"])
    told["Versions"] = ", ".join(f"{k} {v}" for k, v in s["versions"].items())
    return facts(told) + paragraph(
        "Responsiveness tells what would change an outcome under this model and these "
        "rules. It is not by itself the legal statement of reasons for a decision, and "
        "it says nothing about whether a change would make the person a better risk.",
        soft=True,
    )


RENDERED: dict[str, Callable[[Any], str]] = {
    "model": of_model,
    "people": of_people,
    "features": of_features,
    "comparison": of_comparison,
    "examples": of_examples,
    "actions": of_actions,
    "method": of_method,
}
