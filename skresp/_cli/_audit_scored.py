"""`skresp audit --scored`: audit a folder that `skresp score` has written."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path
from typing import Any

from skresp._output_folder import whole_set
from skresp._text import join_words
from skresp.batch._parts import MANIFEST
from skresp.report import AuditReport

from ._audit_output import AUDIT_FILES, print_audit, write_report
from ._console import FINE, BadCallError, output_folder, say_json
from ._digest import file_digest
from ._score import fit_explainer

# Options that need all rows in memory.
_IN_MEMORY = ("explainers", "sample", "time_limit", "n_jobs")
_OF_ROWS = ("model", "data", "actions", "target")
# Parameters of AuditReport.from_files, and the options they come from.
_OPTIONS = {
    "out": "--scored",
    "groups": "--groups",
    "source": "--data",
    "explainer": "--model, --actions and the other options of skresp score",
    "sections": "--sections",
}


def audit_scored(args: Namespace) -> int:
    """Run the command and return its exit code."""
    _check_options(args)
    rows = {}
    if args.data:
        explainer = fit_explainer(args, args.scored)
        rows = {"explainer": explainer, "source": args.data}
    try:
        report = AuditReport.from_files(
            args.scored,
            groups=args.groups,
            sections=args.sections,
            examples=args.examples,
            notes=_notes(args.scored),
            **rows,
        )
    except (ValueError, FileNotFoundError) as error:
        raise BadCallError(_with_option(str(error))) from None
    inputs = [path for path in (args.model, args.data, args.actions) if path]
    out = output_folder(args.out, AUDIT_FILES, inputs)
    with whole_set(out, AUDIT_FILES) as hidden:
        written = write_report(report, hidden)
    if args.json:
        say_json({"out": str(out), "files": written, **report.to_dict()})
    else:
        print_audit(report, out, written)
    return FINE


def _check_options(args: Namespace) -> None:
    """Raise for options that need other ones, or that need all rows in memory."""
    for name in _IN_MEMORY:
        if getattr(args, name) not in (None, []):
            raise BadCallError(
                f"--{name.replace('_', '-')} needs the rows in memory. Leave out this "
                f"option, or --scored."
            )
    given = [name for name in _OF_ROWS if getattr(args, name) is not None]
    if given and len(given) < len(_OF_ROWS):
        options = join_words(f"--{name}" for name in _OF_ROWS)
        raise BadCallError(
            f"--scored takes all of {options}, for notices to the examples, or none of "
            f"them; got only {join_words(f'--{name}' for name in given)}."
        )


def _notes(folder: str) -> dict[str, Any]:
    manifest = Path(folder) / MANIFEST
    if not manifest.is_file():
        return {}
    return {"Scored files": f"{MANIFEST}, sha256 {file_digest(manifest)}"}


def _with_option(text: str) -> str:
    """Return an error that names the option instead of the parameter."""
    found = re.match(r"[a-z]+\b", text)
    name = found[0] if found else ""
    return _OPTIONS[name] + text[len(name) :] if name in _OPTIONS else text
