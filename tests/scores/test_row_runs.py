"""Runs of rows: in order, without gaps, and kept when the time ends."""

from __future__ import annotations

import joblib
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
    ("seconds", "fixed", "n_jobs", "shown", "kind", "wanted"),
    [
        # Slow rows: runs take two seconds, with a progress bar half a second.
        (0.01, 0.0, 4, False, "", [4, 200]),
        (0.01, 0.0, 1, True, "", [4, 50]),
        # Or ten times as long as the first, which shows what a run takes in any case.
        (0.01, 0.96, 4, False, "", [4, 40, 292]),
        # Fast rows are divided by the jobs.
        (1e-6, 0.0, 4, False, "", [4, 518]),
        (1e-6, 0.0, 4, True, "", [4, 518]),
        # Nothing is divided without a reason.
        (1e-6, 0.0, 1, True, "", [4, 2_072]),
        (1e-6, 0.0, 1, False, "", [2_076]),
        # Rows that take the same time need no first run.
        (0.01, 0.0, 4, False, "is_even", [519]),
        # Fast rows get as many jobs as are worthwhile.
        (1e-6, 0.0, 4, False, "is_fast", [500, 1_576]),
        (3e-4, 0.0, 4, False, "is_fast", [500, 525]),
        (1e-4, 0.0, 4, False, "is_fast", [500, 1_576]),
        (2.1e-4, 0.0, 4, False, "is_fast", [500, 788]),
        (1e-6, 0.0, 1, False, "is_fast", [2_076]),
        (1e-6, 0.0, 4, True, "is_fast", [4, 518]),
    ],
)
def test_runs_are_as_long_as_those_before_are_fast(
    monkeypatch, seconds, fixed, n_jobs, shown, kind, wanted
):
    now = [0.0]
    monkeypatch.setattr(_row_runs, "monotonic", lambda: now[0])
    monkeypatch.setattr(_row_runs, "thread_time", lambda: now[0])
    run_in_turn(monkeypatch)

    def compute(run):
        now[0] += fixed + seconds * (run.stop - run.start)
        return rows_of(run)

    runs = compute_runs(
        compute,
        2_076,
        5_000,
        deadline=NEVER,
        n_jobs=n_jobs,
        progress=(lambda n: None) if shown else None,
        **({kind: True} if kind else {}),
    )
    lengths = [run.stop - run.start for run, _ in runs]
    # Lengths are rounded so that the runs that are left have the same.
    assert lengths[: len(wanted)] == pytest.approx(wanted, rel=0.1)
    assert sum(lengths) == 2_076


@pytest.mark.parametrize(
    ("seconds", "later"),
    [
        (1e-6, [2_076]),  # too little work for threads
        (2e-4, [1_038, 1_038]),
        (0.01, [198, 198]),  # two seconds each
    ],
)
def test_later_calls_know_how_long_a_row_takes(monkeypatch, seconds, later):
    now = [0.0]
    monkeypatch.setattr(_row_runs, "monotonic", lambda: now[0])
    monkeypatch.setattr(_row_runs, "thread_time", lambda: now[0])
    run_in_turn(monkeypatch)

    def compute(run):
        now[0] += seconds * (run.stop - run.start)
        return rows_of(run)

    known = {}
    calls = [
        [
            run.stop - run.start
            for run, _ in compute_runs(
                compute, n, 5_000, deadline=NEVER, n_jobs=2, memory=(known, "scores")
            )
        ]
        for n in (10, 2_076, 2_076)
    ]
    assert calls[1][0] == 4  # a few rows say nothing of many
    assert calls[2][: len(later)] == pytest.approx(later, rel=0.1)
    assert known == {"scores": pytest.approx(seconds)}


def run_in_turn(monkeypatch):
    """Compute runs one after the other, each made when the one before is done."""
    monkeypatch.setattr(_row_runs, "delayed", joblib.delayed)
    monkeypatch.setattr(
        _row_runs,
        "Parallel",
        lambda **options: lambda calls: (work(*args) for work, args, _ in calls),
    )


@pytest.mark.parametrize("fixed", [0.0, 0.04])
def test_the_first_rows_do_not_decide_for_all_others(monkeypatch, fixed):
    """Kernels that take a row of many in less time are given long runs soon."""
    now = [0.0]
    monkeypatch.setattr(_row_runs, "monotonic", lambda: now[0])
    run_in_turn(monkeypatch)

    def compute(run):
        now[0] += fixed + 0.01 * (run.stop - run.start) ** 0.5
        return rows_of(run)

    runs = list(compute_runs(compute, 50_000, 5_000, deadline=NEVER, n_jobs=2))
    alone = 10 * (fixed + 0.01 * 5_000**0.5)
    assert now[0] < 1.2 * alone
    assert [row for _, rows in runs for row in rows] == list(range(50_000))
