"""CSV files to score: malformed ones, long rows, truth values, names."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

from skresp import ActionSet, Feature, ResponsivenessExplainer
from skresp.batch import BatchScorer, score_files
from skresp.batch._csv import csv_chunks
from skresp.batch._source import column_names, find_files
from tests.batch.test_score_files import expected, people, read, scorer


@pytest.mark.parametrize("rows_per_part", [1, 4, 1_000])
@pytest.mark.parametrize("where", ["first", "last", "all"])
def test_a_row_with_too_many_fields_is_marked(tmp_path, rows_per_part, where):
    lines = people()[:8].to_csv(index=False).splitlines()
    wrong = {"first": [0], "last": [3, 7], "all": range(8)}[where]
    for i in wrong:
        lines[i + 1] += ",x,y" if i else ",x"
    lines[6] = f"{lines[6]},"  # an empty field after the last is none too many
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    manifest = score_files(
        tmp_path / "people.csv",
        tmp_path / "out",
        scorer(),
        rows_per_part=rows_per_part,
    )
    found = read(tmp_path / "out")
    text = "Row {} of the file has more fields than the header."
    assert found.column("problem").to_pylist() == [
        text.format(i + 1) if i in wrong else None for i in range(8)
    ]
    assert manifest["problems"] == len(wrong)
    others = pa.array([i for i in range(8) if i not in wrong], pa.int64())
    assert found.take(others).equals(expected().take(others))
    assert all(found.column("number")[i].as_py() is None for i in wrong)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a CSV file: No columns to parse from file."),
        (b"a,b\n1,2\n1,\xe9\n", "is not a text file in UTF-8"),
        (b'a,b\n1,2\n1,"2\n3,4\n', "is not a CSV file: .*EOF inside string"),
    ],
)
def test_files_that_are_no_csv_are_named(tmp_path, content, message):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(ValueError, match=rf"^source: .*a\.csv {message}"):
        score_files(tmp_path / "a.csv", tmp_path / "out", scorer())
    assert not (tmp_path / "out").exists()


def test_truth_values_in_csv_files_are_binary(tmp_path):
    X = pd.DataFrame({"own": [True, False, True, False], "age": [20, 30, 40, 50]})
    actions = ActionSet({"own": Feature("binary"), "age": Feature("integer", 0, 99)})
    model = DecisionTreeClassifier(random_state=0).fit(X, [1, 0, 1, 0])
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, random_state=0
    ).fit(X)
    X.to_csv(tmp_path / "x.csv", index=False)
    score_files(tmp_path / "x.csv", tmp_path / "out", by := BatchScorer(explainer))
    assert read(tmp_path / "out").equals(by(pa.Table.from_pandas(X)))
    assert read(tmp_path / "out").column("problem").null_count == 4


def test_names_in_csv_files_are_texts(tmp_path):
    (tmp_path / "a.csv").write_text("\ufeffNA,,b\n1,2,3\n", encoding="utf-8")
    (file,) = find_files(tmp_path / "a.csv")
    assert column_names(file) == ["NA", "Unnamed: 1", "b"]
    actions = ActionSet({"NA": Feature("integer", 0, 9)})
    (rows,) = csv_chunks(file.path, actions, 5)
    assert rows.table["NA"].tolist() == [1]


def one_feature(**options) -> BatchScorer:
    X = pd.DataFrame({"age": [20, 30, 40, 50]})
    model = DecisionTreeClassifier(random_state=0).fit(X, [1, 0, 1, 0])
    actions = ActionSet({"age": Feature("integer", 0, 99)})
    explainer = ResponsivenessExplainer(
        FrozenEstimator(model), actions, target=1, random_state=0
    )
    return BatchScorer(explainer.fit(X), outputs=["verdict"], **options)


def test_only_empty_texts_are_missing_in_columns_that_are_no_features(tmp_path):
    (tmp_path / "a.csv").write_text("age,region\n20,NA\n30,null\n40,\nNA,None\n")
    score_files(
        tmp_path / "a.csv", tmp_path / "out", one_feature(id_columns=["region"])
    )
    found = read(tmp_path / "out")
    assert found.column("region").to_pylist() == ["NA", "null", None, "None"]
    assert [t is None for t in found.column("problem").to_pylist()] == [
        *(True, True, True, False)
    ]


def test_blank_lines_are_rows_in_files_of_one_column(tmp_path):
    (tmp_path / "a.csv").write_text("age\n20\n\n40\n")
    manifest = score_files(tmp_path / "a.csv", tmp_path / "out", one_feature())
    assert (manifest["rows"], manifest["problems"]) == (3, 1)
