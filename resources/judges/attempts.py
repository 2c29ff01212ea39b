"""From a reply to the rows that the ledger keeps of it."""

from collections.abc import Callable
from datetime import datetime

from resources.configuration.fidelity import FidelityStudy
from resources.judges.answers import Parsed, parse_answer
from resources.judges.contract import Call, JudgeIdentity, Reply
from resources.judges.records import CallRecord


def record_of(
    study: str,
    plan: FidelityStudy,
    identity: JudgeIdentity,
    call: Call,
    reply: Reply,
    *,
    started_at: datetime,
    latency_ms: float,
    dagster_run_id: str | None = None,
) -> CallRecord:
    """One attempt at judging an object's appearance, the answer read by the plan's weights and choice of score.

    Args:
        study: Name of the study.
        plan: Its weights and the score that it asks for.
        identity: The judge that was asked.
        call: What was asked, with the number of the attempt.
        reply: What came back; its `earlier` attempts are not looked at.
        started_at: When the call began, with a time zone.
        latency_ms: How long the attempt took.
        dagster_run_id: The run that asked.
    """

    def read(raw: str | None) -> Parsed:
        return parse_answer(raw, call.judged.item_id, plan.rubric_weights, plan.score_source)

    return recorded(study, read, identity, call, reply, started_at, latency_ms, dagster_run_id)


def recorded(
    study: str,
    read: Callable[[str | None], Parsed],
    identity: JudgeIdentity,
    call: Call,
    reply: Reply,
    started_at: datetime,
    latency_ms: float,
    dagster_run_id: str | None,
) -> CallRecord:
    """One attempt with everything that is kept of it; `read` finds state and scores in an answer's text."""
    state = reply.fault or reply.answer_state
    parsed = read(reply.raw_answer) if state is None else Parsed(state, problem=reply.fault_message)
    return CallRecord(
        study=study,
        object=call.judged.object,
        item_id=call.judged.item_id,
        setting=call.setting.key,
        repeat=call.repeat,
        attempt=call.attempt,
        run_id=call.run_id,
        judge=identity.judge,
        judge_identity=identity.digest,
        model_asked=identity.model,
        rubric_version=identity.rubric_version,
        parameters=identity.parameters,
        temperature=call.setting.temperature,
        top_p=call.setting.top_p,
        seed=call.seed,
        prompt_hash=call.prompt_hash,
        image_hashes=call.judged.image_hashes,
        started_at=started_at,
        latency_ms=latency_ms,
        model_answered=reply.model_answered,
        fingerprint=reply.fingerprint,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        tokens_cached=reply.tokens_cached,
        cost_usd=reply.cost_usd,
        raw_answer=reply.raw_answer,
        dagster_run_id=dagster_run_id,
        answer_form=reply.answer_form,
        key_id=reply.key_id,
        state=parsed.state,
        fault_message=parsed.problem,
        score=parsed.score,
        score_stated=parsed.score_stated,
        score_recomputed=parsed.score_recomputed,
        subscores=parsed.subscores,
        rationale=parsed.rationale,
    )
