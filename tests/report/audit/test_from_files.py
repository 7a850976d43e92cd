"""Audits of scored files: the same page from every division and order of the rows."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator

import skresp.batch._scored_folder as folder_module
import skresp.report._audit._sums as sums_module
from skresp import ResponsivenessExplainer
from skresp.batch import BatchScorer, score_files
from skresp.batch._parts import MANIFEST, Unit, write_part
from skresp.batch._score_files import _manifest
from skresp.batch._source import SourceFile
from skresp.report import AuditReport
from tests.credit_example import lender
from tests.report.audit.strange_names import STRANGE
from tests.report.audit.test_audit import Tags

ALL = ("scores", "intervals", "verdict", "reasons", "changes")
FIGURES = ("people", "features", "actions", "model", "method")


@cache
def explainer() -> ResponsivenessExplainer:
    us = lender()
    return ResponsivenessExplainer(
        FrozenEstimator(us.model),
        us.actions,
        target=1,
        random_state=0,
        invalid_rows="nan",
    ).fit(us.X)


@cache
def people() -> pd.DataFrame:
    """Return the lender's people with ids; one breaks a rule, one has no income."""
    X = lender().X.assign(number=[f"n{i}" for i in range(len(lender().X))])
    X.loc[3, ["job", "years_employed"]] = ["not employed", 9]
    X.loc[7, "income"] = np.nan
    X["area"] = np.where(X["age"] % 3 == 0, None, X["housing"].astype(object))
    return X


@cache
def scorer(outputs=ALL, ids=("number",)) -> BatchScorer:
    return BatchScorer(
        explainer(), outputs=outputs, id_columns=ids, keep_columns=["sex", "area"]
    )


@cache
def scored(outputs=ALL, ids=("number",)) -> pa.Table:
    return scorer(outputs, ids)(pa.Table.from_pandas(people(), preserve_index=False))


def write_folder(folder, table, cuts=(), by=None):
    """Write a scored table as `score_files` does, divided at some positions."""
    by = by or scorer()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    name = "people.parquet"
    file = SourceFile(folder / name, name, "0" * 64, len(table), (0, 0, 0))
    ends = sorted({0, *cuts, len(table)})
    units = [Unit(file, a, b) for a, b in pairwise(ends)]
    parts = [
        write_part(
            folder / u.name,
            table.slice(u.start, u.stop - u.start),
            u.origin(by.identity),
            folder,
        )
        for u in units
    ]
    (folder / MANIFEST).write_text(json.dumps(_manifest([file], parts, by)))
    return folder


def write_source(folder, kind="parquet", seed=None, files=1):
    """Write the people to files, shuffled if there is a seed."""
    folder.mkdir()
    rows = people() if seed is None else people().sample(frac=1, random_state=seed)
    for i, part in enumerate(np.array_split(np.arange(len(rows)), files)):
        some = rows.iloc[part]
        if kind == "csv":
            some.to_csv(folder / f"{i}.csv", index=False)
        else:
            some.to_parquet(folder / f"{i}.parquet", index=False, row_group_size=17)
    return folder


def audit(folder, **options) -> AuditReport:
    options = {"groups": "sex", "date": "x", "examples": 10, **options}
    return AuditReport.from_files(folder, **options)


# -- the same page ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> AuditReport:
    """The audit of one part."""
    return audit(write_folder(tmp_path_factory.mktemp("whole") / "out", scored()))


@given(
    order=st.permutations(range(120)),
    cuts=st.lists(st.integers(1, 119), max_size=12),
    at_once=st.sampled_from([1, 7, 65_536]),
)
@settings(max_examples=25, deadline=None)
def test_every_order_and_division_gives_the_same_page(
    tmp_path_factory, whole, order, cuts, at_once
):
    folder = tmp_path_factory.getbasetemp() / "shuffled"
    write_folder(folder, scored().take(order), cuts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder_module, "_ROWS_AT_ONCE", at_once)
        found = audit(folder)
    assert found.json == whole.json
    assert found.html == whole.html


