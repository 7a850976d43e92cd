"""BatchScorer: the same table from every library, division and order."""

from __future__ import annotations

import pickle
import uuid
from decimal import Decimal
from functools import cache

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow.dataset import dataset
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.batch import BatchScorer
from skresp.constraints import IfThen
from tests.credit_example import lender

ALL = ("scores", "intervals", "verdict", "reasons", "changes", "model_score")


@cache
def scorer() -> BatchScorer:
    return BatchScorer(
        lender().explainer,
        outputs=ALL,
        id_columns={"number": "int64"},
        keep_columns=["sex"],
    )


@cache
def people() -> pd.DataFrame:
    return lender().X.assign(number=np.arange(len(lender().X)) + 1_000)


@cache
def expected() -> pa.Table:
    return scorer()(pa.Table.from_pandas(people(), preserve_index=False))


def as_arrow(table) -> pa.Table:
    """Return a result of any library as a table of the scorer's schema."""
    if isinstance(table, pl.DataFrame):
        table = table.to_arrow()
    if isinstance(table, pd.DataFrame):
        return pa.Table.from_pandas(table, scorer().schema, preserve_index=False)
    return table.cast(scorer().schema)


def test_columns_are_those_of_explain_and_verify():
    us = lender()
    table = expected().to_pylist()
    names = us.explanation.feature_names
    top = us.explanation.top_features(4)
    for i, row in enumerate(table):
        assert row["number"] == 1_000 + i
        assert row["sex"] == us.X["sex"].iloc[i]
        assert row["problem"] is None
        assert row["at_target"] == us.explanation.at_target[i]
        assert row["status"] == us.verdicts.status[i]
        assert row["proof"] == us.verdicts.proof[i]
        assert row["model_score"] == us.verdicts.score[i]
        for j, name in enumerate(names):
            known = name in us.actions.actionable
            assert (f"score__{name}" in row) == known
            if known:
                assert row[f"score__{name}"] == us.explanation.values[i, j]
                assert row[f"lower__{name}"] == us.explanation.lower[i, j]
                assert row[f"upper__{name}"] == us.explanation.upper[i, j]
                assert row[f"exact__{name}"] == us.explanation.exact[i, j]
        reasons = [(r["feature"], r["score"]) for r in row["reasons"]]
        shown = [] if row["at_target"] else top[i]
        assert reasons == [(names[j], us.explanation.values[i, j]) for j in shown]


def test_changes_lead_from_the_row_to_its_witness():
    us = lender()
    rows = np.flatnonzero(us.verdicts.has_witness)
    witness = us.verdicts.witness
    listed = expected().column("changes").to_pylist()
    for i in range(len(us.X)):
        if i not in rows:
            assert listed[i] == []
            continue
        point, before = witness.loc[us.X.index[i]], us.X.iloc[i]
        assert [c["feature"] for c in listed[i]] == us.verdicts.changed(i)
        for change in listed[i]:
            name = change["feature"]
            for end, value in (("from", before[name]), ("to", point[name])):
                is_text = isinstance(value, str)
                got = change[end] if is_text else float(change[end])
                assert got == value


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow", "batch", "labels"])
@pytest.mark.parametrize("size", [7, 1_000])
def test_every_library_and_division_gives_the_same_table(library, size):
    frame = people()
    if library == "labels":  # dictionaries, with other levels in each part
        texts = frame.columns.difference(frame.select_dtypes("number").columns)
        frame = frame.astype(dict.fromkeys(texts, "category"))
    parts = [frame[i : i + size] for i in range(0, len(frame), size)]
    if library == "labels":
        parts = [p.apply(_used_levels) for p in parts]
        parts = [pa.Table.from_pandas(p, preserve_index=False) for p in parts]
    elif library == "polars":
        parts = [pl.from_pandas(p) for p in parts]
    elif library == "arrow":
        parts = [pa.Table.from_pandas(p, preserve_index=False) for p in parts]
    elif library == "batch":
        parts = [pa.RecordBatch.from_pandas(p, preserve_index=False) for p in parts]
    found = list(scorer().batches(parts))
    assert [type(f) for f in found] == [type(p) for p in parts]
    whole = [
        pa.Table.from_batches([f]) if library == "batch" else as_arrow(f) for f in found
    ]
    assert pa.concat_tables(whole).equals(expected())


def _used_levels(column):
    is_labels = isinstance(column.dtype, pd.CategoricalDtype)
    return column.cat.remove_unused_categories() if is_labels else column


