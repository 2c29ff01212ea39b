"""What a run of study D would refuse, asked of the same functions before anything is changed or anybody asked."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from analysis.gates import Gate
from analysis.words import count_noun
from assets.reliability.judgments import complete_gate, judges_gate
from assets.reliability.logic.judge_pairs import KEY, scored_documents
from assets.reliability.logic.judged_again import documents_of, rounds
from assets.reliability.query_documents import refuse_changed
from pipeline.command_line.planned_calls import agree_to_pay, estimate_table, money_words, quota_words
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import RelevanceJudge, ReliabilityStudy
from resources.database.engine import is_there, open_engine
from resources.database.migrate import newest, version_of
from resources.database.reliability.counted_judgments import Judged, counted
from resources.database.reliability.recalibrations import Recalibrated, latest_recalibration
from resources.errors import UserError
from resources.inputs.reliability.relevance import read_relevance
from resources.inputs.reliability.relevance_records import RelevanceInput
from resources.judges.openai.access import require_key
from resources.judges.openai.estimate import EstimateRow
from resources.judges.openai.prices import price_age_gate
from resources.judges.relevance.documents import AskedDocument
from resources.judges.relevance.estimate import RelevanceEstimate, estimate
from resources.judges.relevance.registry import PromptedJudge, ready_judges
from resources.runtime.sanitize import one_line
from resources.study import Study

LONGEST = 1000


class Round(NamedTuple):
    """Judges that are asked about these documents under one prompt version."""

    version: str
    judges: Mapping[str, RelevanceJudge]
    asked: list[AskedDocument]


def has_kept(study: Study, console: Console) -> bool:
    """Whether there is a database to compare with, made by this version; one of another is reported. Nothing is made.

    Raises:
        UserError: The database cannot be reached.
    """
    if not is_there(study.home.database_url):
        return False
    engine = open_engine(study.home.database_url)
    try:
        version = version_of(engine)
    finally:
        engine.dispose()
    if version not in (None, newest()):
        other = f"The database is at version {version}, not {newest()}: what it keeps was not compared."
        show_problems(console, [other], "note", "yellow")
    return version == newest()


def known_texts(study: Study, documents: pd.DataFrame) -> pd.DataFrame:
    """The input's documents as table `query_documents` will have them: a text that the store knows counts."""
    kept = study.queries.query_documents()[[*KEY, "document"]]
    both = documents.merge(kept, how="left", on=KEY, suffixes=("", "_kept"))
    return both.assign(document=both["document"].fillna(both["document_kept"]))


def rounds_ahead(study: Study, read: RelevanceInput) -> list[Round]:
    """Everything that the next run asks."""
    documents = known_texts(study, read.documents)
    return [Round(version, judges, documents_of(documents, queries)) for version, judges, queries in rounds(study)]


def problems_ahead(study: Study, ahead: Iterable[Round], read: RelevanceInput | None) -> list[str]:
    """What would stop a run, each problem once, in the words in which the run would say it.

    Args:
        study: The running study.
        ahead: What the run asks.
        read: The input; what the store keeps is held against it. None where nothing is kept.
    """
    checks: list[Callable[[], object]] = []
    if read is not None:
        checks.append(lambda: refuse_changed(read, study))
    for one in ahead:
        checks += [_ready(study, {name: judge}, one.version, one.asked) for name, judge in one.judges.items()]
    return list(dict.fromkeys(_refused(checks)))


def later_problems(study: Study) -> list[str]:
    """What would stop a recalibration with judges of its own, as long as none was started."""
    again = study.reliability.recalibration
    checks = [_ready(study, {name: judge}, again.prompt_version, ()) for name, judge in again.judges.items()]
    return list(dict.fromkeys(_refused(checks)))


def show_problems(console: Console, problems: Iterable[str], word: str = "STOP", style: str = "bold red") -> None:
    """A line for each."""
    for problem in problems:
        console.print(Text.assemble("  ", (word, style), f" {one_line(problem, LONGEST)}"), soft_wrap=True)


def gates_on(read: RelevanceInput, plan: ReliabilityStudy) -> list[Gate]:
    """What a run would ask of the scores before anything is computed from them."""
    # A file of scores says nothing of calls: no score is missing for a reason that a judge gave.
    judgments = read.scores[counting(read)].assign(counts=True, state=None, message=None)
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


def _ready(
    study: Study, judges: Mapping[str, RelevanceJudge], version: str, asked: Sequence[AskedDocument]
) -> Callable[[], object]:
    return lambda: ready_judges(study, judges, version, asked)


def _refused(checks: Iterable[Callable[[], object]]) -> Iterator[str]:
    for check in checks:
        try:
            check()
        except UserError as problem:
            yield str(problem)


