"""The engine for tree ensembles: branch and bound over tables, exact."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from skresp._model._change_scorer import Answers, answers_of
from skresp._model._decision import Decision
from skresp._model._row_batch import RowBatch
from skresp._model._score_function import ScoreFunction
from skresp._recourse._option_points import option_codes, table_codes
from skresp._recourse._status import Proof, Status
from skresp._recourse.engines._base import (
    Engine,
    EngineInput,
    EngineResult,
    NotSeparableError,
)
from skresp._recourse.engines._table_search import SearchMode
from skresp._typing import BoolArray, FloatArray, IndexArray, IntArray
from skresp.reach._allowance import allow, allowance
from skresp.reach._deadline import OutOfTimeError
from skresp.reach._part import Part

from ._change_search import ChangeSearch
from ._cutter import TreeCutter
from ._equivalent_changes import (
    ChangesOfValues,
    Coder,
    changes_of_values,
    codes_of_people,
    kept_codes,
    tolerance_of,
)
from ._nodes import Trees
from ._part_gains import PartGains, RankedForest, small_trees

# Rows from which on the kernel of scores is faster: in it rows share a walk.
_MAX_WALKS = 500


class CodedTrees(NamedTuple):
    """The trees of an engine over codes.

    Attributes
    ----------
    coder : Coder
    trees : Trees
        The ensemble; its scores are gaps.
    base : array of shape (n_scores,)
        What the gaps start from.
    tolerance : float
        How far a gap may be off by rounding.
    forest : RankedForest
        The trees for the gains of single changes.
    """

    coder: Coder
    trees: Trees
    base: FloatArray
    tolerance: float
    forest: RankedForest


@dataclass(frozen=True, kw_only=True)
class TreeEngine(Engine):
    """Search over equivalent changes: those that no split distinguishes count as one.

    Attributes
    ----------
    score_function : ScoreFunction
    decision : Decision
    max_listed : int
    """

    score_function: ScoreFunction
    decision: Decision
    max_listed: int

    knows_lines = True
    uses_tables = True

    @cached_property
    def coded(self) -> CodedTrees:
        """The trees over codes, made at the first use: large models may not need them.

        Raises OutOfTimeError where that takes longer than `allow` allows.
        """
        group = self.score_function.groups[0]
        assert group.trees is not None
        coder = Coder.of(group.trees)
        allowance().deadline.check()
        trees, base = coder.trees(group, self.decision)
        tolerance = tolerance_of(trees, self.decision)
        forest = RankedForest.of(trees, small_trees(trees))
        return CodedTrees(coder, trees, base, tolerance, forest)

    @property
    def trees(self) -> Trees:
        """The ensemble over codes; its scores are gaps."""
        return self.coded.trees

    @property
    def base(self) -> FloatArray:
        """What the gaps start from."""
        return self.coded.base

    @property
    def tolerance(self) -> float:
        """How far a gap may be off by rounding."""
        return self.coded.tolerance

    def splits_on(self, names: Collection[str]) -> int:
        """Return how many nodes of trees split on these features."""
        if not names:
            return 0
        columns = self.score_function.columns
        some = [i for i, column in enumerate(columns) if column.name in names]
        return int(self._splits[some].sum())

    @cached_property
    def _splits(self) -> IntArray:
        """The number of nodes that split on each column."""
        trees = self.score_function.groups[0].trees
        assert trees is not None
        inner = trees.column[trees.column >= 0]
        return np.bincount(inner, minlength=len(self.score_function.columns))

    @cached_property
    def max_line_pieces(self) -> int:
        """Maximum number of pieces that the cuts of a column divide a line into."""
        cuts = map(self.score_function.cuts, range(len(self.score_function.columns)))
        return max([1, *map(len, cuts)])

    def cutter(self, batch: RowBatch, part: Part, codes: FloatArray) -> TreeCutter:
        """Return the function that finds the cuts of the trees on lines of a part."""
        return TreeCutter(self.score_function, batch, part, codes)

    def answers(self, batch: RowBatch) -> Answers | None:
        """Return which rows reach the target unchanged, or that the model knows."""
        coded = self.coded
        known, codes = batch.coded(self.score_function)
        trees = known.groups[0].trees
        is_slow = coded.forest.walked is not None and len(codes) > _MAX_WALKS
        if trees is None or is_slow:
            return None
        sums = coded.forest.sums(kept_codes(coded.coder, batch, trees, codes))
        gap = (coded.base + sums).min(axis=1)
        doubt = np.where(known.known_rows(codes), coded.tolerance, np.inf)
        return answers_of(gap, doubt)

    def examine(self, given: EngineInput) -> EngineResult:
        """Compute verdicts for people who are denied, or the best score of all."""
        with allow(given.budget.deadline):
            coder = self.coded.coder
        known, codes = codes_of_people(self.score_function, coder, given)
        made, gains_of = self._changes(known, given)
        changes = made.of_people(codes, given.options)
        return _TreeRun(self, given, changes, gains_of).solve()

    def _changes(
        self, known: ScoreFunction, given: EngineInput
    ) -> tuple[ChangesOfValues, PartGains]:
        """Return the changes of all values, and what computes their gains.

        Those of tables are kept until there are other tables.
        """
        coded, batch = self.coded, given.batch
        key = *map(id, given.tables), batch.point_builder.block_types
        kept = self._kept.get("changes")
        if given.tables and kept is not None and kept[0] == key:
            return kept[1], kept[2]
        after: Any
        options = given.options
        if given.tables:
            # With what was computed of them before.
            options = [table.options for table in given.tables]
            after = [table_codes(batch, known, each) for each in options]
            if any(each is None for each in after):
                raise NotSeparableError
        else:
            after = _codes_after(self.score_function, given)
        made = changes_of_values(known, coded.coder, options, given.costs, after)
        gains_of = PartGains(coded.forest, made)
        if given.tables:
            # The tables themselves are kept too, so that no other ones get their ids.
            self._kept["changes"] = key, made, gains_of, given.tables
        return made, gains_of

    @cached_property
    def _kept(self) -> dict[str, Any]:
        """What was made of tables of options."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was made of tables of options."""
        return {k: v for k, v in self.__dict__.items() if k != "_kept"}


