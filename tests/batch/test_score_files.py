"""score_files: parts, resuming, other origins, problems, processes."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import sys
import time
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator

import skresp.batch._parts as parts_module
import skresp.batch._score_files as score_files_module
from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp._output_folder import unfinished_folder
from skresp.batch import BatchScorer, score_files
from skresp.batch._parts import units_of
from skresp.batch._score_files import _score_unit
from skresp.batch._source import find_files, read_parquet_range
from tests.credit_example import lender

OUTPUTS = ("scores", "verdict", "reasons", "changes")


@cache
def scorer() -> BatchScorer:
    return BatchScorer(
        lender().explainer, outputs=OUTPUTS, id_columns={"number": "int64"}
    )


@cache
def people() -> pd.DataFrame:
    return lender().X.assign(number=np.arange(len(lender().X)))


@cache
def expected() -> pa.Table:
    return scorer()(pa.Table.from_pandas(people(), preserve_index=False))


def read(folder) -> pa.Table:
    """Return the results of all parts in the order of the manifest."""
    manifest = json.loads((folder / "_manifest.json").read_text())
    tables = [pq.read_table(folder / part["name"]) for part in manifest["parts"]]
    for table, part in zip(tables, manifest["parts"], strict=True):
        assert len(table) == part["rows"]
    return pa.concat_tables(tables).replace_schema_metadata(None)


def write_source(folder, kind="parquet", group=25):
    """Write the people to two files."""
    folder.mkdir(exist_ok=True)
    for i, part in enumerate((people()[:70], people()[70:])):
        if kind == "csv":
            part.to_csv(folder / f"part {i}.csv", index=False)
        else:
            part.to_parquet(folder / f"part {i}.parquet", row_group_size=group)
    return folder


def names_in(folder) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("rows_per_part", [13, 50, 1_000])
def test_every_division_gives_the_same_rows(tmp_path, kind, rows_per_part):
    source = write_source(tmp_path / "in", kind)
    manifest = score_files(
        source, tmp_path / "out", scorer(), rows_per_part=rows_per_part
    )
    assert read(tmp_path / "out").equals(expected())
    assert pq.read_table(tmp_path / "out").num_rows == len(people())
    assert manifest["rows"] == len(people())
    assert manifest["problems"] == 0
    assert manifest["fingerprint"] == scorer().fingerprint
    assert [f["name"] for f in manifest["inputs"]] == [
        f"part 0.{kind}",
        f"part 1.{kind}",
    ]
    assert not [n for n in names_in(tmp_path / "out") if n.startswith(".")]


@pytest.mark.parametrize("group", [3, 40, 1_000])
def test_row_groups_of_any_size_are_read(tmp_path, group):
    source = write_source(tmp_path / "in", group=group)
    score_files(source, tmp_path / "out", scorer(), rows_per_part=20)
    assert read(tmp_path / "out").equals(expected())


def test_one_row_of_a_large_group_takes_few_batches(tmp_path, monkeypatch):
    table = pa.table({"a": np.arange(30_000)})
    pq.write_table(table, tmp_path / "a.parquet")
    read, count = pq.ParquetFile.iter_batches, [0]

    def counted(*args, **kwargs):
        for batch in read(*args, **kwargs):
            count[0] += 1
            yield batch

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", counted)
    row = read_parquet_range(tmp_path / "a.parquet", 25_000, 25_001, ["a"])
    assert row.to_pylist() == [{"a": 25_000}]
    assert count[0] <= 3


def test_a_source_is_a_file_a_folder_or_a_pattern(tmp_path):
    source = write_source(tmp_path / "in")
    (source / ".hidden.parquet").write_bytes(b"")
    (source / "notes.txt").write_text("x")
    one = score_files(source / "part 0.parquet", tmp_path / "one", scorer())
    assert one["rows"] == 70
    both = score_files(str(source / "part*.parquet"), tmp_path / "both", scorer())
    assert both["rows"] == len(people())
    score_files(source, tmp_path / "folder", scorer())
    assert read(tmp_path / "folder").equals(read(tmp_path / "both"))
    with pytest.raises(FileNotFoundError, match="nothing was found"):
        score_files(tmp_path / "none", tmp_path / "out", scorer())
    with pytest.raises(ValueError, match="must end in"):
        score_files(source / "notes.txt", tmp_path / "out", scorer())


def test_a_pattern_may_match_more_folders_later(tmp_path):
    pattern, out = str(tmp_path / "months" / "*" / "part 0.parquet"), tmp_path / "out"
    for n, month in enumerate(("01", "02"), start=1):
        (tmp_path / "months").mkdir(exist_ok=True)
        write_source(tmp_path / "months" / month)
        manifest = score_files(pattern, out, scorer())
        names = [file["name"] for file in manifest["inputs"]]
        assert names == ["01/part 0.parquet", "02/part 0.parquet"][:n]


def test_processes_give_the_same_rows(tmp_path):
    source = write_source(tmp_path / "in")
    score_files(source, tmp_path / "out", scorer(), rows_per_part=30, n_jobs=2)
    assert read(tmp_path / "out").equals(expected())
    again = write_source(tmp_path / "in csv", "csv")
    score_files(again, tmp_path / "out csv", scorer(), rows_per_part=30, n_jobs=2)
    assert read(tmp_path / "out csv").equals(expected())


def test_a_replaced_explainer_file_does_not_change_a_run(tmp_path, monkeypatch):
    """Every process has the model from which the fingerprint was computed."""
    source, path = write_source(tmp_path / "in"), tmp_path / "explainer.joblib"
    joblib.dump(lender().explainer, path)
    by_path = BatchScorer(path, outputs=OUTPUTS, id_columns={"number": "int64"})
    run = score_files_module._run

    def replaced(*args):
        us = lender()
        model = DummyClassifier(strategy="constant", constant=0).fit(us.X, us.y)
        other = ResponsivenessExplainer(
            FrozenEstimator(model), us.actions, target=1, random_state=0
        )
        joblib.dump(other.fit(us.X), path)
        return run(*args)

    monkeypatch.setattr(score_files_module, "_run", replaced)
    score_files(source, tmp_path / "out", by_path, rows_per_part=30, n_jobs=2)
    assert read(tmp_path / "out").equals(expected())


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_input_file_replaced_during_a_run_is_an_error(
    tmp_path, monkeypatch, kind, jobs
):
    source, out = write_source(tmp_path / "in", kind), tmp_path / "out"
    later = write_source(tmp_path / "later", kind) / f"part 1.{kind}"
    run = score_files_module._run

    def replaced(*args):
        for i, part in enumerate(run(*args)):
            if i == 0:
                os.replace(later, source / later.name)
            yield part

    monkeypatch.setattr(score_files_module, "_run", replaced)
    with pytest.raises(ValueError, match=rf"part 1\.{kind} was replaced or changed"):
        score_files(source, out, scorer(), rows_per_part=2, n_jobs=jobs)
    assert "_manifest.json" not in names_in(out)


SCRIPT = """
import sys
import numpy as np, pandas as pd
from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.batch import BatchScorer, score_files

