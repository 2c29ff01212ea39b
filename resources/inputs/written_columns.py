"""How numbers and ids of one file are written, so that each column is read in one way from its first cell."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeVar

from analysis.messages import Name, message, message_list
from resources.errors import FileFault, UserError
from resources.inputs.faults import RowFault

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
# A column with whole numbers from here and none from there on without a comma groups its digits: "812", "1,234".
_NEARLY_GROUPED: Final = 100
_GROUPED: Final = 1000
# The remedies where a sign may be either; the option is of the commands that take any file.
_DECLARE: Final = (
    "Write the numbers with a point, and thousands without a separator; `touchstone verdict` and `init --from` take "
    "`--decimal ,` where commas are decimal signs, `--decimal .` where they separate thousands."
)
Read = TypeVar("Read")
_WHOLE: Final = re.compile(r"-?\d+(\.0*)?")
_FLOAT: Final = re.compile(r"-?\d+\.0*")


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
    """One way to write a number; `thousands` is "" where digits are not grouped, the others where there is none.

    With `points_too` a point is a decimal sign next to the comma; percentages are shares, or points `of` 100.
    """

    decimal: str = "."
    thousands: str = ""
    before: str = ""
    after: str = ""
    minus: bool = False
    points_too: bool = False
    of: float = 1.0

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
        if not same or not (_fits(parts, self.decimal, self.thousands) or (self.points_too and _fits(parts, *_PLAIN))):
            raise OtherFormat
        body = parts.body.replace(self.thousands, "") if self.thousands else parts.body
        value = float(parts.sign + body.replace(self.decimal, ".") + parts.exponent)
        return value * self.of / _SHARES[self.after] if self.is_share else value

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
            too = self.points_too
            said.append(
                message("a comma is the decimal sign and so is a point" if too else "a comma is the decimal sign")
            )
        if self.thousands:
            name = {
                ",": message("a comma"), ".": message("a point"), " ": message("a space"), "'": message("an apostrophe")
            }[self.thousands]  # fmt: skip
            said.append(message("{name} separates thousands", name=name))
        if self.is_share and self.of > 1.0:
            half = 50 * self.of / _SHARES[self.after]
            points = "{sign} makes points of {of:g}, as other columns are (50 {sign} is {half:g})"
            said.append(message(points, sign=Name(self.after), of=self.of, half=half))
        elif self.is_share:
            half = 50 / _SHARES[self.after]
            said.append(message("{sign} makes shares (50 {sign} is {half:g})", sign=Name(self.after), half=half))
        elif self.before or self.after:
            said.append(message("'{sign}' is left out", sign=Name(self.before or self.after)))
        if self.minus:
            said.append(message("dashes before numbers are minus signs"))
        return said


@dataclass
class FormatEvidence:
    """What the cells of one column show of how it writes numbers."""

    affixes: Counter[tuple[str, str]] = field(default_factory=Counter)
    fitting: Counter[tuple[str, str]] = field(default_factory=Counter)
    minus: bool = False
    largest_bare: float = -1.0
    first_signed: str = ""
    signs: set[str] = field(default_factory=set)
    grouped: set[tuple[str, str]] = field(default_factory=set)

    def see(self, cell: str) -> bool:
        """Take one cell into account; whether it holds a number in some form."""
        parts = _parts(cell)
        if parts is None:
            return False
        self.affixes[parts.before, parts.after] += 1
        self.minus = self.minus or parts.minus
        for form in _FORMS:
            fits = _fits(parts, *form)
            self.fitting[form] += fits
            decimal, thousands = form
            # Two groups, or groups and a decimal sign, are no decimals.
            if fits and thousands and parts.body.count(thousands) + parts.body.count(decimal) > 1:
                self.grouped.add(form)
        if parts.body.isdecimal():
            self.largest_bare = max(self.largest_bare, float(parts.body))
        elif not self.first_signed:
            self.first_signed = cell
        self.signs |= {sign for sign in ",." if sign in parts.body}
        return True

    def format(self, decimal_elsewhere: str | None, delimiter: str, declared: str | None = None) -> NumberFormat | None:
        """The column's form; null where a comma, or a point, may be a decimal sign or separate thousands.

        A sign separates thousands only where the column itself shows it: a cell has two groups or a decimal sign
        too, or none of 1,000 and more lacks the sign while smaller ones do, and none has decimals.

        Args:
            decimal_elsewhere: The decimal sign of the file's other columns, where one is certain.
            delimiter: What separates the file's cells; where it is the comma, a decimal comma would be a surprise.
            declared: The decimal sign of the file, where the user named it.
        """
        if not self.fitting:
            return NumberFormat()
        if declared is not None:
            return self._as_declared(declared, delimiter)
        form = self._best([form for form in _FORMS if self._may_group(form, delimiter)])
        other = {_PLAIN: (",", "."), (",", ""): (".", ",")}.get(form)
        if other is not None and self._may_be(other):
            groups = self._may_group(other, delimiter)
            if form == _PLAIN:
                if decimal_elsewhere == ",":
                    # Between semicolons, as these files are written where commas are decimal signs.
                    groups = groups or (delimiter == ";" and 0 <= self.largest_bare < _GROUPED)
                    return self._written(other) if groups else None
            elif groups:
                return self._written(other) if decimal_elsewhere != "," else None
            elif decimal_elsewhere != ",":
                # Cells that no comma separates speak for a decimal comma, whole numbers of three digits for groups.
                is_clear = delimiter not in ("", ",") and self.largest_bare < _NEARLY_GROUPED
                if decimal_elsewhere is not None or not is_clear:
                    return None
        return self._written(form)

    def _as_declared(self, decimal: str, delimiter: str) -> NumberFormat | None:
        """In the form that fits most cells with this decimal sign."""
        may = [form for form in _FORMS if form[0] == decimal and (decimal == "." or self._may_group(form, delimiter))]
        form = self._best(may)
        points_too = form == (",", "") and "." in self.signs
        if points_too and self._may_be((",", ".")):
            return None
        return self._written(form, points_too)

    def _best(self, forms: Iterable[tuple[str, str]]) -> tuple[str, str]:
        return max(forms, key=lambda form: self.fitting[form])

    def _written(self, form: tuple[str, str], points_too: bool = False) -> NumberFormat:
        before, after = max(self.affixes, key=lambda affix: self.affixes[affix])
        return NumberFormat(*form, before, after, self.minus, points_too)

    def _may_be(self, form: tuple[str, str]) -> bool:
        """Whether the sign of thousands of a form is the only one of the column, with three digits after each."""
        return self.signs == {form[1]} and self.fitting[form] == max(self.fitting.values())

    def _may_group(self, form: tuple[str, str], delimiter: str) -> bool:
        """Whether a form's thousands are shown by the column, or can be nothing else."""
        if form[1] not in (",", ".") or form in self.grouped:
            return True
        is_larger = _NEARLY_GROUPED <= self.largest_bare < _GROUPED
        return is_larger and self._may_be(form) and (form[1] == "." or delimiter in ("", ","))

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


