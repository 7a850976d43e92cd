"""Templates escape every value, in texts and attributes, and name what is missing."""

from __future__ import annotations

import re
from importlib.resources import files

import jinja2
import pytest

from skresp._html._render import _environment, render

EVIL = "\"'><script>alert(1)</script>\u202e\x00\ud800"


def test_values_are_escaped_and_cleaned():
    html, plain = (
        render("reprs/action_set.html", title=x, heads=[x], rows=[[x]], rules=[x])
        for x in (EVIL, "plain")
    )
    assert html.count("&lt;script&gt;") == 4
    assert "<script" not in html
    assert html.count('"') == plain.count('"')  # those of the template
    assert not set("\u202e\x00\ud800") & set(html)


def test_filters_do_not_switch_off_escaping():
    environment = _environment().overlay()
    for text in (
        "{{ x }}",
        "{{ x | upper }}",
        '{{ x ~ "!" }}',
        '{{ [x, x] | join(", ") }}',
        "{{ 2 | plural(x) }}",
        "{% macro m(v) %}{{ v }}{% endmacro %}{{ m(x) }}",
    ):
        html = environment.from_string(text).render(x=EVIL)
        assert "<" not in html
        assert "\x00" not in html


def test_a_value_that_is_missing_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="'title' is undefined"):
        render("reprs/action_set.html", heads=[], rows=[], rules=[])


def _templates(folder):
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _templates(entry)
        elif entry.name.endswith(".html"):
            yield entry


def test_no_template_marks_anything_as_safe():
    found = list(_templates(files("skresp._html") / "templates"))
    assert len(found) >= 3
    for entry in found:
        text = entry.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape|Markup", text), entry.name
        # An attribute without quotes can be left by a space.
        assert not re.search(r"=\s*\{\{", re.sub(r"\{%.*?%\}", "", text)), entry.name
