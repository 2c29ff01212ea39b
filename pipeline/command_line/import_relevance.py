"""`touchstone import reliability`: queries and scores held against the contract, and what a run would do."""

from dataclasses import replace
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from analysis.words import count_noun as number_of
from assets.reliability.logic.judged_again import documents_of, refuse_without_judges
from pipeline.command_line.relevance_ahead import (
    Round,
    gates_on,
    has_kept,
    later_problems,
    problems_ahead,
    rounds_ahead,
    show_problems,
)
from pipeline.command_line.reliability_shown import say
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.place import FILE_NAME, configuration_file
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.recalibrations import latest_recalibration
from resources.errors import UserError, listing
from resources.inputs.reliability.relevance import read_relevance
from resources.inputs.reliability.relevance_records import RelevanceInput
from resources.runtime.home import touchstone_home
from resources.runtime.sanitize import one_line
from resources.study import Study, study_from_environment


def import_relevance(files: list[Path], console: Console) -> None:
    """Check one file, or the configured input, and say what a run would do with it.

    Raises:
        UserError: There is no input, it is wrong, or several files are named.
        Exit: A gate would stop the run.
    """
    if len(files) > 1:
        raise UserError("Study reliability has one input. Name one file.")
    study = planned(files[0].absolute() if files else None)
    plan = study.reliability
    read = read_relevance(plan)
    show_input(console, read)
    kept = configuration_file(touchstone_home()) is not None and has_kept(study, console)
    ahead = rounds_ahead(study, read) if kept else first_round(plan, read)
    problems = problems_ahead(study, ahead, read if kept else None)
    stopped = bool(problems)
    if plan.judges:
        show_judges(console, plan)
    else:
        for gate in gates_on(read, plan):
            stopped |= not gate.passed
            word = Text("pass", "green") if gate.passed else Text("STOP", "bold red")
            console.print(Text.assemble("  ", word, f" {gate.name}: {one_line(gate.sentence, 400)}"))
        plan.thresholds_of(read.judges)
        if plan.recalibration.judges:
            refuse_without_judges(plan, read.judges)
    show_problems(console, problems)
    if not kept or latest_recalibration(study.validations) is None:
        show_problems(console, later_problems(study), "before a recalibration:", "yellow")
    if stopped:
        say(console, "A run would stop there, and ask no judge.")
    elif plan.judges:
        show_asked(console, plan, len(read.documents))
    else:
        judges = listing(one_line(judge) for judge in read.judges)
        say(console, f"A run would compare the judges {judges}, and ask no judge.")
    if files:
        say(console, f"To use this file, write into {FILE_NAME}:\nreliability:")
        console.print(f"  queries: {plan.queries}", soft_wrap=True, highlight=False, markup=False)
    if stopped:
        raise typer.Exit(2)


def planned(file: Path | None) -> Study:
    """The configured study, with another file where one is named; the file alone where none is configured.

    Raises:
        UserError: Nothing names an input.
    """
    study = study_from_environment()
    configured = study.reliability_section if configuration_file(touchstone_home()) else None
    if file is not None:
        known = configured or ReliabilityStudy(queries=file)
        return replace(study, reliability_section=known.model_copy(update={"queries": file, "postgres": None}))
    if configured is None:
        raise UserError("Nothing names queries. Name a file to check, or add a section `reliability` to the study.")
    return study


def first_round(plan: ReliabilityStudy, read: RelevanceInput) -> list[Round]:
    """What the first run of all asks."""
    return [Round(plan.prompt_version, plan.judges, documents_of(read.documents, None))] if plan.judges else []


def show_input(console: Console, read: RelevanceInput) -> None:
    """What the input holds."""
    documents = read.documents
    n_queries, without = documents["query_id"].nunique(), int(documents["document"].isna().sum())
    say(console, f"{read.name}: {number_of(n_queries, 'query', 'queries')}, {number_of(len(documents), 'document')}.")
    if without:
        without_text = number_of(without, "document has", "documents have")
        say(console, f"  {without_text} no text: people who review them see a number only.")
    for judge in read.judges:
        ours = read.scores[read.scores["judge"] == judge]
        versions = listing(one_line(str(version)) for version in ours["prompt_version"].unique())
        say(
            console,
            f"  {one_line(judge)}: {number_of(len(ours), 'score')}, mean {ours['score'].mean():.3f}, range "
            f"{ours['score'].min():g}-{ours['score'].max():g}, {read.n_missing.get(judge, 0):,} missing; prompt "
            f"version {versions}.",
        )
    for note in read.notes:
        say(console, f"  {one_line(note, 300)}")
    if read.ignored:
        say(console, f"  columns that say nothing to the study: {one_line(listing(read.ignored), 300)}.")


def show_judges(console: Console, plan: ReliabilityStudy) -> None:
    """Who is configured."""
    for name, judge in plan.judges.items():
        say(console, f"  {name}: {judge.kind}")


def show_asked(console: Console, plan: ReliabilityStudy, n_documents: int) -> None:
    """Who would be asked about how much."""
    say(
        console,
        f"A run would have {number_of(len(plan.judges), 'judge')} score {number_of(n_documents, 'document')} under "
        f"prompt '{plan.prompt_version}', less those that they have scored.",
    )
    if any(isinstance(judge, OpenAIJudge) for judge in plan.judges.values()):
        say(console, "What that costs: touchstone run reliability --dry-run")
