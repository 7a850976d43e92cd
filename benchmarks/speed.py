"""How fast it is: every figure of the table in one run, next to its goal.

    SKRESP_DATA=... python benchmarks/speed.py [--only WORD ...] [--repeats 5]
        [--rows 10000 100000 1000000]

Times are CPU times, with one thread for linear algebra: its other threads would use
some for milliseconds after each call. The two sides of a ratio are measured in turn,
and the least time of each counts. "predict" means the model's own `predict` on the same
distinct points, already in the model's own container. `--only` runs the parts whose
names contain a word.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier

from skresp import (
    ActionSet,
    Feature,
    LimeExplainer,
    ResponsivenessExplainer,
    ShapExplainer,
)
from skresp.constraints import IfThen
from skresp.datasets import fetch_german, fetch_givemecredit, fetch_heloc, make_credit
from skresp.metrics import RecourseScorer

MODELS = {
    "XGB": lambda: XGBClassifier(n_estimators=300, max_depth=6, n_jobs=1),
    "RF": lambda: RandomForestClassifier(300, n_jobs=1, random_state=0),
    "LR": lambda: make_pipeline(
        StandardScaler(), LogisticRegression(C=np.inf, max_iter=1_000)
    ),
}
GOALS = {
    "explain": {"XGB": 0.12, "RF": 0.26, "LR": 0.8},
    "verify": {"XGB": 0.5, "RF": 0.6, "LR": 1.5},
    "lines": {"XGB": 40, "RF": 20},
}


class Recorder:
    """A model of hidden structure that keeps the points it is asked about."""

    def __init__(self, model):
        self.model, self.batches = model, []
        self.classes_ = model.classes_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_

    def predict(self, X):
        self.batches.append(X)
        return self.model.predict(X)


def cpu(call):
    """Return the CPU time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def least(calls, repeats):
    """Return the least CPU time of each call; they run in turn."""
    for call in calls:
        call()  # compiles kernels, fills caches
    return np.min([[cpu(call) for call in calls] for _ in range(repeats)], axis=0)


def show(name, value, goal=None, at_most=True, unit=""):
    """Print a figure, its goal, and whether that is met."""
    text = f"{name:62} {value:10.3f}{unit:3}"
    if goal is not None:
        met = value <= goal if at_most else value >= goal
        sign = "<=" if at_most else ">="
        text += f"  goal {sign} {goal:g}{'' if met else '   missed'}"
    print(text, flush=True)


def make_explainer(model, actions, X, **options):
    """Return a fitted explainer of a fitted model."""
    return ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, random_state=0, **options
    ).fit(X)


def recorded(model, actions, X):
    """Return a call of `predict` on the points that `explain` needs, and their number.

    Only for data without reals: of a model whose structure is hidden, changes of reals
    are drawn.
    """
    recorder = Recorder(model)
    explainer = ResponsivenessExplainer(recorder, actions, target=1).fit(X)
    recorder.batches.clear()
    explainer.explain(X)
    batches = recorder.batches
    return lambda: [model.predict(batch) for batch in batches], sum(map(len, batches))


# -- parts of the table ----------------------------------------------------------------


def explain_and_verify(args):
    """Print explain and verify over predict on the same points."""
    for fetch in (fetch_heloc, fetch_german, fetch_givemecredit):
        bunch, data = fetch(), fetch.__name__[6:]
        X, y = bunch.data[: args.people], bunch.target[: args.people]
        for name, make in MODELS.items():
            model = make().fit(X, y)
            predict, points = recorded(model, bunch.action_set, X)
            explainer = make_explainer(model, bunch.action_set, X)
            explain, verify, alone = least(
                [partial(explainer.explain, X), partial(explainer.verify, X), predict],
                args.repeats,
            )
            print(f"{data} {name}: {len(X)} rows, {points} points")
            goals = {
                k: v[name] if data == "heloc" else None
                for k, v in GOALS.items()
                if name in v
            }
            show(f"explain / predict, {data} {name}", explain / alone, goals["explain"])
            show(f"verify / predict, {data} {name}", verify / alone, goals["verify"])
            some = X[:100]
            predict, points = recorded(model, bunch.action_set, some)
            explain, alone = least(
                [partial(explainer.explain, some), predict], 5 * args.repeats
            )
            goal = 0.7 if (data, name) == ("heloc", "XGB") else None
            show(f"explain / predict, {data} {name}, 100 rows", explain / alone, goal)


