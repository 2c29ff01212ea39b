"""`touchstone verdict`: may a judge stand in for people, from one file of ratings and without a configuration?"""

from pathlib import Path
from typing import Annotated, Literal

import typer
from click import get_current_context

from pipeline.command_line.opening_options import Decimal, Encoding, Sheet
from pipeline.command_line.terminal import terminal
from resources.errors import UserError

COLUMNS, RESULT = "Columns", "Where the result goes"


def verdict(
    file: Annotated[
        list[str],
        typer.Argument(
            help="CSV, JSONL, JSON, Parquet, Excel, ODS, Label Studio's export; of TREC one file a rater.",
            metavar="FILE",
        ),
    ],
    judge: Annotated[
        list[str] | None,
        typer.Option(help="Column of a judge; can be repeated.", metavar="COL", rich_help_panel=COLUMNS),
    ] = None,
    human: Annotated[
        list[str] | None,
        typer.Option(help="Column of a person; can be repeated.", metavar="COL", rich_help_panel=COLUMNS),
    ] = None,
    item: Annotated[
        str | None, typer.Option(help="Column that names the object.", metavar="COL", rich_help_panel=COLUMNS)
    ] = None,
    rater: Annotated[
        str | None,
        typer.Option(
            help="Column that says who rated, where a row holds one rating; `--judge` then names who are judges.",
            metavar="COL",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Column of the rating then.", metavar="COL", rich_help_panel=COLUMNS)
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Column whose equal values share a source: the document, the query, the reference image.",
            metavar="COL",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    scale: Annotated[
        Literal["nominal", "ordinal", "interval"] | None,
        typer.Option(help="What the ratings are; else as they look.", rich_help_panel=COLUMNS),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            help="Labels in their order, lowest first: poor,fair,good (or poor|fair|good).", rich_help_panel=COLUMNS
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="Labels or grades that count as good, all others as not: 2,3 (or pass).", rich_help_panel=COLUMNS
        ),
    ] = None,
    blank: Annotated[
        list[str] | None,
        typer.Option(help="Text that stands for no rating; can be repeated.", metavar="TEXT", rich_help_panel=COLUMNS),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(help="A judge whose scores fall as quality rises.", metavar="COL", rich_help_panel=COLUMNS),
    ] = None,
    same_scale: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge whose scores are on people's scale though they do not look so; can be repeated.",
            metavar="COL",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Column on which errors may depend; can be repeated; else every other column is tried.",
            metavar="COL",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="Only rows that hold this value, as criterion=fluency; can be repeated.",
            metavar="COL=VALUE",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    annotators: Annotated[
        Literal["expert", "skilled", "crowd"],
        typer.Option(help="Who the people are: sets epsilon of the alternative annotator test, 0.2, 0.15 or 0.1."),
    ] = "expert",
    calibrated: Annotated[
        Path | None,
        typer.Option(
            help="Write each object with the judges' scores in people's unit there, as CSV.",
            metavar="PATH",
            rich_help_panel=RESULT,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write one page there: FILE.html.", metavar="PATH", rich_help_panel=RESULT),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option(
            help="Put the ratings as data set NAME into the inbox of study C.",
            metavar="NAME",
            rich_help_panel=RESULT,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the result there as JSON.", metavar="PATH", rich_help_panel=RESULT),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, and nothing else.", rich_help_panel=RESULT)
    ] = False,
) -> None:
    """May a judge's ratings stand in for people's? One file in, one verdict out.

    Without --judge and --human it says what the columns look like, and which command to run.
    """
    from pipeline.command_line.evaluate_options import Asked, several
    from pipeline.command_line.evaluate_output import deliver, refuse_output, refuse_twice
    from pipeline.command_line.given_once import given_options
    from pipeline.command_line.verdict_likely import Given, show_likely
    from pipeline.command_line.verdict_result import Question, answer, calibrated_text, verdict_values
    from pipeline.command_line.verdict_shown import show_verdict
    from resources.inputs.any_file import Opening
    from resources.inputs.ratings.layout import RatingColumns

    opening = Opening(sheet, encoding, decimal)
    columns = RatingColumns(
        judges=tuple(judge or ()),
        people=tuple(human or ()),
        item=item,
        rater=rater,
        score=score,
        cluster=cluster,
        scale=scale,
        labels=several(labels),
        positive=several(positive),
        blank=tuple(blank or ()),
        by=tuple(by or ()),
        where=tuple(map(_column_and_value, where or ())),
    )
    if not judge and not (human and (rater or len(file) > 1)):
        if output is not None or as_json:
            raise UserError("`--judge` is missing: name each column with a judge's ratings.")
        given = Given(columns, (*(lower_is_better or ()), *(same_scale or ())), given_options(get_current_context()))
        show_likely(file, opening, terminal(highlight=False), given)
        return
    for path, name in ((output, "results.json"), (calibrated, "calibrated.csv"), (report, "page.html")):
        refuse_output(path, *file, name=name)
    refuse_twice(output, calibrated, report)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise UserError(f"`--report {report}`: the page is HTML. Name it {report.with_suffix('.html').name}.")
    said = answer(
        Question(tuple(file), columns, opening, tuple(lower_is_better or ()), tuple(same_scale or ()), annotators)
    )
    result = verdict_values(said)
    texts: list[tuple[Path, str]] = []
    if calibrated is not None:
        text, notes = calibrated_text(said)
        result["notes"] += notes
        texts.append((calibrated, text))
    if report is not None:
        from pipeline.command_line.verdict_report import report_text

        texts.append((report, report_text(said, result)))
    if save is not None:
        from pipeline.command_line.verdict_report import saved_datasets

        saved = saved_datasets(said, save)
        for path, _ in saved:
            refuse_output(path, *file)
        texts += saved
    deliver(Asked(file[0], output=output, as_json=as_json), result, show_verdict, [], texts)
    if save is not None and not as_json:
        terminal().print("`touchstone run evaluation` keeps its history, and next month's file is a new version of it.")


def _column_and_value(where: str) -> tuple[str, str]:
    """The column and the value of `--where`."""
    name, is_one, value = where.partition("=")
    if not (name and is_one and value):
        raise UserError(f"`--where {where}`: write it as COL=VALUE, such as criterion=fluency.")
    return name, value
