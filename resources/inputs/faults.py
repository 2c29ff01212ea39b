"""What is wrong with a user's file: faults that stop the reading, collected, and rows left out, counted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from resources.errors import SHOWN, FileFault, UserError


class BadRow(NamedTuple):
    """One row that cannot be read, in sentences; the rows after it can."""

    row: int
    problem: str
    remedy: str


class RowFault(Exception):
    """A row that is wrong; both parts are sentences."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy


@dataclass(frozen=True)
class Exclusion:
    """One row that was left out, and why; the rest of its file was read."""

    file: str
    row: int
    column: str
    value: str
    cause: str

    def __str__(self) -> str:
        found = f"{self.value!r} in column '{self.column}'" if self.column else self.value
        return f"{self.file}, row {self.row}: {self.cause} ({found})"


def counted_by_cause(exclusions: Iterable[Exclusion]) -> dict[str, int]:
    """How many rows were left out for each cause."""
    return dict(Counter(exclusion.cause for exclusion in exclusions))


# With more than these a file is wrong as a whole, and reading on only fills memory.
MOST_FAULTS = 10_000


class FileFaults(UserError):
    """Several things are wrong with one file; the message lists the first ten with their remedies."""


class Faults:
    """Collects everything that is wrong with one file, so that a user fixes it in one go."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[tuple[int | None, str, str]] = []

    def add(self, problem: str, remedy: str, row: int | None = None) -> None:
        """Note one fault; ``problem`` and ``remedy`` are sentences.

        Raises:
            FileFaults: It is the ten-thousandth.
        """
        self._found.append((row, problem, remedy))
        if len(self._found) >= MOST_FAULTS:
            self.raise_if_any()

    @property
    def found(self) -> bool:
        """Whether anything was noted."""
        return bool(self._found)

    def raise_if_any(self) -> None:
        """End the reading when something was noted.

        Raises:
            FileFault: One fault was noted.
            FileFaults: Several were.
        """
        if not self.found:
            return
        if len(self._found) == 1:
            row, problem, remedy = self._found[0]
            raise FileFault(self.file, problem, remedy, row=row)
        in_file_order = sorted(self._found, key=lambda fault: fault[0] or 0)
        lines = [
            f"  {problem} {remedy}" if row is None else f"  row {row}: {problem} {remedy}"
            for row, problem, remedy in in_file_order[:SHOWN]
        ]
        rest = len(in_file_order) - SHOWN
        if rest > 0:
            lines.append(f"  and {rest} more")
        raise FileFaults("\n".join([f"{self.file}: {len(in_file_order)} faults. Nothing was loaded.", *lines]))
