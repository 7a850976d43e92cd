"""A notice says what works, and nothing that does not."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer, report
from skresp.constraints import Linkage, Thermometer
from skresp.report import notice
from tests.credit_example import lender

DENIED = np.flatnonzero(~lender().explanation.at_target).tolist()


def changed(row: int, moves: dict) -> pd.DataFrame:
    """A person after some changes; years of employment make people older."""
    us = lender()
    person = us.X.iloc[[row]].copy()
    for name, value in moves.items():
        if name == "years_employed":
            person["age"] += int(value) - person["years_employed"]
        kept = person[name].dtype
        person[name] = pd.Series([value], index=person.index).astype(kept)
    return person


def make_notice(row: int, **options):
    us = lender()
    return notice(us.explanation, row, us.verdicts, **options)


@pytest.mark.parametrize("row", DENIED)
def test_every_value_that_a_notice_gives_works(row):
    us = lender()
    content = make_notice(row, max_reasons=13).to_dict()
    for reason in content["reasons"]:
        ends = [end for pair in reason["ranges"] for end in pair]
        for value in [*ends, *reason["values"]]:
            person = changed(row, {reason["feature"]: value})
            assert us.model.predict(person)[0] == 1, (reason["feature"], value)
    works = {reason["feature"] for reason in content["reasons"]}
    scores = us.explanation.values[row]
    assert works == {us.explanation.feature_names[j] for j in np.flatnonzero(scores)}


@pytest.mark.parametrize("row", DENIED)
def test_changes_to_be_made_together_work_together_and_not_alone(row):
    us = lender()
    content = make_notice(row).to_dict()
    moves = {m["feature"]: m["to"] for m in content["together"]}
    assert bool(moves) == (us.verdicts.status[row] == "joint")
    if moves:
        own = {name: value for name, value in moves.items() if name != "age"}
        person = changed(row, own)
        assert person["age"].iloc[0] == moves.get("age", us.X["age"][row])
        assert us.model.predict(person)[0] == 1
        for name, value in own.items():
            assert us.model.predict(changed(row, {name: value}))[0] == 0
        assert "Making only some of these changes may not" in make_notice(row).text
        assert not content["reasons"]


def test_a_fixed_prediction_says_so_and_gives_no_hope():
    row = lender().who("fixed")
    content = make_notice(row).to_dict()
    assert not content["reasons"]
    assert not content["together"]
    assert (
        make_notice(row).text.splitlines()[2].startswith("None of the changes we treat")
    )


def test_without_verdicts_nothing_is_said_to_be_fixed():
    us = lender()
    for status in ("fixed", "joint"):
        text = notice(us.explanation, us.who(status)).text
        assert "did not check whether several changes" in " ".join(text.split())
        assert "None of the changes" not in text
    assert "Nothing needs to change" in notice(us.explanation, us.who("approved")).text


def test_an_explainer_and_a_person_are_enough():
    us = lender()
    row = us.who("joint")
    person = us.X.iloc[[row]]
    assert notice(us.explainer, person).to_dict()["status"] == "joint"
    with pytest.raises(ValueError, match=r"X.iloc\[\[0\]\]"):
        notice(us.explainer, 0)
    with pytest.raises(TypeError, match="fitted ResponsivenessExplainer"):
        notice(us.model, person)


def test_texts_are_display_names_of_features():
    row = lender().who("single")
    mine = make_notice(row).to_dict()["reasons"][0]["feature"]
    for key in ("reasons", "names"):
        named = make_notice(row, **{key: {mine: "Your savings"}}, wanted="approval")
        assert "1. Your savings\n" in named.text
        assert "to approval." in named.text
        assert named.to_dict()["reasons"][0]["name"] == "Your savings"
    both = make_notice(row, reasons={mine: "first"}, names={mine: "second"})
    assert "1. first\n" in both.text


def test_denial_reasons_are_not_offered_for_features_that_help():
    assert not hasattr(report, "C1_REASONS")
    with pytest.raises(ValueError, match="Codes of denial reasons are not accepted"):
        make_notice(0, reasons={"income": 8})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"reasons": {"incom": "x"}}, "reasons has 'incom'"),
        ({"reasons": {"income": ""}}, "must be a display name"),
        ({"reasons": {"income": True}}, "must be a display name"),
        ({"names": {"incom": "x"}}, "names has 'incom'"),
        ({"max_reasons": 0}, "max_reasons must be"),
    ],
)
def test_a_wrong_table_is_named(options, said):
    with pytest.raises(ValueError, match=said):
        make_notice(0, **options)


def test_letters_have_no_shares_and_no_long_numbers():
    X = pd.DataFrame({"debt": [0.1, 0.771845631, 0.3, 0.9]})
    model = DecisionTreeClassifier().fit(X, [1, 0, 1, 0])
    explainer = ResponsivenessExplainer(
        model, ActionSet({"debt": Feature("real", 0, 1)}), target=1
    ).fit(X)
    made = notice(explainer, X.iloc[[1]])
    assert "Now: 0.77. Works: 0.53 or less." in made.text
    assert "%" not in made.text
    assert made.to_dict()["reasons"][0]["share"] == "54% of the possible changes work."
    assert made.to_dict()["reasons"][0]["now"] == 0.771845631


def test_people_at_the_target_get_no_note():
    made = make_notice(lender().who("approved"))
    assert made.text == (
        "Already approved\n\nYou already have the outcome you asked for. Nothing needs "
        "to change."
    )


def test_effects_of_a_joint_change_follow_the_list():
    us = lender()
    rows = [i for i in DENIED if us.verdicts.status[i] == "joint"]
    moved = [
        make_notice(i)
        for i in rows
        if any(move["follows"] for move in make_notice(i).to_dict()["together"])
    ]
    for made in moved:
        text = made.text
        (age,) = [m for m in made.to_dict()["together"] if m["follows"]]
        assert f"By then age will be {age['to']} (now {age['from']})." in text
        assert "- age" not in text
        assert text.index("By then") > text.rindex("\n- ")
    assert moved


def test_braces_in_names_and_outcomes_stay():
    row = lender().who("single")
    mine = make_notice(row).to_dict()["reasons"][0]["feature"]
    text = make_notice(row, names={mine: "{name} {0}"}, wanted="{wanted} {}").text
    assert "1. {name} {0}\n" in text
    assert "leads to {wanted} {}." in text


def test_at_most_four_reasons_and_how_many_more():
    us = lender()
    helpful = (us.explanation.values > 0).sum(axis=1)
    many = int(np.argmax(np.where(us.explanation.at_target, 0, helpful)))
    n = int((us.explanation.values[many] > 0).sum())
    content = make_notice(many, max_reasons=1).to_dict()
    assert len(content["reasons"]) == 1
    assert content["more"] == n - 1 > 0
    assert f"{n - 1} more" in make_notice(many, max_reasons=1).text
    assert len(make_notice(many).to_dict()["reasons"]) <= 4


def test_all_formats_have_the_same_content():
    us = lender()
    for status in ("single", "joint", "fixed"):
        found = make_notice(us.who(status))
        json.dumps(found.to_dict(), allow_nan=False)
        words = "".join(found.text.split())
        stripped = "".join(_text_of(found.html).split())
        for number in ("1.", "2.", "3.", "4.", "-"):
            words, stripped = words.replace(number, ""), stripped.replace(number, "")
        assert stripped == words


def test_names_and_labels_of_others_are_shown_not_run():
    evil = '<script>alert("x")</script>'
    label = "\"'><img src=x onerror=alert(1)>\u202e\x00" + "ß" * 300
    X = pd.DataFrame({evil: ["plain", label] * 4}, dtype=object)
    model = DecisionTreeLabels(label, evil)
    explainer = ResponsivenessExplainer(model, ActionSet.infer(X)).fit(X)
    found = notice(explainer, X.iloc[[0]], reasons={evil: evil})
    assert "<script" not in found.html
    assert "<img" not in found.html
    assert found.html.encode()
    assert "alert(1)>" in _text_of(found.html)


def test_effects_along_a_line_are_named():
    X = pd.DataFrame({"debt": [0.0, 10.0, 4.0, 6.0], "total": [5.0, 15.0, 9.0, 11.0]})
    model = DecisionTreeClassifier().fit(X[["debt", "total"]], [1, 0, 1, 0])
    actions = ActionSet(
        {"debt": Feature("real", 0, 10), "total": Feature("real", actionable=False)},
        [Linkage("debt", {"total": 1})],
    )
    explainer = ResponsivenessExplainer(model, actions).fit(X)
    reason = notice(explainer, X.iloc[[1]]).to_dict()["reasons"][0]
    assert reason["ranges"] == [[0.0, 5.0]]
    assert reason["along"] == ["total to 10"]


def test_what_changes_along_is_one_list():
    X = pd.DataFrame({"a": [0, 1, 1], "b": [0, 1, 1], "c": [0, 1, 1], "d": [0, 1, 1]})
    actions = ActionSet(
        {name: Feature("binary") for name in X}, [Thermometer(["a", "b", "c", "d"])]
    )
    model = DecisionTreeClassifier().fit(X[["d"]].assign(a=0, b=0, c=0)[list(X)], X.d)
    made = notice(ResponsivenessExplainer(model, actions, target=1).fit(X), X[:1])
    assert (
        "Changing it to yes also changes a to yes, b to yes and c to yes."
    ) in " ".join(made.text.split())


def test_a_sampled_score_makes_no_claim_about_ranges():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 1, 200), "b": rng.uniform(0, 1, 200)})
    model = MLPClassifier((8,), solver="lbfgs", random_state=0)
    model.fit(X, X["a"] + X["b"] > 1)
    explainer = ResponsivenessExplainer(
        model, ActionSet.infer(X), target=True, random_state=0
    ).fit(X)
    row = int(np.flatnonzero(~model.predict(X))[0])
    reason = notice(explainer, X.iloc[[row]]).to_dict()["reasons"][0]
    assert not reason["exact"]
    assert not reason["ranges"]
    assert "changes that we tried work" in reason["share"]
    person = X.iloc[[row]].assign(**{reason["feature"]: reason["example"]})
    assert model.predict(person)[0]


def test_a_sample_alone_never_says_that_nothing_helps():
    X = pd.DataFrame({"a": np.linspace(0, 1, 20)})
    model = DummyClassifier(strategy="constant", constant=0).fit(X, [0, 1] * 10)
    explainer = ResponsivenessExplainer(
        model, ActionSet.infer(X), target=1, method="sample", random_state=0
    ).fit(X)
    text = notice(explainer.explain(X), 0).text
    assert "None of the single changes we tried" in text


class DecisionTreeLabels:
    """Says 1 for one label of a column."""

    classes_ = np.array([0, 1])

    def __init__(self, label: str, column: str) -> None:
        self.label, self.column = label, column

    def predict(self, X):
        return (X[self.column] == self.label).to_numpy().astype(int)


def _text_of(page: str) -> str:
    parts: list[str] = []
    parser = HTMLParser()
    parser.handle_data = parts.append
    parser.feed(page)
    return "".join(parts)


def test_a_known_way_is_named_though_fewer_changes_might_do():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 4, (300, 2)), columns=["a", "b"])
    y = (X["a"] * X["b"] > 6).astype(int)
    model = MLPClassifier((8,), random_state=0, max_iter=400).fit(X, y)
    limits = {"max_increase": 1.5, "max_decrease": 0}
    actions = ActionSet({name: Feature("real", 0, 4, **limits) for name in X})
    explainer = ResponsivenessExplainer(model, actions, random_state=0).fit(X)
    verdicts = explainer.verify(X)
    scores = explainer.explain(X)
    none = (scores.values == 0).all(axis=1)
    rows = np.flatnonzero((verdicts.status == "possible") & none)
    assert len(rows)
    letter = notice(scores, int(rows[0]), verdicts=verdicts)
    assert "Making all of these changes leads to" in letter.text
    assert len(letter.to_dict()["together"]) == 2
    lost = np.flatnonzero(verdicts.status == "unknown")
    letter = notice(scores, int(lost[0]), verdicts=verdicts)
    assert "We did not find a change" in letter.text
