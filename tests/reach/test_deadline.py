"""Work in slices until a deadline."""

from __future__ import annotations

import pytest

from skresp.reach._deadline import Deadline, OutOfTimeError


def test_slices_cover_everything_once_and_end_at_the_deadline():
    assert list(Deadline.after(None).slices(7)) == [slice(0, 7)]
    assert list(Deadline.after(None).slices(0)) == []
    covered = [i for s in Deadline.after(60).slices(1_000) for i in range(1_000)[s]]
    assert covered == list(range(1_000))
    few = [s.stop - s.start for s in Deadline.after(60).slices(1_000, most=10)]
    assert few[0] == 1
    assert max(few) == 10
    with pytest.raises(OutOfTimeError):
        list(Deadline.after(0.0).slices(3))
