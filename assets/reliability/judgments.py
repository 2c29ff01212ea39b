"""Table `judgments`: what each judge said of each document, under each prompt version."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import dagster as dg
import pandas as pd

from analysis.gates import Gate, at_least, at_most
from analysis.messages import message
from analysis.words import count_noun, noun
from assets.reliability.logic.judge_pairs import (
    Pair,
    Scored,
    current_scores,
    input_scores,
    judges_in,
    pairs_of_judges,
    scored_documents,
)
from assets.reliability.logic.judged_again import documents_of, rounds
from assets.shared.checks import require
from assets.shared.gate import Kind, gate
from assets.shared.partitions import CONFIGURATION, metadata_value, readable
from assets.shared.provenance import started_by_a_person
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.records import JudgmentRecord, Source
from resources.gpu import POOL, GpuResource
from resources.judges.relevance.documents import Judged
from resources.judges.relevance.registry import AskingRun, PromptedJudge, judge_documents, ready_judges
from resources.judges.without_score import why_no_score
from resources.runtime.progress import TracksProgress
from resources.study import Study


def pool_of(study: ReliabilityStudy | None) -> str | None:
    """Where a judge runs a model here, the pool that has the device; judges elsewhere do not hold it."""
    return POOL if study is not None and study.asks_embedding else None


@dg.asset(
    group_name="reliability_judging",
    deps=["queries_file"],
    kinds={"database"},
    code_version="1",
    pool=pool_of(CONFIGURATION.reliability),
)
def judgments(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    gpu: GpuResource,
    study: dg.ResourceParam[Study],
    progress: dg.ResourceParam[TracksProgress],
) -> pd.DataFrame:
    """Asks the judges what they have not said yet; scores that came with the input are there with its queries."""

    def keep(batch: list[Judged]) -> None:
        """Each answer is in the database before the next batch is asked."""
        study.queries.record(JudgmentRecord(**one._asdict(), run=context.run.run_id) for one in batch)

    plan = study.reliability
    judges, sources, withdrawn = tuple(plan.judges), list[Source](), list[int]()
    if not judges:
        judges, sources, withdrawn = input_scores(query_documents)
    prepared = [
        (version, ready_judges(study, asking, version, asked), asked)
        for version, asking, queries in rounds(study)
        for asked in [documents_of(query_documents, queries)]
    ]
    unattended = not started_by_a_person(context.run.tags)
    run = AskingRun(study.ledger, progress, context.log, context.run.run_id, unattended, keep, gpu)
    for version, ready, asked in prepared:
        for name, judge in ready.items():
            outcome = judge_documents(study, PromptedJudge(name, judge, version), asked, run)
            sources.append(Source(name, version, outcome.judge_identity, outcome.prompt_hash))
    frame = study.queries.judgments(judges, query_documents, sources, withdrawn)
    frame.attrs["about"]["input"] = query_documents.attrs["about"]["input"]
    context.add_output_metadata(readable(headline(frame, scored_documents(frame, plan, documents=query_documents))))
    return frame


@gate(judgments, Kind.INTEGRITY, to_do="Score the documents that are named, or raise `max_incomplete_share`.")
def every_judge_scored_the_documents(
    judgments: pd.DataFrame, query_documents: pd.DataFrame, plan: ReliabilityStudy
) -> Gate:
    """Few documents lack a judge's score; they are left out and counted."""
    scored = scored_documents(judgments, plan, documents=query_documents)
    return _complete(judgments, scored, plan)


@gate(judgments, Kind.INTEGRITY, to_do="Name `judges`, or give a file with the scores of two judges.")
def two_judges_have_scores(judgments: pd.DataFrame, plan: ReliabilityStudy) -> Gate:
    """Agreement takes two judges."""
    return judges_gate(judgments, plan)


def sound_scores(judgments: pd.DataFrame, query_documents: pd.DataFrame, plan: ReliabilityStudy) -> Scored:
    """The scores that count, of all documents, where both gates on them hold: a launch by hand never meets the checks.

    Raises:
        Failure: One fails.
    """
    scored = current_scores(judgments, query_documents, plan)
    require(judges_gate(judgments, plan))
    require(_complete(judgments, scored, plan))
    return scored


def _complete(judgments: pd.DataFrame, scored: Scored, plan: ReliabilityStudy) -> Gate:
    why = _why_no_score(judgments, scored.judges)
    return complete_gate(scored, plan.max_incomplete_share, kept_of_others(judgments), why)


