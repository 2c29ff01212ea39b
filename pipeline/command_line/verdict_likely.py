"""What `touchstone verdict FILE` prints without columns: what they look like, what is wrong, and the command to run."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from rich.console import Console
from rich.text import Text

from analysis.spelling import one_spelling
from pipeline.command_line.terminal import grid, show_line
from pipeline.command_line.verdict_result import people_of
from resources.errors import SHOWN, FileFault, UserError, listing
from resources.inputs.any_file import Opening
from resources.inputs.column_names import SpelledNames, own_name
from resources.inputs.ratings.exports import LongFile
from resources.inputs.ratings.layout import RatingColumns, ratings_file
from resources.inputs.ratings.likely import LikelyColumns, Role, likely_columns, looks_like_a_model
from resources.inputs.ratings.likely_command import A_JUDGE, A_PERSON, AN_OBJECT, likely_command, verdict_command
from resources.inputs.ratings.seen_columns import OddCell, shortened
from resources.inputs.ratings.table import read_ratings
from resources.inputs.record_files import Record, RecordFile, refuse_unreadable, unknown_field

WIDTH: Final = 60
_ROLES: Final[dict[str, Role]] = {"item": "object", "rater": "rater", "score": "rating", "cluster": "source"}


class Given(NamedTuple):
    """What the command line says of the file's columns, judges by what is said of them; and all its options."""

    columns: RatingColumns = RatingColumns((), ())
    judges: tuple[str, ...] = ()
    options: Sequence[tuple[str, str]] = ()


NOTHING: Final = Given()


def show_likely(files: list[str], opening: Opening, console: Console, given: Given = NOTHING) -> None:
    """What the columns of a file look like, what would refuse it, and the command that reads it so.

    Args:
        files: Paths or fsspec addresses.
        opening: What the file does not say of itself.
        console: Where it is printed.
        given: What is so whatever it looks like; of another column of criteria the first is taken.
    """
    file = ratings_file(files, (), opening)
    if isinstance(file, LongFile):
        by = file.long_columns.rater
        said = (str(record.fields[by]) for record in file.records() if isinstance(record, Record))
        spelled = SpelledNames()
        raters = list(dict.fromkeys(spelled.first(name) for name in said if name))
        models = tuple(name for name in raters if name in file.machines or looks_like_a_model(name))
        models = _but_people(models, given)
        console.print(f"{file.name} {'has' if len(files) == 1 else 'have'} ratings by {listing(raters)}.")
        for remark in file.remarks:
            console.print(Text(remark, "yellow"))
        if not models:
            console.print("Which of them are judges? Name each by `--judge`; all others are people.")
        judges = [("--judge", name) for name in models or [A_JUDGE]]
        command = verdict_command(files, [*judges, *given.options])
        known = {name: getattr(given.columns, name) or own for name, own in file.long_columns._asdict().items()}
        columns = replace(given.columns, judges=models, **known)
    else:
        found = likely_columns(file, given=_roles(file, given), blank=given.columns.blank)
        found = _with_given(found, given)
        table = grid("column", "taken for", "holds")
        for column in found.columns:
            few = column.role == "source" and not column.clusters
            table.add_row(Text(column.name), "other" if few else column.role, Text(shortened(column.holds, WIDTH)))
        console.print(table)
        for remark in (*file.remarks, *found.odd):
            console.print(Text(remark, "yellow"))
        if found.question is not None:
            console.print(found.question)
        if found.of_names:
            several = f"Columns are of several criteria ({listing(found.of_names)}), each with a verdict of its own"
            show_line(console, f"{several}: the command gives that of '{found.of_names[0]}'.")
        if found.alike:
            them = " ".join(f"--human {shlex.quote(name)}" for name in found.alike[:SHOWN])
            which = f"The same numbers as a judge's are in {listing(map(repr, found.alike))}"
            show_line(console, f"{which}: where these are people's ratings, add {them}.")
            if found.who:
                rows = f"If '{found.who}' says whose rating a row holds, write the judge's as rows with its name there"
                show_line(console, f"{rows}, and name --item, --rater {shlex.quote(found.who)} and --score.")
        first_of_each = [one for one in found.where if own_name(one[0], dict(given.columns.where)) is None]
        for name, first in first_of_each:
            several = f"'{name}' holds several criteria ({listing(found.criteria)}), each with a verdict of its own"
            show_line(console, f"{several}: the command gives that of '{first}'.")
        command = likely_command(found, files, first_of_each, given.options)
        columns = _as_taken(found, given.columns, first_of_each)
    refused = _refusal(files, columns, opening)
    commas = replace(opening, decimal=",")
    if refused is not None and opening.decimal is None and _refusal(files, columns, commas) is None:
        why = "The command reads commas as decimal signs; where they separate thousands it is `--decimal .`. Without it"
        console.print(Text(f"{why}:\n{refused}", "yellow"), soft_wrap=True)
        command, refused = f"{command} --decimal ,", None
    if refused is not None:
        console.print(Text(f"As the file is, the command below is refused:\n{refused}", "yellow"), soft_wrap=True)
    unknown = [word for word in (A_JUDGE, A_PERSON, AN_OBJECT) if word in command.split()]
    fill_in = f", and names in place of {' and '.join(unknown)}" if unknown else ""
    last = f"Run it, with other columns where these are not the right ones{fill_in}:"
    show_line(console, last)
    # To be copied: the terminal alone breaks it.
    console.print(Text(f"  {command}"), soft_wrap=True)


