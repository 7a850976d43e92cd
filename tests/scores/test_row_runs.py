"""Runs of rows: in order, without gaps, and kept when the time ends."""

from __future__ import annotations

import pytest

from skresp.reach import _deadline
from skresp.reach._deadline import NEVER, Deadline, OutOfTimeError
from skresp.scores import _row_runs
from skresp.scores._row_runs import compute_runs


def rows_of(run):
    return list(range(run.start, run.stop))


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 1_000])
@pytest.mark.parametrize("max_rows", [1, 10, 5_000])
def test_runs_cover_all_rows_in_order(n_jobs, shown, n_rows, max_rows):
    done = []
    runs = list(
        compute_runs(
            rows_of,
            n_rows,
            max_rows,
            deadline=NEVER,
            n_jobs=n_jobs,
            progress=done.append if shown else None,
        )
    )
    assert [row for _, rows in runs for row in rows] == list(range(n_rows))
    assert all(rows == rows_of(run) for run, rows in runs)
    assert all(1 <= len(rows) <= max_rows for _, rows in runs)
    assert done == ([len(rows) for _, rows in runs] if shown else [])


def test_runs_before_the_deadline_are_kept(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(_deadline, "monotonic", lambda: now[0])

    def compute(run):
        now[0] += 1.0  # each run takes a second
        return rows_of(run)

    kept = []
    runs = compute_runs(compute, 1_000, 100, deadline=Deadline.after(3.5))
    with pytest.raises(OutOfTimeError):
        kept.extend(row for _, rows in runs for row in rows)
    assert 0 < len(kept) < 1_000
    assert kept == list(range(len(kept)))
    assert now[0] == 4.0


@pytest.mark.parametrize(
    ("seconds", "fixed", "n_jobs", "shown", "first", "longest"),
    [
        (1e-6, 0.0, 1, True, [4, 16], 2_052),
        (0.01, 0.0, 1, True, [4, 16], 25),
        (1e-6, 0.0, 4, True, [4, 16], 518),
        (0.01, 0.0, 4, False, [4, 16], 25),
        # Runs are ten times as long as what they take in any case.
        (0.01, 0.125, 4, False, [4, 16], 125),
        (1e-6, 0.0, 4, False, [4], 518),
        (1e-6, 0.0, 1, False, [], 2_072),
    ],
)
def test_runs_are_as_long_as_the_first_rows_are_fast(
    monkeypatch, seconds, fixed, n_jobs, shown, first, longest
):
    """Slow rows are shared after a few of them; fast ones are divided by the jobs."""
    now = [0.0]
    monkeypatch.setattr(_row_runs, "monotonic", lambda: now[0])

    def compute(run):
        now[0] += fixed + seconds * (run.stop - run.start)
        return rows_of(run)

    progress = (lambda n: None) if shown else None
    runs = compute_runs(
        compute, 2_072, 5_000, deadline=NEVER, n_jobs=n_jobs, progress=progress
    )
    lengths = [run.stop - run.start for run, _ in runs]
    assert lengths[: len(first)] == first
    assert max(lengths[len(first) :]) == pytest.approx(longest, abs=1)