class Mine:
    classes_ = np.array([0, 1])

    def predict(self, X):
        return (X["a"] > 3).astype(int).to_numpy()

if __name__ == "__main__":
    X = pd.DataFrame({"a": [0, 9] * 10})
    X.to_parquet(sys.argv[1])
    explainer = ResponsivenessExplainer(
        Mine(), ActionSet({"a": Feature("integer", 0, 9)}), target=1, random_state=0
    )
    scorer = BatchScorer(explainer.fit(X))
    found = score_files(sys.argv[1], sys.argv[2], scorer, rows_per_part=5, n_jobs=2)
    assert (found["rows"], found["problems"]) == (20, 0)
"""


def test_processes_score_a_model_whose_class_is_in_the_script(tmp_path):
    (tmp_path / "run.py").write_text(SCRIPT)
    subprocess.run(
        [sys.executable, *(tmp_path / n for n in ("run.py", "a.parquet", "out"))],
        check=True,
    )


# -- going on --------------------------------------------------------------------------


def stopped_run(source, out, monkeypatch, after=3):
    """Run until some parts are written, then raise."""
    write, count = parts_module.write_part, [0]

    def failing(*args):
        count[0] += 1
        if count[0] > after:
            raise KeyboardInterrupt
        return write(*args)

    with monkeypatch.context() as patch:
        patch.setattr("skresp.batch._score_files.write_part", failing)
        with pytest.raises(KeyboardInterrupt):
            score_files(source, out, scorer(), rows_per_part=20)


def test_a_stopped_run_goes_on_and_computes_nothing_twice(tmp_path, monkeypatch):
    source, out = write_source(tmp_path / "in"), tmp_path / "out"
    stopped_run(source, out, monkeypatch)
    assert len(names_in(out)) == 3
    before = {n: (out / n).stat().st_mtime_ns for n in names_in(out)}
    (out / ".left.abc.part.parquet").write_bytes(b"half")
    (out / ".unfinished-abc").mkdir()
    (out / ".unfinished-abc" / ".left.abc.part.parquet").write_bytes(b"half")
    scored = []
    score = BatchScorer._score_table
    monkeypatch.setattr(
        BatchScorer, "_score_table", lambda s, t: scored.append(len(t)) or score(s, t)
    )
    score_files(source, out, scorer(), rows_per_part=20)
    assert sum(scored) == len(people()) - 60
    assert read(out).equals(expected())
    assert all((out / n).stat().st_mtime_ns == t for n, t in before.items())
    assert not [n for n in names_in(out) if n.startswith(".")]
    scored.clear()
    score_files(source, out, scorer(), rows_per_part=20)
    assert scored == []
    with pytest.raises(ValueError, match="resume=True"):
        score_files(source, out, scorer(), rows_per_part=20, resume=False)


def test_the_manifest_is_there_only_when_all_parts_are(tmp_path, monkeypatch):
    source, out = write_source(tmp_path / "in"), tmp_path / "out"
    score_files(source, out, scorer(), rows_per_part=20)
    first = names_in(out)[0]
    (out / first).unlink()
    write = parts_module.write_part

    def check(*args):
        assert "_manifest.json" not in names_in(out)
        return write(*args)

    monkeypatch.setattr("skresp.batch._score_files.write_part", check)
    score_files(source, out, scorer(), rows_per_part=20)
    assert first in names_in(out)
    assert "_manifest.json" in names_in(out)


def test_parts_of_another_origin_are_an_error_that_names_both(tmp_path):
    source, out = write_source(tmp_path / "in"), tmp_path / "out"
    score_files(source, out, scorer(), rows_per_part=50)
    before = {n: (out / n).read_bytes() for n in names_in(out)}
    other = BatchScorer(lender().explainer, outputs=["verdict"])
    here, there = scorer().fingerprint[:12], other.fingerprint[:12]
    with pytest.raises(ValueError, match=f"(?s){here}.*{there}"):
        score_files(source, out, other, rows_per_part=50)
    explainer = copy.copy(lender().explainer).set_params(max_points=9)
    seed = BatchScorer(explainer, outputs=OUTPUTS, id_columns={"number": "int64"})
    said = r"differs in: parameters \(max_points=.* was scored, max_points=9 is given\)"
    with pytest.raises(ValueError, match=said):
        score_files(source, out, seed, rows_per_part=50)
    texts = BatchScorer(lender().explainer, outputs=OUTPUTS, id_columns=["number"])
    said = r"id_columns \(number=int64 was scored, number=string is given\)"
    with pytest.raises(ValueError, match=said):
        score_files(source, out, texts, rows_per_part=50)
    kept = BatchScorer(
        lender().explainer,
        outputs=OUTPUTS,
        id_columns={"number": "int64"},
        keep_columns=["sex"],
    )
    said = r"keep_columns \(sex=None was scored, sex=string is given\)"
    with pytest.raises(ValueError, match=said):
        score_files(source, out, kept, rows_per_part=50)
    said = "rows 0 to 50 of 'part 0.parquet', 50 rows, but its parts have 60 rows now"
    with pytest.raises(ValueError, match=said):
        score_files(source, out, scorer(), rows_per_part=60)
    changed = people()[70:].assign(income=people()["income"] * 2)
    changed.to_parquet(source / "part 1.parquet")
    with pytest.raises(ValueError, match=r"another content of 'part 1\.parquet'"):
        score_files(source, out, scorer(), rows_per_part=50)
    changed[:9].to_parquet(source / "part 1.parquet")
    said = r"rows 0 to 50 of 'part 1\.parquet' when .* content now: 9 rows"
    with pytest.raises(ValueError, match=said):
        score_files(source, out, scorer(), rows_per_part=50)
    (source / "part 1.parquet").unlink()
    said = (
        r"of 'part 1\.parquet', which is no part of this source: it has 'part 0\.parq"
    )
    with pytest.raises(ValueError, match=said):
        score_files(source, out, scorer(), rows_per_part=50)
    assert {n: (out / n).read_bytes() for n in names_in(out)} == before
    foreign = tmp_path / "foreign"
    write_source(foreign)
    with pytest.raises(ValueError, match="was not written by score_files"):
        score_files(source, foreign, scorer())


def test_a_worker_that_outlived_its_run_writes_nothing(tmp_path):
    source, out = write_source(tmp_path / "in"), tmp_path / "out"
    (unit,) = units_of(find_files(source)[:1], 1_000)
    out.mkdir()
    with unfinished_folder(out) as hidden:
        pass
    with pytest.raises(FileNotFoundError):
        _score_unit(unit, None, hidden, scorer(), scorer().identity)
    assert names_in(out) == []


RUN = """
import sys
from skresp.batch import BatchScorer, score_files
from skresp.batch._source import read_parquet_range
scorer = BatchScorer(
    sys.argv[1],
    outputs={outputs},
    id_columns={{"number": "int64"}},
)
print("ready", flush=True)
score_files(sys.argv[2], sys.argv[3], scorer, rows_per_part=3, n_jobs=int(sys.argv[4]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_goes_on(tmp_path, jobs):
    source, out = write_source(tmp_path / "in"), tmp_path / "out"
    out.mkdir()
    joblib.dump(lender().explainer, tmp_path / "explainer.joblib")
    (tmp_path / "run.py").write_text(RUN.format(outputs=OUTPUTS))
    command = [
        *(sys.executable, str(tmp_path / "run.py")),
        *(str(tmp_path / "explainer.joblib"), str(source), str(out), jobs),
    ]
    rng = np.random.default_rng(0)
    killed, known = 0, {}
    for most in (1, 4, 12, 24):  # parts that are there when a run is killed
        run = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert run.stdout is not None
        run.stdout.readline()
        while run.poll() is None and len(list(out.glob("*.parquet"))) < most:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.0, 0.05))
        run.send_signal(signal.SIGKILL)
        killed += run.wait() != 0
        known = unchanged(known, out)
    assert killed
    assert len(known) < 40
    subprocess.run(command, check=True)
    assert len(unchanged(known, out)) == 41
    assert read(out).equals(expected())
    assert not [n for n in names_in(out) if n.startswith(".")]


