"""Fixtures that several folders use."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from skresp.reach import _highs
from skresp.reach._cache import shared_cache
from skresp.reach._option_table import shared_tables

settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", parent=settings.get_profile("default"), max_examples=2_000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def _fresh_cache():
    """No test uses reachable sets that another test computed."""
    shared_cache.clear()
    shared_tables.clear()


@pytest.fixture(scope="session")
def raw_data() -> Path:
    """The folder with the raw data; tests that need it are skipped if it is absent."""
    folder = os.environ.get("SKRESP_DATA")
    if not folder or not Path(folder).is_dir():
        warnings.warn(
            "SKRESP_DATA is not set or no folder: tests on the real data are skipped.",
            stacklevel=1,
        )
        pytest.skip("SKRESP_DATA is not set to the folder with the raw data")
    return Path(folder)


@pytest.fixture(params=["pandas", "polars"])
def make_frame(request):
    """A frame from a dict, in each library."""
    if request.param == "pandas":
        return pd.DataFrame
    return pytest.importorskip("polars").DataFrame


@pytest.fixture
def solver_runs(monkeypatch):
    """The runs of the solver, one entry each."""
    runs = []
    honest = _highs._run

    def run(*arguments):
        runs.append(1)
        return honest(*arguments)

    monkeypatch.setattr(_highs, "_run", run)
    return runs
