"""Tests that every constraint passes."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import pickle

import numpy as np
import pytest

from skresp import ActionSet, Feature
from skresp._actions._constraint import Constraint
from skresp.reach import Outcome
from skresp.reach._part import parts_of
from skresp.reach._solver_search import Search
from tests import oracle
from tests.constraints.examples import EXAMPLES

every = pytest.mark.parametrize(
    ("rule", "features"), EXAMPLES, ids=lambda v: getattr(v, "describe", str)()[:40]
)


def grid(features):
    """Every small row of codes, including values outside the bounds."""
    columns = [
        range(2)
        if f.kind == "binary"
        else range(-1, len(f.categories))
        if f.kind == "categorical"
        else range(f.lower - 1, f.upper + 2)
        for f in features.values()
    ]
    return np.array(list(itertools.product(*columns)), dtype=float)


def part_of(rule, features):
    (part,) = parts_of(ActionSet(features, [rule]))
    return part


def labelled(part, row):
    return {
        name: (f.categories[int(v)] if v >= 0 else "elsewhere")
        if f.kind == "categorical"
        else int(v)
        for name, f, v in zip(part.names, part.features, row, strict=True)
    }


def test_every_type_has_an_example():
    assert set(Constraint.types) <= {rule.type for rule, _ in EXAMPLES}


@every
def test_the_meaning_is_the_one_read_out_loud(rule, features):
    part = part_of(rule, features)
    rows = grid(features)
    actions = ActionSet(features, [rule])
    for before in rows[part.valid(rows)]:
        own = part.own(rows - before)
        got = part.feasible(np.broadcast_to(before, rows.shape), own)
        wanted = [
            oracle.move_ok(actions, labelled(part, before), labelled(part, after))
            for after in rows
        ]
        np.testing.assert_array_equal(got, wanted)


@every
def test_the_encoding_equals_the_meaning_at_every_small_point(rule, features):
    part = part_of(rule, features)
    rows = grid(features)
    valid = rows[part.valid(rows)]
    assert len(valid), "no row obeys the example"
    rng = np.random.default_rng(0)
    for before in valid[rng.permutation(len(valid))[:12]]:
        search = Search(part, before)
        own = part.own(rows - before)
        meaning = part.feasible(np.broadcast_to(before, rows.shape), own)
        for after, feasible in zip(rows, meaning, strict=True):
            outcome = search.feasible(dict(enumerate(after)))
            assert outcome is (Outcome.FEASIBLE if feasible else Outcome.INFEASIBLE)


@every
def test_what_holds_was_possible_all_along(rule, features):
    part = part_of(rule, features)
    (rule, columns), *_ = part.rules
    rows = grid(features)[:, columns]
    for before in rows:
        same = np.broadcast_to(before, rows.shape)
        holds = rule.holds(same, rows)
        for size in range(len(columns) + 1):
            for bound in itertools.combinations(range(len(columns)), size):
                hidden = rows.copy()
                hidden[:, [i for i in range(len(columns)) if i not in bound]] = 0
                possible = rule.possible(same, hidden, list(bound))
                assert (possible | ~holds).all()


@every
def test_staying_put_is_feasible_wherever_the_row_is_valid(rule, features):
    part = part_of(rule, features)
    (coded, columns), *_ = part.rules
    rows = grid(features)
    np.testing.assert_array_equal(
        part.valid(rows), coded.holds(rows[:, columns], rows[:, columns])
    )


@every
def test_a_rule_with_a_missing_value_holds_its_features_still(rule, features):
    part = part_of(rule, features)
    rows = grid(features)
    before = rows[part.valid(rows)][0].copy()
    before[-1] = np.nan
    assert part.valid(before[None])[0]
    own = part.own(np.nan_to_num(rows - before))
    own[:, -1] = 0
    moved = part.feasible(np.broadcast_to(before, rows.shape), own)
    search = Search(part, before)
    for change, feasible in zip(part.total(own), moved, strict=True):
        reached = {k: before[k] + change[k] for k in range(len(before) - 1)}
        outcome = search.feasible(reached)
        assert outcome is (Outcome.FEASIBLE if feasible else Outcome.INFEASIBLE)
        if rule.needs_values and feasible:
            assert not change[:-1].any()


@every
def test_it_is_a_value(rule, features):
    again = Constraint.types[rule.type].from_dict(
        {k: v for k, v in rule.to_dict().items() if k != "type"}
    )
    for other in (again, pickle.loads(pickle.dumps(rule)), copy.deepcopy(rule)):
        assert other == rule
        assert hash(other) == hash(rule)
    with pytest.raises(dataclasses.FrozenInstanceError):
        rule.features = ()


@every
def test_it_speaks_in_a_sentence(rule, features):
    text = rule.describe()
    assert text.endswith(".")
    assert all(name in text for name in rule.features)


@every
def test_its_file_form_is_plain_and_refuses_unknown_keys(rule, features):
    d = rule.to_dict()

    def plain(value):
        if isinstance(value, dict):
            return all(isinstance(k, str) and plain(v) for k, v in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or type(value) in (str, int, float, bool)

    assert plain(d)
    actions = ActionSet(features, [rule])
    assert ActionSet.from_dict(actions.to_dict()) == actions
    broken = actions.to_dict()
    broken["constraints"][0]["colour"] = "red"
    with pytest.raises(ValueError, match=r"Constraint 1: .*no key 'colour'"):
        ActionSet.from_dict(broken)


@every
def test_an_unknown_feature_is_named(rule, features):
    first, *rest = features
    others = {name: features[name] for name in rest} | {f"{first}x": features[first]}
    with pytest.raises(ValueError, match=f"has '{first}', which is not a feature"):
        ActionSet(others, [rule])


@every
def test_some_kind_is_wrong_for_it(rule, features):
    kinds = [
        Feature("real", 0, 1),
        Feature("integer", 0, 1),
        Feature("categorical", categories=["x", "y"]),
    ]
    refusals = []
    for kind in kinds:
        for name in features:
            try:
                ActionSet({**features, name: kind}, [rule])
            except ValueError as error:
                refusals.append((name, str(error)))
    assert refusals
    assert all(repr(name) in text for name, text in refusals)
