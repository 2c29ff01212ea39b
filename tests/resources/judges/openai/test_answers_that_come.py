"""What the judge makes of every kind of answer that a real server on loopback sends with status 200."""

import json

import pytest

from resources.configuration.fidelity import RubricWeights
from resources.judges.answers import parse_answer
from resources.judges.contract import JudgedObject, Reply
from tests.openai_server import MODEL, SUBSCORES, Scripted, answered, openai_server, valid_text
from tests.resources.judges.openai.asked import PAID, ask, judge_on, judged_in

ITEM = "558736"
SUMS_TO_70 = dict.fromkeys(SUBSCORES, 70)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> JudgedObject:
    return judged_in(tmp_path_factory.mktemp("images"), ITEM)


def reply_to(scripted: Scripted, judged: JudgedObject) -> Reply:
    with openai_server([scripted]) as server:
        return ask(judge_on(server, price=PAID), judged)


def state_of(reply: Reply) -> str:
    return reply.fault or reply.answer_state or parse_answer(reply.raw_answer, ITEM, RubricWeights()).state


def test_an_answer_comes_back_raw_with_all_that_the_ledger_wants(judged: JudgedObject) -> None:
    usage = {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "total_tokens": 1100,
        "prompt_tokens_details": {"cached_tokens": 400},
    }
    reply = reply_to(answered(usage=usage), judged)
    assert reply.raw_answer == valid_text(ITEM)
    assert state_of(reply) == "valid"
    assert (reply.model_answered, reply.fingerprint) == (MODEL, "fp_1")
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (1000, 100, 400)
    assert reply.answer_form == "json_schema"
    assert len(reply.key_id or "") == 8
    assert (reply.latency_ms or 0) > 0
    # 600 plain tokens at $2, 400 cached at $0.50, 100 out at $8 a million: 0.0012 + 0.0002 + 0.0008.
    assert reply.cost_usd == pytest.approx(0.0022)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (
            valid_text(ITEM, 50, subscores=SUMS_TO_70),
            "valid",
        ),  # a sum that is wrong is counted by the ledger's two scores
        (f"```json\n{valid_text(ITEM)}\n```", "recovered"),
        (valid_text(ITEM)[:60], "invalid_json"),
        (valid_text(ITEM, 140), "out_of_range"),
        (valid_text("another"), "schema_error"),
        ("I'm sorry, I can't assist with that.", "refused"),
        ("", "refused"),
    ],
)
def test_the_text_decides_the_state(text: str, state: str, judged: JudgedObject) -> None:
    reply = reply_to(answered(text), judged)
    assert state_of(reply) == state
    assert reply.raw_answer == (text or None)
    assert reply.retry_after_s is None


def test_a_refusal_in_its_own_field_is_a_refusal(judged: JudgedObject) -> None:
    reply = reply_to(answered(refusal="I will not rate this."), judged)
    assert state_of(reply) == "refused"
    assert reply.raw_answer == "I will not rate this."


@pytest.mark.parametrize("finish", ["stop", "STOP", "end_turn", "eos_token", "stop_sequence", "", None])
def test_a_normal_stop_leaves_it_to_the_text(finish: str | None, judged: JudgedObject) -> None:
    assert state_of(reply_to(answered(finish_reason=finish), judged)) == "valid"


@pytest.mark.parametrize(
    ("finish", "state"),
    [
        *((word, "cut_off") for word in ("length", "MAX_TOKENS", "max_tokens", "model_length", "abort")),
        *((word, "cut_off") for word in ("insufficient_system_resource", "tool_calls", "a word of tomorrow")),
        *((word, "filtered") for word in ("content_filter", "SAFETY", "RECITATION", "PROHIBITED_CONTENT")),
        ("refusal", "refused"),
    ],
)
@pytest.mark.parametrize("text", [valid_text(ITEM)[:60], valid_text(ITEM), ""])
def test_whatever_ends_an_answer_before_its_time_leaves_no_score(
    finish: str, state: str, text: str, judged: JudgedObject
) -> None:
    reply = reply_to(answered(text, finish_reason=finish), judged)
    assert state_of(reply) == state
    assert f"finish_reason '{finish}'" in (reply.fault_message or "")
    assert (reply.raw_answer or "", reply.retry_after_s) == (text, None)


