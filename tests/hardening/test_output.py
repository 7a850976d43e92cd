"""Names and labels of users cannot act on a terminal, a letter or a spreadsheet."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, ResponsivenessExplainer
from skresp._cli._main import main
from skresp._text import one_line
from skresp._write import write_csv
from skresp.constraints import IfThen
from skresp.report import notice
from tests.test_text import HARMFUL

PANDAS_3 = int(pd.__version__.partition(".")[0]) >= 3

EVIL = "\x1b]0;evil\x07\x9b31m\0\r\n\u202e\u2028\u2029\x85"
LOANS, HOME = f"loans{EVIL}", f"home{EVIL}"
OWN, RENT = f"own{EVIL}", f"rent{EVIL}"
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "=cmd|' /C calc'!A0"]
FORMULAS += [
    "\uff1d1+1",
    "\u00a0=1",
    "\ufeff=1+1",
    "\u200b=1",
    "\ufe62 1",
    "\u2007\uff0b1",
]


def harmful(text: str) -> set[str]:
    """Return what a terminal would obey in a text of several lines."""
    return HARMFUL & set(text) - {"\n"}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    home = rng.choice([OWN, RENT], 60)
    return pd.DataFrame({LOANS: rng.integers(0, 4, 60), HOME: home})


@pytest.fixture(scope="module")
def actions(people) -> ActionSet:
    rule = IfThen((HOME, "==", OWN), (LOANS, "<=", 3))
    return ActionSet.infer(people, constraints=[rule])


@pytest.fixture(scope="module")
def explainer(people, actions) -> ResponsivenessExplainer:
    labels = np.where(people[LOANS] < 2, f"yes{EVIL}", f"no{EVIL}")
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), [HOME]), remainder="passthrough"),
        DecisionTreeClassifier(random_state=0),
    ).fit(people, labels)
    target = f"yes{EVIL}"
    return ResponsivenessExplainer(FrozenEstimator(model), actions, target=target).fit(
        people
    )


def test_texts_about_people_have_no_control_characters(people, actions, explainer):
    explanation, verdicts = explainer.explain(people), explainer.verify(people)
    denied = int(np.flatnonzero(~explanation.at_target)[0])
    letter = notice(explanation, denied, verdicts, names={HOME: f"Home{EVIL}"})
    texts = [
        repr(actions),
        actions._repr_html_(),
        explanation.describe(denied),
        repr(explanation),
        repr(verdicts),
        letter.text,
        letter.html,
    ]
    for text in texts:
        assert "loans" in text or "yes" in text
        assert not harmful(text)
    assert len(explanation.describe(denied).splitlines()) <= 3  # names add no lines


def test_errors_have_no_control_characters(people, actions, explainer):
    for call in (
        lambda: explainer.explain(people.assign(**{LOANS: 0.5})),
        lambda: explainer.explain(people.rename(columns={LOANS: f"x{EVIL}"})),
        lambda: explainer.explain(people.set_index(HOME, drop=False) * 0),
        lambda: actions.replace({f"x{EVIL}": actions.features[LOANS]}),
        lambda: ActionSet.from_file(f"{EVIL}.yaml".replace("\0", "")),
    ):
        with pytest.raises((ValueError, TypeError, OSError)) as caught:
            call()
        assert not harmful(str(caught.value))


def test_commands_print_no_control_characters(people, tmp_path, capsys):
    people = people.copy()
    name = "data\x1b[31m\nkind: evil.csv"
    if not PANDAS_3:  # earlier ones end a text at NUL
        people[HOME] = people[HOME].str.replace("\0", "")
        people = people.rename(columns=lambda name: name.replace("\0", ""))
    people.to_csv(tmp_path / name, index=False)
    out = tmp_path / "actions.yaml"
    assert main(["actions", "--data", str(tmp_path / name), "--out", str(out)]) == 0
    assert main(["check", "--data", str(tmp_path / name), "--actions", str(out)]) == 0
    assert main(["check", "--data", f"{tmp_path}/\x1b[2J.csv", "--actions", "x"]) == 2
    assert main(["check", "\x1b[2J"]) == 2
    printed = capsys.readouterr()
    assert not harmful(printed.out + printed.err)
    written = out.read_text(encoding="utf-8")
    assert not harmful(written.split("features:")[0])
    assert not harmful(written) - {"\u202e"}  # a label, which is kept as it is
    assert ActionSet.from_file(out).names == tuple(people)
    assert "\nkind: evil" not in written  # the name stays in the comment


def test_texts_in_a_csv_file_are_no_formulas(tmp_path):
    table = pd.DataFrame({"=name": FORMULAS, "number": np.arange(len(FORMULAS)) - 4.5})
    write_csv(tmp_path / "people.csv", table)
    with (tmp_path / "people.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["'=name", "number"]
    assert [text for text, _ in rows] == [f"'{one_line(text)}" for text in FORMULAS]
    assert [float(number) for _, number in rows] == table["number"].tolist()
    cells = {"a;=b": ["x;=1+1", "y"], "n": [1.5, None], "k": [1, 2]}
    write_csv(tmp_path / "cells.csv", pd.DataFrame(cells))
    assert (tmp_path / "cells.csv").read_text().split("\n") == [
        '"a;=b","n","k"',
        '"x;=1+1",1.5,1',
        '"y","",2',
        "",
    ]
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "cells.csv"), pd.DataFrame(cells)
    )
    write_csv(tmp_path / "plain.csv", pd.DataFrame({"a": ["own", "a=1", ""]}))
    assert (tmp_path / "plain.csv").read_text().split("\n") == [
        "a",
        "own",
        "a=1",
        '""',
        "",
    ]