def _option(cell: str, form: NumberFormat) -> str:
    """The other remedy for a decimal comma among points, or a point among commas."""
    parts = _parts(cell)
    sign = "," if form.decimal == "." else "."
    is_other = parts is not None and sign in parts.body and _fits(parts, sign, "")
    comma = "or, where commas are decimal signs too, `touchstone verdict` takes `--decimal ,`"
    return f"; {comma}" if is_other and not form.thousands else ""


PLAIN: Final = NumberFormat()


class LookAtAll(Exception):
    """A cell that can only be read once its whole column was seen."""


class WrittenOtherwise(RowFault):
    """A cell that is a number in another form than its column's; both parts are sentences."""


class WrittenColumns:
    """Reads numbers and ids of a file's columns.

    It begins with what programs write; at any other cell the whole file is looked at first (`read_as_written`).
    """

    # Whether cells are read; else they are only seen, and none is at fault.
    reads = True

    def __init__(
        self,
        formats: Mapping[str, NumberFormat] | None = None,
        whole: frozenset[str] = frozenset(),
        remarks: Sequence[str] = (),
    ) -> None:
        """Read as programs write; else numbers in these forms, and the ids of the columns `whole` without ``.0``.

        `remarks` are sentences on the file itself, which come before those on its columns.
        """
        self._formats, self._whole, self._remarks = formats, whole, remarks

    def number(self, column: str, cell: str) -> float | None:
        """The number in a cell; null where it holds none.

        Raises:
            WrittenOtherwise: It holds one in another form than its column's other cells.
            LookAtAll: The column must be seen first.
        """
        form = PLAIN if self._formats is None else self._formats.get(column, PLAIN)
        try:
            return form.number(cell)
        except OtherFormat as other:
            if self._formats is None:
                raise LookAtAll from other
            problem = f"'{cell:.60}' in column '{column}' is written in another way than the column's other numbers."
            raise WrittenOtherwise(problem, f"Write it like {form.example}{_option(cell, form)}.") from other

    def on_scale(self, column: str, number: float, low: float, high: float) -> float:
        """A number of a column on a scale: a percentage is a share of a scale that begins with 0."""
        form = (self._formats or {}).get(column, PLAIN)
        return number * high if form.is_share and low == 0 else number

    @property
    def shares(self) -> list[str]:
        """The columns of percentages."""
        return [column for column, form in (self._formats or {}).items() if form.is_share]

    def with_points(self) -> "WrittenColumns":
        """The same, with percentages as points of 100."""
        shares, formats = self.shares, self._formats or {}
        points = {name: replace(form, of=100.0) for name, form in formats.items() if name in shares}
        return WrittenColumns({**formats, **points}, self._whole, self._remarks)

    def label(self, column: str, text: str) -> str:
        """An id or a label: ``1.0`` is ``1`` where every value of its column is whole.

        Raises:
            LookAtAll: The column must be seen first.
        """
        if _FLOAT.fullmatch(text):
            if self._formats is None:
                raise LookAtAll
            if column in self._whole:
                return text.split(".")[0]
        return text

    @property
    def has_decimal_commas(self) -> bool:
        """Whether a column has."""
        return any(form.decimal == "," for form in (self._formats or {}).values())

    def notes(self) -> list[str]:
        """What is to be said of the file, and one sentence for each column with numbers that programs do not write."""
        said = {column: form.sentences() for column, form in (self._formats or {}).items()}
        return [*self._remarks] + [
            message("Column '{column}': {parts}.", column=Name(column), parts=message_list(parts, ", "))
            for column, parts in said.items()
            if parts
        ]


