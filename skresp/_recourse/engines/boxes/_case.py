"""The verdict of one person, up to points that only the model can decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from skresp._recourse._status import Proof, Status
from skresp._typing import FloatArray
from skresp.reach._deadline import Deadline

from ._solve import Change, Finding, Solver


class ListedPart(NamedTuple):
    """The listed changes of a person on one part.

    Attributes
    ----------
    position : int
        The position of the part.
    changes : array of shape (n_changes, n_features)
    cost : array of shape (n_changes,)
    """

    position: int
    changes: FloatArray
    cost: FloatArray


class Candidate(NamedTuple):
    """A change of one person that reaches the target, or may.

    Attributes
    ----------
    change : Change
    is_tie : bool
        Whether only the model can decide.
    is_single : bool
        Whether it is an intervention on one feature.
    """

    change: Change
    is_tie: bool
    is_single: bool


@dataclass
class Case:
    """The search of one person.

    Attributes
    ----------
    solver : Solver
    max_points : int
    deadline : Deadline
    interventions : {"minimal", "joint"}
    price : callable or None
        Returns the cost of a change of one part; None where any witness is enough.
    witness : Change or None
        A sure one, after `decide`.
    status, proof : Status, Proof
        The verdict if no tie reaches the target.
    single_ties, ties : list of Change
        Changes in doubt, of single features and of any.
    used : int
        The number of boxes and points.
    knows_singles : bool
        Whether no single intervention but the ties can reach the target.
    is_cheapest : bool
        Whether no single intervention is cheaper than the witness.
    """

    solver: Solver
    max_points: int
    deadline: Deadline
    interventions: str
    price: Callable[[int, FloatArray], float] | None = None
    witness: Change | None = None
    status: Status = Status.UNKNOWN
    proof: Proof = Proof.OUT_OF_BUDGET
    single_ties: list[Change] = field(default_factory=list)
    ties: list[Change] = field(default_factory=list)
    used: int = 0
    knows_singles: bool = True
    is_cheapest: bool = False
    _several: Change | None = None
    _cost: float = np.inf

    @property
    def candidates(self) -> list[Candidate]:
        """The ties, those of single features first, then the sure witness."""
        out = [Candidate(change, True, True) for change in self.single_ties]
        out += [Candidate(change, True, False) for change in self.ties]
        if self.witness is not None:
            is_single = self.status == Status.SINGLE
            out.append(Candidate(self.witness, False, is_single))
        return out

    @property
    def has_ties(self) -> bool:
        """Whether the model has to be asked."""
        return bool(self.single_ties or self.ties)

    @property
    def left(self) -> int:
        """The number of boxes and points left."""
        return self.max_points - self.used

    def decide(self, listed: Sequence[ListedPart]) -> None:
        """Search single features, then everything.

        `listed` holds the single interventions of parts whose changes are listed.
        """
        lists = {each.position for each in listed}
        others = [
            p
            for p in range(len(self.solver.parts))
            if p not in lists and self.solver.moving_parts[p]
        ]
        self._try_lists(listed)
        if self.witness is None or self.price is not None:
            self._try_variables(others)
        if self.witness is not None:
            self.status, self.proof = Status.SINGLE, Proof.WITNESS
            self.is_cheapest = not others and not self.single_ties
            return
        if self._several is not None:
            self.witness = self._several
            self.status, self.proof = self.status_of_several, Proof.WITNESS
            return
        found = self.solver.everything(max(self.left, 0), self.deadline)
        self.used += found.used
        self.ties, self.witness = found.ties, found.witness
        if found.witness is not None:
            self.status, self.proof = self.status_of_several, Proof.WITNESS
        elif found.is_exhausted:
            self.status, self.proof = Status.FIXED, Proof.EXHAUSTION
        elif self.left > 0 and not self.deadline.is_over:
            self.proof = Proof.INCOMPLETE

    @property
    def status_of_several(self) -> Status:
        """The status of a person whose witness is not a single intervention."""
        return Status.JOINT if self.knows_singles else Status.POSSIBLE

    def _try_lists(self, listed: Sequence[ListedPart]) -> None:
        """Look for the cheapest listed change of one part."""
        for p, changes, cost in listed:
            if self.left < len(changes):
                self.knows_singles = False
                continue
            self.used += len(changes)
            lower, upper = self._gaps(p, changes)
            sure = lower > self.solver.tolerance
            for k in np.flatnonzero(~sure & (upper >= -self.solver.tolerance)).tolist():
                self.single_ties.append(self._only(p, changes[k]))
            if sure.any():
                k = int(np.argmin(np.where(sure, cost, np.inf)))
                self._offer(self._only(p, changes[k]), float(cost[k]))

    def _offer(self, change: Change, cost: float) -> None:
        """Take a witness where it is cheaper than what is known."""
        if cost < self._cost:
            self.witness, self._cost = change, cost

    def _gaps(self, p: int, changes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return bounds of the gaps of changes of one part."""
        solver = self.solver
        reached = np.tile(solver.person.rules.before, (len(changes), 1))
        for k in np.flatnonzero(solver.part_of == p).tolist():
            moved = changes[:, solver.variables.all[k].position]
            reached[:, k] = solver.after(k, moved)
        return solver.gap_bounds(reached)

    def _try_variables(self, parts: Sequence[int]) -> None:
        """Look for interventions on features of parts that are not listed.

        Without a price the first one is enough.
        """
        hopeless = self._hopeless(parts)
        for p in parts:
            if p in hopeless and self.left >= 2 and not self.deadline.is_over:
                self.used += 1
                continue
            found = self._search(p)
            if self.solver.parts[p].part.is_unconstrained:
                self.single_ties += found.ties
                self.knows_singles &= found.is_exhausted or found.witness is not None
                self._take(p, found.witness)
            else:
                self._try_part(p, found)
            if self.witness is not None and self.price is None:
                return

    def _hopeless(self, parts: Sequence[int]) -> set[int]:
        """Return parts of one feature that reach the target by no change of theirs.

        The search of such a part would end with its first box, which takes a point
        (and there have to be two).
        """
        solver = self.solver
        alone = {p for p in parts if solver.parts[p].part.is_unconstrained}
        if len(alone) < 2:
            return set()
        return alone & set(solver.part_of[solver.hopeless()].tolist())

    def _try_part(self, p: int, found: Finding) -> None:
        """Look for interventions on features of a part with constraints.

        `found` is what the search of all changes of the part found. Where none of them
        reaches the target, no intervention does. Otherwise the changes of one feature
        with its effects are tried, and what else the feature could do is not known.
        """
        part = self.solver.parts[p].part
        if found.witness is None and not found.ties:
            self.knows_singles &= found.is_exhausted
            return
        self._several = self._several or found.witness
        if self.interventions == "joint":
            actionable = list(part.actionable)
            acts = [c for c in found.ties if c[p][actionable].any()]
            self.single_ties += acts
            self.knows_singles &= found.is_exhausted and len(acts) == len(found.ties)
            if found.witness is not None and found.witness[p][actionable].any():
                self._take(p, found.witness)
            return
        self.knows_singles = False
        for j in part.actionable:
            if not part.leads_alone(j):
                continue
            one = self._search(p, j).witness
            if one is not None and (part.own(one[p][None])[0] != 0).sum() == 1:
                self._take(p, one)
                if self.price is None:
                    return

    def _search(self, p: int, only: int | None = None) -> Finding:
        """Search changes of one part.

        With constraints that may be hard, so half of the points is kept for the rest.
        """
        most = max(self.left, 0)
        if not self.solver.parts[p].part.is_unconstrained:
            most //= 2
        found = self.solver.within(p, most, self.deadline, only)
        self.used += found.used
        return found

    def _take(self, p: int, change: Change | None) -> None:
        """Take a witness of a single feature, if it is the cheapest so far."""
        if change is not None:
            cost = 0.0 if self.price is None else self.price(p, change[p])
            self._offer(change, cost)

    def _only(self, p: int, change: FloatArray) -> Change:
        """Return a change of one part only."""
        out = list(self.solver.stay)
        out[p] = change
        return out
