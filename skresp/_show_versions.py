"""`show_versions`: what a report of a problem should say about the installation."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping

from ._optional import installed_version

_REQUIRED = (
    "skresp",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "joblib",
    "narwhals",
    "numba",
    "highspy",
    "pyyaml",
    "jinja2",
    "tqdm",
)
_OPTIONAL = (
    "polars",
    "pyarrow",
    "shap",
    "lime",
    "xgboost",
    "lightgbm",
    "catboost",
    "interpret-core",
    "imbalanced-learn",
    "category_encoders",
    "matplotlib",
    "skops",
    "dask",
    "ray",
    "pyspark",
)


def show_versions() -> None:
    """Print the system, the versions of libraries, and the thread pools in use.

    Examples
    --------
    >>> import skresp
    >>> skresp.show_versions()  # doctest: +ELLIPSIS
    <BLANKLINE>
    System:
        python: ...
    """
    from threadpoolctl import threadpool_info

    pools = {
        f"{pool['user_api']} ({pool['internal_api']})": f"{pool['num_threads']} threads"
        for pool in threadpool_info()
    }
    text = "\n".join(
        [
            _section("System", _system()),
            _section("Required", _versions(_REQUIRED)),
            _section("Optional", _versions(_OPTIONAL)),
            _section("Thread pools", pools),
        ]
    )
    sys.stdout.write(text)


def _system() -> dict[str, str]:
    return {
        "python": sys.version.replace("\n", " "),
        "executable": sys.executable,
        "machine": platform.platform(),
    }


def _versions(packages: tuple[str, ...]) -> dict[str, str]:
    return {name: installed_version(name) or "not installed" for name in packages}


def _section(title: str, lines: Mapping[str, str]) -> str:
    width = max(map(len, lines), default=0)
    rows = [f"{name:>{width}}: {value}" for name, value in lines.items()] or ["none"]
    return "\n".join(["", f"{title}:", *(f"    {row}" for row in rows), ""])
