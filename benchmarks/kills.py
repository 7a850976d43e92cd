"""Stops of `skresp audit` at any moment: every report whole, nothing left behind.

    python benchmarks/kills.py [--kills 50] [--rows 300] [--folder DIR]

Two audits, of different rows, write to one folder in turn. Runs are stopped by SIGKILL,
SIGTERM and SIGINT in turn: most at moments spread over the time of a whole run, every
fourth while files are written, and every eighth while the new files take the place of
the old ones. After each stop the folder must have the complete set of one audit, or
unless it was SIGINT no report.json; each file it has must be whole, and all of one
audit. Then the same audit runs again, and must leave its own files and no other, hidden
or not. Ctrl-C must print one line at most. Files go to a temporary folder below
`--folder` and are removed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

import joblib
from sklearn.ensemble import RandomForestClassifier

from skresp.datasets import make_credit

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
#: Where the signal comes when the run has ended, or ends.
ENDED = {0, -signal.SIGINT}


def write_inputs(folder, rows):
    """Write a model, an action set and data."""
    bunch = make_credit(rows, random_state=0)
    X = bunch.data.select_dtypes("number")
    model = RandomForestClassifier(20, max_depth=5, random_state=0)
    joblib.dump(model.fit(X, bunch.target), folder / "model.joblib")
    X.to_csv(folder / "data.csv", index=False)
    command = [sys.executable, "-m", "skresp", "actions"]
    command += ["--data", folder / "data.csv", "--out", folder / "actions.yaml"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def begin(folder, out, seed):
    """Start the audit of half of the rows, which `seed` draws."""
    command = [sys.executable, "-m", "skresp", "audit", "--trust-pickle"]
    for name in ("model.joblib", "data.csv", "actions.yaml"):
        command += [f"--{name.partition('.')[0]}", folder / name]
    command += ["--target", "1", "--out", out, "--seed", str(seed), "--sample", "100"]
    return subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        # A parent that ignores Ctrl-C must not pass this on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def contents(folder):
    """Return the digest of each file that is not hidden."""
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if not path.name.startswith(".")
    }


def hidden(folder):
    """Return the hidden names in a folder."""
    return [name for name in os.listdir(folder) if name.startswith(".")]


def wait_for(run, happens):
    """Wait until something has happened, or the run has ended; return the time."""
    while run.poll() is None and not happens():
        pass
    return time.monotonic()


def ready_to_replace(out):
    """Return whether all files of a run are written to its hidden folder."""
    return any((out / name / "report.json").exists() for name in hidden(out))


def whole_run(folder, seed):
    """Return the files of a run, its seconds, and those of them for writing."""
    out = folder / f"whole-{seed}"
    out.mkdir(exist_ok=True)
    start = time.monotonic()
    run = begin(folder, out, seed)
    writing = wait_for(run, lambda: hidden(out))
    assert run.wait() == 0, run.stderr.read()
    end = time.monotonic()
    assert not hidden(out)
    return contents(out), end - start, end - writing


def described(out, sets):
    """Return what a folder has, an audit's number or "none"; raise for a mixture."""
    found = contents(out)
    for number, files in enumerate(sets):
        if found == files:
            return str(number)
    assert "report.json" not in found, f"report.json beside {sorted(found)}"
    one_audit = any(found.items() <= files.items() for files in sets)
    assert one_audit, f"files of two audits, or not whole: {sorted(found)}"
    return f"none, {len(found)} files" if found else "none"


def stop(number, run, out, seconds, writing, rng):
    """Send a signal to a run at its moment; return the words for the moment."""
    start = time.monotonic()
    if number % 8 == 7:
        wait_for(run, lambda: ready_to_replace(out))
        time.sleep(rng.uniform(0, 0.002))
        words = "replacing"
    elif number % 4 == 3:
        wait_for(run, lambda: hidden(out))
        time.sleep(rng.uniform(0, writing))
        words = "writing"
    else:
        time.sleep(seconds)
        words = ""
    run.send_signal(SIGNALS[number % len(SIGNALS)])
    return f"{time.monotonic() - start:6.2f} s {words}"


def kills(args, folder):
    """Stop runs, check the folder after each stop and after the next run."""
    rng, out, codes, states = random.Random(0), folder / "out", Counter(), Counter()
    (folder / "tmp").mkdir()
    write_inputs(folder, args.rows)
    sets, seconds, writing = zip(
        *(whole_run(folder, seed) for seed in (0, 0, 1)), strict=True
    )
    assert sets[0] == sets[1], "two runs of one audit differ"
    sets = sets[1:]
    print(f"a whole run: {seconds[-1]:.2f} s, of them {writing[-1]:.2f} s for writing")
    print(f"its files: {', '.join(sets[0])}")
    out.mkdir()
    moments = [seconds[-1] * i / args.kills for i in range(args.kills)]
    for number in range(args.kills):
        seed, before = number % 2, described(out, sets)
        run = begin(folder, out, seed)
        moment = stop(number, run, out, moments[number], writing[-1], rng)
        name = SIGNALS[number % len(SIGNALS)].name
        error, code = run.stderr.read(), run.wait()
        assert error in ("", "\nskresp: stopped.\n"), error
        expected = 130 if name == "SIGINT" else -SIGNALS[number % len(SIGNALS)]
        assert code in {expected, *ENDED}, (code, error)
        after, left = described(out, sets), len(hidden(out))
        if name == "SIGINT" or not after.startswith("none"):
            assert after in {before, str(seed)}, after
        again = begin(folder, out, seed)
        error = again.stderr.read()
        assert (again.wait(), error) == (0, ""), error
        assert contents(out) == sets[seed], "the next run"
        assert not hidden(out), hidden(out)
        print(
            f"{number + 1:3} {name:7} after {moment:18} exit code {code:4}; "
            f"audit in the folder: {before} -> {after}, hidden: {left} -> 0",
            flush=True,
        )
        codes[name, code] += 1
        how = {before: "the older", str(seed): "the new"}.get(after, "none")
        states[f"{how} audit"] += 1
    for (name, code), count in sorted(codes.items()):
        print(f"{name} with exit code {code}: {count}")
    print(f"in the folder after a stop: {dict(states)}")
    print(f"files left in the folder for temporary files: {os.listdir(folder / 'tmp')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        kills(args, Path(folder))


if __name__ == "__main__":
    main()
