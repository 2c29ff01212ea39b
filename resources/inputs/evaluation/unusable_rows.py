"""Stops an evaluation where most of a file's rows cannot be used."""

from typing import Final

from resources.errors import FileFault, listing
from resources.inputs.evaluation.files import DUPLICATE, DUPLICATE_OTHER_FIELDS, EvaluationRead

# With more of its rows left out a file gives no result.
MOST_UNUSABLE: Final = 0.5


def n_unusable(read: EvaluationRead) -> int:
    """Rows that are left out though they are no repetition of another."""
    return sum(n for cause, n in read.excluded.items() if cause not in (DUPLICATE, DUPLICATE_OTHER_FIELDS))


def refuse_unusable(read: EvaluationRead, most: float) -> None:
    """Stop where so many rows cannot be used that the others stand for nothing.

    Args:
        read: The file.
        most: The largest share of unusable rows, 0-1.

    Raises:
        FileFault: More are; the message has the causes and the first rows.
    """
    unusable = n_unusable(read)
    if unusable <= most * read.n_rows_in_file:
        return
    causes = ", ".join(f"{count:,} {cause}" for cause, count in read.excluded.items())
    problem = f"{unusable:,} of {read.n_rows_in_file:,} rows cannot be used ({causes}), so that the rest says "
    problem += f"little of the file. The first: {listing(read.examples, 3)}."
    remedy = f"Correct the file, name other fields than '{read.prediction_field}' and '{read.truth_field}', or remove "
    raise FileFault(read.name, problem, f"{remedy}the rows that are meant to be left out.")
