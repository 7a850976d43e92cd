"""Search for changes that reach the target, by the model's own margins.

Only what `predict` accepts counts as found. So it shows that a verdict is wrong, and
never that one is right.
"""

from __future__ import annotations

import numpy as np

from . import lattice

_ROUNDS, _FIRST, _PARTS, _DEPTH = 3, 64, 16, 8
_RANDOM, _HALVINGS = 60, 6


def margin(world, points):
    """Return how near the model is to the target at points; more is better."""
    model, classes = world.model, list(getattr(world.model, "classes_", ()))
    if not len(points):
        return np.zeros(0)
    with np.errstate(all="ignore"):
        if hasattr(model, "predict_log_proba"):
            likely = np.asarray(model.predict_log_proba(points))
            at = classes.index(world.target)
            out = likely[:, at] - np.delete(likely, at, axis=1).max(axis=1)
        elif hasattr(model, "decision_function"):
            out = np.asarray(model.decision_function(points))
            assert world.target == classes[1]
        else:
            out = np.asarray(model.predict_proba(points))[
                :, classes.index(world.target)
            ]
    return np.nan_to_num(out, nan=-np.inf, posinf=1e300, neginf=-1e300)


def line_range(world, person, name):
    """Return the first and last value that an own change may land on."""
    f, value = world.actions.features[name], person.row[name]
    up = np.inf if f.max_increase is None else f.max_increase
    down = np.inf if f.max_decrease is None else f.max_decrease
    up = 0 if f.direction == "decrease" else up
    down = 0 if f.direction == "increase" else down
    return max(f.lower, value - down), min(f.upper, value + up)


def line_values(world, person, name, values, *, check=True):
    """Return columns at values of a feature, with effects, and which rows exist."""
    actions, part = world.actions, person.part_of(name)
    columns = {
        n: np.full(len(values), person.row[n], dtype=object)
        if actions.features[n].kind == "categorical"
        or lattice.is_missing(person.row[n])
        else np.full(len(values), person.row[n], dtype=float)
        for n in part.names
    }
    columns[name] = np.asarray(values, dtype=float)
    after = lattice._with_effects(actions, part.names, person.row, columns)
    if name in after and not lattice.is_missing(person.row[name]):
        # Adding a change to the current value rounds; the value itself is asked for.
        asked = columns[name]
        near = 4 * np.spacing(np.abs(asked) + abs(person.row[name]))
        after[name] = np.where(np.abs(after[name] - asked) <= near, asked, after[name])
    return after, _allowed(world, person, after) if check else None


def surely_allowed(world, person, name, values):
    """Return which values are feasible, without those that only rounding allows."""
    after, ok = line_values(world, person, name, values)
    sure = ok == _allowed(world, person, after, slack=0.0)
    return values[sure], {n: v[sure] for n, v in after.items()}, ok[sure]


def _allowed(world, person, after, slack=1e-7):
    many = len(next(iter(after.values())))
    rows = (person.row | {n: v[t] for n, v in after.items()} for t in range(many))
    return np.array(
        [lattice.allowed(world.actions, person.row, r, slack) is None for r in rows],
        dtype=bool,
    )


class Climb:
    """The best changes of one person, part by part, beside given other values."""

    def __init__(self, world, person):
        self.world, self.person = world, person

    def _points(self, row, after):
        many = len(next(iter(after.values())))
        columns = {n: [v] * many for n, v in row.items()} | after
        return self.world.points(self.person.i, columns)

    def _best(self, row, after):
        """Return the row with the largest margin among some, and its margin."""
        margins = margin(self.world, self._points(row, after))
        at = int(np.argmax(margins))
        return row | {n: v[at] for n, v in after.items()}, margins[at]

    def along(self, row, name):
        """Return the best row along the line of a feature; None where it has none."""
        low, high = line_range(self.world, self.person, name)
        best, most, parts = None, -np.inf, _FIRST
        for _ in range(_DEPTH):
            if not low < high:
                break
            values = np.unique(np.linspace(low, high, parts + 1))
            values = values[values != self.person.row[name]]
            after, ok = line_values(self.world, self.person, name, values)
            if not ok.any():
                break
            found = self._best(row, {n: v[ok] for n, v in after.items()})
            if found[1] > most:
                best, most = found
            step = (high - low) / parts
            low = max(low, best[name] - step)
            high = min(high, best[name] + step)
            parts = _PARTS
        return best, most

    def _free_reals(self, part):
        features = self.world.actions.features
        return [
            n
            for n in part.names
            if features[n].kind == "real"
            and features[n].can_change
            and not lattice.is_missing(self.person.row[n])
        ]

    def near(self, row, part):
        """Return the best row among random changes of the reals of a part."""
        actions, person = self.world.actions, self.person
        reals = self._free_reals(part)
        rng = np.random.default_rng(self.world.seed)
        here = self._points(row, {n: [row[n]] for n in reals})
        best = row, margin(self.world, here)[0]
        for turn in range(_HALVINGS):
            at = best[0]
            own = lattice.own_changes(actions, person.row, at)
            columns = {}
            for n in part.names:
                if actions.features[n].kind == "categorical" or n not in own:
                    columns[n] = np.full(_RANDOM, at[n], dtype=object)
                    continue
                base = at[n] if lattice.is_missing(person.row[n]) else None
                value = person.row[n] + own[n] if base is None else base
                columns[n] = np.full(_RANDOM, value)
                if n in reals:
                    moved = rng.random(_RANDOM) < 0.6
                    noise = rng.normal(size=_RANDOM) * lattice.STEP * 0.4**turn
                    columns[n] = columns[n] + moved * noise
            after = lattice._with_effects(actions, part.names, person.row, columns)
            ok = _allowed(self.world, person, after)
            if ok.any():
                found = self._best(at, {n: v[ok] for n, v in after.items()})
                if found[1] > best[1]:
                    best = found
        return best

    def on_part(self, row, part):
        """Return the best row that differs from a given one on a part."""
        best = self._best(row, part.values)
        lines = [n for n in part.names if self._has_line(n)]
        tries = [self.along(row, n) for n in lines]
        if not lines and self._free_reals(part):
            tries.append(self.near(best[0], part))
        for found in tries:
            if found[0] is not None and found[1] > best[1]:
                best = found
        return best

    def _has_line(self, name):
        feature, value = self.world.actions.features[name], self.person.row[name]
        return (
            feature.kind == "real"
            and feature.actionable
            and not lattice.is_missing(value)
            and self.person.is_line(name)
        )

    def single(self):
        """Return a row that reaches the target by a change along one line, or None."""
        for part in self.person.parts:
            for name in part.names:
                if self._has_line(name):
                    found = self.along(self.person.row, name)[0]
                    if found is not None and self.reaches(found):
                        return found
        return None

    def best(self):
        """Return the row with the largest margin that changes of all parts reach."""
        row, most = self.person.row, -np.inf
        for _ in range(_ROUNDS):
            before = most
            for part in self.person.parts:
                row, most = self.on_part(row, part)
            if not most > before:
                break
        return row

    def together(self):
        """Return a row that reaches the target by changes of all parts, or None."""
        row = self.best()
        return row if self.reaches(row) else None

    def reaches(self, row):
        after = {n: [row[n]] for n in self.person.row}
        return bool(self.world.reaches(self.world.points(self.person.i, after))[0])