def unchanged(known, out):
    """Return the files of the parts; raise if one that was there is another now."""
    found = {path.name: path.stat() for path in out.glob("*.parquet")}
    found = {name: (s.st_ino, s.st_mtime_ns) for name, s in found.items()}
    assert {name: found.get(name) for name in known} == known
    return found


@pytest.mark.parametrize("is_path", [False, True])
def test_progress_counts_rows_of_earlier_runs_but_not_for_the_rate(
    tmp_path, monkeypatch, capsys, is_path
):
    source, out = write_source(tmp_path / "in"), tmp_path / "out"
    stopped_run(source, out, monkeypatch)
    assert capsys.readouterr().err == ""
    explainer = copy.copy(lender().explainer).set_params(verbose=1)
    if is_path:
        joblib.dump(explainer, tmp_path / "explainer.joblib")
        explainer = tmp_path / "explainer.joblib"
    loud = BatchScorer(explainer, outputs=OUTPUTS, id_columns={"number": "int64"})
    score_files(source, out, loud, rows_per_part=20)
    first, *_, last = capsys.readouterr().err.strip().split("\r")
    assert first.startswith("score:  50%")
    assert "60/120 [00:00<?, ? rows/s]" in first  # no rate before the first part
    assert "120/120" in last
    assert " rows/s]" in last


