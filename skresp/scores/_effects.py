"""Random effects: what changes by chance when a person changes something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp.actions import ActionSet
from skresp.reach import (
    allow,
    allowance,
    draw_own,
    sample_joint,
    sample_minimal,
    satisfied,
)

from ._dress import Numbers
from ._lists import Lists, Question

# Proposals for each point wanted, before the answer is what was found so far.
TRIES_PER_POINT = 20


@dataclass(frozen=True)
class RandomEffects:
    """Noise that is added to reached points: `x' = x + change + noise`.

    Parameters
    ----------
    given : mapping or callable
        A mapping from feature to a distribution (anything with scipy's
        `rvs(size=..., random_state=...)`) or to a function `(rows, changes, rng)` that
        returns one number a row; or one such function that returns a table of the
        rows' shape. `rows` and `changes` are frames of numbers, one column a feature.
    """

    given: Any

    def check(self, actions: ActionSet) -> None:
        """Raise for features that cannot take noise, and for what is no noise."""
        if callable(self.given):
            return
        if not isinstance(self.given, Mapping) or not self.given:
            raise TypeError(
                f"random_effects must be a mapping from feature to distribution, or a "
                f"function (rows, changes, rng) -> noise, got {self.given!r}."
            )
        for name, source in self.given.items():
            if name not in actions.features:
                raise ValueError(
                    f"random_effects names {name!r}, which is no feature of the action "
                    f"set: {', '.join(actions.names)}."
                )
            if actions.features[name].kind == "categorical":
                raise ValueError(
                    f"random_effects adds noise to {name!r}, which has labels. Noise "
                    f"is for numbers."
                )
            if not callable(source) and not hasattr(source, "rvs"):
                raise TypeError(
                    f"random_effects[{name!r}] must be a distribution with rvs, or a "
                    f"function (rows, changes, rng) -> noise, got {source!r}."
                )

    def noise(
        self,
        actions: ActionSet,
        rows: Numbers,
        changes: Numbers,
        rng: np.random.Generator,
    ) -> Numbers:
        """The noise for each row, one column a feature of the action set."""
        names = list(actions.names)
        frames = (
            pd.DataFrame(rows, columns=names),
            pd.DataFrame(changes, columns=names),
        )
        if callable(self.given):
            out = np.asarray(self.given(*frames, rng), dtype=float)
            if out.shape != rows.shape:
                raise ValueError(
                    f"random_effects must return noise of the rows' shape "
                    f"{rows.shape}, got {out.shape}."
                )
        else:
            out = np.zeros_like(rows)
            for name, source in self.given.items():
                column = names.index(name)
                if hasattr(source, "rvs"):
                    out[:, column] = source.rvs(size=len(rows), random_state=rng)
                else:
                    out[:, column] = np.asarray(source(*frames, rng), dtype=float)
        if not np.isfinite(out).all():
            raise ValueError("random_effects must return finite noise, got NaN or inf.")
        return out


def draw_with_effects(
    actions: ActionSet,
    lists: Lists,
    columns: NDArray[np.intp],
    row: int,
    x: Numbers,
    j: int,
    question: Question,
    rng: np.random.Generator,
) -> Numbers:
    """Changes of one person that intervene on a feature, chance included.

    One column a feature of the action set. A draw whose noise leaves a feature's kind
    or bounds, or breaks a constraint, is rejected together with its change and drawn
    again (Algorithm 1 of the paper); there may be fewer than wanted.
    """
    effects = question.effects
    assert effects is not None
    n = question.n_samples
    left = question.points
    found: list[Numbers] = []
    count = tried = 0
    while count < n and tried < TRIES_PER_POINT * n and not question.deadline.is_over:
        with allow(question.deadline, left) as given:
            on_part = _interventions(lists, row, j, question, n - count, rng)
        left = given.points
        tried += max(len(on_part), 1)
        if not len(on_part):
            break
        change = np.zeros((len(on_part), len(x)))
        change[:, columns] = on_part
        rows = np.broadcast_to(x, change.shape)
        noise = effects.noise(actions, rows.copy(), change.copy(), rng)
        change = (change + noise)[_possible(actions, rows, change, noise)]
        found.append(change)
        count += len(change)
    return np.concatenate([np.zeros((0, len(x))), *found])[:n]


def cannot_move(lists: Lists, row: int, j: int, question: Question) -> bool:
    """Whether it is certain that a person has no intervention on a feature."""
    entry = lists.which[row]
    if entry < 0 or lists.reaches[entry].refused is not None:
        return False
    return not len(lists.reaches[entry].interventions(j, question.interventions))


def _interventions(
    lists: Lists, row: int, j: int, question: Question, n: int, rng: np.random.Generator
) -> Numbers:
    part, x, entry = lists.part, lists.values[row], lists.which[row]
    if entry < 0 or lists.reaches[entry].refused is None:
        n = int(min(n, allowance().points))
        allowance().spend(n)
    if entry < 0:
        amounts = draw_own(part, x, j, n, rng, zero=False)
        return amounts[:, None]
    reach = lists.reaches[entry]
    if reach.refused is None:
        pool = reach.interventions(j, question.interventions)
        if not len(pool):
            return np.zeros((0, len(part.names)))
        return reach.changes[rng.choice(pool, size=n)]
    sample: Callable[..., Any] = (
        sample_minimal if question.interventions == "minimal" else sample_joint
    )
    drawn = sample(part, x, j, n, rng)
    return drawn.changes if drawn.uniform else drawn.changes[:0]


def _possible(
    actions: ActionSet, rows: Numbers, change: Numbers, noise: Numbers
) -> NDArray[np.bool_]:
    """Return which points are possible: kinds, bounds and every constraint kept.

    Only noise is judged; `change` is feasible without it. Noise may not carry a value
    outside its bounds, nor further outside than the change did. A missing value stays
    missing, whatever is added to it.
    """
    without = rows + change
    after = rows + (change + noise)
    ok = np.ones(len(rows), dtype=bool)
    touched = (noise != 0).any(axis=0)
    for k in np.flatnonzero(touched):
        feature, now = actions.features[actions.names[k]], after[:, k]
        if feature.kind == "categorical":
            ok &= noise[:, k] == 0
            continue
        low, high = feature.bounds
        kept = now >= np.minimum(low, without[:, k])
        kept &= now <= np.maximum(high, without[:, k])
        if feature.kind != "real":
            kept &= now == np.rint(now)
        ok &= kept | (noise[:, k] == 0) | np.isnan(rows[:, k])
    for rule in actions.constraints:
        places = [actions.names.index(name) for name in rule.features]
        if touched[places].any():
            coded = rule.coded(actions.features)
            ok &= satisfied(coded, rows[:, places], after[:, places])
    return ok
