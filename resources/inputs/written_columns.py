"""How the columns of one file are written, numbers and ids, so that each is read in one way from its first cell."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final, TypeVar

from resources.errors import FileFault, UserError
from resources.inputs.number_format import FormatEvidence, NumberFormat, OtherFormat

Read = TypeVar("Read")
PLAIN: Final = NumberFormat()
_WHOLE: Final = re.compile(r"-?\d+(\.0*)?")
_FLOAT: Final = re.compile(r"-?\d+\.0*")


class LookAtAll(Exception):
    """A cell that can only be read once its whole column was seen."""


class WrittenOtherwise(Exception):
    """A cell that is a number in another form than its column's; both parts are sentences."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


class WrittenColumns:
    """Reads numbers and ids of a file's columns.

    It begins with what programs write; at any other cell the whole file is looked at first (`read_as_written`).
    """

    # Whether cells are read; else they are only seen, and none is at fault.
    reads = True

    def __init__(self, formats: Mapping[str, NumberFormat] | None = None, whole: frozenset[str] = frozenset()) -> None:
        """Read as programs write; else numbers in these forms, and the ids of the columns `whole` without ``.0``."""
        self._formats, self._whole = formats, whole

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
            raise WrittenOtherwise(problem, f"Write it like {form.example}.") from other

    def on_scale(self, column: str, number: float, low: float, high: float) -> float:
        """A number of a column on a scale: a percentage is a share of a scale that begins with 0."""
        form = (self._formats or {}).get(column, PLAIN)
        return number * high if form.is_share and low == 0 else number

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

    def notes(self) -> list[str]:
        """One sentence for each column with numbers that programs do not write."""
        said = {column: form.sentences() for column, form in (self._formats or {}).items()}
        return [f"Column '{column}': {', '.join(parts)}." for column, parts in said.items() if parts]


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

    def decided(self, name: str, delimiter: str) -> WrittenColumns:
        """How the file is to be read.

        Args:
            name: The file's.
            delimiter: What separates its cells; "" where nothing does.

        Raises:
            FileFault: A column's commas may be decimal signs or separate thousands.
        """
        certain = {one.certain_decimal for one in self._numbers.values()} - {None}
        elsewhere = certain.pop() if len(certain) == 1 else None
        formats: dict[str, NumberFormat] = {}
        for column, evidence in self._numbers.items():
            form = evidence.format(elsewhere, delimiter in ("", ","))
            if form is None:
                problem = (
                    f"'{evidence.first_grouped:.60}' in column '{column}' can be read in two ways: the comma may be "
                    "the decimal sign or separate thousands, in every number of the column."
                )
                raise FileFault(name, problem, "Write the numbers with a point, and thousands without a separator.")
            formats[column] = form
        return WrittenColumns(formats, frozenset(column for column, whole in self._labels.items() if whole))


def read_as_written(read: Callable[[WrittenColumns], Read], name: str, delimiter: str) -> Read:
    """What a function reads from a file: once where it is written plainly, else after a look at the whole.

    Args:
        read: Reads the file from its beginning with the given columns.
        name: The file's.
        delimiter: What separates its cells; "" where nothing does.

    Raises:
        UserError: Something in the file is wrong.
    """
    try:
        return read(WrittenColumns())
    except LookAtAll:
        evidence = ColumnEvidence()
    # The numbers are not read yet: what is wrong is found below.
    with suppress(UserError):
        read(evidence)
    return read(evidence.decided(name, delimiter))


def columns_as_written(
    name: str, numbers: Mapping[str, Iterable[str]], labels: Mapping[str, Iterable[str]], delimiter: str
) -> WrittenColumns:
    """How columns that are in memory are to be read.

    Args:
        name: The file's.
        numbers: The cells of each column of numbers.
        labels: Those of each column of ids or labels.
        delimiter: What separates the file's cells; "" where nothing does.

    Raises:
        FileFault: A column's commas may be decimal signs or separate thousands.
    """
    evidence = ColumnEvidence()
    for column, cells in numbers.items():
        for cell in cells:
            evidence.number(column, cell)
    for column, cells in labels.items():
        for cell in cells:
            evidence.label(column, cell)
    return evidence.decided(name, delimiter)
