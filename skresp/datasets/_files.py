"""Finding the raw files of a data set."""

from __future__ import annotations

import os
from pathlib import Path


def find_file(data_home: str | os.PathLike[str] | None, *parts: str) -> Path:
    """A file below `data_home`, or below the folder that `$SKRESP_DATA` names."""
    home = data_home or os.environ.get("SKRESP_DATA")
    if not home:
        raise FileNotFoundError(
            f"{'/'.join(parts)} was not found: no data_home was given and the "
            f"environment variable SKRESP_DATA is not set. Point either at a folder "
            f"that holds {'/'.join(parts)}."
        )
    path = Path(home, *parts)
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} does not exist. Put the raw file there, or point data_home or "
            f"SKRESP_DATA at the folder that holds {'/'.join(parts)}."
        )
    return path
