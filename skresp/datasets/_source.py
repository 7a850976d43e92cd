"""Where the rows of a data set come from: a file, or OpenML."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

import pandas as pd
from sklearn.datasets import fetch_openml

DataHome = str | os.PathLike[str] | None


@dataclass(frozen=True)
class Source:
    """One data set: the file it is published as, and its copy on OpenML.

    Both readers give the same columns; the rows of the copy may come in another
    order.
    """

    title: str
    file: str  # below the data folder
    origin: str  # where people get the file, in words
    openml_id: int
    openml_name: str
    read: Callable[[Path], pd.DataFrame]
    from_openml: Callable[[pd.DataFrame], pd.DataFrame]

    def load(self, data_home: DataHome, download_if_missing: bool) -> pd.DataFrame:
        """The rows, from the file where there is one, else from OpenML."""
        home = data_home or os.environ.get("SKRESP_DATA")
        path = Path(home, self.file) if home else None
        if path is not None and path.is_file():
            return self.read(path)
        if not download_if_missing:
            raise FileNotFoundError(
                f"{self._no_file(path)} Nothing was downloaded, as "
                f"download_if_missing=False. {self._way_out}"
            )
        try:
            found = fetch_openml(
                data_id=self.openml_id, data_home=data_home, as_frame=True
            )
        except (OSError, ValueError, HTTPException) as error:
            raise FileNotFoundError(
                f"{self._no_file(path)} OpenML's copy ({self.openml_name}, id "
                f"{self.openml_id}) could not be fetched either: {error}. "
                f"{self._way_out}"
            ) from error
        return self.from_openml(found.frame)

    def _no_file(self, path: Path | None) -> str:
        if path is None:
            return (
                f"{self.title}: {self.file} was not found, as no data_home was given "
                f"and the environment variable SKRESP_DATA is not set."
            )
        return f"{self.title}: {path} does not exist."

    @property
    def _way_out(self) -> str:
        return (
            f"Get {Path(self.file).name} from {self.origin}, put it at {self.file} in "
            f"a folder of yours, and name that folder in data_home or SKRESP_DATA."
        )