def _codes_after(
    score_function: ScoreFunction, given: EngineInput
) -> Iterator[dict[int, FloatArray]]:
    """Yield the codes of the model's columns after the options of each part."""
    for each in given.options:
        given.batch.deadline.check()
        yield option_codes(given.batch, score_function, each)


class _TreeRun(ChangeSearch):
    """One call of `TreeEngine.examine`."""

    def solve(self) -> EngineResult:
        """Compute verdicts, or the best choices with `budget.best_only`."""
        out = EngineResult.blank(self.options, self.staying)
        best_only = self.budget.best_only
        try:
            self.add_gains(
                np.arange(len(self.rows)) if best_only else np.flatnonzero(self.denied)
            )
        except OutOfTimeError:
            return out
        out.used[:] = self.points
        if best_only:
            self._best(out)
            return out
        try:
            self._singles(out)
            rest = np.flatnonzero(self.denied & (out.status == Status.UNKNOWN))
            self._others(out, rest)
        except OutOfTimeError:
            pass  # verdicts noted so far stay
        return out

    def _best(self, out: EngineResult) -> None:
        """Search the choice with the greatest gap for each person."""
        people = np.arange(len(self.rows))
        top = self.index.best(self.gap)
        choice, done = self.search_best(out, people, self.gap[top].copy(), np.inf)
        out.best[:] = self.as_options(people, choice)
        # Nothing beats the best change of one part.
        one = np.flatnonzero((choice < 0).all(axis=1))
        entry = top[one]
        out.best[one] = self.stay(one)
        moved = self.changes.option[self.index.which[entry]]
        out.best[one, self.index.part[entry]] = moved
        # With several rivals the greatest lead is not the greatest probability.
        out.best_known[:] = done & self.covers_all & (len(self.engine.base) == 1)

    # -- one change at a time ---------------------------------------------------------

    def _singles(self, out: EngineResult) -> None:
        """Note the cheapest single intervention that reaches the target."""
        changes, tolerance = self.changes, self.engine.tolerance
        owner = self.index.owner
        price = changes.single_cost[self.index.which]
        some = np.flatnonzero(self.denied[owner] & np.isfinite(price))
        gap = self.gap[some]
        if not self.batch.uses_kernels:
            gap = self.signed(gap, owner[some], self._single_choice(some))
        sure = some[gap > tolerance]
        # The cheapest of each person comes last, and stays.
        self._note_single(out, sure[np.lexsort((-price[sure], owner[sure]))])
        least = np.full(len(self.rows), np.inf)
        if self.budget.cost is None:
            least[out.status == Status.SINGLE] = -np.inf
        else:
            np.minimum.at(least, owner[sure], price[sure])
        close = some[(np.abs(gap) <= tolerance) & (price[some] < least[owner[some]])]
        if len(close):
            # Within the rounding error only the model itself decides.
            close = close[np.lexsort((-price[close], owner[close]))]
            ok = self.reaches_target(owner[close], self._single_choice(close))
            self._note_single(out, close[ok])

    def _single_choice(self, entries: IndexArray) -> IndexArray:
        """Return the choices that change one part, of entries of the index."""
        choice = self.stay(self.index.owner[entries])
        moved = self.changes.single[self.index.which[entries]]
        choice[np.arange(len(entries)), self.index.part[entries]] = moved
        return choice

    def _note_single(self, out: EngineResult, entries: IndexArray) -> None:
        """Note a witness for each owner, the last of several."""
        if not len(entries):
            return
        who, back = np.unique(self.index.owner[entries][::-1], return_index=True)
        last = entries[::-1][back]
        out.choice[who] = self._single_choice(last)
        out.note(who, Status.SINGLE, Proof.WITNESS)
        out.cheapest[who] = self.priced[who]

    # -- all parts together -----------------------------------------------------------

    def _others(self, out: EngineResult, people: IndexArray) -> None:
        """Decide people without a single intervention that reaches the target."""
        if not len(people):
            return
        tolerance = self.engine.tolerance
        n, parts = self.changes.first.shape
        value = np.full(n, -tolerance)
        chosen = np.full((n, parts), -1, dtype=np.int64)
        done = np.zeros(n, dtype=bool)
        self.search_greedily(out, people, value, chosen)
        if self.budget.cost is None:
            rest = people[value[people] <= tolerance]
            best, done = self.search_best(out, rest, value, tolerance)
            chosen[rest] = best[rest]
        else:
            for i in people:
                if self.budget.deadline.is_over:
                    break
                self._cheapest(out, int(i), value, chosen, done)
        sure = value[people] > tolerance
        self._joint(out, people[sure], chosen)
        # Where the options are incomplete, a change that works may be missing.
        low = people[~sure & done[people] & (value[people] <= -tolerance)]
        out.note(low[self.covers_all[low]], Status.FIXED, Proof.BOUND)
        out.note(low[~self.covers_all[low]], Status.UNKNOWN, Proof.INCOMPLETE)
        close = people[~sure & (value[people] > -tolerance)]
        self.settle_close(out, close, np.full(n, tolerance))

    def _joint(self, out: EngineResult, people: IndexArray, chosen: IntArray) -> None:
        """Note witnesses of people whose chosen changes reach the target."""
        if self.budget.cost is None and not self.budget.any_witness:
            with suppress(OutOfTimeError):  # then needless changes stay
                self.undo_needless(people, chosen)
        self.note_joint(out, people, self.as_options(people, chosen[people]))

    def _cheapest(
        self,
        out: EngineResult,
        i: int,
        value: FloatArray,
        chosen: IntArray,
        done: BoolArray,
    ) -> None:
        """Search the cheapest choice that may reach the target, then that surely does.

        The second search is needed where the model rejects the result of the first.
        """
        tolerance = self.engine.tolerance
        for wanted_gain in (-tolerance, float(np.nextafter(tolerance, np.inf))):
            max_steps = self.budget.max_points - int(out.used[i])
            found = self.search_changes(i, SearchMode.CHEAPEST, wanted_gain, max_steps)
            out.used[i] += found.nodes
            done[i] |= found.done
            if found.value < wanted_gain:
                return
            who = np.array([i])
            doubtful = found.value <= tolerance
            if (
                not doubtful
                or self.reaches_target(who, self.as_options(who, found.choice))[0]
            ):
                value[i] = max(found.value, np.nextafter(tolerance, np.inf))
                chosen[i] = found.choice[0]
                out.cheapest[i] = wanted_gain < 0 and found.done and self.priced[i]
                return
            value[i] = max(value[i], float(np.nextafter(found.value, np.inf)))