def credit(args):
    """Print explain and verify over predict of the rows, for data with reals."""
    bunch = make_credit(2_000, random_state=0)
    for name, make in MODELS.items():
        encode = make_column_transformer(
            (
                OneHotEncoder(sparse_output=False),
                make_column_selector(dtype_include=["object", "string", "category"]),
            ),
            remainder="passthrough",
        )
        model = make_pipeline(encode, make()).fit(bunch.data, bunch.target)
        explainer = make_explainer(model, bunch.action_set, bunch.data)
        explain, verify, alone = least(
            [
                partial(explainer.explain, bunch.data),
                partial(explainer.verify, bunch.data),
                partial(model.predict, bunch.data),
            ],
            args.repeats,
        )
        show(f"explain / predict of the rows, make_credit {name}", explain / alone)
        show(f"verify / predict of the rows, make_credit {name}", verify / alone)


def attributions(args):
    """Print how many times faster explain is than SHAP and LIME, heloc XGBoost."""
    bunch = fetch_heloc()
    X, y = bunch.data, bunch.target
    model = MODELS["XGB"]().fit(X, y)
    ours = make_explainer(model, bunch.action_set, X)
    for kind, rows, goal in ((ShapExplainer, 1_000, 150), (LimeExplainer, 10, 1_000)):
        options = {"random_state": 0} if kind is LimeExplainer else {}
        theirs = kind(FrozenEstimator(model), target=1, **options).fit(X)
        some = X[:rows]
        slow, fast = least(
            [partial(theirs.explain, some), partial(ours.explain, X)], args.repeats
        )
        name = kind.__name__.removesuffix("Explainer").upper()
        ratio = (slow / rows) / (fast / len(X))
        show(f"times faster than {name} a row, heloc XGB", ratio, goal, at_most=False)


def one_person(args):
    """Print the time of one person over that of predict, in milliseconds."""
    bunch = fetch_heloc()
    repeats = 20 * args.repeats
    for name, make in MODELS.items():
        for container, goal in (("array", 0.3), ("frame", 0.6)):
            frame = container == "frame"
            X = bunch.data if frame else bunch.data.to_numpy(dtype=float)
            model = make().fit(X, bunch.target)
            explainer = make_explainer(model, bunch.action_set, X)
            denied = np.flatnonzero(model.predict(X) == 0)[0]
            person = X[denied : denied + 1]
            predict, _ = recorded(model, bunch.action_set, person)
            explain, verify, alone = least(
                [
                    partial(explainer.explain, person),
                    partial(explainer.verify, person),
                    predict,
                ],
                repeats,
            )
            where = f"heloc {name}, {container}"
            more = 1e3 * (explain - alone)
            show(f"explain of one person over predict, {where}", more, goal, unit=" ms")
            goal = 1.0 if (name, container) == ("XGB", "array") else None
            more = 1e3 * (verify - alone)
            show(f"verify of one person over predict, {where}", more, goal, unit=" ms")