def test_rows_do_not_depend_on_their_order_or_company():
    order = np.random.default_rng(0).permutation(len(people()))
    found = as_arrow(scorer()(people().iloc[order]))
    assert found.equals(expected().take(order))
    alone = as_arrow(scorer()(people().iloc[[5]]))
    assert alone.equals(expected().slice(5, 1))


def test_pandas_keeps_index_and_dtypes_whatever_the_values():
    frame = people().set_axis(np.arange(len(people())) * 10 + 5)
    some, none = scorer()(frame[:3]), scorer()(frame[:0])
    assert some.index.tolist() == [5, 15, 25]
    assert none.dtypes.equals(some.dtypes)
    assert list(some.columns) == scorer().schema.names
    broken = frame[:3].astype({"income": object})
    broken.loc[:, "income"] = "a lot"
    assert scorer()(broken).dtypes.equals(some.dtypes)


def test_columns_may_be_read_only_in_any_order_and_too_many():
    frame = people()[people().columns[::-1]].assign(unused="x")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    assert scorer()(table).equals(expected())
    numbers = frame.select_dtypes("number").columns
    views = {name: frame[name].to_numpy().copy() for name in numbers}
    for array in views.values():
        array.flags.writeable = False
    assert as_arrow(scorer()(frame.assign(**views))).equals(expected())


def test_decimal_numbers_are_numbers():
    frame = people().assign(income=people()["income"].round(2))
    plain = pa.Table.from_pandas(frame, preserve_index=False)
    kind, table = pa.decimal128(38, 2), plain
    for name in ("income", "age"):
        i = plain.schema.get_field_index(name)
        table = table.set_column(i, name, plain[name].cast(kind, safe=False))
    mixed = frame.astype({"income": object})
    mixed.loc[frame.index[0], "income"] = Decimal(str(frame["income"].iloc[0]))
    for given in (
        table,
        pl.from_arrow(table),
        table.to_pandas(),
        frame.astype({"income": pd.ArrowDtype(kind)}),
        mixed,
    ):
        assert as_arrow(scorer()(given)).equals(scorer()(plain))
    (batch,) = table.to_batches()
    assert pa.Table.from_batches([scorer()(batch)]).equals(scorer()(plain))
    missing = table.to_pandas()[:2]
    missing.loc[0, "income"] = None
    assert scorer()(missing)["problem"].isna().tolist() == [False, True]


# -- rows with problems ----------------------------------------------------------------


class Touchy:
    """A model that raises for some values."""

    classes_ = np.array([0, 1])

    def predict(self, X):
        if (X["a"] == 3).any():
            raise RuntimeError("no answer for 3\nsorry")
        return (X["a"] + X["b"] > 6).astype(int).to_numpy()


def touchy(**options) -> ResponsivenessExplainer:
    actions = ActionSet(
        {
            "a": Feature("integer", 0, 9, actionable=False),
            "b": Feature("integer", 0, 5),
            "c": Feature("binary"),
        },
        [IfThen(("b", ">=", 4), ("c", "==", 1))],
    )
    X = pd.DataFrame({"a": [0, 9], "b": [0, 5], "c": [0, 1]})
    return ResponsivenessExplainer(
        Touchy(), actions, target=1, random_state=0, **options
    ).fit(X)


def problem_rows() -> pd.DataFrame:
    a = [0, 3, 5, 5, 9, 3, 1, 5]
    b = [1, 1, "many", 5, 1, 2, None, 1]
    c = [0, 0, 0, 0, 1, 1, 0, 0]
    return pd.DataFrame({"a": a, "b": pd.Series(b, dtype=object), "c": c})


@pytest.mark.parametrize("size", [1, 3, 8])
def test_a_bad_row_is_marked_and_stops_nothing(size):
    scorer = BatchScorer(touchy(), outputs=["verdict", "scores", "reasons", "changes"])
    rows = problem_rows()
    parts = [rows[i : i + size] for i in range(0, len(rows), size)]
    found = pd.concat(scorer.batches(parts))
    problem, status = found["problem"], found["status"]
    assert problem.isna().tolist() == [True, *[False] * 3, True, False, False, True]
    assert problem[1] == problem[5] == "RuntimeError: no answer for 3 sorry"
    assert problem[2] == "b: many. The value is not an integer."
    assert problem[3].startswith("b, c: 5, 0.")
    assert problem[6].endswith("The value is missing, though the feature can change.")
    assert status[3] == "invalid"
    assert status[[1, 2, 5, 6]].isna().all()
    assert found.loc[problem.notna(), ["at_target", "score__b"]].isna().all(axis=None)
    good = rows[problem.isna()].astype({"b": int})
    verdicts = touchy().verify(good)
    assert status[problem.isna()].tolist() == verdicts.status.tolist()


