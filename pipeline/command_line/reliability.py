"""`touchstone reliability`: where two judges' agreement stands, and the steps of a contingency that people take."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.command_line.given_once import Application
from pipeline.command_line.terminal import terminal
from resources.errors import UserError

if TYPE_CHECKING:
    from resources.study import Study

# What computes is imported where it is needed: `--help` and mistakes answer at once.
application = Application(
    help="Where two judges' agreement stands, what is due, and the steps that people take.", no_args_is_help=True
)
Who = Annotated[str | None, typer.Option(help="Who takes the step; the login name where left out.", metavar="NAME")]


@application.command()
def status(
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The kappa as a block of Markdown, for a README.")
    ] = False,
) -> None:
    """Kappa, status, history, and the step that is due with its command."""
    study = _configured()
    from pipeline.command_line import reliability_shown

    if markdown:
        typer.echo(reliability_shown.markdown(study))
    else:
        reliability_shown.show_status(terminal(), study)


@application.command("accept-thresholds")
def accept_thresholds(
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="This threshold instead of the advised one; can be given several times.", metavar="NAME=VALUE"
        ),
    ] = None,
    who: Who = None,
) -> None:
    """Use the advised thresholds, or those named, from now on, and validate again. No judge is asked."""
    study, console = _configured(), terminal()
    from pipeline.command_line import reliability_steps as steps
    from pipeline.command_line.reliability_steps import show_thresholds
    from pipeline.command_line.run_study import run_and_show

    chosen = steps.thresholds_asked_for(study, judge or ())
    name = steps.who_takes_it(who)
    show_thresholds(console, study, chosen, advised=not judge)
    steps.accept_thresholds(study, chosen, name)
    run_and_show(console, "reliability", (), study, ask_judges=False)


@application.command()
def recalibrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show queries, calls and price; ask nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to what a judge will be asked and cost.")] = False,
    every: Annotated[
        bool,
        typer.Option("--all", help="Every query, not those of low kappa alone: the rise is then not theirs by chance."),
    ] = False,
    who: Who = None,
) -> None:
    """Have the queries of low kappa judged again under the next prompt, and validate again."""
    study, console = _configured(), terminal()
    from analysis.words import queries
    from assets.reliability.logic.contingency_state import recalibration_under_way
    from assets.reliability.logic.recalibration_plan import recalibration_plan
    from pipeline.command_line import reliability_steps as steps
    from pipeline.command_line.relevance_ahead import tell_the_price
    from pipeline.command_line.reliability_steps import show_recalibration
    from pipeline.command_line.run_study import run_and_show

    started = recalibration_under_way(study)
    if started is not None:
        begun = queries(len(started.queries))
        console.print(f"A recalibration of {begun} was started and not finished: it goes on.")
        tell_the_price(console, study, dry_run=dry_run, yes=yes)
    else:
        plan = recalibration_plan(study, every=every)
        name = steps.who_takes_it(who)
        show_recalibration(console, study, plan)
        tell_the_price(console, study, dry_run=dry_run, yes=yes, again=plan.again)
        if not dry_run:
            steps.start_recalibration(study, plan.again, name)
    if not dry_run:
        run_and_show(console, "reliability", (), study)


@application.command("manual-review")
def manual_review(who: Who = None) -> None:
    """Record that people decide every document on which the judges still differ."""
    study, console = _configured(), terminal()
    from analysis.words import count_noun, noun, queries
    from assets.reliability.logic.contingency_state import REVIEW, RUN
    from pipeline.command_line import reliability_steps as steps

    left = steps.open_manual_review(study, steps.who_takes_it(who))
    if left.empty:
        console.print(f"People decided every document on which the judges differ. Next: `{RUN}`")
        return
    documents, of = count_noun(len(left), "document"), queries(left["query_id"].nunique())
    console.print(
        f"{documents} of {of} {noun(len(left), 'is', 'are')} left to decide: the judges differ, and no vote or as many "
        f"votes for as against. Next: `{REVIEW}`",
        highlight=False,
    )


@application.command()
def disagreements(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Also write the CSV there.", metavar="FILE")
    ] = None,
) -> None:
    """The queries that the judges see most differently, and the CSV with all of them."""
    study = _configured()
    from pipeline.command_line.reliability_steps import show_disagreements

    show_disagreements(terminal(), study, output)


@application.command()
def export(
    file: Annotated[Path | None, typer.Argument(help="CSV, JSONL or Parquet, by its name's ending.")] = None,
    table: Annotated[
        str | None,
        typer.Option(help="A Postgres table, made where it is not there; TOUCHSTONE_SOURCE_URL names its database."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Write over what is there and differs.")] = False,
) -> None:
    """Ground truth in the shape of the table that others read."""
    if (file is None) == (table is None):
        raise UserError("Name a file or `--table NAME`, one of them. Nothing was written.")
    study, console = _configured(), terminal()
    from analysis.words import count_noun, queries
    from pipeline.command_line.reliability_shown import ground_truth_in_words, say
    from resources.database.reliability.table_export import export_rows, write_export_file, write_export_table
    from resources.study import stored_table

    judges = tuple(study.reliability.judges) or study.queries.judges()
    rows = export_rows(study.queries, study.validations, judges, stored_table(study, "judgments"))
    if file is not None:
        write_export_file(file, rows, overwrite=overwrite)
        written = f"Wrote {queries(len(rows))} to {file}."
    else:
        done = write_export_table(_url_variable(study), str(table), rows, judges, overwrite=overwrite)
        new = count_noun(done.inserted, "row")
        written = f"Table {table}: {new} new, {done.updated} changed, {done.unchanged} unchanged."
    say(console, written)
    say(console, ground_truth_in_words(study, study.validations.validations()))


def _configured() -> "Study":
    """The study that the environment names.

    Raises:
        UserError: It has no section `reliability`.
    """
    from resources.study import study_from_environment

    study = study_from_environment()
    _section = study.reliability
    return study


def _url_variable(study: "Study") -> str:
    from resources.configuration.reliability import SourceTable

    return (study.reliability.postgres or SourceTable()).url_variable
