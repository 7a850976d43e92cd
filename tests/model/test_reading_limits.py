"""Reading a model within a time limit."""

from __future__ import annotations

import pytest

from skresp._model._read_score_function import read_score_function
from skresp.reach._allowance import allow
from skresp.reach._deadline import Deadline, OutOfTimeError
from tests.model.catalogue import CATALOGUE, fitted

BEHIND_STEPS = next(name for name in CATALOGUE if "scale" in name)


def test_running_out_of_time_is_not_taken_for_an_invalid_value():
    model = fitted(BEHIND_STEPS)
    parts = model.target_rule, model.input_format, model.features
    assert read_score_function(*parts) is not None
    with allow(Deadline.after(0.0)), pytest.raises(OutOfTimeError):
        read_score_function(*parts)