# -- problems --------------------------------------------------------------------------


def test_a_bad_value_in_a_csv_file_affects_its_row_only(tmp_path):
    source = write_source(tmp_path / "in", "csv")
    lines = (source / "part 0.csv").read_text().splitlines()
    heads = lines[0].split(",")
    row = lines[5].split(",")
    row[heads.index("income")] = "a lot"
    lines[5] = ",".join(row)
    (source / "part 0.csv").write_text("\n".join(lines) + "\n")
    manifest = score_files(source, tmp_path / "out", scorer(), rows_per_part=30)
    assert manifest["problems"] == 1
    found = read(tmp_path / "out")
    texts = found.column("problem").to_pylist()
    assert [i for i, text in enumerate(texts) if text] == [4]
    assert texts[4].startswith("income: a lot.")
    others = [i for i in range(len(texts)) if i != 4]
    assert found.take(others).equals(expected().take(others))


class Down:
    """A model that raises for all rows, or for those with a large `a`."""

    classes_ = np.array([0, 1])
    limit = 0

    def predict(self, X):
        if (X["a"] >= self.limit).any():
            raise RuntimeError("service down")
        return (X["a"] > 3).astype(int).to_numpy()


def down(limit, **options) -> BatchScorer:
    Down.limit = 10
    actions = ActionSet(
        {"a": Feature("integer", 0, 9, actionable=False), "b": Feature("binary")}
    )
    X = pd.DataFrame({"a": [0, 9], "b": [0, 1]})
    explainer = ResponsivenessExplainer(Down(), actions, target=1, random_state=0)
    explainer.fit(X)
    Down.limit = limit
    return BatchScorer(explainer, outputs=["model_score"], **options)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_model_that_fails_for_all_rows_is_an_error(tmp_path, kind):
    rows = pd.DataFrame({"a": [9, 9, 8, 7, 6, 1], "b": [0, 1, None, 0, 1, 0]})
    out = tmp_path / "out"
    path = tmp_path / f"a.{kind}"
    write = {"parquet": rows.to_parquet, "csv": rows.to_csv}[kind]
    write(path, index=False)
    with pytest.raises(
        ValueError, match=r"each of 5 rows .*RuntimeError: service down"
    ):
        score_files(path, out, down(limit=0))
    assert names_in(out) == []
    manifest = score_files(path, out, down(limit=5), rows_per_part=2)
    assert manifest["problems"] == 5
    (out / "_manifest.json").unlink()
    score_files(path, out, down(limit=0), rows_per_part=2)  # nothing is left to do


