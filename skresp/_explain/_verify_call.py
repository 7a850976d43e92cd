"""What one call of `verify` is about, and the verdicts of its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from skresp._recourse._budget import SearchBudget
from skresp._recourse._single_features import SingleFeatures
from skresp._recourse._verdict_arrays import VerdictArrays
from skresp._recourse._verification_task import VerificationTask
from skresp._recourse._verify import rows_at_target, verify
from skresp._recourse.engines._base import Engine
from skresp._recourse.engines._first_engine import first_engine

from ._context import ResponsivenessContext, distinct_people
from ._progress import progress_bar
from ._row_blocks import compute_blocks


@dataclass(frozen=True, kw_only=True)
class VerifyCall:
    """What the verdicts of rows are computed with.

    Attributes
    ----------
    context : ResponsivenessContext
    budget : SearchBudget
    engine : Engine
    box_engine : callable
        Returns the engine over boxes, or None.
    n_jobs : int, optional
    verbose : int
    """

    context: ResponsivenessContext
    budget: SearchBudget
    engine: Engine
    box_engine: Callable[[], Engine | None]
    n_jobs: int | None = None
    verbose: int = 0

    def verdicts(self, table: Any) -> VerdictArrays:
        """Compute the verdicts of all rows of a table, a block at a time."""
        people, which = distinct_people(table)
        out = None
        with (
            self.context.naming_rows(table),
            progress_bar(len(people), "verify", self.verbose) as progress,
        ):
            self.context.check_rows(people)
            for block, some in compute_blocks(
                verify_rows,
                self,
                people,
                n_jobs=self.n_jobs,
                progress=progress,
                at_once=self.budget.deadline.is_limited,
            ):
                if len(some.status) == len(people):
                    out = some
                    continue
                if out is None:
                    out = VerdictArrays.unknown(len(people), some.change.shape[1])
                out.put_run(block, some)
        assert out is not None
        return out if len(people) == len(which) else out.taken(which)

    def best(self, table: Any) -> VerdictArrays:
        """Search the best point that each row can reach; statuses are not computed."""
        deadline = self.budget.deadline.again()
        budget = replace(self.budget, best_only=True, deadline=deadline)
        return replace(self, budget=budget, verbose=0).verdicts(table)

    def task(self, rows: Any) -> VerificationTask:
        """Return what is needed to compute the verdicts of a block of rows."""
        context, budget = self.context, self.budget
        codes = context.codes(rows)
        batch = context.batch(rows, budget.deadline)
        engine = first_engine(self.engine, self.box_engine, context.actions, budget)
        at_target, answered = rows_at_target(engine, batch, len(codes))
        return VerificationTask(
            batch=batch,
            actions=context.actions,
            codes=codes,
            interventions=context.settings.interventions,
            engine=engine,
            budget=budget,
            at_target=at_target,
            answered=answered,
            singles=SingleFeatures.of(
                batch, budget, context.settings, partial(context.keys, rows)
            ),
            box_engine=self.box_engine,
            invalid_rows=context.settings.invalid_rows,
        )


def verify_rows(
    call: VerifyCall,
    rows: Any,
    n_jobs: int | None,
    progress: Callable[[int], object] | None,
) -> VerdictArrays:
    """Compute the verdicts of a block of rows."""
    return verify(call.task(rows), n_jobs=n_jobs, progress=progress)