def lines(args):
    """Print how many times faster exact scores of reals are than 500 draws."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(6_000, 6)), columns=list("abcdef"))
    y = (X["a"] * X["b"] + X["c"] + rng.normal(0, 0.5, len(X)) > 0).astype(int)
    actions, people = ActionSet.infer(X), X[:300]
    for name, make in MODELS.items():
        model = make().fit(X, y)
        exact = make_explainer(model, actions, X)
        drawn = make_explainer(model, actions, X, method="sample")
        assert exact.explain(people).exact.all()
        fast, slow = least(
            [partial(exact.explain, people), partial(drawn.explain, people)],
            max(args.repeats // 2, 1),
        )
        goal = GOALS["lines"].get(name)
        show(f"times faster than 500 draws, {name}", slow / fast, goal, at_most=False)


def mixed(args):
    """Print time and runs of HiGHS a person, for a binary and two reals that are tied.

    Two rules: a loan needs some income, and a high income needs some savings.
    """
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(0, 10, (2_000, 2)), columns=["income", "savings"])
    X["loan"] = (X["income"] >= 4) & rng.integers(0, 2, len(X))
    X["savings"] = X["savings"].clip(lower=3 * (X["income"] >= 7))
    X = X.astype(float)
    score = 2 * X["loan"] + X["income"] / 3 + X["savings"] / 2
    y = (score + rng.normal(size=len(X)) > 5).astype(int)
    actions = ActionSet(
        {
            "income": Feature("real", 0, 10),
            "savings": Feature("real", 0, 10),
            "loan": Feature("binary"),
        },
        [
            IfThen(("loan", "==", 1), ("income", ">=", 4)),
            IfThen(("income", ">=", 7), ("savings", ">=", 3)),
        ],
    )
    models = {**MODELS, "MLP": lambda: MLPClassifier((16,), random_state=0)}
    for name, make in models.items():
        model = make().fit(X, y)
        people = X[model.predict(X) == 0][:50]
        for how in ("minimal", "joint"):
            explainer = make_explainer(model, actions, X, interventions=how)
            for what in ("explain", "verify"):
                call = partial(getattr(explainer, what), people)
                runs = solver_runs(call)
                (seconds,) = least([call], args.repeats)
                where = f"{what}, tied reals, {how}, {name}"
                show(where, 1e3 * seconds / len(people), unit=" ms")
                show(f"runs of HiGHS, {where}", runs / len(people))


def solver_runs(call):
    """Return how often a call runs HiGHS."""
    from skresp.reach import _highs

    with mock.patch.object(_highs, "_answer", wraps=_highs._answer) as answer:
        call()
    return answer.call_count


def scorer(args):
    """Print what the recourse rate adds to fitting and AUC, heloc XGBoost."""
    bunch = fetch_heloc()
    X, y = bunch.data, bunch.target
    test = np.arange(len(X)) % 5 == 0
    rate = RecourseScorer(bunch.action_set, target=1)
    rate(XGBClassifier(n_estimators=5).fit(X, y), X[test])
    usual, added = [], []
    for depth in (2, 4, 6):
        model = XGBClassifier(n_estimators=200, max_depth=depth, n_jobs=1)

        def fit_and_score(model=model):
            model.fit(X[~test], y[~test])
            roc_auc_score(y[test], model.predict_proba(X[test])[:, 1])

        times = [
            (cpu(fit_and_score), cpu(partial(rate, model, X[test])))
            for _ in range(args.repeats)
        ]
        first, second = np.min(times, axis=0)
        usual.append(first)
        added.append(second)
    more = 100 * sum(added) / sum(usual)
    show("RecourseScorer on top of fit and AUC, heloc XGB", more, 25, unit=" %")


def jobs(args):
    """Print the CPU time with two jobs over that with one."""
    bunch = fetch_heloc()
    X, y = bunch.data, bunch.target
    for name, make in MODELS.items():
        model = make().fit(X, y)
        one = make_explainer(model, bunch.action_set, X)
        two = make_explainer(model, bunch.action_set, X, n_jobs=2)
        for what in ("explain", "verify"):
            single, double = least(
                [
                    partial(getattr(one, what), X),
                    partial(getattr(two, what), X),
                ],
                args.repeats,
            )
            show(f"CPU of n_jobs=2 over 1, {what}, heloc {name}", double / single, 1.1)


def imports(args):
    """Print what all names of `skresp` add to numpy, pandas and scikit-learn."""
    base = "import numpy, pandas, sklearn.base, sklearn.utils.validation"
    with tempfile.TemporaryDirectory() as compiled:
        # As an installed package: its modules are compiled once, by the first run.
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env["PYTHONPYCACHEPREFIX"] = compiled

        def seconds(first, second):
            code = (
                f"import time; {first}; a = time.process_time(); {second}; "
                f"print(time.process_time() - a)"
            )
            command = [sys.executable, "-c", code]
            return float(subprocess.check_output(command, env=env, text=True))

        seconds(base, "from skresp import *")
        ours, theirs = np.min(
            [
                [seconds(base, "from skresp import *"), seconds("pass", base)]
                for _ in range(args.repeats)
            ],
            axis=0,
        )
    show("import skresp over numpy, pandas and scikit-learn", ours, 0.15, unit=" s")
    show("  those three themselves", theirs, unit=" s")


def growth(args):
    """Print the time and memory of explain and verify as rows increase."""
    for what in ("explain", "verify"):
        found = []
        for rows in args.rows:
            with tempfile.TemporaryDirectory() as folder:
                own_process("write_people", folder, rows)
                seconds, above, kept = own_process("grown", folder, what)
            found.append(seconds)
            show(f"{what} of {rows} heloc rows with noise", seconds, unit=" s")
            show("  peak memory above the data", above, unit=" MB")
            show("  of it held with the result", kept, unit=" MB")
        if len(found) > 1:
            steps = np.diff(np.log(found)) / np.diff(np.log(args.rows))
            for step, rows in zip(steps, args.rows[1:], strict=True):
                show(f"exponent of time of {what} up to {rows} rows", step, 1.05)


def own_process(*task):
    """Run a function of this file in a process of its own; return its numbers."""
    command = [sys.executable, __file__, "--task", *map(str, task)]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return [float(word) for word in out.stdout.split()]


def write_people(folder, rows):
    """Write heloc rows with noise in the features that cannot change."""
    rows, bunch, rng = int(rows), fetch_heloc(), np.random.default_rng(0)
    X = bunch.data.iloc[rng.integers(len(bunch.data), size=rows)].reset_index(drop=True)
    moving = {*bunch.action_set.actionable, *bunch.action_set.constrained}
    noise = {
        name: X[name] + rng.normal(0, 0.01, rows) for name in X if name not in moving
    }
    np.save(Path(folder, "people.npy"), X.assign(**noise).to_numpy(dtype=float))


def grown(folder, what):
    """Print seconds of a call, and MB above the data: at the peak, and after it."""
    from skresp.reach._cache import shared_cache

    bunch = fetch_heloc()
    model = MODELS["XGB"]().fit(bunch.data.astype(float), bunch.target)
    X = pd.DataFrame(np.load(Path(folder, "people.npy")), columns=bunch.data.columns)
    explainer = make_explainer(model, bunch.action_set, X[:1_000])
    call = getattr(explainer, what)
    call(X[:1_000])
    shared_cache.clear()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    before = memory("VmRSS")
    start = time.process_time()
    result = call(X)
    seconds = time.process_time() - start
    print(seconds, memory("VmHWM") - before, memory("VmRSS") - before)
    del result  # held until here


def memory(name):
    """Return a figure of the memory of this process in MB."""
    status = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in status if line.startswith(name))
    return int(line.split()[1]) / 1024


def wide(args):
    """Print explain and verify of 50 rows with 2,000 columns; few or all can change."""
    rng = np.random.default_rng(0)
    shape, names = (2_000, 2_000), [f"x{i}" for i in range(2_000)]
    models = {
        "LR": LogisticRegression(),
        "XGB": XGBClassifier(n_estimators=100, max_depth=4, n_jobs=1),
        "RF": RandomForestClassifier(100, n_jobs=1, random_state=0),
    }
    tables = {"integers": rng.integers(0, 6, shape), "reals": rng.normal(size=shape)}
    for kind, table in tables.items():
        X = pd.DataFrame(table.astype(float), columns=names)
        total = table[:, :20].sum(axis=1) + rng.normal(size=len(X))
        people = X[:50]
        for name, model in models.items():
            model.fit(X, total > np.median(total))
            for changing in (20, 2_000):
                actions = ActionSet.infer(X, immutable=names[changing:])
                explainer = make_explainer(model, actions, X)
                for what, goal in (("explain", 2), ("verify", 4)):
                    call = getattr(explainer, what)
                    call(people[:2])  # compiles kernels
                    seconds = cpu(partial(call, people))
                    where = f"{changing:,} of 2,000 {kind} change, {name}"
                    show(f"{what}, {where}", seconds, goal, unit=" s")


def action_files(args):
    """Print the time to read an action set of 20,000 features from a file."""
    features = {
        f"x{i}": Feature("real", 0, 1) if i % 2 else Feature("integer", 0, 9)
        for i in range(20_000)
    }
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("yaml", "json"):
            path = Path(folder, f"actions.{ending}")
            ActionSet(features).to_file(path)
            (seconds,) = least([partial(ActionSet.from_file, path)], args.repeats)
            show(f"read 20,000 features from a .{ending} file", seconds, unit=" s")


def large(args):
    """Print the time of verdicts of large ensembles a person."""
    script = __file__.replace("speed.py", "large_models.py")
    subprocess.run([sys.executable, script], check=True)


PARTS = {
    "explain and verify": explain_and_verify,
    "credit": credit,
    "attributions": attributions,
    "one person": one_person,
    "lines": lines,
    "mixed": mixed,
    "scorer": scorer,
    "jobs": jobs,
    "imports": imports,
    "growth": growth,
    "wide": wide,
    "action files": action_files,
    "large": large,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--people", type=int, default=20_000)
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000]
    )
    parser.add_argument("--task", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    threadpool_limits(1)
    if args.task:
        tasks = {"write_people": write_people, "grown": grown}
        return tasks[args.task[0]](*args.task[1:])
    for name, part in PARTS.items():
        if any(word in name for word in args.only):
            print(f"\n{name}: {part.__doc__.splitlines()[0]}", flush=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                part(args)


if __name__ == "__main__":
    main()
