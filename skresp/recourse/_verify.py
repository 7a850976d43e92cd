"""Whether people who are denied have any way back, with proof."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from skresp.actions import ActionSet
from skresp.reach import (
    PIECE,
    OutOfTimeError,
    Part,
    TooManyTogetherError,
    distinct_rows,
    parts_of,
)
from skresp.scores import (
    Door,
    InvalidRowsError,
    part_columns,
)

from ._classes import NotSeparableError
from ._cost import costs_of
from ._engine import Engine
from ._found import (
    APPROVED,
    CHEAPEST_FOUND,
    CHEAPEST_OF_ALL,
    CONTRADICTED,
    FIXED,
    INVALID,
    NO_CHANGE,
    NOTHING,
    OUT_OF_BUDGET,
    SINGLE,
    UNKNOWN,
    WITNESS,
    Ask,
    Found,
    reached,
)
from ._judged import Judged
from ._options import (
    MOST_LISTED_UNTOLD,
    Options,
    has_moved,
    is_stuck,
    options_of,
    stands_alone,
    thinned,
)
from ._product import Product
from ._settle import Singles
from ._shrink import Move, shrink

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Truth = NDArray[np.bool_]

# People looked at together.
_AT_ONCE = 2_048
# Options of all of them on one part, about.
_MOST_OPTIONS = 500_000


@dataclass(frozen=True)
class Task:
    """Everything it takes to judge rows.

    Attributes
    ----------
    door : Door
        Its wardrobe holds the same rows.
    codes : array of shape (n_rows, n_features)
        The rows as numbers.
    interventions : "minimal" or "joint"
    reading : what `engine_of` returns
    ask : how far to go
    at_target, answered : arrays of n_rows
        Who is at the target, and of whom that was found out in time.
    singles : what scores know of single features
    invalid_rows : "raise" or "nan"
    """

    door: Door
    actions: ActionSet
    codes: Numbers
    interventions: str
    reading: tuple[Engine, int]
    ask: Ask
    at_target: Truth
    answered: Truth
    singles: Singles
    invalid_rows: str = "raise"

    @property
    def engine(self) -> Engine:
        """The way to come to verdicts."""
        return self.reading[0]

    @property
    def at_once(self) -> int:
        """How many people to look at together: fewer where each has many options."""
        lines = any(
            stands_alone(part, self.reading[1])
            or any(f.kind == "real" and f.can_change for f in part.features)
            for part in parts_of(self.actions)
        )
        few = max(16, _MOST_OPTIONS // self.engine.fineness)
        return min(_AT_ONCE, few) if lines else _AT_ONCE

    def run(self, rows: Places) -> Judged:
        """The verdicts of some rows."""
        valid = np.ones(len(rows), dtype=bool)
        movable: list[tuple[Part, Places]] = []
        for part, columns in zip(
            parts_of(self.actions), part_columns(self.actions), strict=True
        ):
            values = self.codes[np.ix_(rows, columns)]
            if part.constraints:
                first, which = distinct_rows(values)
                valid &= part.valid(values[first])[which]
            if part.actionable:
                movable.append((part, columns))
        if self.invalid_rows == "raise" and not valid.all():
            raise InvalidRowsError
        out = self._blank(len(rows))
        out.status[~valid] = INVALID
        out.proof[valid] = OUT_OF_BUDGET
        approved = valid & self.at_target[rows]
        out.status[approved], out.proof[approved] = APPROVED, NOTHING
        good = np.flatnonzero(valid & self.answered[rows])
        if len(good):
            with suppress(OutOfTimeError):  # then they stay unknown
                self._decide(out, rows[good], good, movable, self.engine)
        return out

    def unreached(self, rows: Places) -> Judged:
        """The verdicts of rows that nobody had time to look at."""
        out = self._blank(len(rows))
        out.proof[:] = OUT_OF_BUDGET
        approved = self.at_target[rows]
        out.status[approved], out.proof[approved] = APPROVED, NOTHING
        return out

    def _decide(
        self,
        out: Judged,
        rows: Places,
        places: Places,
        movable: list[tuple[Part, Places]],
        engine: Engine,
    ) -> None:
        """Judge rows together; halve the batch where that is not possible.

        So a row that the engine cannot handle goes to the black-box search alone, and
        no row is judged in another way because of its neighbours.
        """
        try:
            self._judge(out, rows, places, movable, engine)
        except (NotSeparableError, TooManyTogetherError):
            if len(rows) == 1:
                self._judge(out, rows, places, movable, Product())
                return
            half = len(rows) // 2
            for some in (slice(None, half), slice(half, None)):
                self._decide(out, rows[some], places[some], movable, engine)

    def _blank(self, rows: int) -> Judged:
        shape = rows, len(self.actions.names)
        return Judged(
            np.full(rows, UNKNOWN, dtype=np.int8),
            np.full(rows, NOTHING, dtype=np.int8),
            np.zeros(rows, dtype=np.int64),
            np.zeros(rows, dtype=bool),
            np.zeros(shape),
            np.zeros(rows, dtype=bool),
            np.zeros(shape),
        )

    def _judge(
        self,
        out: Judged,
        rows: Places,
        places: Places,
        movable: list[tuple[Part, Places]],
        engine: Engine,
    ) -> None:
        at_target = self.at_target[rows]
        options, columns, costs = self._options(rows, movable, engine)
        complete = np.ones(len(rows), dtype=bool)
        load = np.zeros(len(rows), dtype=np.int64)
        for each in options:
            load += each.points[each.which]
            complete &= each.complete[each.which]
        ask = self.ask
        if not complete.all():
            if complete.any():
                for some in (np.flatnonzero(complete), np.flatnonzero(~complete)):
                    self._decide(out, rows[some], places[some], movable, engine)
                return
            features = sum(len(part.actionable) for part, _ in movable)
            kept = self.singles.reserve(ask.max_points, features)
            ask = replace(ask, max_points=ask.max_points - kept)
        # Where not all changes are listed, half of the points is for the search.
        half = -(-ask.max_points // 2)
        most = np.where(complete, ask.max_points, half)
        heavy = ~at_target & (load > most)
        if heavy.any():
            if len(rows) > 1:
                # One by one: whoever has too many options gets some of them.
                for some in (np.flatnonzero(~heavy), *np.flatnonzero(heavy)[:, None]):
                    if len(some):
                        self._decide(out, rows[some], places[some], movable, engine)
                return
            options = thinned(options, half)
            costs = [
                costs_of(self.ask, each.part, each.before, each.changes)
                for each in options
            ]
        if options:
            found = engine.examine(self.door, options, costs, rows, ~at_target, ask)
        else:
            found = Found.blank(options, len(rows))  # nobody can change anything
        options = found.parts
        stuck = is_stuck(options, len(rows))
        found.note(np.flatnonzero(stuck & ~at_target), FIXED, NO_CHANGE)
        found.note(np.flatnonzero(at_target), APPROVED, NOTHING)
        witness = ~at_target & has_moved(options, found.choice)
        self._recheck(rows, options, found, witness)
        out.status[places], out.proof[places] = found.status, found.proof
        out.used[places] = np.where(at_target | stuck, 0, found.used)
        out.has_witness[places] = witness & (found.status != FIXED)
        out.best_known[places] = found.best_known | stuck
        for p, (each, here) in enumerate(zip(options, columns, strict=True)):
            ix = np.ix_(places, here)
            out.change[ix] = each.changes[found.choice[:, p]]
            out.best[ix] = each.changes[found.best[:, p]]
        out.change[places[~out.has_witness[places]]] = 0.0
        if self.ask.cost is not None:
            shown = out.has_witness[places] & (found.proof == WITNESS)
            out.proof[places[shown]] = CHEAPEST_FOUND
            if not callable(self.ask.cost):
                self._move_inward(out, rows, places, options, columns, found.choice)
            out.proof[places[shown & found.cheapest]] = CHEAPEST_OF_ALL
        elif engine.told:
            self._shrink(out, rows, places, options, columns)
        if not ask.exact:
            self.singles.settle(
                out, self.door, rows, places, options, columns, self.ask
            )

    def _shrink(
        self,
        out: Judged,
        rows: Places,
        places: Places,
        options: list[Options],
        columns: list[Places],
    ) -> None:
        """Numbers that go by their line: no further than it takes."""
        for each, here in zip(options, columns, strict=True):
            part = each.part
            if not stands_alone(part, self.reading[1]):
                continue
            some = np.flatnonzero(out.change[places, here[0]])
            if len(some):
                change = out.change[places[some]]
                before = self.codes[rows[some]]
                shrink(
                    self.door, self.actions, part, here[0], rows[some], before, change
                )
                out.change[places[some]] = change

    def _move_inward(
        self,
        out: Judged,
        rows: Places,
        places: Places,
        options: list[Options],
        columns: list[Places],
        choice: Places,
    ) -> None:
        """Bring witnesses nearer along their lines, which makes them cheaper."""
        for p, (each, here) in enumerate(zip(options, columns, strict=True)):
            on_line = each.inward[choice[:, p]] >= 0
            some = np.flatnonzero(out.has_witness[places] & on_line)
            if len(some):
                at = places[some]
                move = Move(
                    self.door,
                    self.actions,
                    each,
                    here,
                    rows[some],
                    self.codes[rows[some]],
                    out.change[at],
                )
                out.change[at] = move.inward(choice[some, p], out.status[at] == SINGLE)

    def _options(
        self, rows: Places, movable: list[tuple[Part, Places]], engine: Engine
    ) -> tuple[list[Options], list[Places], list[Numbers]]:
        """What the people of some rows can do, part by part, and what it costs."""
        told = engine.told
        options, places, costs = [], [], []
        for part, columns in movable:
            values = self.codes[np.ix_(rows, columns)]
            first, which = self._distinct(part, values, rows)
            each = options_of(
                part,
                values[first],
                rows[first],
                which,
                self.interventions,
                engine.cutter(self.door, part, self.codes[:, columns]),
                told,
                self.reading[1] if told else MOST_LISTED_UNTOLD,
                self.ask.seed,
                self.ask.max_points,
                self.ask.deadline,
                ends=self.ask.cost is not None,
            )
            if (each.counts > 1).any() or not each.complete.all():
                options.append(each)
                places.append(columns)
                costs.append(costs_of(self.ask, part, each.before, each.changes))
        return options, places, costs

    def _distinct(
        self, part: Part, values: Numbers, rows: Places
    ) -> tuple[Places, Places]:
        """Return the distinct values of rows on a part, as the model sees them.

        Labels that are not listed share a code, and so do all sorts of missing
        values, but the model may tell them apart.
        """
        unclear: list[Any] = []
        for k, (name, feature) in enumerate(
            zip(part.names, part.features, strict=True)
        ):
            shared = np.isnan(values[:, k])
            if feature.kind == "categorical":
                shared |= values[:, k] < 0
            if shared.any():
                seen = self.door.wardrobe.values(name, rows).astype(object)
                unclear.append(np.where(shared, seen, 0))
        return distinct_rows([*values.T, *unclear] if unclear else values)

    def _recheck(
        self, rows: Places, options: list[Options], found: Found, witness: Truth
    ) -> None:
        """Hold every witness to the constraints' meaning and to `predict`."""
        some = np.flatnonzero(witness)
        if not len(some):
            return
        choice = found.choice[some]
        ok = reached(self.door, options, rows[some], choice, final=True)
        for p, each in enumerate(options):
            pick, member = np.unique(choice[:, p], return_inverse=True)
            own = each.part.own(each.changes[pick])
            ok &= each.part.feasible(each.before_of(pick), own)[member]
        bad = some[~ok]
        found.note(bad, UNKNOWN, CONTRADICTED)
        witness[bad] = False


