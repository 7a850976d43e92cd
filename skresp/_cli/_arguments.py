"""The commands, their options and their help."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from skresp import __version__
from skresp._text import one_line, quote

from ._console import BAD_CALL

_DATA = "table of people: a .csv or .parquet file"
_ACTIONS = "what people can change: a .yaml or .json file (see: skresp actions)"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(
            BAD_CALL,
            f"{self.prog}: error: {one_line(message)}; see {self.prog} --help\n",
        )


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands and their options."""
    top = _Parser(
        prog="skresp",
        description="Which single feature could a person change, and how likely is "
        "that to change the decision of a model?",
        epilog="Exit codes: 0 success, 1 rows that break a rule (check), 2 an error in "
        "the call, 130 stopped.",
    )
    top.add_argument("--version", action="version", version=f"skresp {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    _add_demo(commands)
    _add_audit(commands)
    _add_score(commands)
    _add_check(commands)
    _add_actions(commands)
    for command in commands.choices.values():
        command.add_argument(
            "--json", action="store_true", help="print the result as JSON"
        )
        command.add_argument(
            "--traceback", action="store_true", help="show the traceback of an error"
        )
    return top


def _add_demo(commands: Any) -> None:
    demo = commands.add_parser(
        "demo",
        help="train a model on generated loan applicants and audit it",
        description="Train a model on generated loan applicants, audit it and write a "
        "letter to one applicant. Needs no files.",
        epilog="example: skresp demo --out skresp-demo",
    )
    demo.add_argument(
        "--out", default="skresp-demo", help="folder to write to (default: %(default)s)"
    )
    demo.add_argument(
        "--rows",
        type=_positive,
        default=600,
        help="number of applicants (default: %(default)s)",
    )
    _add_seed(demo)


def _add_audit(commands: Any) -> None:
    audit = commands.add_parser(
        "audit",
        help="audit a model: who is denied, and who has recourse",
        description="Audit a model on a table of people. Writes report.html, "
        "report.json, people.csv (one line per person) and, with matplotlib, pictures. "
        "In people.csv a text that a spreadsheet program would run as a formula starts "
        "with an apostrophe. "
        "With --scored it audits the files that skresp score has written, of any size, "
        "and writes report.html and report.json; --model, --data, --actions and "
        "--target are then needed only for the notices of the examples.",
        epilog="examples: skresp audit --model model.skops --data people.csv "
        "--actions actions.yaml --target 1 --groups sex --out audit; "
        "skresp audit --scored scored --groups sex --out audit",
    )
    _add_model(audit, required=False)
    audit.add_argument("--data", help=f"{_DATA}; with --scored, what was scored")
    audit.add_argument(
        "--scored", metavar="DIR", help="folder that skresp score has written"
    )
    audit.add_argument("--out", required=True, help="folder to write to")
    audit.add_argument(
        "--groups",
        help="column of the data to report numbers by; with --scored, a kept column",
    )
    audit.add_argument(
        "--explainers",
        nargs="*",
        choices=("shap", "lime"),
        default=[],
        help="other explainers to compare with",
    )
    audit.add_argument(
        "--compare-rows",
        type=_positive,
        default=500,
        help="maximum number of denied rows used in the comparison (default: "
        "%(default)s)",
    )
    audit.add_argument(
        "--sections",
        nargs="+",
        help="sections of the report, of: people, features, comparison, examples, "
        "actions, model, method (default: all)",
    )
    audit.add_argument(
        "--examples",
        type=_not_negative,
        default=5,
        help="number of people to show as examples, at most 10 (default: %(default)s)",
    )
    audit.add_argument(
        "--sample", type=_positive, help="number of rows to audit, drawn at random"
    )
    audit.add_argument(
        "--time-limit", type=float, help="maximum seconds for all verdicts together"
    )
    audit.add_argument("--n-jobs", type=int, help="number of threads")


def _add_score(commands: Any) -> None:
    score = commands.add_parser(
        "score",
        help="score files of people, part by part; run it again to go on",
        description="Write scores, verdicts and reasons of every row of Parquet or CSV "
        "files to Parquet files, with bounded memory. A stopped run goes on when the "
        "same command is run again.",
        epilog="example: skresp score --model model.skops --data people/ "
        "--actions actions.yaml --target 1 --id customer --keep sex --out scored",
    )
    _add_model(score)
    score.add_argument(
        "--data",
        required=True,
        help="a .parquet or .csv file, a folder with such files, or a pattern",
    )
    score.add_argument("--out", required=True, help="folder to write to")
    score.add_argument(
        "--id",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="columns that identify a row, copied as text; COLUMN:int64 as a number",
    )
    score.add_argument(
        "--keep",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="further columns to copy, such as the groups of an audit",
    )
    score.add_argument(
        "--outputs",
        nargs="+",
        default=["scores", "verdict", "reasons"],
        help="what to write, of: scores, intervals, verdict, reasons, changes, "
        "model_score (default: scores verdict reasons); an audit needs scores and "
        "verdict, and shows more with intervals and changes",
    )
    score.add_argument(
        "--rows-per-part",
        type=_positive,
        default=50_000,
        help="number of rows in a part (default: %(default)s)",
    )
    score.add_argument("--jobs", type=int, help="number of processes")


def _add_model(command: Any, required: bool = True) -> None:
    """Add the options of a model, its target and how it is explained."""
    command.add_argument(
        "--model",
        required=required,
        help="a .skops file, XGBoost's .json or .ubj, LightGBM's .txt, or with "
        "--trust-pickle a .joblib or .pkl file",
    )
    command.add_argument("--actions", required=required, help=_ACTIONS)
    command.add_argument(
        "--target",
        required=required,
        help="the wanted class; for a regressor a bound such as '>=700' or '<=3'",
    )
    command.add_argument(
        "--threshold",
        type=float,
        help="minimum probability of the target class (default: what predict uses)",
    )
    command.add_argument(
        "--interventions",
        choices=("minimal", "joint"),
        default="minimal",
        help="whether other features move only where they must (minimal) or freely "
        "(joint) when a feature changes (default: %(default)s)",
    )
    command.add_argument(
        "--max-points",
        type=_positive,
        default=100_000,
        help="maximum points evaluated per row; beyond it the verdict is 'unknown' "
        "and sampled scores have wider intervals (default: %(default)s)",
    )
    command.add_argument(
        "--trust",
        nargs="+",
        default=[],
        metavar="TYPE",
        help="types in a .skops file to trust",
    )
    command.add_argument(
        "--trust-pickle",
        action="store_true",
        help="load a pickle file, which runs the code inside it",
    )
    _add_seed(command)


def _add_check(commands: Any) -> None:
    check = commands.add_parser(
        "check",
        help="find rows that break a rule of the action set",
        description="Check a table of people against an action set: values of the "
        "right kind, missing values, bounds, categories and joint constraints. The "
        "exit code is 1 if a row breaks a rule.",
        epilog="example: skresp check --data people.csv --actions actions.yaml",
    )
    check.add_argument("--data", required=True, help=_DATA)
    check.add_argument("--actions", required=True, help=_ACTIONS)


def _add_actions(commands: Any) -> None:
    actions = commands.add_parser(
        "actions",
        help="infer an action set from data and write it to a file to edit",
        description="Infer kinds and bounds of all features from data and write them "
        "to a file. The result is a draft: every feature can change unless it is named "
        "with --immutable. Edit it before use.",
        epilog="example: skresp actions --data people.csv --immutable age sex "
        "--ignore id repaid",
    )
    actions.add_argument("--data", required=True, help=_DATA)
    actions.add_argument(
        "--out",
        default="actions.yaml",
        help=".yaml or .json file to write (default: %(default)s)",
    )
    actions.add_argument(
        "--immutable", nargs="+", default=[], help="columns that nobody can change"
    )
    actions.add_argument(
        "--ignore",
        nargs="+",
        default=[],
        help="columns to leave out, such as ids and the label",
    )
    actions.add_argument(
        "--force", action="store_true", help="replace the file if it exists"
    )


def _add_seed(command: Any) -> None:
    command.add_argument(
        "--seed",
        type=_not_negative,
        default=0,
        help="random seed (default: %(default)s)",
    )


def _not_negative(text: str) -> int:
    return _at_least(0, text)


def _positive(text: str) -> int:
    return _at_least(1, text)


def _at_least(minimum: int, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be a whole number, got {quote(text)}"
        ) from None
    if value < minimum:
        raise argparse.ArgumentTypeError(f"must be at least {minimum}, got {text}")
    return value
