"""One entry to all judges of relevance: documents in, judgments out, each handed on before it counts as done."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import EmbeddingJudge, LexicalJudge, RecordedJudge, RelevanceJudge
from resources.database.ledger import Ledger
from resources.errors import UserError, listing
from resources.judges.openai.access import access_of
from resources.judges.relevance import recorded
from resources.judges.relevance.documents import AskedDocument, Count, Keep, Outcome, refuse_without_text
from resources.judges.relevance.offline import Calibration, OfflineJudge, read_calibration
from resources.judges.relevance.openai_relevance import PromptSetting, RelevancePlan, RelevanceRun, relevance_judge
from resources.judges.relevance.prompts import Prompt, prompt_of
from resources.runtime.progress import TracksProgress
from resources.study import Study

ReadyJudge = RelevanceJudge | recorded.RecordedJudge
CHUNK: Final = 256  # documents, rounded up to whole queries: what is kept at once by a judge that is not waited for


def ready_judges(
    study: Study, judges: Mapping[str, RelevanceJudge], version: str, asked: Sequence[AskedDocument]
) -> dict[str, ReadyJudge]:
    """The judges, those that were recorded with their answers read: what would stop one stops all before the first.

    Args:
        study: The running study, with its section `reliability`.
        judges: What the configuration says of each, by name.
        version: The prompt version.
        asked: What they will be asked about.

    Raises:
        UserError: A document has no text, a file, a prompt or a model is missing or wrong, or a calibration query is
            evaluated.
    """
    found: dict[str, ReadyJudge] = {}
    for name, judge in judges.items():
        if isinstance(judge, RecordedJudge):
            found[name] = recorded.RecordedJudge(name, judge.path, version)
            continue
        refuse_without_text(name, asked)
        if isinstance(judge, OpenAIJudge):
            relevance_judge(name, judge, _prompt(study, version), access_of(judge))
        else:
            _calibration(study, name).refuse_evaluated(asked)
        found[name] = judge
    return found


def judge_documents(
    study: Study,
    judge_name: str,
    judge_section: ReadyJudge,
    prompt_version: str,
    asked: Sequence[AskedDocument],
    ledger: Ledger,
    progress: TracksProgress,
    log: logging.Logger,
    dagster_run_id: str | None,
    unattended: bool,
    keep: Keep,
) -> Outcome:
    """Have one judge score documents under one prompt.

    Args:
        study: The running study, with its section `reliability`.
        judge_name: The judge's name in it; part of who judges, for models.
        judge_section: What the configuration says of it (`judges` or `recalibration.judges`); of `ready_judges`.
        prompt_version: Version of the prompt; noted by judges that read none.
        asked: Documents, each once and a query's next to each other; a query must come with all of its documents,
            because the lexical judge compares them.
        ledger: Where every attempt at a call is a row.
        progress: Shows how far it is.
        log: The run's log.
        dagster_run_id: The run that asks.
        unattended: Whether no person started it: a paid judge then needs a daily budget.
        keep: Stores judgments, again and again; what it got counts as done once it has returned. A judgment may come
            that an earlier run handed on already: answers of the ledger come first, and offline judges always judge
            anew, with the same result.

    Returns:
        What came of it. A model's call with a fault that stands, and a document without a record, is in
        `without_answer`, and the log says so.

    Raises:
        UserError: A document has no text, a file is wrong, a calibration query is evaluated, or the judge must not be
            asked or stopped on the way; what came until then was kept.
        Exception: Whatever `keep` raised; the ledger has what it got.
    """
    count = Count(asked, keep)
    if not isinstance(judge_section, RecordedJudge | recorded.RecordedJudge):
        refuse_without_text(judge_name, asked)
    if isinstance(judge_section, OpenAIJudge):
        plan, prompt = study.reliability, _prompt(study, prompt_version)
        model = relevance_judge(judge_name, judge_section, prompt, access_of(judge_section))
        RelevanceRun(
            study.name,
            RelevancePlan(plan.seed),
            model,
            asked,
            [PromptSetting(prompt_version)],
            ledger,
            dagster_run_id,
            unattended,
            prompt=prompt,
            name=judge_name,
            count=count,
        ).ask_and_keep(progress, log)
        outcome = count.outcome._replace(judge_identity=model.identity.digest, prompt_hash=prompt.sha256)
    else:
        identity = _judge_at_once(study, judge_name, judge_section, prompt_version, asked, progress, log, count)
        outcome = count.outcome._replace(judge_identity=identity)
    if outcome.without_answer:
        names = listing(one.object for one in outcome.without_answer)
        log.warning(f"Judge {judge_name}: no answer about {len(outcome.without_answer)} of {len(asked)}: {names}")
    return outcome


def _prompt(study: Study, version: str) -> Prompt:
    return prompt_of(version, study.reliability.prompts, study.reliability.prompt_scales)


def _judge_at_once(
    study: Study,
    name: str,
    section: EmbeddingJudge | LexicalJudge | RecordedJudge | recorded.RecordedJudge,
    prompt_version: str,
    asked: Sequence[AskedDocument],
    progress: TracksProgress,
    log: logging.Logger,
    count: Count,
) -> str:
    """Judge all, and return who that was: the identity's digest."""
    if isinstance(section, RecordedJudge):
        section = recorded.RecordedJudge(name, section.path, prompt_version)
    judge = section if isinstance(section, recorded.RecordedJudge) else _offline(study, name, section, asked)
    with progress.track("documents judged", len(asked), log) as advance:
        for chunk in _chunks(asked):
            count.keep(judge.judged(chunk, prompt_version))
            advance(len(chunk))
    return judge.identity.digest


def _offline(
    study: Study, name: str, section: EmbeddingJudge | LexicalJudge, asked: Sequence[AskedDocument]
) -> OfflineJudge:
    calibration = _calibration(study, name)
    calibration.refuse_evaluated(asked)
    # Imported here: each brings libraries that the others do not need.
    if isinstance(section, EmbeddingJudge):
        from resources.judges.relevance.embedding import EmbeddingMeasure

        return OfflineJudge(name, section.kind, EmbeddingMeasure(), calibration)
    from resources.judges.relevance.lexical import LexicalMeasure

    corpus = [example.document for example in calibration.examples]
    return OfflineJudge(name, section.kind, LexicalMeasure(corpus), calibration)


def _calibration(study: Study, name: str) -> Calibration:
    path = study.reliability.calibration
    if path is None:
        raise UserError(f"judges.{name} needs `calibration`: a file with query, document, relevance 0-1.")
    return read_calibration(path)


def _chunks(asked: Sequence[AskedDocument]) -> Iterator[list[AskedDocument]]:
    """Whole queries, together about `CHUNK` documents."""
    chunk: list[AskedDocument] = []
    for _, documents in groupby(asked, key=lambda one: one.query_id):
        chunk += documents
        if len(chunk) >= CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