@pytest.mark.parametrize("text", ["", "<think>The colours"])
def test_a_model_that_reasons_until_the_limit_is_said_to_need_more_tokens(text: str, judged: JudgedObject) -> None:
    reply = reply_to(answered(text, finish_reason="length"), judged)
    assert "max_output_tokens" in (reply.fault_message or "")
    assert "reasons needs more" in (reply.fault_message or "")


@pytest.mark.parametrize(
    "message",
    [
        {"content": f"<think>\nIt meets 3 of 5 criteria.\n</think>\n\n{valid_text(ITEM)}"},
        {"content": f"It meets 3 of 5 criteria.\n</think>\n\n{valid_text(ITEM)}"},  # the mark was in the template
        {"content": valid_text(ITEM), "reasoning_content": "It meets 3 of 5 criteria."},
        {"content": valid_text(ITEM), "reasoning": "It meets 3 of 5 criteria."},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "It meets 3 of 5 criteria."}]},
                {"type": "text", "text": valid_text(ITEM)},
            ]
        },
    ],
)
def test_reasoning_is_taken_apart_from_the_answer(message: dict, judged: JudgedObject) -> None:
    assert state_of(reply_to(answered(raw=body_of(message)), judged)) == "valid"


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": valid_text(ITEM)},
        {"content": "", "reasoning": valid_text(ITEM)},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": valid_text(ITEM)}]}]},
        {"content": f"<think>{valid_text(ITEM)}</think>"},
        {"content": f"<think>\n{valid_text(ITEM)}"},
    ],
)
def test_an_answer_that_is_only_reasoning_says_so_and_is_kept(message: dict, judged: JudgedObject) -> None:
    reply = reply_to(answered(raw=body_of(message)), judged)
    assert state_of(reply) == "reasoning_only"
    assert valid_text(ITEM) in (reply.raw_answer or "")


def body_of(message: dict) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()


def test_bytes_that_are_no_utf8_are_no_json(judged: JudgedObject) -> None:
    text = valid_text(ITEM).replace("colours", "col\u00f6urs")
    body = json.dumps({"choices": [{"message": {"content": text}}]}, ensure_ascii=False)
    reply = reply_to(answered(raw=body.encode("latin-1")), judged)
    assert state_of(reply) == "invalid_json"
    assert "\ufffd" in (reply.raw_answer or "")


def test_an_answer_of_10_mb_is_cut_off_and_kept_short(judged: JudgedObject) -> None:
    reply = reply_to(answered("x" * 10_000_000), judged)
    assert state_of(reply) == "cut_off"
    assert len(reply.raw_answer or "") == 20_000


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>502</html>",
        b"[]",
        b"",
        b"{}",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": null}]}',
        b'{"error": {"message": "overloaded"}}',
        b"[" * 100_000,
    ],
)
def test_a_body_without_a_message_is_a_fault_that_may_pass(raw: bytes, judged: JudgedObject) -> None:
    reply = reply_to(answered(raw=raw), judged)
    assert reply.fault == "provider_error"
    assert reply.raw_answer is None
    assert reply.retry_after_s is not None


@pytest.mark.parametrize(
    "usage",
    [None, {}, [], {"prompt_tokens": "many", "completion_tokens": -1}, {"prompt_tokens": True, "completion_tokens": 1}],
)
def test_an_answer_without_usage_is_booked_at_its_worst_case(usage: dict | None, judged: JudgedObject) -> None:
    reply = reply_to(answered(usage=usage), judged)
    assert state_of(reply) == "valid"
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (None, None, None)
    # At least the 1,000 tokens that may be written, at $8 a million.
    assert reply.cost_usd > 0.008


def test_reasoning_that_only_the_total_shows_is_paid_as_output(judged: JudgedObject) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1600}
    reply = reply_to(answered(usage=usage), judged)
    assert reply.tokens_out == 600
    # 1000 x $2 + 600 x $8 a million.
    assert reply.cost_usd == pytest.approx(0.0068)


def test_text_in_parts_is_put_together(judged: JudgedObject) -> None:
    parts = [{"type": "text", "text": valid_text(ITEM)[:30]}, {"type": "text", "text": valid_text(ITEM)[30:]}]
    body = {"choices": [{"message": {"content": parts}}]}
    assert reply_to(answered(raw=json.dumps(body).encode()), judged).raw_answer == valid_text(ITEM)
