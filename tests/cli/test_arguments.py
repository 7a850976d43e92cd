"""Options of the commands: defaults and help."""

from __future__ import annotations

import inspect

from skresp import ResponsivenessExplainer
from skresp._cli._arguments import parser
from skresp._cli._main import main
from skresp.report import AuditReport
from skresp.report._audit.sections._registry import SECTIONS
from tests.cli.command_line import audit


def test_defaults_are_those_of_the_library(files, tmp_path):
    given = vars(parser().parse_args(audit(files, tmp_path)))
    report = inspect.signature(AuditReport.from_estimator).parameters
    explainer = inspect.signature(ResponsivenessExplainer).parameters
    for name in ("compare_rows", "examples", "groups", "sections", "time_limit"):
        assert given[name] == report[name].default, name
    for name in ("interventions", "max_points", "n_jobs", "threshold"):
        assert given[name] == explainer[name].default, name


def test_help_names_every_section(capsys):
    assert main(["audit", "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert f"of: {', '.join(SECTIONS)} (default" in printed
