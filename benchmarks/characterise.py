"""Compare the answers of this tree with those of another commit, number by number.

    SKRESP_DATA=... python benchmarks/characterise.py REVISION [--worlds 300]

Scores, intervals, verdicts and witnesses of German credit, HELOC, `make_credit` and
random small worlds (tests/fuzz) are computed by the package as it is at REVISION and
as it is here. Every array that differs is named, with the number of rows, and how
statuses and exact scores differ. With `--keep FOLDER` the arrays of REVISION are stored
there and used again.
"""

from __future__ import annotations

import argparse
import io
import pickle
import subprocess
import sys
import tarfile
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent.parent


def describe(explainer, X, intervals):
    """Return all results for some rows as plain arrays."""
    explanation = explainer.explain(X)
    verdicts = explainer.verify(X)
    out = {
        name: np.asarray(getattr(explanation, name))
        for name in ("values", "lower", "upper", "exact", "n_reachable", "at_target")
    }
    for name in ("status", "proof", "used", "has_witness"):
        out[name] = np.asarray(getattr(verdicts, name))
    witness = np.full(len(X), "", dtype=object)
    rows = np.flatnonzero(verdicts.has_witness)
    for i, point in zip(rows, verdicts.witness.to_dict("records"), strict=True):
        witness[i] = repr({k: _plain(v) for k, v in point.items()})
    out["witness"] = witness
    texts = np.full(len(X), "", dtype=object)
    for i in range(min(len(X), intervals)):
        texts[i] = repr(
            [_intervals(explanation, i, n) for n in _scored(explanation, i)]
        )
    out["intervals"] = texts
    return out


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _scored(explanation, i):
    pairs = zip(explanation.feature_names, explanation.values[i], strict=True)
    return [name for name, value in pairs if value > 0]


def _intervals(explanation, i, name):
    try:
        return explanation.intervals(i, name)
    except ValueError:
        return None


def data_cases():
    """Yield explainers of the data sets, with the rows to explain."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.frozen import FrozenEstimator
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from xgboost import XGBClassifier

    from skresp import ResponsivenessExplainer
    from skresp.datasets import fetch_german, fetch_heloc, make_credit

    finals = {
        "LR": lambda: LogisticRegression(max_iter=2_000),
        "RF": lambda: RandomForestClassifier(60, min_samples_leaf=3, random_state=0),
        "XGB": lambda: XGBClassifier(n_estimators=80, max_depth=4, n_jobs=1),
        "MLP": lambda: MLPClassifier((8,), max_iter=60, random_state=0),
    }
    bunches = {
        "german": fetch_german(),
        "heloc": fetch_heloc(),
        "german raw": fetch_german(variant="raw"),
        "credit": make_credit(1_500, random_state=0),
    }
    text = make_column_selector(dtype_include=["object", "string", "category"])
    for name, bunch in bunches.items():
        encode = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), text),
            remainder=StandardScaler(),
        )
        rows = bunch.data.iloc[:1_500]
        for kind, make in finals.items():
            model = make_pipeline(encode, make()).fit(bunch.data, bunch.target)
            some = rows.iloc[:60] if kind == "MLP" else rows
            explainer = ResponsivenessExplainer(
                FrozenEstimator(model), bunch.action_set, target=1, random_state=0
            ).fit(bunch.data)
            yield f"{name} {kind}", explainer, some, 100


def random_cases(worlds):
    """Yield explainers of random worlds."""
    from tests.fuzz.checks import make_explainer
    from tests.fuzz.world import make_world

    for seed in range(worlds):
        world = make_world(seed)
        if world is not None:
            yield (
                f"world {seed} {world.family}",
                make_explainer(world),
                world.people,
                99,
            )


def record(path, worlds):
    """Compute everything with the package that is imported, and store it."""
    warnings.simplefilter("ignore")
    found = {}
    for cases in (data_cases(), random_cases(worlds)):
        for name, explainer, X, intervals in cases:
            try:
                found[name] = describe(explainer, X, intervals)
            except Exception as error:
                found[name] = {"error": np.array([f"{type(error).__name__}: {error}"])}
    Path(path).write_bytes(pickle.dumps(found))


def recorded_at(revision, worlds, folder):
    """Record in a process that imports the package of a revision (None: this tree)."""
    paths = [str(HERE), str(HERE / "benchmarks")]
    if revision is not None:
        # The package of the revision, with the cases of this tree.
        pack = ["git", "archive", "--format=tar", revision, "skresp"]
        packed = subprocess.run(pack, cwd=HERE, check=True, capture_output=True)
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder / "tree", filter="data")
        paths.insert(0, str(folder / "tree"))
    out = folder / f"{revision}.pickle"
    code = (
        f"import sys; sys.path[:0] = {paths!r}; "
        f"import characterise; characterise.record({str(out)!r}, {worlds})"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=folder)
    return pickle.loads(out.read_bytes())


def stored(revision, worlds, keep, folder):
    """Return the record of a revision, from the folder if it is stored there."""
    if keep is None:
        return recorded_at(revision, worlds, folder)
    ask = ["git", "rev-parse", revision]
    found = subprocess.run(ask, cwd=HERE, check=True, capture_output=True, text=True)
    path = keep / f"{found.stdout.strip()}-{worlds}.pickle"
    if not path.exists():
        keep.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(recorded_at(revision, worlds, folder)))
    return pickle.loads(path.read_bytes())


def differing(before, after):
    """Return the rows of an array that differ between two records."""
    if before.shape != after.shape:
        return max(len(before), len(after))
    if before.dtype.kind == "f":
        same = np.isclose(before, after, rtol=1e-12, atol=1e-12, equal_nan=True)
    else:
        same = before == after
    return int((~same).reshape(len(same), -1).any(axis=1).sum())


def explained(old, new):
    """Yield how statuses changed, and which exact scores did, the worst first."""
    pairs = Counter(
        f"{a} to {b}"
        for a, b in zip(old["status"], new["status"], strict=True)
        if a != b
    )
    if pairs:
        yield "status: " + ", ".join(f"{n} {pair}" for pair, n in pairs.most_common())
    both = old["exact"] & new["exact"]
    off = np.where(both, np.abs(old["values"] - new["values"]), 0.0)
    if np.nanmax(off, initial=0.0) > 1e-12:
        count = int((off > 1e-12).sum())
        yield f"{count} scores exact in both differ, by at most {np.nanmax(off):.2g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision")
    parser.add_argument("--worlds", type=int, default=300)
    parser.add_argument("--keep", type=Path, default=None)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        before = stored(args.revision, args.worlds, args.keep, Path(name))
        after = recorded_at(None, args.worlds, Path(name))
    equal, rows = 0, 0
    for case in before:
        old, new = before[case], after[case]
        if "error" in old or "error" in new:
            if str(old.get("error")) != str(new.get("error")):
                print(f"{case}: {old.get('error')} became {new.get('error')}")
            continue
        rows += len(old["status"])
        changed = {k: differing(old[k], new[k]) for k in old}
        if any(changed.values()):
            print(case, {k: n for k, n in changed.items() if n}, "of", len(old["used"]))
            for text in explained(old, new):
                print(f"    {text}")
        else:
            equal += 1
    print(f"{equal} of {len(before)} cases equal in every array ({rows} rows)")
    return int(equal < len(before))


if __name__ == "__main__":
    raise SystemExit(main())
