"""What a run of study D would refuse, asked of the same functions before anything is changed or anybody asked."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from analysis.gates import Gate
from assets.reliability.judgments import complete_gate, documents_of, judges_gate, rounds
from assets.reliability.logic.judge_pairs import KEY, scored_documents
from assets.reliability.query_documents import refuse_changed
from resources.configuration.reliability import RelevanceJudge, ReliabilityStudy
from resources.database.engine import is_there, open_engine
from resources.database.migrate import newest, version_of
from resources.database.reliability.counted_judgments import Judged, counted
from resources.errors import UserError
from resources.inputs.reliability.relevance_input import RelevanceInput
from resources.judges.relevance.documents import AskedDocument
from resources.judges.relevance.registry import ready_judges
from resources.runtime.sanitize import one_line
from resources.study import Study

LONGEST = 1000


class Round(NamedTuple):
    """Judges that are asked about these documents under one prompt version."""

    version: str
    judges: Mapping[str, RelevanceJudge]
    asked: list[AskedDocument]


def has_kept(study: Study, console: Console) -> bool:
    """Whether there is a database to compare with, made by this version; one of another is told of. Nothing is made.

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
