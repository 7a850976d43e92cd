"""Numbers, shares, counts, lists and values of users as text.

A number in a text reads back as exactly the number that was checked.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from typing import Any

import numpy as np

_PRECISION = Context(prec=60)

# Control characters other than tab and line break, and halves of surrogate pairs: a
# terminal obeys the first, HTML allows neither, and the latter cannot be encoded.
_FORBIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Characters that reverse the direction of the text after them.
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BREAKS = re.compile("\\s*[\t\n\u2028\u2029]\\s*")


def number(value: Any) -> str:
    """Return a value as text; a number keeps all its digits.

    >>> number(1234567.0), number(0.1), number(1234.5), number("rent")
    ('1,234,567', '0.1', '1,234.5', 'rent')
    """
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return f"{int(value):,}"
    if isinstance(value, (float, np.floating)):
        real = float(value)
        if math.isnan(real):
            return "not known"
        if abs(real) < 2**53 and real == int(real):
            return f"{int(real):,}"
        return f"{real:,}"
    return one_line(value)


def number_beside(value: float, limit: float, digits: int) -> str:
    """Return a number rounded to at least these digits, on its side of a limit.

    >>> number_beside(0.69986, 0.7, 3), number_beside(0.61234, 0.7, 3)
    ('0.6999', '0.612')
    """
    for more in range(digits, 17):
        text = f"{value:.{more}g}"
        if np.sign(float(text) - limit) == np.sign(value - limit):
            return text
    return repr(float(value))


def state(value: Any, kind: str) -> str:
    """Return a value of a feature as text; a binary is yes or no."""
    if kind == "binary" and value in (0, 1):
        return "yes" if value else "no"
    return number(value)


def percent(share: float | None, words: bool = False) -> str:
    """Return a share as a percentage; only exactly 0 and 1 are 0% and 100%.

    With `words` in the form of a sentence, otherwise in the short form of tables.

    >>> percent(0.25), percent(0.001), percent(0.999), percent(None)
    ('25%', '<1%', '>99%', '–')
    >>> percent(0.001, words=True)
    'less than 1%'
    """
    if share is None:
        return "–"
    if 0 < share <= 0.005:
        return "less than 1%" if words else "<1%"
    if 0.995 <= share < 1:
        return "more than 99%" if words else ">99%"
    return f"{share:.0%}"


def thousands(count: int) -> str:
    """Return a count with separators.

    >>> thousands(1234567)
    '1,234,567'
    """
    return f"{count:,}"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return a count with its noun.

    >>> plural(1, "row"), plural(2000, "row"), plural(2, "person", "people")
    ('1 row', '2,000 rows', '2 people')
    """
    return f"{thousands(count)} {noun if count == 1 else many or f'{noun}s'}"


def join_words(words: Iterable[str], last: str = "and") -> str:
    """Return words as a list in a sentence.

    >>> join_words(["a", "b", "c"]), join_words(["a"]), join_words([])
    ('a, b and c', 'a', '')
    """
    *first, final = list(words) or [""]
    return f"{', '.join(first)} {last} {final}" if first else final


def printable(value: Any) -> str:
    """Return a value as text that every terminal, page and file can hold.

    >>> printable("a\\x1b[31mb"), printable(1.5)
    ('a\ufffd[31mb', '1.5')
    """
    text = str(value).replace("\r\n", "\n")
    return _DIRECTION.sub("", _FORBIDDEN.sub("\ufffd", text))


def one_line(value: Any) -> str:
    """Return a value as printable text on one line.

    >>> one_line("a\\n  b")
    'a b'
    """
    return _BREAKS.sub(" ", printable(value))


class _ShortRepr(reprlib.Repr):
    """The repr of a value, cut where it is long or deep.

    The repr of nested lists that share their items can be longer than any memory.
    """

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = 8
        self.maxfrozenset = self.maxdeque = self.maxarray = 8
        self.maxstring = self.maxlong = self.maxother = 120

    def repr_int(self, x: int, level: int) -> str:
        if abs(x).bit_length() > 4_096:  # Python refuses to write long integers
            return f"<an integer of {x.bit_length()} bits>"
        return super().repr_int(x, level)


_SHORT_REPR = _ShortRepr()


def quote(value: Any) -> str:
    """Return the repr of a value for an error message: one short printable line.

    >>> quote("income"), quote(1.5), quote("a" * 200)[-8:]
    ("'income'", '1.5', "aaaaaaa'")
    """
    text = one_line(_SHORT_REPR.repr(value))
    return text if len(text) <= 400 else f"{text[:300]}...{text[-80:]}"


def quote_names(names: Iterable[object], most: int = 8) -> str:
    """Return names in quotes, at most `most` of them.

    >>> quote_names(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    return quote_all(map(str, names), most)


def quote_all(values: Iterable[object], most: int = 12) -> str:
    """Return values as `quote` does, at most `most` of them.

    >>> quote_all([1, "b", 2.5], most=2)
    "1, 'b' and 1 more"
    """
    listed = list(values)
    shown = ", ".join(
        quote(value.item() if isinstance(value, np.generic) else value)
        for value in listed[:most]
    )
    return shown if len(listed) <= most else f"{shown} and {len(listed) - most} more"


def decimals(span: float) -> int:
    """Return the decimals at which a range of this length has 100 values or more."""
    if not 0 < span < math.inf:
        return 0
    return max(0, 2 - math.floor(math.log10(span)))


def rounded_up(value: float, digits: int) -> float:
    """Return the least number with this many decimals that is at least `value`."""
    return _quantized(value, digits, ROUND_CEILING)


def rounded_down(value: float, digits: int) -> float:
    """Return the greatest number with this many decimals that is at most `value`."""
    return _quantized(value, digits, ROUND_FLOOR)


def _quantized(value: float, digits: int, rounding: str) -> float:
    # If a float is below a decimal, it is at most the float nearest to that decimal.
    unit = Decimal(1).scaleb(-digits)
    try:
        return float(Decimal(value).quantize(unit, rounding, context=_PRECISION)) + 0.0
    except InvalidOperation:  # too large to have decimals
        return value


def shortened(
    low: float, high: float, span: float, more: int = 0
) -> tuple[float, float]:
    """Return an interval with shorter ends that lies inside the one given.

    The ends have enough decimals to resolve a hundredth of `span`, the whole range, and
    a tenth of the interval, and `more` in addition. Whole numbers are unchanged.

    >>> shortened(0.6502, 0.6798, span=1.0)
    (0.651, 0.679)
    """
    digits = more + decimals(min(span, 10 * (high - low)))
    a, b = rounded_up(low, digits), rounded_down(high, digits)
    return (a, b) if a < b else (low, high)
