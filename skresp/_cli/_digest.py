"""Hashes of files, which reports name."""

from __future__ import annotations

import hashlib
import os


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the sha256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
