"""Random effects: noise that is added to the points that changes reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skresp._actions._action_set import ActionSet
from skresp._text import quote
from skresp._typing import BoolArray, FloatArray, IndexArray
from skresp._validation import check_feature_names
from skresp.reach._allowance import allow, allowance
from skresp.reach._cache import Reach
from skresp.reach._feasible_changes import FeasibleChanges
from skresp.reach._own_changes import draw_own
from skresp.reach._part import satisfied
from skresp.reach._sampling import TRIES_PER_POINT, Sample, sample_interventions

from ._settings import ScoreSettings


@dataclass(frozen=True)
class RandomEffects:
    """Noise that is added to reached points: `x' = x + change + noise`.

    Parameters
    ----------
    given : mapping or callable
        A mapping from feature to a distribution (anything with scipy's
        `rvs(size=..., random_state=...)`) or to a function `(rows, changes, rng)` that
        returns one number for each row; or one such function that returns an array of
        the rows' shape. `rows` and `changes` are frames of numbers with one column for
        each feature.
    """

    given: Any

    def check(self, actions: ActionSet) -> None:
        """Raise for features that cannot have noise, and for invalid distributions."""
        if callable(self.given):
            return
        if not isinstance(self.given, Mapping) or not self.given:
            raise TypeError(
                f"random_effects must be a mapping from feature to distribution, or a "
                f"function (rows, changes, rng) -> noise, got {quote(self.given)}."
            )
        check_feature_names("random_effects", self.given, actions.names)
        for name, source in self.given.items():
            if actions.features[name].kind == "categorical":
                raise ValueError(
                    f"random_effects adds noise to {quote(name)}, which is "
                    f"categorical. Only numeric features can have noise; leave it out."
                )
            if not callable(source) and not hasattr(source, "rvs"):
                raise TypeError(
                    f"random_effects[{quote(name)}] must be a distribution with rvs, "
                    f"or a function (rows, changes, rng) -> noise, got {quote(source)}."
                )

    def noise(
        self,
        actions: ActionSet,
        rows: FloatArray,
        changes: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Return the noise of each row, of shape (n_rows, n_features)."""
        names = list(actions.names)
        frames = (
            pd.DataFrame(rows, columns=names),
            pd.DataFrame(changes, columns=names),
        )
        if callable(self.given):
            out = _as_noise(self.given(*frames, rng))
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
                    drawn = source.rvs(size=len(rows), random_state=rng)
                else:
                    drawn = source(*frames, rng)
                noise = _as_noise(drawn)
                if noise.shape not in ((), (len(rows),)):
                    raise ValueError(
                        f"random_effects[{quote(name)}] must return one number for "
                        f"each of the {len(rows)} rows, got shape {noise.shape}."
                    )
                out[:, column] = noise
        if not np.isfinite(out).all():
            raise ValueError("random_effects must return finite noise, got NaN or inf.")
        return out


def _as_noise(returned: Any) -> FloatArray:
    try:
        return np.asarray(returned, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(
            f"random_effects must return numbers, got {quote(returned)}."
        ) from None


@dataclass(frozen=True)
class EffectSampler:
    """Draws interventions on the features of one part, with random effects.

    Attributes
    ----------
    actions : ActionSet
    feasible : FeasibleChanges
        The feasible changes of some rows on the part.
    columns : array of shape (n_part_features,)
        The features of the part in the action set.
    codes : array of shape (n_rows, n_features)
        The values of the same rows, all features.
    settings : ScoreSettings
    """

    actions: ActionSet
    feasible: FeasibleChanges
    columns: IndexArray
    codes: FloatArray
    settings: ScoreSettings

    def draw(self, row: int, j: int, rng: np.random.Generator) -> Sample:
        """Draw interventions of one row on a feature.

        The changes have one column for each feature of the action set. A draw whose
        noise leaves a feature's kind or bounds, or breaks a constraint, is rejected
        together with its change and drawn again (Algorithm 1 of the paper). There may
        be fewer than `n_samples`.
        """
        settings, x = self.settings, self.codes[row]
        n, points_left = settings.n_samples, settings.points_per_score
        accepted: list[FloatArray] = []
        count = tried = 0
        uniform = True
        most = TRIES_PER_POINT * n
        while count < n and tried < most and not settings.deadline.is_over:
            with allow(settings.deadline, points_left) as given:
                drawn = self._interventions(row, j, n - count, rng)
            points_left = given.points
            on_part = drawn.changes
            uniform &= drawn.uniform
            if not len(on_part):
                tried += drawn.tried
                break
            tried += len(on_part)
            change = np.zeros((len(on_part), len(x)))
            change[:, self.columns] = on_part
            rows = np.broadcast_to(x, change.shape)
            noise = settings.random_effects.noise(
                self.actions, rows.copy(), change.copy(), rng
            )
            ok = _is_feasible(self.actions, rows, change, noise)
            accepted.append((change + noise)[ok])
            count += len(accepted[-1])
        changes = np.concatenate([np.zeros((0, len(x))), *accepted])[:n]
        return Sample(changes, tried, uniform)

    def cannot_move(self, row: int, j: int) -> bool:
        """Return whether a complete list shows no intervention on a feature."""
        reach = self._reach(row)
        if reach is None or reach.refused is not None:
            return False
        return not len(reach.interventions(j, self.settings.interventions))

    def _reach(self, row: int) -> Reach | None:
        """Return the feasible changes of a row; None where its range is long."""
        entry = self.feasible.which[row]
        return None if entry < 0 else self.feasible.reaches[entry]

    def _interventions(
        self, row: int, j: int, n: int, rng: np.random.Generator
    ) -> Sample:
        """Draw interventions of one row on a feature, without random effects."""
        part, x, reach = self.feasible.part, self.feasible.values[row], self._reach(row)
        interventions = self.settings.interventions
        if reach is not None and reach.refused is not None:
            return sample_interventions(part, x, j, n, rng, interventions)
        n = int(min(n, allowance().points))
        allowance().spend(n)
        if reach is None:
            amounts = draw_own(part.features[j], float(x[j]), n, rng, zero=False)
            return Sample(amounts[:, None], n)
        pool = reach.interventions(j, interventions)
        if not len(pool):
            return Sample(np.zeros((0, len(part.names))), 0)
        return Sample(reach.changes[rng.choice(pool, size=n)], n)


def _is_feasible(
    actions: ActionSet, rows: FloatArray, change: FloatArray, noise: FloatArray
) -> BoolArray:
    """Return where noise keeps kinds, bounds and every constraint.

    `change` is feasible without noise. Noise may not move a value outside its bounds,
    or further outside than the change did. A missing value stays missing.
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
        positions = [actions.names.index(name) for name in rule.features]
        if touched[positions].any():
            coded = rule.coded(actions.features)
            ok &= satisfied(coded, rows[:, positions], after[:, positions])
    return ok
