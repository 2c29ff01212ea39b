"""`touchstone import reliability`: queries and scores held against the contract, and what a run would do."""

from pathlib import Path

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from analysis.gates import Gate
from analysis.words import counted as number_of
from assets.judge_pairs import scored_documents
from assets.reliability.judgments import complete_gate, judges_gate, refuse_without_judges
from pipeline.command_line.reliability_shown import say
from resources.configuration.load import FILE_NAME, configuration_file
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import ReliabilityStudy
from resources.errors import UserError, listed
from resources.home import touchstone_home
from resources.inputs.relevance import read_relevance
from resources.inputs.relevance_input import RelevanceInput
from resources.reliability.counted_judgments import Judged, counted
from resources.shown_text import one_line
from resources.study import study_from_environment


def import_relevance(files: list[Path], console: Console) -> None:
    """Check one file, or the configured input, and say what a run would do with it.

    Raises:
        UserError: There is no input, it is wrong, or several files are named.
        Exit: A gate would stop the run.
    """
    if len(files) > 1:
        raise UserError("Study reliability has one input. Name one file.")
    plan = planned(files[0].absolute() if files else None)
    read = read_relevance(plan)
    show_input(console, read)
    stopped = False
    if plan.judges:
        show_judges(console, plan, len(read.documents))
    else:
        for gate in gates_on(read, plan):
            stopped |= not gate.passed
            word = Text("pass", "green") if gate.passed else Text("STOP", "bold red")
            console.print(Text.assemble("  ", word, f" {gate.name}: {one_line(gate.sentence, 400)}"))
        plan.thresholds_of(read.judges)
        if plan.recalibration.judges:
            refuse_without_judges(plan, read.judges)
        judges = listed(one_line(judge) for judge in read.judges)
        does = "stop there, and ask nobody" if stopped else f"compare the judges {judges}, and ask nobody"
        say(console, f"A run would {does}.")
    if files:
        say(console, f"To use this file, write into {FILE_NAME}:\nreliability:")
        console.print(f"  queries: {plan.queries}", soft_wrap=True, highlight=False, markup=False)
    if stopped:
        raise typer.Exit(2)


def planned(file: Path | None) -> ReliabilityStudy:
    """The configured study, with another file where one is named; the file alone where none is configured.

    Raises:
        UserError: Nothing names an input.
    """
    configured = study_from_environment().reliability_section if configuration_file(touchstone_home()) else None
    if file is not None:
        known = configured or ReliabilityStudy(queries=file)
        return known.model_copy(update={"queries": file, "postgres": None})
    if configured is None:
        raise UserError("Nothing names queries. Name a file to check, or add a section `reliability` to the study.")
    return configured


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
        versions = listed(one_line(str(version)) for version in ours["prompt_version"].unique())
        say(
            console,
            f"  {one_line(judge)}: {len(ours):,} scores, mean {ours['score'].mean():.3f}, range "
            f"{ours['score'].min():g}-{ours['score'].max():g}, {read.n_missing.get(judge, 0):,} missing; prompt "
            f"version {versions}.",
        )
    if read.ignored:
        say(console, f"  columns that say nothing to the study: {one_line(listed(read.ignored), 300)}.")


def show_judges(console: Console, plan: ReliabilityStudy, n_documents: int) -> None:
    """Who would be asked about how much."""
    for name, judge in plan.judges.items():
        say(console, f"  {name}: {judge.kind}")
    say(
        console,
        f"A run would have {number_of(len(plan.judges), 'judge')} score {number_of(n_documents, 'document')} under "
        f"prompt '{plan.prompt_version}', less those that they have scored.",
    )
    if any(isinstance(judge, OpenAIJudge) for judge in plan.judges.values()):
        say(console, "What that costs: touchstone run reliability --dry-run")


def gates_on(read: RelevanceInput, plan: ReliabilityStudy) -> list[Gate]:
    """What a run would ask of the scores before anything is computed from them."""
    judgments = read.scores[counting(read)].assign(counts=True)
    scored = scored_documents(judgments, plan, documents=read.documents)
    return [judges_gate(judgments, plan), complete_gate(scored, plan.max_incomplete_share)]


def counting(read: RelevanceInput) -> NDArray[np.bool_]:
    """Which scores would count, by the store's own rule, shape ``(n_scores,)``."""
    queries = pd.Index(read.documents["query_id"].unique())
    codes = {name: pd.factorize(read.scores[name])[0].astype(np.int64) for name in ("judge", "prompt_version")}
    n = len(read.scores)
    judged = Judged(
        query=queries.get_indexer(pd.Index(read.scores["query_id"])).astype(np.int64),
        judge=codes["judge"],
        version=codes["prompt_version"],
        source=np.zeros(n, dtype=np.int64),
        scored=np.ones(n, dtype=bool),
    )
    n_documents = read.documents["query_id"].value_counts().reindex(queries).to_numpy().astype(np.int64)
    return counted(judged, n_documents, len(read.judges)).counts
