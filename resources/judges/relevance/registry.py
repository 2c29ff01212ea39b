"""One entry to all judges of relevance: documents in, judgments out, each handed on before it counts as done."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import EmbeddingJudge, LexicalJudge, RecordedJudge, RelevanceJudge
from resources.errors import UserError, listing
from resources.gpu import GpuResource
from resources.judges.openai.access import access_of
from resources.judges.relevance import recorded
from resources.judges.relevance.documents import AskedDocument, Count, Keep, Outcome, refuse_without_text
from resources.judges.relevance.offline import Calibration, OfflineJudge, read_calibration
from resources.judges.relevance.openai_relevance import PromptSetting, RelevancePlan, RelevanceRun, relevance_judge
from resources.judges.relevance.prompts import Prompt, prompt_of
from resources.runtime.progress import TracksProgress
from resources.study import Study

if TYPE_CHECKING:
    from resources.database.ledger import Ledger

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
            found[name] = recorded.RecordedJudge(name, judge.path, version, judge.scale)
            continue
        refuse_without_text(name, asked)
        if isinstance(judge, OpenAIJudge):
            relevance_judge(name, judge, _prompt(study, version), access_of(judge))
        else:
            _calibration(study, name).refuse_evaluated(asked)
        found[name] = judge
    return found


class PromptedJudge(NamedTuple):
    """One judge under one prompt: its name in the study, part of who judges for models, and what is configured of it.

    `section` is one of `ready_judges`; `version` is noted by judges that read no prompt.
    """

    name: str
    section: ReadyJudge
    version: str


class AskingRun(NamedTuple):
    """The run that asks: where attempts are kept, where progress and words go, its id, and who stores judgments.

    `unattended`: no person started it, and a paid judge then needs a daily budget. `keep` stores judgments, again and
    again; what it got counts as done once it has returned. A judgment may come that an earlier run handed on already:
    answers of the ledger come first, and offline judges always judge anew, with the same result. `gpu` runs the model
    of the judge `embedding`.
    """

    ledger: Ledger
    progress: TracksProgress
    log: logging.Logger
    dagster_run_id: str | None
    unattended: bool
    keep: Keep
    gpu: GpuResource


def judge_documents(study: Study, judge: PromptedJudge, asked: Sequence[AskedDocument], run: AskingRun) -> Outcome:
    """Have one judge score documents under one prompt.

    Args:
        study: The running study, with its section `reliability`.
        judge: Who is asked under which prompt.
        asked: Documents, each once and a query's next to each other; a query must come with all of its documents,
            because the lexical judge compares them.
        run: The run that asks.

    Returns:
        What came of it. A model's call with a fault that stands, and a document without a record, is in
        `without_answer`, and the log says so.

    Raises:
        UserError: A document has no text, a file is wrong, a calibration query is evaluated, or the judge must not be
            asked or stopped on the way; what came until then was kept.
        Exception: Whatever `keep` raised; the ledger has what it got.
    """
    count = Count(asked, run.keep)
    if not isinstance(judge.section, RecordedJudge | recorded.RecordedJudge):
        refuse_without_text(judge.name, asked)
    if isinstance(judge.section, OpenAIJudge):
        plan, prompt = study.reliability, _prompt(study, judge.version)
        model = relevance_judge(judge.name, judge.section, prompt, access_of(judge.section))
        RelevanceRun(
            study.name,
            RelevancePlan(plan.seed),
            model,
            asked,
            [PromptSetting(judge.version)],
            run.ledger,
            run.dagster_run_id,
            run.unattended,
            prompt=prompt,
            name=judge.name,
            count=count,
        ).ask_and_keep(run.progress, run.log)
        outcome = count.outcome._replace(judge_identity=model.identity.digest, prompt_hash=prompt.sha256)
    else:
        identity = _judge_at_once(study, judge, asked, run, count)
        outcome = count.outcome._replace(judge_identity=identity)
    if outcome.without_answer:
        names = listing(one.object for one in outcome.without_answer)
        run.log.warning(f"Judge {judge.name}: no answer about {len(outcome.without_answer)} of {len(asked)}: {names}")
    return outcome


def _prompt(study: Study, version: str) -> Prompt:
    return prompt_of(version, study.reliability.prompts, study.reliability.prompt_scales)


def _judge_at_once(
    study: Study, judge: PromptedJudge, asked: Sequence[AskedDocument], run: AskingRun, count: Count
) -> str:
    """Judge all by a judge that is no model, and return who that was: the identity's digest."""
    name, section, version = judge
    assert not isinstance(section, OpenAIJudge)
    if isinstance(section, RecordedJudge):
        section = recorded.RecordedJudge(name, section.path, version, section.scale)
    opened = section if isinstance(section, recorded.RecordedJudge) else _offline(study, name, section, asked, run.gpu)
    with run.progress.track("documents judged", len(asked), run.log) as advance:
        for chunk in _chunks(asked):
            count.keep(opened.judged(chunk, version))
            advance(len(chunk))
    return opened.identity.digest


def _offline(
    study: Study,
    name: str,
    section: EmbeddingJudge | LexicalJudge,
    asked: Sequence[AskedDocument],
    gpu: GpuResource,
) -> OfflineJudge:
    calibration = _calibration(study, name)
    calibration.refuse_evaluated(asked)
    # Imported here: each brings libraries that the others do not need.
    if isinstance(section, EmbeddingJudge):
        from resources.judges.relevance.embedding import EmbeddingMeasure

        return OfflineJudge(name, section.kind, EmbeddingMeasure(gpu), calibration)
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
