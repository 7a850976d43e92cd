"""`skresp check`: rows that break a rule, and values that are unusual."""

from __future__ import annotations

import json
from io import BytesIO, TextIOWrapper

import pandas as pd
import pytest

from skresp import ActionSet, Feature
from skresp._cli._main import main
from tests.credit_example import lender


def test_check_says_which_rows_break_what(files, tmp_path, capsys):
    given = ["check", "--actions", str(files / "actions.yaml"), "--data"]
    assert main([*given, str(files / "data.csv")]) == 0
    assert "No row breaks a rule, and no value is unusual." in capsys.readouterr().out
    broken = lender().X.copy()
    broken.loc[7, ["job", "years_employed"]] = ["not employed", 3]
    broken.to_csv(tmp_path / "broken.csv", index=False)
    assert main([*given, str(tmp_path / "broken.csv")]) == 1
    assert "1 of 120 rows break a rule" in capsys.readouterr().out
    assert main([*given, str(tmp_path / "broken.csv"), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["row"] == 7
    assert "not employed" in finding["broken"]


@pytest.fixture
def odd(tmp_path) -> list[str]:
    """A call of check on data with unusual values, none of which breaks a rule."""
    actions = ActionSet(
        {
            "age": Feature("integer", 18, 75, actionable=False),
            "income": Feature("real", 0, 5000),
            "loans": Feature("integer", 0, 9, step=2),
            "home": Feature("categorical", categories=["own", "rent"]),
            "grade": Feature("categorical", categories=[1, 2, 3]),
            "flag": Feature("binary", actionable=False),
        }
    )
    actions.to_file(tmp_path / "actions.yaml")
    rows = pd.DataFrame(
        {
            "age": [80, 30, None, 17],
            "income": [-1.0, 100, 5000, 6000],
            "loans": [3, 0, 9, 12],
            "home": ["boat", "own", "rent", "boat"],
            "grade": [1, 2, 3, 4],
            "flag": [0, 1, None, 1],
            "id": [1, 2, 3, 4],
            "repaid": [1, 0, 1, 0],
        }
    )
    rows.to_csv(tmp_path / "data.csv", index=False)
    return [
        *("check", "--actions", str(tmp_path / "actions.yaml")),
        *("--data", str(tmp_path / "data.csv")),
    ]


def test_check_counts_what_is_unusual_and_names_what_it_leaves_out(odd, capsys):
    assert main([*odd, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {(u["column"], u["unusual"]): u["rows"] for u in printed["unusual"]} == {
        ("age", "missing"): 1,
        ("age", "outside the bounds 18 to 75"): 2,
        ("income", "outside the bounds 0 to 5,000"): 2,
        ("loans", "outside the bounds 0 to 9"): 1,
        ("home", "not among the listed categories"): 2,
        ("grade", "not among the listed categories"): 1,
        ("flag", "missing"): 1,
    }
    assert printed["not_checked"] == ["id", "repaid"]
    assert printed["rows_unusual"] == 3
    assert printed["broken"] == 0
    assert main(odd) == 0
    text = capsys.readouterr().out
    assert "Checked 4 rows: 6 columns" in text
    assert "not checked: 'id', 'repaid'." in text
    assert "no value is unusual" not in text
    assert "No row breaks a rule; 3 of 4 rows have unusual values." in text
    assert any("home" in line and "'boat'" in line for line in text.splitlines())


def test_check_counts_what_breaks_rules_too(odd, tmp_path, capsys):
    rows = pd.read_csv(tmp_path / "data.csv")
    rows["loans"] = [0.5, 1, 2, None]
    rows.to_csv(tmp_path / "data.csv", index=False)
    assert main([*odd, "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    counted = {(u["column"], u["unusual"]): u["rows"] for u in printed["unusual"]}
    assert counted["loans", "not a whole number"] == 1
    assert counted["loans", "missing"] == 1
    assert printed["broken"] == 2
    assert main(odd) == 1
    text = capsys.readouterr().out
    assert "2 of 4 rows break a rule" in text
    assert "No row breaks" not in text


def test_rows_are_fine_where_nothing_is_unusual(odd, tmp_path, capsys):
    rows = pd.read_csv(tmp_path / "data.csv")[1:2]
    rows.drop(columns=["id", "repaid"]).to_csv(tmp_path / "data.csv", index=False)
    assert main(odd) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[-1] == ("No row breaks a rule, and no value is unusual.")
    assert "not checked" not in text


def test_check_cuts_long_values(odd, tmp_path, capsys):
    rows = pd.read_csv(tmp_path / "data.csv", dtype=object)
    rows["loans"] = ["9" * 5_000, "x" * 100_000, "1", "2"]
    rows["home"] = ["a" * 100_000, *rows["home"][1:]]
    rows.to_csv(tmp_path / "data.csv", index=False)
    assert main(odd) == 1
    assert max(map(len, capsys.readouterr().out.splitlines())) < 2_000


def test_characters_that_the_terminal_does_not_have_are_escaped(
    odd, tmp_path, monkeypatch
):
    rows = pd.read_csv(tmp_path / "data.csv").rename(columns={"id": "Ł–é"})
    rows.to_csv(tmp_path / "data.csv", index=False)
    for encoding, name in (("ascii", r"\u0141\u2013\xe9"), ("cp1252", r"\u0141–é")):
        with TextIOWrapper(BytesIO(), encoding) as stdout:
            monkeypatch.setattr("sys.stdout", stdout)
            assert main(odd) == 0
            assert name in stdout.buffer.getvalue().decode(encoding)
