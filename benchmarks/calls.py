"""Count what a reader of the package meets: functions of a call, lines of a package.

    python benchmarks/calls.py [--against REVISION] [--json]

The first table has the functions and modules of the package that a call visits, a sign
of how far one has to go to follow it. The second has the lines of code, docstrings and
comments of each package. Neither measures time. With `--against` both are also counted
for another commit, in a git worktree of its own.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import tokenize
import warnings
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve()
_LAYOUT = {
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def visited(call, root):
    """Return the number of functions and modules below a folder that run in a call."""
    functions = set()

    def profile(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(root):
            code = frame.f_code
            if not code.co_name.startswith("<"):
                functions.add((code.co_filename, code.co_qualname))

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [len(functions), len({path for path, _ in functions})]


def count_calls():
    """Return functions and modules visited, by call; None for a call that fails."""
    import skresp

    root = str(Path(skresp.__file__).parent)
    found = {}
    for name, call in calls().items():
        try:
            found[name] = visited(call, root)
        except Exception as error:  # an older commit may not have this call
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            found[name] = None
    return found


def calls():
    """Return the calls by name, in the order in which they run."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.frozen import FrozenEstimator

    from skresp import ActionSet, Feature, ResponsivenessExplainer
    from skresp.datasets import make_credit

    bunch = make_credit(400, random_state=0)
    X, y = bunch.data.select_dtypes("number"), bunch.target
    model = RandomForestClassifier(20, max_depth=5, random_state=0).fit(X, y)

    def explainer_of(kind):
        features = {n: Feature("integer", actionable=False) for n in X.columns}
        first, second = X.columns[:2]
        features[first] = Feature("integer", 0, 20)
        features[second] = Feature(kind, 0, 20)
        return ResponsivenessExplainer(
            FrozenEstimator(model), ActionSet(features), target=1, random_state=0
        )

    discrete, real = explainer_of("integer"), explainer_of("real").fit(X)
    return {
        "fit": lambda: discrete.fit(X),
        "explain (discrete)": lambda: discrete.explain(X),
        "explain (real feature)": lambda: real.explain(X),
        "verify (trees)": lambda: discrete.verify(X),
        "skresp audit": lambda: audit(ActionSet.infer(X), model, X),
    }


def audit(actions, model, X):
    """Run the command line's audit in this process."""
    import joblib

    try:
        from skresp._cli._main import main as command
    except ImportError:  # its name in older commits
        from skresp.cli._main import main as command

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X.to_csv(folder / "data.csv", index=False)
        joblib.dump(model, folder / "model.joblib")
        actions.to_file(folder / "actions.yaml")
        words = f"audit --model {folder}/model.joblib --trust-pickle --target 1 "
        words += f"--data {folder}/data.csv --actions {folder}/actions.yaml "
        words += f"--out {folder}/out"
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            code = command(words.split())
        if code:
            raise RuntimeError(quiet.getvalue())


def count_lines(root):
    """Return lines of code, docstrings and comments, by package below a folder."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        inner = path.relative_to(root).parts
        package = f"skresp/{inner[0]}" if len(inner) > 1 else "skresp/*.py"
        counts = found.setdefault(package, Counter())
        counts.update(line_kinds(path.read_text(encoding="utf-8")))
    kinds = ("code", "docstring", "comment")
    return {package: [n[kind] for kind in kinds] for package, n in found.items()}


def line_kinds(source):
    """Return how many lines of a module are code, docstrings and comments."""
    docstring = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                text = node.body[0]
                docstring.update(range(text.lineno, text.end_lineno + 1))
    code, comment = set(), set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type == tokenize.COMMENT:
            comment.update(lines)
        elif token.type not in _LAYOUT:
            code.update(lines)
    return {
        "code": len(code - docstring),
        "docstring": len(docstring),
        "comment": len(comment - code),
    }


def counted(tree):
    """Return the counts of the package in a folder, from a process that imports it."""
    done = subprocess.run(
        [sys.executable, str(HERE), "--json"],
        env={**os.environ, "PYTHONPATH": str(tree)},
        cwd=tree,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)


def counted_at(revision):
    """Return the counts of the package at another commit."""
    repository = HERE.parent.parent
    with tempfile.TemporaryDirectory() as name:
        tree = str(Path(name) / "tree")
        git = ["git", "-C", str(repository), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", tree, revision], check=True)
        try:
            return counted(tree)
        finally:
            subprocess.run([*git, "remove", "--force", tree], check=True)


def print_table(title, columns, before, after):
    """Print counts by name, those of the other commit first."""
    heads = [*(f"{name} before" for name in columns)] if before is not None else []
    heads += columns
    print(f"{title:24s}" + "".join(f"{head:>18s}" for head in heads))
    names = {**(before or {}), **after}
    for name in sorted(names, key=lambda name: name == "all"):  # the sum comes last
        cells = []
        for counts in (before, after) if before is not None else (after,):
            cells += counts.get(name) or ["-"] * len(columns)
        print(f"{name:24s}" + "".join(f"{cell!s:>18s}" for cell in cells))


def with_total(lines):
    """Return counts of lines with their sums."""
    return {**lines, "all": [sum(each) for each in zip(*lines.values(), strict=True)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", metavar="REVISION", help="also count at a commit")
    parser.add_argument("--json", action="store_true", help="print JSON, not tables")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.json:
        import skresp

        root = Path(skresp.__file__).parent
        print(json.dumps({"calls": count_calls(), "lines": count_lines(root)}))
        return
    after = counted(HERE.parent.parent)
    before = counted_at(args.against) if args.against else {}
    print_table("call", ["functions", "modules"], before.get("calls"), after["calls"])
    print()
    earlier = with_total(before["lines"]) if before else None
    columns = ["code", "docstrings", "comments"]
    print_table("lines of", columns, earlier, with_total(after["lines"]))


if __name__ == "__main__":
    main()
