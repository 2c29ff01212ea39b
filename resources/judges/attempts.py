"""From a reply to the rows that the ledger keeps of it."""

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
    """One attempt with everything that is kept of it, the answer read.

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
    state = reply.fault or reply.answer_state
    if state is not None:
        read = Parsed(state, problem=reply.fault_message)
    else:
        read = parse_answer(reply.raw_answer, call.judged.item_id, plan.rubric_weights, plan.score_source)
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
        state=read.state,
        fault_message=read.problem,
        score=read.score,
        score_stated=read.score_stated,
        score_recomputed=read.score_recomputed,
        subscores=read.subscores,
        rationale=read.rationale,
    )
