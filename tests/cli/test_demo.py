"""`skresp demo`: everything in one folder."""

from __future__ import annotations

from skresp import ActionSet
from skresp._cli._main import main
from tests.credit_example import lender


def test_the_demo_shows_everything(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path), "--rows", "80"]) == 0
    printed = capsys.readouterr().out
    assert "denied people who get a list" in printed
    assert "RESP (by definition)" in printed
    assert "LIME, actionable" in printed
    names = {path.name for path in tmp_path.iterdir()}
    assert names > {"report.html", "notice.txt", "comparison.png", "features.png"}
    assert ActionSet.from_file(tmp_path / "actions.yaml") == lender().actions
    letter = " ".join((tmp_path / "notice.txt").read_text().split())
    assert "approval of the loan" in letter