def test_missing_values_can_be_held():
    scorer = BatchScorer(touchy(missing="hold"))
    found = scorer(problem_rows())
    assert found["problem"].isna().tolist() == [
        *[True, False, False, False],
        *[True, False, True, True],
    ]


def test_a_missing_column_is_an_error_of_the_call():
    with pytest.raises(ValueError, match="no column 'income'"):
        scorer()(people().drop(columns="income"))
    with pytest.raises(ValueError, match="no column 'number'"):
        scorer()(people().drop(columns="number"))
    with pytest.raises(TypeError, match="pandas, polars or pyarrow table, got ndarray"):
        scorer()(np.zeros((2, 2)))
    arrow = pa.Table.from_pandas(people())
    for other in (dataset(arrow), arrow.to_reader(), pl.from_arrow(arrow).lazy()):
        with pytest.raises(TypeError, match="pandas, polars or pyarrow table, got"):
            scorer()(other)


# -- what travels ----------------------------------------------------------------------


def test_an_explainer_may_be_a_path(tmp_path):
    path = tmp_path / "explainer.joblib"
    joblib.dump(lender().explainer, path)
    by_path = BatchScorer(path, outputs=ALL, id_columns={"number": "int64"})
    sent = pickle.dumps(by_path)
    assert len(sent) < 1_000
    arrived = pickle.loads(sent)
    columns = [n for n in scorer().schema.names if n != "sex"]
    found = as_plain(arrived(people()))
    assert found == as_plain(expected().select(columns).to_pandas())
    assert arrived._explainer is pickle.loads(sent)._explainer
    with pytest.raises(FileNotFoundError, match="There is no explainer file"):
        BatchScorer(tmp_path / "other.joblib")(people())
    (tmp_path / "text").write_text("hello")
    (tmp_path / "empty").write_text("")
    for name in ("text", "empty"):
        with pytest.raises(ValueError, match=f"{name} cannot be read as one"):
            BatchScorer(tmp_path / name)(people())
    with pytest.raises(ValueError, match="is a folder"):
        BatchScorer(tmp_path)(people())


def test_copied_columns_are_checked_for_a_path_too(tmp_path):
    path = tmp_path / "explainer.joblib"
    joblib.dump(touchy(), path)
    rows = problem_rows().assign(status="kept", id=1)
    clash = BatchScorer(path, keep_columns=["status"])
    with pytest.raises(ValueError, match="'status' is also a column of the result"):
        clash(rows)
    twice = BatchScorer(path, id_columns=["id"], keep_columns=["id"])
    with pytest.raises(ValueError, match="'id' is named twice"):
        _ = twice.fingerprint


def as_plain(frame: pd.DataFrame) -> list:
    return pa.Table.from_pandas(frame, preserve_index=False).to_pylist()


def test_a_scorer_that_travelled_gives_the_same_table():
    there = pickle.loads(pickle.dumps(scorer()))
    assert as_arrow(there(people())).equals(expected())
    assert there.fingerprint == scorer().fingerprint
    assert there.schema.equals(scorer().schema)


def test_the_fingerprint_says_what_results_depend_on():
    us = lender()
    base = BatchScorer(us.explainer).fingerprint
    assert base == BatchScorer(us.explainer).fingerprint

    def other(**options):
        options = {"target": 1, "random_state": 0, "action_set": us.actions, **options}
        model = FrozenEstimator(options.pop("model", us.model))
        return ResponsivenessExplainer(model, **options).fit(us.X)

    assert BatchScorer(other(n_jobs=2, verbose=1)).fingerprint == base
    narrower = us.actions.replace({"income": Feature("real", 0, 10, actionable=False)})
    refitted = clone(us.model).fit(us.X, 1 - us.y)
    different = [
        BatchScorer(us.explainer, outputs=["scores"]),
        BatchScorer(us.explainer, top_k=3),
        BatchScorer(us.explainer, keep_columns=["sex"]),
        BatchScorer(other(random_state=1)),
        BatchScorer(other(target=0)),
        BatchScorer(other(max_points=10)),
        BatchScorer(other(action_set=narrower)),
        BatchScorer(other(model=refitted)),
    ]
    assert len({base, *(s.fingerprint for s in different)}) == len(different) + 1


