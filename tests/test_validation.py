"""Checks of parameter values."""

import numpy as np
import pytest

from skresp._validation import (
    check_bool,
    check_choice,
    check_feature_names,
    check_finite,
    check_integer,
    check_number,
    did_you_mean,
)


@pytest.mark.parametrize("name", ["feature_numbr_19999", "feature_nummber_19999"])
def test_hints_compare_all_of_many_names(name):
    names = [f"feature_number_{i}" for i in range(20_000)]
    assert did_you_mean(name, names) == "Did you mean 'feature_number_19999'? "
    assert did_you_mean("income", names) == ""


@pytest.mark.parametrize("value", [1, np.int8(1), np.uint64(1)])
def test_integers_of_python_and_numpy_are_taken(value):
    assert type(check_integer("k", value, 1)) is int


@pytest.mark.parametrize("value", [0, -3, 1.0, "1", None, True, np.timedelta64(5, "D")])
def test_other_values_are_no_integers_of_at_least_1(value):
    with pytest.raises(ValueError, match="k must be a whole number of at least 1, got"):
        check_integer("k", value, 1)


@pytest.mark.parametrize("value", [-0.1, float("nan"), "1", None, True, 1j])
def test_other_values_are_no_numbers_of_at_least_0(value):
    with pytest.raises(ValueError, match="x must be a number of at least 0, got"):
        check_number("x", value, 0)
    assert check_number("x", np.float32(0.5), 0) == 0.5


def test_finite_numbers_keep_their_type():
    assert type(check_finite("x", np.int64(3))) is int
    assert type(check_finite("x", 3.0)) is float
    with pytest.raises(TypeError, match="x must be a number, got 'a'"):
        check_finite("x", "a")
    with pytest.raises(ValueError, match=r"x must be finite, got inf\. Leave it out\."):
        check_finite("x", float("inf"), "Leave it out.")


def test_only_bools_are_bools():
    assert check_bool("flag", np.bool_(True)) is True
    for value in (1, "yes", None):
        with pytest.raises(TypeError, match="flag must be True or False"):
            check_bool("flag", value)


def test_a_name_that_is_not_a_feature_gets_a_hint():
    check_feature_names("radius", ["income"], ["income", "age"])
    with pytest.raises(ValueError, match=r"^radius has 'incme', .* mean 'income'\?"):
        check_feature_names("radius", ["income", "incme"], ["income", "age"])
    with pytest.raises(
        ValueError, match=r"not a feature\. The features are 'income', 'a"
    ):
        check_feature_names("radius", [3], ["income", "age"])


def test_a_choice_that_is_misspelt_gets_a_hint():
    check_choice("feature", "income", ["income", "age"])
    with pytest.raises(ValueError, match=r"got 'incme'\. Did you mean 'income'\?$"):
        check_choice("feature", "incme", ["income", "age"])
    with pytest.raises(ValueError, match=r"one of 'income', 'age', got 3\.$"):
        check_choice("feature", 3, ["income", "age"])
