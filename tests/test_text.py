"""Numbers, shares and lists as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skresp._text import join_words, percent, quote_names


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
