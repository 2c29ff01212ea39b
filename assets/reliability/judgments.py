"""Table `judgments`: what each judge said of each document, under each prompt version."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least, at_most
from assets.checks import gate_result, require, told
from assets.judge_pairs import Scored, scored_documents
from assets.partitions import metadata_value
from assets.who_started import started_by_a_person
from resources.configuration.reliability import RelevanceJudge, ReliabilityStudy
from resources.errors import UserError
from resources.inputs.relevance import read_relevance
from resources.judges.relevance.documents import AskedDocument, Judged
from resources.judges.relevance.registry import judge_documents
from resources.progress import TracksProgress
from resources.reliability.recalibrations import recalibrations
from resources.reliability.records import JudgmentRecord, imported
from resources.study import Study


@dg.asset(group_name="reliability", deps=["queries_file"], kinds={"database"}, code_version="1")
def judgments(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> pd.DataFrame:
    """Keeps the scores that came with the input, or asks the judges what they have not said yet."""
    plan = study.reliability
    judges = tuple(plan.judges)
    if not judges:
        read = read_relevance(plan)
        judges = read.judges
        study.queries.record(imported(read.scores, context.run.run_id))
    for version, asking, queries in rounds(study):
        asked = documents_of(query_documents, queries)
        for name, judge in asking.items():
            ask(context, study, progress, name, judge, version, asked)
    frame = study.queries.judgments(judges, query_documents)
    context.add_output_metadata(headline(frame, scored_documents(frame, plan, documents=query_documents)))
    return frame


@dg.asset_check(asset=judgments, blocking=True, additional_ins={"query_documents": dg.AssetIn("query_documents")})
def every_judge_scored_the_documents(
    judgments: pd.DataFrame, query_documents: pd.DataFrame, study: dg.ResourceParam[Study]
) -> dg.AssetCheckResult:
    """Integrity (STOP): few documents lack a judge's score; they are left out and counted.

    What to do: Score the documents that are named, or raise `max_incomplete_share`.
    """
    scored = scored_documents(judgments, study.reliability, documents=query_documents)
    return gate_result(complete_gate(scored, study.reliability.max_incomplete_share))


@dg.asset_check(asset=judgments, blocking=True)
def two_judges_have_scores(judgments: pd.DataFrame) -> dg.AssetCheckResult:
    """Integrity (STOP): agreement takes two judges.

    What to do: Name `judges`, or give a file with the scores of two judges.
    """
    return gate_result(judges_gate(judgments))


def rounds(
    study: Study,
) -> list[tuple[str, Mapping[str, RelevanceJudge], frozenset[str] | None]]:
    """What judges are asked: the prompt version, the judges, and the queries (all where none are named).

    Raises:
        UserError: Queries are to be judged again, and the configuration names nobody who could.
    """
    plan = study.reliability
    found: list[tuple[str, Mapping[str, RelevanceJudge], frozenset[str] | None]] = []
    if plan.judges:
        found.append((plan.prompt_version, plan.judges, None))
    for again in recalibrations(study.validations):
        judges = {**plan.judges, **plan.recalibration.judges}
        if judges:
            found.append((again.prompt_version, judges, again.queries))
    return found


def documents_of(query_documents: pd.DataFrame, queries: frozenset[str] | None) -> list[AskedDocument]:
    """The documents of these queries, as a judge is asked about them."""
    rows = query_documents if queries is None else query_documents[query_documents["query_id"].isin(queries)]
    return [
        AskedDocument(
            row["query_id"], row["query"], row["doc_id"], None if pd.isna(row["document"]) else row["document"]
        )
        for row in rows.to_dict("records")
    ]


def ask(
    context: dg.AssetExecutionContext,
    study: Study,
    progress: TracksProgress,
    name: str,
    judge: RelevanceJudge,
    version: str,
    asked: Sequence[AskedDocument],
) -> None:
    """One judge about these documents; each answer is in the database before the next batch is asked.

    Raises:
        UserError: The judge must not be asked, or stopped on the way; what came until then is kept.
    """

    def keep(batch: list[Judged]) -> None:
        study.queries.record(JudgmentRecord(**one._asdict(), run=context.run.run_id) for one in batch)

    judge_documents(
        study,
        name,
        judge,
        version,
        asked,
        study.ledger,
        progress,
        context.log,
        context.run.run_id,
        not started_by_a_person(context.run.tags),
        keep,
    )


def sound_scores(judgments: pd.DataFrame, query_documents: pd.DataFrame, plan: ReliabilityStudy) -> Scored:
    """The scores that count, of all documents, where both gates on them hold: a launch by hand never meets the checks.

    Raises:
        Failure: One fails.
    """
    scored = scored_documents(judgments, plan, documents=query_documents)
    require(judges_gate(judgments))
    require(complete_gate(scored, plan.max_incomplete_share))
    return scored


def complete_gate(scored: Scored, max_incomplete_share: float) -> Gate:
    """The share of all documents that not every judge has scored against its limit."""
    n, missing = len(scored.scores), int((~scored.complete).sum())
    rows = scored.documents[~scored.complete].head(3)
    names = ", ".join(f"{row.query_id}/{row.doc_id}" for row in rows.itertuples())
    gate = at_most(
        "every_judge_scored_the_documents",
        missing / n if n else None,
        max_incomplete_share,
        n=n,
        counted="documents",
        what="Share of documents that not every judge scored",
        remedy=f"The first are {names}. Score them, or raise `max_incomplete_share`; they are left out either way."
        if n
        else "Give an input with documents.",
        reason="there is no document",
    )
    return told(gate, f"{n - missing} of {n} documents have a score of every judge; {missing} are left out.")


def judges_gate(judgments: pd.DataFrame) -> Gate:
    """Judges with a score that counts, at least two."""
    counting = judgments[judgments["counts"].astype(bool) & judgments["score"].notna()]
    names = list(dict.fromkeys(counting["judge"]))
    gate = at_least(
        "two_judges_have_scores",
        float(len(names)),
        2,
        n=len(counting),
        counted="scores",
        what="Number of judges with scores",
        remedy="Name `judges` in the configuration, or give a file with the scores of two judges.",
    )
    return told(gate, f"{len(names)} judges have scores: {', '.join(names)}.")


def headline(frame: pd.DataFrame, scored: Scored) -> dict[str, Any]:
    """How many judgments there are, of how many judges, how many without a score, and under which prompts."""
    numbers = {
        "n_judgments": len(frame),
        "n_documents": len(scored.scores),
        "n_incomplete_documents": int((~scored.complete).sum()),
        "n_without_score": int(frame["score"].isna().sum()),
        "judges": ", ".join(scored.judges),
        "prompt_versions": ", ".join(dict.fromkeys(frame["prompt_version"])),
    }
    return {name: metadata_value(value) for name, value in numbers.items()}


def refuse_without_judges(plan: ReliabilityStudy) -> None:
    """Refuse to have queries judged again where nobody could.

    Raises:
        UserError: Scores came with the input, and no judge is configured.
    """
    if not plan.judges and not plan.recalibration.judges:
        raise UserError(
            "The scores came with the input, so Touchstone cannot ask the judges again. Name judges under "
            "`recalibration: judges:`, or have them score these queries under the next prompt and add the rows "
            f"with prompt_version '{plan.recalibration.prompt_version}' to the input."
        )
