"""The same table from Dask, Ray and Spark, each on real workers."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from skresp.batch import BatchScorer
from tests.credit_example import lender

pytestmark = pytest.mark.engines


@pytest.fixture(scope="module")
def scorer(tmp_path_factory) -> BatchScorer:
    """A scorer whose workers load the explainer from a file."""
    path = tmp_path_factory.mktemp("explainer") / "explainer.joblib"
    joblib.dump(lender().explainer, path)
    return BatchScorer(
        str(path),
        outputs=("scores", "verdict", "reasons", "changes"),
        id_columns={"number": "int64"},
        keep_columns=["sex"],
    )


@cache
def people() -> pd.DataFrame:
    return lender().X.assign(number=np.arange(len(lender().X)))


def check(scorer: BatchScorer, found: pa.Table) -> None:
    """Compare with one batch; engines may return rows in any order."""
    expected = scorer(pa.Table.from_pandas(people(), preserve_index=False))
    found = found.select(expected.column_names).cast(scorer.schema)
    found = found.sort_by("number").replace_schema_metadata(None).combine_chunks()
    assert found.equals(expected.combine_chunks())


def arrow(frame: pd.DataFrame, scorer: BatchScorer) -> pa.Table:
    return pa.Table.from_pandas(frame, scorer.schema, preserve_index=False)


@pytest.mark.parametrize("processes", [False, True], ids=["threads", "processes"])
def test_dask(scorer, processes):
    dd = pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=processes,
        dashboard_address=None,
        protocol="tcp",
    )
    with cluster, distributed.Client(cluster):
        ddf = dd.from_pandas(people(), npartitions=4)
        meta = scorer(people().iloc[:0])
        found = ddf.map_partitions(scorer, meta=meta).compute()
    check(scorer, arrow(found, scorer))


JOBLIB = """
import sys
from pathlib import Path
import distributed, joblib, numpy as np, pyarrow.parquet as pq
from skresp import ResponsivenessExplainer
from skresp.batch import BatchScorer, score_files
from tests.credit_example import lender

if __name__ == "__main__":
    us, folder = lender(), Path(sys.argv[1])
    us.X.to_parquet(folder / "people.parquet")
    outputs = ["scores", "verdict", "model_score"]
    scorer = BatchScorer(us.explainer, outputs=outputs)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    )
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        score_files(
            folder / "people.parquet", folder / "out", scorer, rows_per_part=30,
            n_jobs=2,
        )
        explainer = us.explainer.set_params(n_jobs=2)
        explanation, verdicts = explainer.explain(us.X), explainer.verify(us.X)
    found = pq.read_table(folder / "out").to_pandas()
    assert found.equals(scorer(us.X).astype(found.dtypes))
    assert np.array_equal(explanation.values, us.explanation.values)
    assert verdicts.to_frame().equals(us.verdicts.to_frame())
    assert np.array_equal(verdicts.score, us.verdicts.score)
"""


def test_dask_as_the_backend_of_joblib(tmp_path):
    """Steps of the model call joblib too; in a process, since it hung for ever."""
    pytest.importorskip("distributed")
    command = [sys.executable, "-c", JOBLIB, str(tmp_path)]
    subprocess.run(command, check=True, timeout=300)


def test_ray(scorer):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        table = pa.Table.from_pandas(people(), preserve_index=False)
        data = ray.data.from_arrow(table).repartition(4)
        found = data.map_batches(scorer, batch_format="pyarrow")
        check(scorer, pa.concat_tables(ray.get(found.to_arrow_refs())))
    finally:
        ray.shutdown()


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.parametrize("way", ["mapInArrow", "mapInPandas"])
def test_spark(scorer, way, tmp_path, monkeypatch):
    pyspark_sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # not the first on the path
    from pyspark.sql.pandas.types import from_arrow_schema

    spark = (
        pyspark_sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    try:
        people().to_parquet(tmp_path / "people.parquet")
        frame = spark.read.parquet(str(tmp_path / "people.parquet")).repartition(4)
        schema = from_arrow_schema(scorer.schema)
        found = getattr(frame, way)(scorer.batches, schema)
        check(scorer, found.toArrow())
    finally:
        spark.stop()