class Asked(NamedTuple):
    """One judge under one prompt version, and how many documents it is asked about."""

    name: str
    judge: RelevanceJudge
    version: str
    n_documents: int
    estimate: RelevanceEstimate | None

    @property
    def n_open(self) -> int:
        """Calls to a model that are still to be made."""
        return self.estimate.row.n_calls if self.estimate else 0


def tell_the_price(
    console: Console, study: Study, *, dry_run: bool, yes: bool, again: Recalibrated | None = None
) -> None:
    """Show what judges will be asked, and ask a person whether it may cost that; nothing is sent.

    Args:
        console: Where to.
        study: The running study.
        dry_run: Show it in any case, and ask for no consent.
        yes: The consent given on the command line.
        again: A recalibration that is not recorded yet.

    Raises:
        UserError: The input or a judge is wrong, or there is no terminal to ask at.
        Exit: The person does not agree.
    """
    if not dry_run and not any(isinstance(judge, OpenAIJudge) for judge in _judges(study).values()):
        return
    with console.status("Counting calls"):
        asked = asked_ahead(console, study, again)
    n_open = sum(one.n_open for one in asked)
    if dry_run or n_open:
        show_asked(console, study, asked)
    if not dry_run:
        agree_to_pay(((one.judge, one.n_open) for one in asked if one.n_open), yes)


def asked_ahead(console: Console, study: Study, again: Recalibrated | None = None) -> list[Asked]:
    """Everything that the next run asks, with an estimate where a model answers; what its gates would stop is shown.

    Raises:
        UserError: The input is wrong or contradicts what is kept, a file is missing, or a model has no price, no
            prompt or nothing to read.
    """
    plan, read = study.reliability, read_relevance(study.reliability)
    ahead = rounds_ahead(study, read)
    if again is not None:
        asked = documents_of(known_texts(study, read.documents), again.queries)
        ahead.append(Round(again.prompt_version, _judges(study), asked))
    if problems := problems_ahead(study, ahead, read):
        raise UserError("\n".join(problems))
    if not plan.judges:
        show_problems(console, [gate.sentence for gate in gates_on(read, plan) if not gate.passed])
    if again is None and latest_recalibration(study.validations) is None:
        show_problems(console, later_problems(study), "before a recalibration:", "yellow")
    found = []
    for one in ahead:
        for name, judge in one.judges.items():
            row = None
            if isinstance(judge, OpenAIJudge):
                model = PromptedJudge(name, judge, one.version)
                row = estimate(study.name, plan, model, one.asked, study.ledger)
            found.append(Asked(name, judge, one.version, len(one.asked), row))
    return found


def show_asked(console: Console, study: Study, asked: list[Asked]) -> None:
    """Calls, tokens, dollars and time of each judge, how they were found, and what would stop the run."""
    if not asked:
        console.print("The scores come with the input: no judge is asked.")
    for one in asked:
        if one.estimate is None:
            documents = count_noun(one.n_documents, "document")
            words = f"{one.name}, {one.version}: {documents}, judge {one.judge.kind}: costs nothing."
        else:
            to_make = count_noun(one.n_open, "call")
            words = f"{one.name}, {one.version}: {to_make} to make, {one.estimate.n_answered:,} answered."
        console.print(Text(words))
    rows = [one.estimate.row for one in asked if one.estimate]
    if sum(row.n_calls for row in rows):
        total = [_total(rows)] if len(rows) > 1 else []
        console.print(estimate_table([*rows, *total]))
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    spent = study.ledger.spent(study.name, midnight)
    lines: dict[str, None] = {}
    for one in asked:
        if one.estimate is None or not isinstance(one.judge, OpenAIJudge):
            continue
        access, price = one.estimate.access, one.estimate.price
        lines |= dict.fromkeys((f"'{access.model}' at {access.public_url}.", f"{price.sentence}."))
        lines |= dict.fromkeys((one.estimate.method, *money_words(one.judge, price, one.estimate.row, spent)))
        lines |= dict.fromkeys(quota_words(one.judge, one.n_open))
        if not (gate := price_age_gate(one.judge)).passed:
            lines[f"WARN {gate.sentence}"] = None
        try:
            require_key(access)
        except UserError as problem:
            lines[f"STOP {problem}"] = None
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False)


def _judges(study: Study) -> Mapping[str, RelevanceJudge]:
    return {**study.reliability.judges, **study.reliability.recalibration.judges}


def _total(rows: list[EstimateRow]) -> EstimateRow:
    return EstimateRow(
        "in all",
        sum(row.n_calls for row in rows),
        sum(row.tokens_in for row in rows),
        sum(row.tokens_out for row in rows),
        sum(row.usd for row in rows),
        sum(row.worst_usd for row in rows),
        sum(row.hours for row in rows),
    )
