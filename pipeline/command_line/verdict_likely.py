"""What `touchstone verdict FILE` prints without columns: what they look like, what is wrong, and the command to run."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rich.console import Console
from rich.text import Text

from pipeline.command_line.evaluate_shown import grid
from pipeline.command_line.verdict_result import people_of
from resources.errors import UserError, listing
from resources.inputs.any_file import Opening
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.ratings.exports import LongFile
from resources.inputs.ratings.layout import RatingColumns, ratings_file
from resources.inputs.ratings.likely import (
    A_JUDGE,
    A_PERSON,
    AN_OBJECT,
    LikelyColumns,
    likely_columns,
    looks_like_a_model,
    shortened,
)
from resources.inputs.ratings.table import read_ratings
from resources.inputs.record_files import Record, refuse_unreadable

WIDTH: Final = 60


def show_likely(files: list[str], opening: Opening, console: Console, where: tuple[tuple[str, str], ...] = ()) -> None:
    """What the columns of a file look like, what would refuse it, and the command that reads it so.

    Args:
        files: Paths or fsspec addresses.
        opening: What the file does not say of itself.
        console: Where it is printed.
        where: Columns and a value of each, as they were named; of another column of criteria the first is taken.
    """
    file = ratings_file(files, (), opening)
    if isinstance(file, LongFile):
        by = file.long_columns.rater
        said = (str(record.fields[by]) for record in file.records() if isinstance(record, Record))
        spelled = SpelledNames()
        raters = list(dict.fromkeys(spelled.first(name) for name in said if name))
        models = tuple(name for name in raters if name in file.machines or looks_like_a_model(name))
        console.print(f"{file.name} {'has' if len(files) == 1 else 'have'} ratings by {listing(raters)}.")
        for remark in file.remarks:
            console.print(Text(remark, "yellow"))
        if not models:
            console.print("Which of them are judges? Name each by `--judge`; all others are people.")
        judges = [f"--judge {shlex.quote(name)}" for name in models or [A_JUDGE]]
        chosen = [f"--where {shlex.quote('='.join(one))}" for one in where]
        command = " ".join(["touchstone verdict", *map(shlex.quote, files), *judges, *chosen])
        columns = RatingColumns(models, (), *file.long_columns, where=where)
    else:
        found = likely_columns(file)
        table = grid("column", "taken for", "holds")
        for column in found.columns:
            table.add_row(Text(column.name), column.role, Text(shortened(column.holds, WIDTH)))
        console.print(table)
        for remark in (*file.remarks, *found.odd):
            console.print(Text(remark, "yellow"))
        if found.question is not None:
            console.print(found.question)
        first_of_each = [one for one in found.where if own_name(one[0], dict(where)) is None]
        for name, first in first_of_each:
            several = f"'{name}' holds several criteria ({listing(found.criteria)}), each with a verdict of its own"
            console.print(Text(f"{several}: the command gives that of '{first}'."), soft_wrap=True)
        where = (*where, *first_of_each)
        command, columns = found.command(files, where), replace(_as_taken(found), where=where)
    refused = _refusal(files, columns, opening)
    commas = replace(opening, decimal=",")
    if refused is not None and opening.decimal is None and _refusal(files, columns, commas) is None:
        why = "The command reads commas as decimal signs; where they separate thousands it is `--decimal .`. Without it"
        console.print(Text(f"{why}:\n{refused}", "yellow"), soft_wrap=True)
        opening, refused = commas, None
    given = {"--sheet": opening.sheet, "--encoding": opening.encoding, "--decimal": opening.decimal}
    command = " ".join([command, *(f"{option} {shlex.quote(value)}" for option, value in given.items() if value)])
    if refused is not None:
        console.print(Text(f"As the file is, the command below is refused:\n{refused}", "yellow"), soft_wrap=True)
    unknown = [word for word in (A_JUDGE, A_PERSON, AN_OBJECT) if word in command.split()]
    fill_in = f", and names in place of {' and '.join(unknown)}" if unknown else ""
    last = f"Run it, with other columns where these are not the right ones{fill_in}:"
    console.print(Text(f"{last}\n  {command}"), soft_wrap=True)


def _as_taken(found: LikelyColumns) -> RatingColumns:
    """The columns of the command; there is no judge, or no person, where that is a question."""
    judges, people = tuple(found.names("judge")), tuple(found.names("person"))
    named = (next(iter(found.names(role)), None) for role in ("object", "rater", "rating", "source"))
    item, rater, score, cluster = named
    if rater is not None:
        judges, people = found.models, ()
    blank = tuple(found.blanks)
    return RatingColumns(judges, people, item, rater, score, cluster, blank=blank)


def _refusal(files: Sequence[str], columns: RatingColumns, opening: Opening) -> str | None:
    """What is wrong with the file where the command will find it; null where nothing is.

    Where no person is known only its rows are looked at.
    """
    try:
        if not (columns.people or columns.rater) or (columns.rater and not columns.item):
            refuse_unreadable(ratings_file(list(files), (), opening))
            return None
        found = read_ratings(list(files), columns, opening)
        # Where no one is known to be a judge, people in a file with a row for each rating are all raters.
        if columns.judges or not columns.is_long:
            people_of(found)
    except UserError as error:
        return str(error)
    return None