def _roles(file: RecordFile, given: Given) -> dict[str, Role]:
    """The roles of columns that were named, in the file's spelling.

    Raises:
        FileFault: There is no such column.
    """
    named, columns = dict[str, Role](), given.columns
    names, _ = file.names(whole=True)
    for key, role in _ROLES.items():
        if (name := getattr(columns, key)) is None:
            continue
        if (fault := unknown_field(name, names)) is not None:
            raise FileFault(file.name, str(fault), "Name a column that is there.")
        named[str(own_name(name, names))] = role
    # In a file with a row for each rating people and judges are no columns.
    raters: dict[Role, tuple[str, ...]] = {"judge": given.judges, "person": columns.people}
    return named | {own: role for role, those in raters.items() for name in those if (own := own_name(name, names))}


def _with_given(found: LikelyColumns, given: Given) -> LikelyColumns:
    """Who was named a person is no model, and a label is no odd cell."""
    labels = {one_spelling(text) for text in (*given.columns.labels, *given.columns.positive)}

    def holds_labels(odd: OddCell | None) -> bool:
        return given.columns.scale == "nominal" or bool(odd and labels & {one_spelling(text) for text in odd.texts})

    columns = tuple(one._replace(odd=None) if holds_labels(one.odd) else one for one in found.columns)
    return replace(found, columns=columns, models=_but_people(found.models, given))


def _but_people(models: tuple[str, ...], given: Given) -> tuple[str, ...]:
    return tuple(name for name in models if own_name(name, given.columns.people) is None)


def _as_taken(found: LikelyColumns, given: RatingColumns, where: Sequence[tuple[str, str]]) -> RatingColumns:
    """The columns of the command; there is no judge, or no person, where that is a question."""
    item, rater, score, cluster = (
        getattr(given, key) or next(iter(found.options(role)), None) for key, role in _ROLES.items()
    )
    judges, people = tuple(found.names("judge")), given.people or tuple(found.names("person"))
    if rater is not None:
        judges, people = found.models, given.people
    blank = (*given.blank, *found.blanks)
    return replace(
        given,
        judges=judges,
        people=people,
        blank=blank,
        where=(*given.where, *where),
        item=item,
        rater=rater,
        score=score,
        cluster=cluster,
    )


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
