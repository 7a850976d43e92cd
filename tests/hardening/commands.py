"""Options of commands."""

from __future__ import annotations

from typing import Any

from .attack import Attack, CommandError


def table(w: Any, text: str | bytes, name: str = "t.csv") -> str:
    return str(w.file(name, text))


ATTACKS = [
    Attack(
        "no command",
        lambda w: w.run(),
        CommandError,
        (
            "skresp: error: the following arguments are required: command; "
            "see skresp --help"
        ),
    ),
    Attack(
        "unknown command",
        lambda w: w.run("adit"),
        CommandError,
        (
            "skresp: error: argument command: invalid choice: 'adit' "
            "(choose from ...); see skresp --help"
        ),
    ),
    Attack(
        "unknown option",
        lambda w: w.audit("--colour"),
        CommandError,
        ("skresp: error: unrecognized arguments: --colour; see skresp --help"),
    ),
    Attack(
        "an option that sends escapes",
        lambda w: w.audit("\x1b[31m"),
        CommandError,
        ("skresp: error: unrecognized arguments: �[31m; see skresp --help"),
    ),
    Attack(
        "another target",
        lambda w: w.audit(target="2"),
        CommandError,
        (
            "skresp audit: error: --target: '2' is not a class of the "
            "model. The classes are 0, 1."
        ),
    ),
    Attack(
        "a bound for a classifier",
        lambda w: w.audit(target=">=1"),
        CommandError,
        (
            "skresp audit: error: --target: '>=1' is not a class of the "
            "model. The classes are 0, 1."
        ),
    ),
    Attack(
        "a threshold of 2",
        lambda w: w.audit("--threshold", "2"),
        CommandError,
        ("skresp audit: error: threshold must be between 0 and 1, got 2.0."),
    ),
    Attack(
        "a threshold that is text",
        lambda w: w.audit("--threshold", "a"),
        CommandError,
        (
            "skresp audit: error: argument --threshold: invalid float "
            "value: 'a'; see skresp audit --help"
        ),
    ),
    Attack(
        "an unknown group",
        lambda w: w.audit("--groups", "ag"),
        CommandError,
        (
            "skresp audit: error: --groups: the data has no column 'ag'. "
            "Did you mean 'age'? The columns are 'age', 'income', 'own'."
        ),
    ),
    Attack(
        "an unknown section",
        lambda w: w.audit("--sections", "peple"),
        CommandError,
        (
            "skresp audit: error: sections has 'peple', which is not a section. Did "
            "you mean 'people'? The sections are people, features, comparison, "
            "examples, actions, model, method."
        ),
    ),
    Attack(
        "an unknown explainer",
        lambda w: w.audit("--explainers", "shp"),
        CommandError,
        (
            "skresp audit: error: argument --explainers: invalid choice: "
            "'shp' (choose from ...); see skresp audit --help"
        ),
    ),
    Attack(
        "examples below 0",
        lambda w: w.audit("--examples", "-1"),
        CommandError,
        (
            "skresp audit: error: argument --examples: must be at least 0, "
            "got -1; see skresp audit --help"
        ),
    ),
    Attack(
        "0 jobs",
        lambda w: w.audit("--n-jobs", "0"),
        CommandError,
        (
            "skresp audit: error: n_jobs must be a whole number other than "
            "0 (-1 for all cores) or None, got 0."
        ),
    ),
    Attack(
        "a seed below 0",
        lambda w: w.audit("--seed", "-1"),
        CommandError,
        (
            "skresp audit: error: argument --seed: must be at least 0, got -1; see "
            "skresp audit --help"
        ),
    ),
    Attack(
        "a time limit below 0",
        lambda w: w.audit("--time-limit", "-1"),
        CommandError,
        (
            "skresp audit: error: time_limit must be a number of seconds "
            "of at least 0, or None for no limit, got -1.0."
        ),
    ),
    Attack(
        "out is a file",
        lambda w: w.audit(out=w.file("o.txt", "")),
        CommandError,
        (
            "skresp audit: error: --out: the folder .../o.txt cannot be "
            "created (File exists)."
        ),
    ),
    Attack(
        "a pickle without consent",
        lambda w: w.run(
            "audit",
            "--model",
            w.model_file,
            "--data",
            w.data,
            "--actions",
            w.actions_file,
            "--target",
            "1",
            "--out",
            w.folder / "o",
        ),
        CommandError,
        (
            "skresp audit: error: --model: .../model.joblib is a pickle, "
            "and loading a pickle runs the code inside it. Pass "
            "--trust-pickle if you trust its source, or save the model "
            "with skops."
        ),
    ),
    Attack(
        "actions of no column",
        lambda w: w.run(
            "actions",
            "--data",
            w.data,
            "--immutable",
            "incme",
            "--out",
            w.folder / "n.yaml",
            "--force",
        ),
        CommandError,
        (
            "skresp actions: error: --immutable: the data has no column "
            "'incme'. Did you mean 'income'? The columns are 'age', "
            "'income', 'own'."
        ),
    ),
    Attack(
        "actions of another ending",
        lambda w: w.run("actions", "--data", w.data, "--out", w.folder / "n.txt"),
        CommandError,
        (
            "skresp actions: error: --out: .../n.txt must end in .yaml, "
            ".yml or .json, got '.txt'."
        ),
    ),
    Attack(
        "actions over a file",
        lambda w: w.run("actions", "--data", w.data, "--out", w.actions_file),
        CommandError,
        (
            "skresp actions: error: --out: .../actions.yaml exists "
            "already. Pass --force to replace it."
        ),
    ),
    Attack(
        "actions to no folder",
        lambda w: w.run(
            "actions", "--data", w.data, "--out", w.folder / "no" / "n.yaml"
        ),
        CommandError,
        "skresp actions: error: --out: there is no folder .../no.",
    ),
    Attack(
        "score no data",
        lambda w: w.run(
            "score",
            "--model",
            w.model_file,
            "--trust-pickle",
            "--data",
            w.folder / "no",
            "--actions",
            w.actions_file,
            "--target",
            "1",
            "--out",
            w.folder / "s",
        ),
        CommandError,
        (
            "skresp score: error: source must be a Parquet or CSV file, a "
            "folder with such files or a pattern that matches some, but "
            "nothing was found at '.../no'."
        ),
    ),
    Attack(
        "score an unknown output",
        lambda w: w.run(
            "score",
            "--model",
            w.model_file,
            "--trust-pickle",
            "--data",
            w.data,
            "--actions",
            w.actions_file,
            "--target",
            "1",
            "--out",
            w.folder / "s",
            "--outputs",
            "score",
        ),
        CommandError,
        (
            "skresp score: error: outputs must be one of 'scores', "
            "'intervals', 'verdict', 'reasons', 'changes', 'model_score', "
            "got 'score'. Did you mean 'scores'?"
        ),
    ),
    Attack(
        "score with a name that is nearly right",
        lambda w: w.run(
            "score",
            *("--model", w.model_file, "--trust-pickle"),
            *("--data", table(w, "age,incme,own\n1,1,1\n", "near.csv")),
            *("--actions", w.actions_file, "--target", "1"),
            *("--out", w.folder / "s"),
        ),
        CommandError,
        (
            "skresp score: error: --data: .../near.csv has no column 'income', which "
            "is in the action set. Did you mean 'incme'? The columns are 'age', "
            "'incme', 'own'."
        ),
    ),
    Attack(
        "a model with a name that is nearly right",
        lambda w: w.audit(
            actions=w.file(
                "near.yaml",
                "features:\n  age: {kind: integer, lower: 0, upper: 99}\n"
                "  incme: {kind: real, lower: 0, upper: 9}\n  own: {kind: binary}\n",
            ),
            data=table(w, "age,income,incme,own\n1,1,1,1\n", "both.csv"),
        ),
        CommandError,
        (
            "skresp audit: error: --actions does not have 'income', which the model "
            "was fitted on. Did you mean 'incme'? Add it, with actionable: false if "
            "nobody can change it."
        ),
    ),
    Attack(
        "demo with no rows",
        lambda w: w.run("demo", "--rows", "0"),
        CommandError,
        (
            "skresp demo: error: argument --rows: must be at least 1, got "
            "0; see skresp demo --help"
        ),
    ),
    Attack(
        "demo with two rows",
        lambda w: w.run("demo", "--rows", "2", "--out", w.folder / "demo2"),
        CommandError,
        (
            "skresp demo: error: --rows: a model needs at least 20 applicants to learn "
            "from, got 2."
        ),
    ),
    Attack(
        "a number of rows that is not whole",
        lambda w: w.audit("--compare-rows", "1e3"),
        CommandError,
        (
            "skresp audit: error: argument --compare-rows: must be a whole number, got "
            "'1e3'; see skresp audit --help"
        ),
    ),
    Attack(
        "an empty name of a folder",
        lambda w: w.audit(out=""),
        CommandError,
        "skresp audit: error: --out: name a folder to write to, got ''.",
    ),
    Attack(
        "all columns ignored",
        lambda w: w.run(
            "actions",
            *("--data", w.data, "--out", w.folder / "none.yaml"),
            *("--ignore", *w.X.columns),
        ),
        CommandError,
        (
            "skresp actions: error: --ignore leaves no column of the data. Name fewer "
            "columns."
        ),
    ),
]
