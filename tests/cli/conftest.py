"""Files that the tests of the command line read."""

from __future__ import annotations

from pathlib import Path

import joblib
import pytest
from skops import io as skops_io

from tests.credit_example import lender


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder with a lender's data, actions and models."""
    folder = tmp_path_factory.mktemp("files")
    us = lender()
    us.X.assign(repaid=us.y).to_csv(folder / "data.csv", index=False)
    us.actions.to_file(folder / "actions.yaml")
    skops_io.dump(us.model, folder / "model.skops")
    joblib.dump(us.model, folder / "model.joblib")
    return folder
