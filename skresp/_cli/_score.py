"""`skresp score`: score files of people, part by part."""

from __future__ import annotations

import os
from argparse import Namespace

import numpy as np
import pandas as pd

from skresp import ActionSet, ResponsivenessExplainer
from skresp._actions._problems import find_problems
from skresp._text import one_line, plural, quote_names
from skresp._validation import did_you_mean
from skresp.batch import BatchScorer, score_files
from skresp.batch._source import SourceFile, find_files, first_rows

from ._audit import make_explainer
from ._console import FINE, BadCallError, output_folder, say, say_json
from ._load_model import load_model, read_target, with_categories
from ._read_data import model_columns, read_actions

# Rows that show what the columns contain.
_FIRST_ROWS = 10_000


def score(args: Namespace) -> int:
    """Run the command and return its exit code."""
    scorer = BatchScorer(
        fit_explainer(args, args.out),
        outputs=args.outputs,
        id_columns=dict(map(_typed, args.id)),
        keep_columns=dict(map(_typed, args.keep)),
    )
    if os.path.exists(args.out):  # otherwise nothing is created before the checks
        output_folder(args.out)
    manifest = score_files(
        args.data,
        args.out,
        scorer,
        rows_per_part=args.rows_per_part,
        n_jobs=args.jobs,
    )
    if args.json:
        say_json({"out": args.out, **manifest})
        return FINE
    parts = plural(len(manifest["parts"]), "part")
    rows, folder = plural(manifest["rows"], "row"), one_line(args.out)
    say(f"Scored {rows}, written to {folder} in {parts}.")
    if manifest["problems"]:
        rows = plural(manifest["problems"], "row")
        say(f"{rows} could not be scored; the column 'problem' says why.")
    return FINE


def fit_explainer(args: Namespace, scored: str) -> ResponsivenessExplainer:
    """Return the explainer that the options describe, fitted on the first rows.

    `scored` is the folder for the results of scoring, which are no rows.
    """
    actions = read_actions(args.actions)
    model = load_model(args.model, trust_pickle=args.trust_pickle, trusted=args.trust)
    target = read_target(args.target, model)
    table = _first_rows(args.data, scored, actions)
    X = with_categories(model, table[model_columns(model, actions, table)], actions)
    return make_explainer(args, model, actions, target).fit(X)


def _first_rows(data: str, scored: str, actions: ActionSet) -> pd.DataFrame:
    """Return some rows of the data, which show the types of its columns."""
    files: list[SourceFile] = [f for f in find_files(data, scored) if f.n_rows]
    if not files:
        raise BadCallError(f"--data: {data} has no rows.")
    table: pd.DataFrame = first_rows(files[0], actions, _FIRST_ROWS)
    missing = [name for name in actions.names if name not in table.columns]
    if missing:
        raise BadCallError(
            f"--data: {files[0].path} has no column {quote_names(missing)}, which is "
            f"in the action set. {did_you_mean(missing[0], table.columns)}The "
            f"columns are {quote_names(table.columns)}."
        )
    return _readable(table, actions)


def _readable(table: pd.DataFrame, actions: ActionSet) -> pd.DataFrame:
    """Return the rows whose values are of the right kind, with numbers as numbers."""
    table = table.copy()
    problems = find_problems(
        actions, table[list(actions.names)], missing="hold", unread=False
    )
    wrong = np.zeros(len(table), dtype=bool)
    wrong[[p.row for p in problems if not p.of_constraint]] = True
    for name, feature in actions.features.items():
        if feature.kind != "categorical" and table[name].dtype == object:
            numbers = pd.to_numeric(table[name], errors="coerce")
            wrong |= (numbers.isna() & table[name].notna()).to_numpy()
            table[name] = numbers
    if wrong.all():
        raise BadCallError("--data: no row at the start has values of the right kind.")
    return table[~wrong]


def _typed(text: str) -> tuple[str, str]:
    """Return the name and the type of a column that is copied."""
    name, _, kind = text.rpartition(":")
    return (name, kind) if name else (text, "string")
