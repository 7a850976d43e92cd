"""A cache of results on disk, by the code, arguments and versions behind them."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import joblib

import skresp

HERE, LIBRARY = Path(__file__).parent, Path(skresp.__file__).parent
LIBRARIES = ("numpy", "pandas", "scikit-learn", "xgboost", "shap", "lime")


def versions() -> str:
    """Return the versions of the libraries behind the figures."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"skresp {skresp.__version__}, Python {platform.python_version()}, {libraries}"
    )


def default_folder() -> Path:
    """Return the default folder of the cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "skresp" / "paper"


class Cache:
    """Results by name, arguments, code and versions.

    The code is given as files of this folder or, with a slash, of skresp.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(
        self, name: str, make: Callable[[], Any], key: Any, sources: Sequence[str]
    ) -> Any:
        """Return the cached result; compute it if there is none."""
        path = self.folder / f"{name.replace(' ', '-')}-{_digest(key, sources)}.joblib"
        if path.exists():
            return joblib.load(path)
        result = make()
        half = path.with_suffix(".half")  # an interrupted run leaves no result
        joblib.dump(result, half)
        half.replace(path)
        return result


def _digest(key: Any, sources: Sequence[str]) -> str:
    seen = hashlib.sha256(f"{versions()} {joblib.hash(key)}".encode())
    for source in sources:
        place = LIBRARY / source if "/" in source else HERE / source
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            seen.update(file.read_bytes())
    return seen.hexdigest()[:16]