def verify(
    task: Task,
    *,
    n_jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
    shown: bool = False,
) -> Judged:
    """The verdict of every row of a task."""
    deadline = task.ask.deadline
    jobs = effective_n_jobs(n_jobs)
    out = [task.run(np.zeros(0, dtype=np.intp))]
    rows = len(task.codes)
    done = 0
    try:
        # With a limit a few people at a time: what is decided stays decided.
        piece = max(PIECE, 0.05 * deadline.limit)
        for block in deadline.slices(rows, piece, jobs * task.at_once):
            size = task.at_once
            if shown or jobs > 1:
                # Enough runs to share out and to show; what they are does not change
                # a verdict.
                size = min(size, max((block.stop - block.start) // 32, 64))
            if deadline.is_limited:
                size = min(size, -(-(block.stop - block.start) // jobs))
            runs = [
                np.arange(start, min(start + size, block.stop))
                for start in range(block.start, block.stop, size)
            ]
            found = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
                delayed(task.run)(run) for run in runs
            )
            for run, judged in zip(runs, found, strict=True):
                out.append(judged)
                done += len(run)
                if progress is not None:
                    progress(len(run))
    except OutOfTimeError:
        out.append(task.unreached(np.arange(done, rows)))
    return Judged.stacked(out)


def best_of(task: Task, rows: Places, n_jobs: int | None = None) -> Judged:
    """The best that the rows at these positions can reach; no verdicts."""
    deadline = task.ask.deadline.again()
    ask = replace(task.ask, exact=True, deadline=deadline)
    task = replace(task, ask=ask, door=task.door.until(deadline))
    return verify(task, n_jobs=n_jobs).taken(rows)
