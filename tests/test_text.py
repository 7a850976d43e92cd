"""Numbers, shares and lists as text."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import skresp
from skresp._text import join_words, one_line, percent, printable, quote, quote_names

# All that a terminal could obey: control characters and changes of direction.
HARMFUL = {*map(chr, range(32)), *map(chr, range(127, 160)), *"\u202e\u2066\ud800"}


@given(st.floats(0, 1))
def test_only_all_and_none_are_written_as_such(share):
    short, words = percent(share), percent(share, words=True)
    assert (short == "0%") == (share == 0)
    assert (short == "100%") == (share == 1)
    assert short == words.replace("less than ", "<").replace("more than ", ">")


def test_lists_in_sentences():
    assert join_words(iter("ab"), "or") == "a or b"
    assert quote_names("ab", most=2) == "'a', 'b'"
    assert quote_names(range(3), most=1) == "'0' and 2 more"


@given(st.text())
def test_no_control_character_is_printed(text):
    assert not HARMFUL & set(printable(text)) - {"\t", "\n"}
    for line in (one_line(text), quote(text), quote([text]), quote_names([text])):
        assert not HARMFUL & set(line)
        assert len(line.splitlines()) <= 1


def test_quotes_are_short_whatever_the_value():
    nested = ["x"]
    for _ in range(60):  # its repr would have 9 ** 60 items
        nested = [nested] * 9
    circle: list[object] = []
    circle.append(circle)
    values = ["a" * 10**7, 10**5000, nested, circle, dict.fromkeys(range(10**5)), Odd()]
    for value in values:
        assert len(quote(value)) < 450
    assert quote({"a": [1, 2.5, None]}) == "{'a': [1, 2.5, None]}"


class Odd:
    def __repr__(self):
        return 10**5 * "\x1b[31m"


def test_error_messages_quote_with_one_function():
    """`!r` quotes without a limit; messages call `quote` instead."""
    folder = Path(skresp.__file__).parent
    assert not [p.name for p in folder.rglob("*.py") if "!r}" in p.read_text("utf-8")]