# -- wrong calls -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"outputs": ["score"]}, ValueError, "outputs must be one of"),
        ({"outputs": "scores"}, TypeError, "outputs must be a list of names"),
        ({"outputs": []}, ValueError, "at least one of scores"),
        ({"top_k": 0}, ValueError, "top_k"),
        ({"id_columns": ["status"]}, ValueError, "'status' is also a column of the"),
        ({"id_columns": [5]}, TypeError, "id_columns must be names of columns, got 5"),
        ({"id_columns": {"id": 5}}, TypeError, "id_columns: the type of 'id' must be"),
        ({"keep_columns": {"id": "intt64"}}, ValueError, "Did you mean 'int64'"),
        ({"id_columns": ["a"], "keep_columns": ["a"]}, ValueError, "named twice"),
    ],
)
def test_wrong_parameters_are_named(options, error, message):
    with pytest.raises(error, match=message):
        BatchScorer(touchy(), **options)


def test_an_explainer_needs_an_integer_seed():
    us = lender()
    explainer = ResponsivenessExplainer(FrozenEstimator(us.model), us.actions, target=1)
    with pytest.raises(ValueError, match="integer random_state"):
        BatchScorer(explainer.fit(us.X))
    with pytest.raises(TypeError, match="must be a fitted ResponsivenessExplainer"):
        BatchScorer(us.model)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_an_id_that_does_not_fit_its_type_affects_its_row_only(library):
    texts = [str(n) for n in people()["number"]]
    frame = people().assign(number=[texts[0], "A17", *texts[2:]])
    found = as_arrow(scorer()(library({n: list(frame[n]) for n in frame})))
    assert found.column("number")[1].as_py() is None
    assert found.column("status")[1].as_py() is None
    problem = "number: 'A17'. The value does not fit the column's type int64: "
    assert found.column("problem")[1].as_py().startswith(problem)
    others = [0, *range(2, len(frame))]
    assert found.take(others).equals(expected().take(others))
    alone = as_arrow(scorer()(library({n: [frame[n].iloc[1]] for n in frame})))
    assert alone.equals(found.slice(1, 1))
    untyped = BatchScorer(lender().explainer, id_columns=["number"])
    assert untyped(frame)["number"].tolist()[:3] == ["1000", "A17", "1002"]


@pytest.mark.parametrize("kind", ["string", "int64"])
def test_large_whole_ids_are_the_same_in_columns_of_floats(kind):
    """A missing value makes a column of floats, in pandas and elsewhere."""
    scorer = BatchScorer(touchy(), outputs=["verdict"], id_columns={"id": kind})
    rows = problem_rows().iloc[[0, 4, 7]].astype({"b": int})
    ids = [198001011236, 2**53 - 1, None]
    floats = rows.assign(id=[float("nan") if i is None else float(i) for i in ids])
    tables = [
        rows.assign(id=pd.array(ids, dtype="Int64")),
        rows.assign(id=pd.Series(ids, dtype=object, index=rows.index)),
        floats,
        floats.astype({"id": object}),
        pl.from_pandas(floats),
        pa.Table.from_pandas(floats),
    ]
    found = [
        t.to_arrow() if isinstance(t, pl.DataFrame) else pa.table(t)
        for t in map(scorer, tables)
    ]
    texts = [i if kind == "int64" or i is None else str(i) for i in ids]
    for table in found:
        assert table.column("id").to_pylist() == texts
        assert table.column("problem").null_count == 3
    lossy = scorer(rows.assign(id=[2.0**53, 1.0, 2.0]))
    assert lossy["id"].isna().tolist() == [True, False, False]
    assert "id: 9007199254740992" in lossy["problem"].iloc[0]
    assert "has lost digits" in lossy["problem"].iloc[0]


def test_the_text_of_an_id_does_not_depend_on_the_others():
    given = [
        2.0,
        "a",
        True,
        3,
        None,
        np.float64(0.5),
        2**70,
        float("nan"),
        uuid.UUID(int=5),
    ]
    texts = ["2", "a", "true", "3", None, "0.5", str(2**70), None]
    texts.append("00000000-0000-0000-0000-000000000005")
    frame = people()[: len(given)].assign(id=pd.Series(given, dtype=object).to_numpy())
    scorer = BatchScorer(lender().explainer, outputs=["verdict"], id_columns=["id"])
    whole = scorer(frame)["id"].tolist()
    alone = [scorer(frame[i : i + 1])["id"].tolist()[0] for i in range(len(given))]
    for found in (whole, alone):
        assert [None if pd.isna(v) else v for v in found] == texts


@pytest.mark.parametrize(
    "value", [[1], {"a": 1}, 1 + 2j, b"\xff", object()], ids=lambda v: type(v).__name__
)
def test_ids_that_have_no_text_are_problems(value):
    frame = people()[:2].assign(id=pd.Series([value, value], dtype=object))
    scorer = BatchScorer(lender().explainer, outputs=["verdict"], id_columns=["id"])
    found = scorer(frame)
    assert found["id"].isna().all()
    assert found["problem"].str.startswith("id: ").all()
