"""Sources of data sets: a file, or OpenML."""

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
    """A published file and its copy on OpenML.

    Parameters
    ----------
    title : str
        The name of the data set in error messages.
    file : str
        The path of the file within the data folder.
    origin : str
        Where to get the file, in words.
    openml_id : int
    openml_name : str
    read : callable
        Reads the file.
    from_openml : callable
        Converts the frame of OpenML to the columns that `read` returns. Its rows may
        be in another order.
    """

    title: str
    file: str
    origin: str
    openml_id: int
    openml_name: str
    read: Callable[[Path], pd.DataFrame]
    from_openml: Callable[[pd.DataFrame], pd.DataFrame]

    def load(self, data_home: DataHome, download_if_missing: bool) -> pd.DataFrame:
        """Return the rows, from the file if it exists, otherwise from OpenML."""
        home = data_home or os.environ.get("SKRESP_DATA")
        path = Path(home, self.file) if home else None
        if path is not None and path.is_file():
            return self.read(path)
        if not download_if_missing:
            raise FileNotFoundError(
                f"{self._no_file(path)} It was not downloaded because of "
                f"download_if_missing=False. {self._remedy}"
            )
        try:
            bunch = fetch_openml(
                data_id=self.openml_id, data_home=data_home, as_frame=True
            )
        except (OSError, ValueError, HTTPException) as error:
            raise FileNotFoundError(
                f"{self._no_file(path)} The copy on OpenML ({self.openml_name}, id "
                f"{self.openml_id}) could not be downloaded either: {error}. "
                f"{self._remedy}"
            ) from error
        return self.from_openml(bunch.frame)

    def _no_file(self, path: Path | None) -> str:
        if path is None:
            return (
                f"{self.title}: {self.file} was not found, since data_home was not "
                f"given and the environment variable SKRESP_DATA is not set."
            )
        return f"{self.title}: {path} does not exist."

    @property
    def _remedy(self) -> str:
        return (
            f"Get {Path(self.file).name} from {self.origin}, save it as {self.file} in "
            f"a folder, and pass that folder as data_home or set SKRESP_DATA to it."
        )