class Compared(NamedTuple):
    """The documents of all judges, each judge's current threshold, and every two judges at these."""

    scored: Scored
    thresholds: dict[str, float]
    pairs: list[Pair]


def compared(judgments: pd.DataFrame, query_documents: pd.DataFrame, study: Study) -> Compared:
    """What a table that compares judges begins with: `sound_scores`, two by two.

    Raises:
        Failure: A gate on the scores fails.
    """
    scored = sound_scores(judgments, query_documents, study.reliability)
    thresholds = study.thresholds(scored.judges)
    return Compared(scored, thresholds, pairs_of_judges(scored, thresholds))


def kept_of_others(judgments: pd.DataFrame) -> int:
    """How many scores of these judges are kept that are not of the source that is configured now."""
    return int(judgments.attrs.get("about", {}).get("n_of_other_sources", 0))


def complete_gate(scored: Scored, max_incomplete_share: float, n_of_others: int = 0, why: str = "") -> Gate:
    """The share of all documents that not every judge has scored against its limit.

    Args:
        scored: All documents.
        max_incomplete_share: The limit.
        n_of_others: Scores that are kept and do not count: of a model, a prompt or an input that was configured before.
        why: Why answers have no score, in sentences.
    """
    n, missing = len(scored.scores), int((~scored.complete).sum())
    rows = scored.documents[~scored.complete].head(3)
    names = ", ".join(f"{row.query_id}/{row.doc_id}" for row in rows.itertuples())
    gate = at_most(
        "every_judge_scored_the_documents",
        missing / n if n else None,
        max_incomplete_share,
        n=n,
        counted=noun(n, "document"),
        what="Share of documents that not every judge scored",
        remedy=(
            f"{noun(missing, 'It is', 'The first are' if missing > len(rows) else 'They are')} {names}. "
            f"{why}{' ' if why else ''}Score {noun(missing, 'it', 'them')}, or raise `max_incomplete_share`; kappa of "
            f"a judge is without {noun(missing, 'it', 'them')}."
        )
        if n
        else "Give an input with documents.",
        reason=message("there is no document"),
    )
    verbs = noun(n_of_others, "is kept and does", "are kept and do")
    others = f" {count_noun(n_of_others, 'score')} of another model, prompt or input {verbs} not count."
    whole = f"{n - missing} of {count_noun(n, 'document')} {noun(n, 'has', 'have')} a score of every judge"
    gate = gate.passing_as(f"{whole}; {missing} {noun(missing, 'lacks', 'lack')} one.")
    return gate._replace(sentence=f"{gate.sentence}{others}") if n_of_others else gate


def judges_gate(judgments: pd.DataFrame, plan: ReliabilityStudy) -> Gate:
    """The study's judges with a score that counts, at least two, in its order."""
    judges = judges_in(judgments, plan)
    scored = judgments["counts"].astype(bool) & judgments["score"].notna()
    counting = judgments[scored & judgments["judge"].isin(judges)]
    there = set(counting["judge"])
    names = [judge for judge in judges if judge in there]
    gate = at_least(
        "two_judges_have_scores",
        float(len(names)),
        2,
        n=len(counting),
        counted="scores",
        what="Number of judges with scores",
        remedy=_why_no_score(judgments, judges)
        or "Name `judges` in the configuration, or give a file with the scores of two judges.",
    )
    return gate.passing_as(f"{len(names)} judges have scores: {', '.join(names)}.")


def _why_no_score(judgments: pd.DataFrame, judges: Sequence[str]) -> str:
    """Why answers of each judge have no score; empty where all have one, or there are none."""
    if judgments["score"].notna().all():
        return ""
    current = judgments[judgments["counts"].astype(bool)]
    of_judges = {judge: current[current["judge"] == judge] for judge in judges}
    reasons = {judge: why_no_score(rows["state"], rows["message"]) for judge, rows in of_judges.items()}
    return " ".join(f"Judge {judge}: {reason}" for judge, reason in reasons.items() if reason)


def headline(frame: pd.DataFrame, scored: Scored) -> dict[str, Any]:
    """How many judgments there are, of how many judges, how many without a score, and under which prompts."""
    numbers = {
        "n_judgments": len(frame),
        "n_documents": len(scored.scores),
        "n_incomplete_documents": int((~scored.complete).sum()),
        "n_without_score": int(frame["score"].isna().sum()),
        "n_kept_of_other_sources": kept_of_others(frame),
        "judges": ", ".join(scored.judges),
        "prompt_versions": ", ".join(dict.fromkeys(frame["prompt_version"])),
    }
    return {name: metadata_value(value) for name, value in numbers.items()}
