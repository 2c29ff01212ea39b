"""How a column writes its numbers: decimal sign, thousands separator, currency and unit, by all of its cells."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple

PLAIN_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
# Minus signs that people and spreadsheets write; the last two are dashes.
_MINUS: Final = str.maketrans(dict.fromkeys("\u2212\ufe63\uff0d\u2012\u2013", "-"))
# Signs that go with Arabic digits.
_ARABIC: Final = str.maketrans({"\u066b": ".", "\u066c": ","})
_BODY: Final = r"(?:\d[\d.,'\u2019\s]*\d|\d|[.,]\d+|\d+[.,])"
_CURRENCY: Final = r"(?:[A-Z]{3}|(?:[A-Z]{1,2})?[$\u00a2-\u00a5\u20a0-\u20cf])"
_UNIT: Final = (
    r"(?:[%\u2030\u00b0$\u00a2-\u00a5\u20a0-\u20cf]|[^\W\d_])[^\W\d_/%\u00b2\u00b3]{0,15}"
    r"(?:/[^\W\d_]{1,8})?[\u00b2\u00b3.]?"
)
_CELL: Final = re.compile(
    rf"(?P<outer>[+-]?)\s*(?P<before>{_CURRENCY}?)\s*(?P<inner>[+-]?)\s*"
    rf"(?P<body>{_BODY})(?P<exponent>[eE][+-]?\d{{1,4}})?\s*(?P<after>(?:{_UNIT})?)"
)
# What makes another number of it, or another value than the number: ``(0.5)`` for -0.5, ``5-``, ``< 0.01``, ``5*``.
_MARKS: Final = " ()[]{}<>=~\u2248\u2264\u2265\u00b1*\u2020\u2021'\"+-"
_SHARES: Final = {"%": 100.0, "\u2030": 1000.0}
# A column with whole numbers from here and none above without a comma groups its digits: "812", "1,234".
_NEARLY_GROUPED: Final = 100


class OtherFormat(Exception):
    """A cell holds a number in another form."""


class _Cell(NamedTuple):
    """The parts of a number: its sign, what is written before and after it, its digits and signs, its exponent."""

    sign: str
    before: str
    body: str
    exponent: str
    after: str
    minus: bool


@dataclass(frozen=True)
class NumberFormat:
    """One way to write a number; `thousands` is "" where digits are not grouped, the others where there is none."""

    decimal: str = "."
    thousands: str = ""
    before: str = ""
    after: str = ""
    minus: bool = False

    def number(self, cell: str) -> float | None:
        """The number that a cell holds: a share where percent signs are written; null where it holds none.

        Raises:
            OtherFormat: It holds one in another form.
        """
        if PLAIN_NUMBER.fullmatch(cell) and not (self.before or self.after) and self.decimal == ".":
            return float(cell)
        parts = _parts(cell)
        if parts is None:
            if _parts(cell.strip(_MARKS)) is not None:
                raise OtherFormat
            return None
        same = (parts.before, parts.after) == (self.before, self.after) and parts.minus <= self.minus
        if not same or not _fits(parts, self.decimal, self.thousands):
            raise OtherFormat
        body = parts.body.replace(self.thousands, "") if self.thousands else parts.body
        value = float(parts.sign + body.replace(self.decimal, ".") + parts.exponent)
        return value / _SHARES.get(self.after, 1.0)

    @property
    def is_share(self) -> bool:
        """Whether numbers are shares of a whole, with a percent sign."""
        return self.after in _SHARES

    @property
    def example(self) -> str:
        """A number in this form."""
        space = " " if len(self.after) > 1 else ""
        return f"{self.before}1{self.thousands}234{self.decimal}5{space}{self.after}"

    def sentences(self) -> list[str]:
        """What is said of a column in this form; nothing of plain numbers."""
        said = []
        if self.decimal == ",":
            said.append("a comma is the decimal sign")
        if self.thousands:
            name = {",": "a comma", ".": "a point", " ": "a space", "'": "an apostrophe"}[self.thousands]
            said.append(f"{name} separates thousands")
        if self.is_share:
            said.append(f"{self.after} makes shares (50 {self.after} is {50 / _SHARES[self.after]:g})")
        elif self.before or self.after:
            said.append(f"'{self.before or self.after}' is left out")
        if self.minus:
            said.append("dashes before numbers are minus signs")
        return said


@dataclass
class FormatEvidence:
    """What the cells of one column show of how it writes numbers."""

    affixes: Counter[tuple[str, str]] = field(default_factory=Counter)
    fitting: Counter[tuple[str, str]] = field(default_factory=Counter)
    minus: bool = False
    largest_bare: float = -1.0
    first_grouped: str = ""

    def see(self, cell: str) -> bool:
        """Take one cell into account; whether it holds a number in some form."""
        parts = _parts(cell)
        if parts is None:
            return False
        self.affixes[parts.before, parts.after] += 1
        self.minus = self.minus or parts.minus
        for form in _FORMS:
            self.fitting[form] += _fits(parts, *form)
        if parts.body.isdecimal():
            self.largest_bare = max(self.largest_bare, float(parts.body))
        elif not self.first_grouped:
            self.first_grouped = cell
        return True

    def format(self, decimal_elsewhere: str | None, comma_separates: bool) -> NumberFormat | None:
        """The column's form; null where a comma may be a decimal sign or separate thousands.

        Args:
            decimal_elsewhere: The decimal sign of the file's other columns, where one is certain.
            comma_separates: Whether commas separate the file's cells, so that a decimal comma would be a surprise.
        """
        if not self.fitting:
            return NumberFormat()
        most = max(self.fitting.values())
        best = [form for form in _FORMS if self.fitting[form] == most]
        form = best[0]
        if form == _PLAIN and decimal_elsewhere == "," and (",", ".") in best and self.first_grouped:
            form = (",", ".")
        if form == (",", "") and (".", ",") in best:
            grouped = decimal_elsewhere == "."
            if decimal_elsewhere is None:
                grouped = self.largest_bare >= _NEARLY_GROUPED
                # Whole numbers of three digits speak for groups, cells that no comma separates for a decimal comma.
                if grouped != comma_separates:
                    return None
            form = (".", ",") if grouped else form
        before, after = max(self.affixes, key=lambda affix: self.affixes[affix])
        return NumberFormat(*form, before, after, self.minus)

    @property
    def certain_decimal(self) -> str | None:
        """The decimal sign where only one fits."""
        most = max(self.fitting.values(), default=0)
        signs = {form[0] for form in _FORMS if most and self.fitting[form] == most}
        return signs.pop() if len(signs) == 1 else None


_PLAIN: Final = (".", "")
# The order counts where several fit: what programs write comes first.
_FORMS: Final = (_PLAIN, (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"))
_GRAMMAR: Final = {
    (decimal, thousands): re.compile(
        (rf"(?:[1-9]\d{{0,2}}(?:{re.escape(thousands)}\d{{3}})+|\d+)" if thousands else r"\d+")
        + rf"(?:{re.escape(decimal)}\d*)?|{re.escape(decimal)}\d+"
    )
    for decimal, thousands in _FORMS
}


def looks_like_number(cell: str) -> bool:
    """Whether a cell holds a number in some form, with a percent sign or a currency's sign perhaps, and no unit."""
    parts = _parts(cell)
    return (
        parts is not None
        and not any(letter.isalpha() for letter in parts.before + parts.after)
        and any(_fits(parts, *form) for form in _FORMS)
    )


def _parts(cell: str) -> _Cell | None:
    if not any(letter.isdecimal() for letter in cell):
        return None
    stripped = cell.strip().translate(_ARABIC)
    text = stripped.translate(_MINUS)
    found = _CELL.fullmatch(text)
    if found is None or (found["outer"] and found["inner"]):
        return None
    body = "".join(" " if letter.isspace() else letter for letter in found["body"]).replace("\u2019", "'")
    after = unicodedata.normalize("NFC", found["after"]).removesuffix(".")
    minus = text != stripped
    return _Cell(found["outer"] or found["inner"], found["before"], body, found["exponent"] or "", after, minus)


def _fits(parts: _Cell, decimal: str, thousands: str) -> bool:
    return _GRAMMAR[decimal, thousands].fullmatch(parts.body) is not None