@pytest.mark.parametrize("groups", [None, "sex", "area"])
def test_the_figures_are_those_of_rows_in_memory(tmp_path, groups):
    rows = people().drop(index=7)
    labels = None if groups is None else rows[groups]
    X = rows[lender().X.columns]
    made = AuditReport.from_estimator(explainer(), X, groups=labels).to_dict()
    found = audit(write_folder(tmp_path, scored(), [50]), groups=groups).to_dict()
    problems = found["people"].pop("n_problems"), found["model"].pop("problems")
    assert problems == (1, 1)
    assert made["people"].pop("n_problems") == made["model"].pop("problems") == 0
    assert found["model"].pop("rows") == made["model"].pop("rows") + 1
    for name in FIGURES:
        assert found[name] == made[name]
    assert found["people"]["n_invalid"] == 1
    assert found["people"]["n_rows"] == len(people()) - 2
    if groups == "area":
        assert "missing" in [line["group"] for line in found["people"]["groups"]]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_show_the_same_people_with_the_same_notices(tmp_path, kind):
    pages = []
    for seed, files, size in ((None, 1, 1_000), (1, 3, 13)):
        source = write_source(tmp_path / f"in {seed}", kind, seed, files)
        out = tmp_path / f"out {seed}"
        score_files(source, out, scorer(), rows_per_part=size)
        pages.append(audit(out, explainer=explainer(), source=source))
    assert pages[0].html == pages[1].html
    by_number = people().set_index("number")
    examples = pages[0].to_dict()["examples"]
    assert {e["status"] for e in examples} == {"single", "joint", "fixed"}
    made = AuditReport.from_estimator(
        explainer(), by_number.loc[[e["row"] for e in examples], list(lender().X)]
    ).to_dict()
    expected = {e["row"]: e for e in made["examples"]}
    for example in examples:
        assert example["name"] == f"number {example['row']}"
        if example["row"] in expected:
            assert example["notice"] == expected[example["row"]]["notice"]
            assert example["values"] == expected[example["row"]]["values"]
    assert len(expected) == 5


def test_an_explainer_can_be_a_path(tmp_path):
    source = write_source(tmp_path / "in")
    score_files(source, tmp_path / "out", scorer())
    joblib.dump(explainer(), tmp_path / "explainer.joblib")
    path = tmp_path / "explainer.joblib"
    by_path = audit(tmp_path / "out", explainer=path, source=source)
    given = audit(tmp_path / "out", explainer=explainer(), source=source)
    assert by_path.json == given.json


def test_without_ids_every_division_shows_the_same_people(tmp_path):
    by, table = scorer(ids=()), scored(ids=())
    one = audit(write_folder(tmp_path / "a", table, by=by))
    two = audit(write_folder(tmp_path / "b", table, [5, 60, 61], by))
    assert one.html == two.html
    order = np.random.default_rng(0).permutation(len(table))
    shuffled = audit(write_folder(tmp_path / "c", table.take(order), [9], by))
    examples = one.to_dict()["examples"]
    for example, other in zip(examples, shuffled.to_dict()["examples"], strict=True):
        position = int(example["row"].split(" of ")[0])
        assert example["name"] == f"Row {position} of people.parquet"
        assert table.column("status")[position].as_py() == example["status"]
        for name in ("status", "scores", "changes"):
            assert example[name] == other[name]


