"""Files of any length, stops at any moment, full disks, and what tasks carry.

    SKRESP_DATA=... python benchmarks/scale.py [--only WORD ...]
        [--rows 100000 1000000] [--kills 20] [--folder DIR]

People are heloc rows with noise in the features that cannot change, so no two are the
same; the model is XGBoost with 300 trees of depth 6, in one thread. Times are CPU
times unless they are called elapsed. Memory is the peak of a process of its own. Files
go to a temporary folder below `--folder` and are removed. `--only` runs the parts whose
names contain a word.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from joblib.parallel import ParallelBackendBase
from sklearn.frozen import FrozenEstimator
from xgboost import XGBClassifier

from skresp import ResponsivenessExplainer
from skresp.batch import BatchScorer, score_files
from skresp.datasets import fetch_heloc

_PIECE = 100_000


def show(name, value, unit=""):
    """Print a figure."""
    print(f"{name:62} {value:14,.3f} {unit}", flush=True)


def make_explainer(bunch, X, **options):
    """Return an explainer of XGBoost."""
    model = XGBClassifier(n_estimators=300, max_depth=6, n_jobs=1)
    model.fit(bunch.data.astype(float), bunch.target)
    return ResponsivenessExplainer(
        FrozenEstimator(model), bunch.action_set, target=1, random_state=0, **options
    ).fit(X)


def noisy_people(bunch, rows, seed=0):
    """Return heloc rows with noise in the features that cannot change."""
    rng = np.random.default_rng(seed)
    X = bunch.data.iloc[rng.integers(len(bunch.data), size=rows)]
    X = X.reset_index(drop=True).astype(float)
    moving = {*bunch.action_set.actionable, *bunch.action_set.constrained}
    noise = {n: X[n] + rng.normal(0, 0.01, rows) for n in X if n not in moving}
    return X.assign(**noise)


def write_people(path, rows):
    """Write people to a Parquet file, some at a time."""
    bunch, writer = fetch_heloc(), None
    for start in range(0, rows, _PIECE):
        some = noisy_people(bunch, min(_PIECE, rows - start), seed=start)
        some = some.assign(number=np.arange(start, start + len(some)))
        table = pa.Table.from_pandas(some, preserve_index=False)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def write_explainer(path):
    """Write an explainer to a file."""
    bunch = fetch_heloc()
    joblib.dump(make_explainer(bunch, noisy_people(bunch, 1_000)), path)


def make_scorer(path):
    return BatchScorer(path, id_columns={"number": "int64"})


def own(task, *args):
    """Run a function of `TASKS` in a process of its own, and return its numbers."""
    command = [sys.executable, __file__, "--task", task, *map(str, args)]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return [float(word) for word in out.stdout.split()]


# -- rows ------------------------------------------------------------------------------


def rows(args):
    """Print the rate and the peak memory of score_files as rows increase."""
    folder = args.folder
    write_explainer(folder / "explainer.joblib")
    write_people(folder / "some.parquet", 20_000)
    given = folder / "some.parquet", folder / "explainer.joblib"
    predict, points = own("predict", *given)
    show("predict alone, rows a second (all their points)", predict)
    show("  points a row", points)
    for n in args.rows:
        source, out = folder / f"people-{n}.parquet", folder / f"out-{n}"
        own("write", source, n)
        show(f"{n:,} rows: size of the file", source.stat().st_size / 2**20, "MB")
        cpu, elapsed, base, peak = own("score", source, given[1], out)
        show("  rows a second", n / cpu)
        show("  rows a second over those of predict", n / cpu / predict)
        show("  rows a second elapsed", n / elapsed)
        show("  peak memory", peak, "MB")
        show("  of it imports, model and kernels", base, "MB")
        found = pq.read_table(out, columns=["number"])
        assert np.array_equal(np.sort(found["number"].to_numpy()), np.arange(n))
        source.unlink()
        shutil.rmtree(out)


def write_task(path, n):
    write_people(path, int(n))
    print(0)


def score_task(source, explainer, out):
    """Print CPU seconds, elapsed seconds, and memory before and at the peak."""
    scorer = make_scorer(explainer)
    scorer(pq.ParquetFile(source).read_row_group(0).slice(0, 5_000))  # compiles
    base, began, elapsed = peak_memory(), time.process_time(), time.monotonic()
    score_files(source, out, scorer)
    print(time.process_time() - began, time.monotonic() - elapsed, base, peak_memory())


def predict_task(source, explainer):
    """Print how many rows a second `predict` takes with all points, and their number.

    The points are those that `explain` evaluates for a model it cannot read.
    """
    X = pd.read_parquet(source).drop(columns="number")
    explainer = joblib.load(explainer)
    model, batches = explainer.estimator_, []

    class Recorder:
        classes_ = model.classes_

        def predict(self, X):
            batches.append(X)
            return model.predict(X)

    hidden = ResponsivenessExplainer(Recorder(), explainer.action_set_, target=1)
    hidden.fit(X)
    batches.clear()
    hidden.explain(X)
    seconds = []
    for _ in range(5):
        start = time.process_time()
        for batch in batches:
            model.predict(batch)
        seconds.append(time.process_time() - start)
    print(len(X) / min(seconds), sum(map(len, batches)) / len(X))


def peak_memory():
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# -- kills -----------------------------------------------------------------------------


def kills(args):
    """Kill runs at random moments, go on each time, and compare with one whole run."""
    folder, rng = args.folder, random.Random(0)
    write_explainer(folder / "explainer.joblib")
    source, whole = folder / "people.parquet", folder / "whole"
    write_people(source, 20_000)
    given = folder / "explainer.joblib", source
    for jobs in (1, 2):
        shutil.rmtree(whole, ignore_errors=True)
        began = time.monotonic()
        run = begin(*given, whole, jobs)
        ready = time.monotonic()
        assert run.wait() == 0
        show(f"{jobs} jobs: seconds of a whole run", time.monotonic() - ready, "s")
        most = 2 * (time.monotonic() - ready) / (args.kills + 2)
        out, killed, lost = folder / f"out-{jobs}", 0, 0
        known = {}
        for _ in range(args.kills):
            run = begin(*given, out, jobs)
            time.sleep(rng.uniform(0, most))
            run.send_signal(signal.SIGKILL)
            killed += run.wait() == -signal.SIGKILL
            lost += any(name.startswith(".") for name in os.listdir(out))
            check_unchanged(out, known)
        assert begin(*given, out, jobs).wait() == 0
        check_unchanged(out, known)
        assert read(out).equals(read(whole))
        assert not [name for name in os.listdir(out) if name.startswith(".")]
        show(f"{jobs} jobs: runs killed while they worked", killed)
        show("  of them in the middle of writing", lost)
        show("  parts, each written once", len(known))
        show("  seconds since the first", time.monotonic() - began, "s")
        shutil.rmtree(out)


def begin(explainer, source, out, jobs):
    """Start a run, and return when it begins to score."""
    command = [sys.executable, __file__, "--task", "run", explainer, source, out]
    run = subprocess.Popen([*command, str(jobs)], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "ready\n"
    return run


def run_task(explainer, source, out, jobs):
    scorer = make_scorer(explainer)
    scorer(pq.ParquetFile(source).read_row_group(0).slice(0, 500))
    Path(out).mkdir(exist_ok=True)
    print("ready", flush=True)
    score_files(source, out, scorer, rows_per_part=500, n_jobs=int(jobs))


def check_unchanged(out, known):
    """Raise if a part that was there is another file now; add the new ones."""
    found = {p.name: p.stat() for p in out.glob("*.parquet")}
    found = {name: (s.st_ino, s.st_mtime_ns, s.st_size) for name, s in found.items()}
    assert all(found.get(name) == status for name, status in known.items())
    known.update(found)


def read(folder):
    """Return the results of all parts in the order of their names."""
    tables = [pq.read_table(path) for path in sorted(folder.glob("*.parquet"))]
    return pa.concat_tables(tables).replace_schema_metadata(None)


# -- disk ------------------------------------------------------------------------------


def disk(args):
    """Fill a disk, make one read-only, put a file in the way; go on each time."""
    folder, place = args.folder, args.folder / "disk"
    write_explainer(folder / "explainer.joblib")
    write_people(folder / "people.parquet", 20_000)
    files = write_command_files(folder)
    place.mkdir()
    for way in ("score_files", "skresp score"):
        if way == "score_files":
            command = [sys.executable, __file__, "--task", "last-line"]
            command += [folder / "explainer.joblib", folder / "people.parquet"]
        else:
            command = [sys.executable, "-m", "skresp", "score", *files]
            command += ["--data", folder / "people.parquet", "--rows-per-part", "500"]
            command += ["--target", "1", "--id", "number:int64", "--out"]
        with mounted(place, "size=300k"):
            out = place / "out"
            print(f"\n{way}, full disk:", failure([*command, out]))
            print("  left there:", described(out))
            mount("-o", "remount,size=100m", place)
            subprocess.run([*command, out], check=True, stdout=subprocess.DEVNULL)
            print("  after a second run:", described(out))
        with mounted(place, "size=100m"):
            mount("-o", "remount,ro", place)
            print(f"{way}, read-only disk:", failure([*command, out]))
            mount("-o", "remount,rw", place)
            out.mkdir()
            mount("-o", "remount,ro", place)
            print(f"{way}, read-only folder:", failure([*command, out]))
            print("  left there:", described(out))
            mount("-o", "remount,rw", place)
            subprocess.run([*command, out], check=True, stdout=subprocess.DEVNULL)
            print("  after a second run:", described(out))
            (place / "file").touch()
            print(f"{way}, a file in the way:", failure([*command, place / "file"]))


def write_command_files(folder):
    """Write model and action set, and return the options of the command for them."""
    explainer = joblib.load(folder / "explainer.joblib")
    joblib.dump(explainer.estimator_, folder / "model.joblib")
    explainer.action_set_.to_file(folder / "actions.yaml")
    return [
        *("--model", folder / "model.joblib", "--trust-pickle"),
        *("--actions", folder / "actions.yaml"),
    ]


def last_line_task(explainer, source, out):
    """Run score_files; print the last line of an error, as Python does."""
    try:
        score_files(source, out, make_scorer(explainer), rows_per_part=500)
    except (OSError, ValueError) as error:
        sys.exit(f"{type(error).__name__}: {error}")


def failure(command):
    """Return what a command prints, which must fail."""
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode, "the command did not fail"
    lines = run.stderr.splitlines()
    assert len(lines) == 1, run.stderr
    return lines[0]


def described(folder):
    """Return which files a folder has; raise if a part cannot be read."""
    names = os.listdir(folder)
    parts = [name for name in names if name.endswith(".parquet")]
    n_rows = sum(len(pq.read_table(folder / name)) for name in parts)
    others = sorted(set(names) - set(parts))
    return f"{len(parts)} parts with {n_rows} rows, {others}"


@contextmanager
def mounted(place, options):
    """Mount a small disk, which needs the rights of root."""
    mount("-t", "tmpfs", "-o", options, "tmpfs", place)
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


def mount(*words):
    subprocess.run(["mount", *words], check=True)


# -- tasks -----------------------------------------------------------------------------


class Counting(ParallelBackendBase):
    """A joblib backend that pickles its tasks as for other processes, and runs them.

    An object that several tasks have as an argument counts once, as a backend sends it
    once: Dask scatters it, and loky writes a large array to a file.
    """

    supports_retrieve_callback = True
    supports_return_generator = True
    supports_sharedmem = False
    uses_threads = False
    sizes: ClassVar = []
    shared: ClassVar = {}

    def effective_n_jobs(self, n_jobs):
        return n_jobs or 1

    def submit(self, tasks, callback):
        size = 0
        for function, given, named in tasks.items:
            for each in given:
                if isinstance(each, np.ndarray):
                    self.shared[id(each)] = each.nbytes
            kept = [None if id(each) in self.shared else each for each in given]
            size += len(dumps((function, kept, named)))
        self.sizes.append(size)
        future = Future()
        future.add_done_callback(callback)
        future.set_result(pickle.loads(dumps(tasks))())
        return future

    apply_async = submit

    def retrieve_result_callback(self, future):
        return future.result()


def dumps(value):
    """Return the pickle of a value with functions of any kind."""
    return pickle.dumps(joblib.wrap_non_picklable_objects(value, keep_wrapper=False))


def tasks(args):
    """Print the bytes that a task carries to another process.

    There is no figure from before tasks carried only what they need: the tasks of
    `explain` could not be pickled then, so it could not run in other processes.
    """
    joblib.register_parallel_backend("counting", Counting)
    bunch = fetch_heloc()
    for n in (10_000, 100_000):
        X = noisy_people(bunch, n)
        explainer = make_explainer(bunch, X, n_jobs=2)
        show(f"{n:,} rows: bytes of all rows", X.to_numpy().nbytes)
        show("  bytes of the explainer", len(pickle.dumps(explainer)))
        for what in ("explain", "verify"):
            Counting.sizes.clear()
            Counting.shared.clear()
            with joblib.parallel_config(backend="counting", n_jobs=2):
                getattr(explainer, what)(X)
            show(f"  {what}: tasks", len(Counting.sizes))
            show("    bytes of a task, most", max(Counting.sizes))
            show("    bytes of all tasks", sum(Counting.sizes))
            show("    bytes sent once to a process", sum(Counting.shared.values()))


# -- all parts -------------------------------------------------------------------------

PARTS = {"rows": rows, "kills": kills, "disk": disk, "tasks": tasks}
TASKS = {
    "write": write_task,
    "score": score_task,
    "predict": predict_task,
    "run": run_task,
    "last-line": last_line_task,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--task", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.task:
        return TASKS[args.task[0]](*args.task[1:])
    for name, part in PARTS.items():
        if any(word in name for word in args.only):
            print(f"\n{name}: {part.__doc__.splitlines()[0]}", flush=True)
            with tempfile.TemporaryDirectory(dir=args.folder) as folder:
                part(argparse.Namespace(**{**vars(args), "folder": Path(folder)}))


if __name__ == "__main__":
    main()