class ColumnEvidence(WrittenColumns):
    """Sees every cell that would be read, and reads none."""

    reads = False

    def __init__(self) -> None:
        """Nothing was seen."""
        super().__init__({})
        self._numbers: dict[str, FormatEvidence] = defaultdict(FormatEvidence)
        self._labels: dict[str, bool] = {}

    def number(self, column: str, cell: str) -> float | None:
        """Zero for every number; the cell counts as evidence."""
        return 0.0 if self._numbers[column].see(cell) else None

    def label(self, column: str, text: str) -> str:
        """The text as it is; it counts as evidence."""
        if self._labels.get(column, True):
            self._labels[column] = _WHOLE.fullmatch(text) is not None
        return text

    def decided(
        self, name: str, delimiter: str, decimal: str | None = None, remarks: Sequence[str] = ()
    ) -> WrittenColumns:
        """How the file is to be read.

        Args:
            name: The file's.
            delimiter: What separates its cells; "" where nothing does.
            decimal: The decimal sign, where the user named it.
            remarks: What is to be said of the file.

        Raises:
            FileFault: A column's commas or points may be decimal signs or separate thousands.
        """
        certain = {one.certain_decimal for one in self._numbers.values()} - {None}
        elsewhere = certain.pop() if len(certain) == 1 else None
        formats: dict[str, NumberFormat] = {}
        for column, evidence in self._numbers.items():
            form = evidence.format(elsewhere, delimiter, decimal)
            if form is None:
                sign = "comma" if "," in evidence.signs else "point"
                others = {".": " Other columns have decimal points.", ",": " Other columns have decimal commas."}
                problem = (
                    f"'{evidence.first_signed:.60}' in column '{column}' can be read in two ways: the {sign} may be "
                    "the decimal sign or separate thousands, in every number of the column."
                    f"{others.get(elsewhere or '', '')}"
                )
                alike = "Write the decimal sign as in the other columns, and thousands without a separator."
                raise FileFault(name, problem, _DECLARE if sign == "comma" else alike)
            formats[column] = form
        whole = frozenset(column for column, is_whole in self._labels.items() if is_whole)
        return WrittenColumns(formats, whole, remarks)


def read_as_written(
    read: Callable[[WrittenColumns], Read], name: str, delimiter: str, remarks: Sequence[str] = ()
) -> Read:
    """What a function reads from a file: once where it is written plainly, else after a look at the whole.

    Raises:
        UserError: Something in the file is wrong.
    """
    try:
        return read(WrittenColumns(remarks=remarks))
    except LookAtAll:
        evidence = ColumnEvidence()
    # The numbers are not read yet: what is wrong is found below.
    with suppress(UserError):
        read(evidence)
    return read(evidence.decided(name, delimiter, remarks=remarks))


def evidence_of(
    numbers: Mapping[str, Iterable[str]], labels: Mapping[str, Iterable[str]] | None = None
) -> ColumnEvidence:
    """What the cells of columns of numbers, and of columns of ids or labels, say of how they are written."""
    evidence = ColumnEvidence()
    for column, cells in numbers.items():
        for cell in cells:
            evidence.number(column, cell)
    for column, cells in (labels or {}).items():
        for cell in cells:
            evidence.label(column, cell)
    return evidence