def test_repeated_ids_do_not_make_examples_depend_on_the_order(tmp_path):
    table = scored()
    same = pa.array([n // 40 for n in range(len(table))], pa.int64())
    table = table.set_column(table.schema.get_field_index("number"), "number", same)
    pages = [
        AuditReport.from_files(write_folder(tmp_path / name, rows)).to_dict()
        for name, rows in (("a", table), ("b", table.take(np.arange(len(table))[::-1])))
    ]
    for name in ("examples", "people"):
        assert pages[0][name] == pages[1][name]


def test_examples_are_what_the_files_say(whole):
    rows = {row["number"]: row for row in scored().to_pylist()}
    examples = whole.to_dict()["examples"]
    assert {e["status"] for e in examples} == {"single", "joint", "fixed"}
    words = " ".join("".join(Tags(whole.html).words).split())
    for example in examples:
        row = rows[example["row"]]
        assert example["status"] == row["status"]
        assert example["scores"] == row["reasons"]
        assert [c["feature"] for c in example["changes"]] == [
            c["feature"] for c in row["changes"]
        ]
        for change in example["changes"]:
            line = f"{change['feature']} from {change['from']} to {change['to']}"
            assert line in words
    assert "has_guarantor from no to yes" in words


# -- what is not there -----------------------------------------------------------------


def test_the_page_says_what_is_missing_and_why(tmp_path):
    few = ("scores", "verdict")
    made = audit(write_folder(tmp_path, scored(few), by=scorer(few)))
    words = " ".join("".join(Tags(made.html).words).split())
    for said in (
        "compared where the rows are in memory: AuditReport.from_estimator",
        "1 row that breaks a rule between features before any change;",
        "1 row that could not be scored",
        "How many people can change a feature at all is not known",
        "how many are exact is not known",
        "scored without the output “changes”",
        "if the audit is given the model and the files with their rows",
    ):
        assert said in words
    assert "can be changed by" not in words
    full = audit(write_folder(tmp_path / "full", scored())).to_dict()
    lines = {f["feature"]: f for f in full["features"]["features"]}
    for line in made.to_dict()["features"]["features"]:
        whole_line = lines[line["feature"]]
        for name in ("works_for", "mean", "bands", "groups", "actionable"):
            assert line[name] == whole_line[name]
        if line["actionable"]:
            assert line["can_move"] is line["cannot_move"] is None
    assert made.verdicts is made.denied is made.explanation is None


def test_nobody_is_a_page_too(tmp_path):
    made = audit(write_folder(tmp_path, scored()[:0]))
    assert made.to_dict()["people"]["n_rows"] == 0
    assert "Nobody is denied" in made.html
    json.loads(made.json)


def test_strange_labels_and_ids_change_nothing_on_the_page(tmp_path):
    table = scored()
    labels = pa.array([STRANGE[i % 3] for i in range(len(table))])
    at = table.schema.get_field_index
    table = table.set_column(at("sex"), "sex", labels)
    ids = pa.array([f"{STRANGE[i % 4]}{i}" for i in range(len(table))])
    table = table.set_column(at("number"), "number", ids)
    made = audit(write_folder(tmp_path, table))
    tags = Tags(made.html).tags
    assert sum(tag == "script" for tag, _ in tags) == 1
    assert not any(tag == "img" for tag, _ in tags)
    words = " ".join(Tags(made.html).words)
    assert all(label in words for label in STRANGE[:3])


# -- errors ----------------------------------------------------------------------------


def test_a_folder_that_is_not_complete_names_the_way_on(tmp_path):
    folder = write_folder(tmp_path / "out", scored(), [50])
    part = sorted(folder.glob("*.parquet"))[0]
    kept = part.read_bytes()
    part.unlink()
    with pytest.raises(ValueError, match=r"is missing\. Run the same score_files"):
        audit(folder)
    part.write_bytes(kept)
    manifest = (folder / MANIFEST).read_text()
    (folder / MANIFEST).unlink()
    with pytest.raises(ValueError, match=r"not complete.* Run the same score_files"):
        audit(folder)
    (folder / MANIFEST).write_text("{")
    with pytest.raises(ValueError, match="damaged or of another version"):
        audit(folder)
    (folder / MANIFEST).write_text(manifest)
    audit(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="score_files did not write it"):
        audit(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        audit(tmp_path / "none")


def test_parts_that_disagree_are_named(tmp_path):
    folder = write_folder(tmp_path / "out", scored(), [50])
    first, second = sorted(folder.glob("*.parquet"))
    kept = second.read_bytes()
    other = scorer(("scores", "verdict"))
    write_folder(tmp_path / "other", scored(("scores", "verdict")), [50], other)
    second.write_bytes((tmp_path / "other" / second.name).read_bytes())
    with pytest.raises(ValueError, match=f"(?s){second.name}.*fingerprint.*Remove"):
        audit(folder)
    second.write_bytes(kept)
    (folder / "more.parquet").write_bytes(kept)
    with pytest.raises(ValueError, match=r"'more\.parquet', which its _manifest"):
        audit(folder)
    (folder / "more.parquet").unlink()
    second.write_bytes(first.read_bytes())
    with pytest.raises(ValueError, match="has 50 rows, but 70"):
        audit(folder)
    pq.write_table(pa.table({"a": [1]}), second)
    with pytest.raises(ValueError, match="was not written by score_files"):
        audit(folder)


@pytest.mark.parametrize("missing", ["scores", "verdict"])
def test_missing_outputs_are_named_with_the_remedy(tmp_path, missing):
    outputs = tuple(name for name in ("scores", "verdict") if name != missing)
    folder = write_folder(tmp_path, scored(outputs), by=scorer(outputs))
    with pytest.raises(ValueError, match=f"without the output '{missing}'.*--outputs"):
        audit(folder)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"groups": "number"}, "got 'number'; kept are: 'sex', 'area'"),
        ({"groups": "sx"}, "Did you mean 'sex'"),
        ({"sections": ["peeple"]}, "sections has 'peeple'"),
        ({"examples": -1}, "examples must be"),
        ({"explainer": "explainer.joblib"}, "must be given together"),
        ({"source": "people.parquet"}, "must be given together"),
    ],
)
def test_a_wrong_call_is_named(tmp_path, options, said):
    with pytest.raises(ValueError, match=said):
        audit(write_folder(tmp_path, scored()), **options)


def test_another_explainer_or_source_is_refused(tmp_path):
    source = write_source(tmp_path / "in")
    score_files(source, tmp_path / "out", scorer())
    us = lender()
    other = ResponsivenessExplainer(
        FrozenEstimator(us.model), us.actions, target=1, random_state=1
    ).fit(us.X)
    with pytest.raises(ValueError, match="random_state=0 was scored, random_state=1"):
        audit(tmp_path / "out", explainer=other, source=source)
    fewer = us.actions.replace(constraints=us.actions.constraints[:-1])
    other = ResponsivenessExplainer(
        FrozenEstimator(us.model), fewer, target=1, random_state=0
    ).fit(us.X)
    with pytest.raises(ValueError, match="differs in: action set"):
        audit(tmp_path / "out", explainer=other, source=source)
    elsewhere = write_source(tmp_path / "other", seed=3)
    with pytest.raises(ValueError, match=r"has the content of '0\.parquet'"):
        audit(tmp_path / "out", explainer=explainer(), source=elsewhere)


def test_too_many_groups_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sums_module, "_MAX_LABELS", 3)
    folder = write_folder(tmp_path, scored(), range(10, 110, 10))
    audit(folder, groups="sex")
    with pytest.raises(ValueError, match="more than 3 different labels"):
        audit(folder, groups="area")
