"""Sentences of linear constraints."""

import pytest

from skresp.constraints import Linear


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Linear({"a": 1}, 0), "a is at least 0."),
        (Linear({"a": 1, "b": -50}, lower=0), "a is at least 50 x b."),
        (Linear({"a": 1, "b": 1, "c": -0.5}, upper=0), "a + b is at most 0.5 x c."),
        (Linear({"a": 1, "b": -2}, 0, 0), "a equals 2 x b."),
        (Linear({"a": 2, "b": 1}, 3, 3), "2 x a + b equals 3."),
        (Linear({"a": 1, "b": -2}, 1, 5), "a - 2 x b is at least 1 and at most 5."),
        (Linear({"a": 1, "b": -1}, 0, 4), "a - b is at least 0 and at most 4."),
        (Linear({"a": -1, "b": -2}, 0), "-a - 2 x b is at least 0."),
    ],
)
def test_a_linear_constraint_is_a_sentence(rule, text):
    assert rule.describe() == text
