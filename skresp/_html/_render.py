"""Templates to HTML, with everything escaped that a template does not hold itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from skresp._text import percent, plural, printable, thousands

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """Return a template filled with values.

    Parameters
    ----------
    template : str
        The path of a file in `skresp/_html/templates`.
    **values
        What the template names. Strings are escaped, whatever they hold.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    # Imported late: most programs never show HTML.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("skresp._html"),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": percent,
        "plural": plural,
        "thousands": thousands,
    }
    return environment


def _finalize(value: Any) -> Any:
    """Return what is printed for an expression, before it is escaped."""
    # The output of a macro is HTML, and its values were finalized inside the macro.
    return value if hasattr(value, "__html__") else printable(value)
