"""The sums that an audit shows, over one table or over many parts.

Every figure of an audit is a sum, a ratio of sums or an example. Sums of parts are
added with `merge`, so an audit of any number of rows holds the sums only, and every
division of the rows has the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skresp._html._plain_values import brief
from skresp._typing import IndexArray

from ._block import DENIED, OUTCOMES, Block, ScoreArrays, is_denied
from ._candidates import Candidates, find_candidates, merge_candidates
from ._feature_sums import FeatureSums

_MAX_LABELS = 10_000


@dataclass(frozen=True, kw_only=True)
class AuditSums:
    """What an audit counts.

    Attributes
    ----------
    counts : mapping from group to array of int
        How many rows of the group have each of `OUTCOMES`. Without groups the only
        group is "".
    works : mapping from group to array of int
        For how many of the denied of the group each feature works.
    proofs : mapping from proof to int
        How many of the denied have it.
    features : FeatureSums
    candidates : mapping from status to list of Candidate
        The people who may be shown as examples.
    """

    counts: Mapping[str, IndexArray]
    works: Mapping[str, IndexArray]
    proofs: Counter[str]
    features: FeatureSums
    candidates: Candidates

    @classmethod
    def of(cls, block: Block) -> AuditSums:
        """Return the sums of some rows."""
        outcome = pd.Index(OUTCOMES).get_indexer(block.status)
        denied = np.flatnonzero(is_denied(block.status))
        labels, codes = _group_codes(block.groups, len(outcome))
        counts = np.zeros((len(labels), len(OUTCOMES)), dtype=np.intp)
        np.add.at(counts, (codes, outcome), 1)
        works = np.zeros((len(labels), block.scores.values.shape[1]), dtype=np.intp)
        np.add.at(works, codes[denied], block.scores.values > 0)
        proofs = pd.Series(block.proof[denied]).value_counts()
        return cls(
            counts=_by_label(labels, counts),
            works=_by_label(labels, works),
            proofs=Counter({str(name): int(n) for name, n in proofs.items()}),
            features=FeatureSums.of(block.scores),
            candidates=find_candidates(block, denied),
        )

    @classmethod
    def empty(cls, n_features: int, intervals: bool) -> AuditSums:
        """Return the sums of no rows.

        Parameters
        ----------
        n_features : int
        intervals : bool
            Whether the sums that require intervals are known.
        """
        none = np.empty(0, dtype=object)
        blank = np.zeros((0, n_features))
        more = (blank, blank, blank > 0, blank) if intervals else ()
        keys = np.empty(0, dtype=np.uint64)
        return cls.of(Block(none, none, none, ScoreArrays(blank, *more), keys, int))

    def merge(self, other: AuditSums) -> AuditSums:
        """Return the sums of the rows of both."""
        return AuditSums(
            counts=_added(self.counts, other.counts),
            works=_added(self.works, other.works),
            proofs=self.proofs + other.proofs,
            features=self.features.merge(other.features),
            candidates=merge_candidates(self.candidates, other.candidates),
        )

    # -- reading ----------------------------------------------------------------------

    @property
    def total(self) -> dict[str, int]:
        """The number of rows with each outcome."""
        every = sum(self.counts.values(), np.zeros(len(OUTCOMES), dtype=np.intp))
        return _named(every)

    @property
    def n_denied(self) -> int:
        """The number of people who are denied."""
        total = self.total
        return sum(total[name] for name in DENIED)

    def of_group(self, label: str) -> dict[str, int]:
        """Return the number of rows of a group with each outcome."""
        return _named(self.counts[label])

    @property
    def works_for(self) -> IndexArray:
        """For how many of the denied each feature works."""
        return self.features.bands.sum(axis=0)

    @property
    def by_size(self) -> list[str]:
        """The groups, largest first; rows that cannot be scored do not count."""
        left_out = [OUTCOMES.index(name) for name in ("invalid", "problem")]

        def size(label: str) -> int:
            return int(np.delete(self.counts[label], left_out).sum())

        return sorted(self.counts, key=lambda label: (-size(label), label))


def sum_blocks(blocks: Iterable[Block], n_features: int, intervals: bool) -> AuditSums:
    """Return the sums of rows that come in blocks; see `AuditSums.empty`."""
    sums = AuditSums.empty(n_features, intervals)
    for block in blocks:
        sums = sums.merge(AuditSums.of(block))
    return sums


def _named(counts: IndexArray) -> dict[str, int]:
    return {name: int(n) for name, n in zip(OUTCOMES, counts, strict=True)}


def _group_codes(
    groups: NDArray[Any] | None, n_rows: int
) -> tuple[list[str], IndexArray]:
    """Return the groups as texts, and which of them each row is in."""
    if groups is None:
        return [""], np.zeros(n_rows, dtype=np.intp)
    codes, labels = pd.factorize(groups, use_na_sentinel=False)
    return ["missing" if pd.isna(v) else brief(v) for v in labels], codes


def _by_label(labels: list[str], rows: IndexArray) -> dict[str, IndexArray]:
    """Return rows of counts by label, added where labels are equal as texts."""
    out: dict[str, IndexArray] = {}
    for label, row in zip(labels, rows, strict=True):
        out[label] = out[label] + row if label in out else row
    return _checked(out)


def _added(
    first: Mapping[str, IndexArray], second: Mapping[str, IndexArray]
) -> dict[str, IndexArray]:
    out = dict(first)
    for label, row in second.items():
        out[label] = out[label] + row if label in out else row
    return _checked(out)


def _checked(by_label: dict[str, IndexArray]) -> dict[str, IndexArray]:
    if len(by_label) > _MAX_LABELS:
        raise ValueError(
            f"groups has more than {_MAX_LABELS:,} different labels. Choose a column "
            f"with few of them, such as ranges of ages instead of dates of birth."
        )
    return by_label