def test_one_row_for_which_the_model_fails_is_marked(tmp_path):
    pd.DataFrame({"a": [9], "b": [0]}).to_parquet(tmp_path / "a.parquet")
    manifest = score_files(tmp_path / "a.parquet", tmp_path / "out", down(limit=0))
    assert manifest["problems"] == 1


def test_a_type_that_fits_no_id_is_an_error(tmp_path):
    rows = pd.DataFrame({"a": [1, 2, 3], "b": 0, "id": ["x", None, "7"]})
    path = tmp_path / "a.parquet"
    rows.to_parquet(path)
    typed = down(limit=10, id_columns={"id": "int64"})
    assert score_files(path, tmp_path / "out", typed)["problems"] == 1
    assert read(tmp_path / "out").column("id").to_pylist() == [None, None, 7]
    rows[:2].assign(id=["x", "y"]).to_parquet(path)
    with pytest.raises(ValueError, match="no value of 'id' fits its type int64"):
        score_files(path, tmp_path / "other", typed)


def test_missing_columns_are_named_before_anything_is_computed(tmp_path):
    source = write_source(tmp_path / "in")
    people().drop(columns="income").to_parquet(source / "part 2.parquet")
    with pytest.raises(ValueError, match=r"part 2\.parquet has no column 'income'"):
        score_files(source, tmp_path / "out", scorer())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_part_that_cannot_be_written_leaves_nothing_half_written(tmp_path, jobs):
    """Files cannot be longer than some limit, which takes the place of a full disk."""
    resource = pytest.importorskip("resource")
    source, out = write_source(tmp_path / "in"), tmp_path / "out"
    options = {"rows_per_part": 20, "n_jobs": jobs}
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large") as error:
            score_files(source, out, scorer(), **options)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert str(out) in str(error.value.filename)
    assert "\n" not in str(error.value)
    assert names_in(out) == []
    score_files(source, out, scorer(), **options)
    assert read(out).equals(expected())


def test_two_runs_do_not_write_to_one_folder(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    source, out = write_source(tmp_path / "in"), tmp_path / "out"
    out.mkdir()
    handle = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="another run is writing"):
            score_files(source, out, scorer())
    finally:
        os.close(handle)
    score_files(source, out, scorer())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"rows_per_part": 0}, ValueError, "rows_per_part"),
        ({"scorer": lender}, TypeError, "scorer must be a BatchScorer"),
    ],
)
def test_wrong_parameters_are_named(tmp_path, options, error, message):
    source = write_source(tmp_path / "in")
    options = {"scorer": scorer(), **options}
    with pytest.raises(error, match=message):
        score_files(source, tmp_path / "out", **options)


def test_out_may_not_be_a_file(tmp_path):
    source = write_source(tmp_path / "in")
    (tmp_path / "out").write_text("x")
    with pytest.raises(NotADirectoryError, match="is a file"):
        score_files(source, tmp_path / "out", scorer())


def test_out_may_be_inside_the_source_folder(tmp_path):
    source = write_source(tmp_path / "in", "csv")
    for _ in range(2):
        score_files(source, source / "out", scorer(), rows_per_part=50)
        assert read(source / "out").equals(expected())
    beside = write_source(tmp_path / "beside", "csv")
    for _ in range(2):
        score_files(beside, beside, scorer(), rows_per_part=50)
    (tmp_path / "files").mkdir()
    people().to_parquet(tmp_path / "files" / "people.parquet")
    with pytest.raises(ValueError, match="has the files of the source in it"):
        score_files(tmp_path / "files", tmp_path / "files", scorer())
