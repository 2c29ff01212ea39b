"""Anthropic's format is translated from and to OpenAI's, and a judge of it behaves like any other."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from resources.configuration.fidelity import RubricWeights
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.settings import Setting
from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges.openai.access import access_of, anthropic_body, anthropic_completion
from resources.judges.openai_judge import OpenAIJudge
from tests.anthropic_server import Message, anthropic_server, refused
from tests.openai_server import OpenAIServer
from tests.resources.judges.openai.asked import FREE, KEY, PAID, ask, call_of, claude_of, judged_in


def judge_on(server: OpenAIServer, **configuration: Any) -> OpenAIJudge:
    judge = claude_of(server.base_url, **configuration)
    judge.begin(Spent())
    return judge


def test_a_request_has_the_system_apart_images_as_base64_and_the_key_in_its_own_header(tmp_path: Path) -> None:
    with anthropic_server() as server:
        reply = ask(judge_on(server), judged_in(tmp_path))
    [asked] = server.requests
    assert json.loads(reply.raw_answer or "")["score"] == 70
    assert asked.headers["x-api-key"] == KEY
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in asked.headers
    assert asked.body["system"].startswith("You are a meticulous rater")
    [message] = asked.body["messages"]
    assert message["role"] == "user"
    picture = message["content"][1]
    assert picture["type"] == "image"
    assert picture["source"]["media_type"] == "image/jpeg"
    assert not picture["source"]["data"].startswith("data:")
    assert asked.body["model"] == "claude-test"
    assert asked.body["max_tokens"] == 1000
    assert asked.body["output_config"]["format"]["type"] == "json_schema"
    assert not {"seed", "response_format"} & set(asked.body)


def test_a_neutral_top_p_is_left_out_and_any_other_is_sent() -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    request = {"model": "m", "messages": messages, "temperature": 0.2, "max_tokens": 9, "top_p": 1.0, "seed": 3}
    expected = {"model": "m", "max_tokens": 9, "system": "s", "messages": messages[1:], "temperature": 0.2}
    assert anthropic_body(request) == expected
    assert anthropic_body(request | {"top_p": 0.9}) == expected | {"top_p": 0.9}


def test_reasoning_effort_is_sent_and_none_of_it_switches_reasoning_off() -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    request = {"model": "m", "messages": messages, "temperature": 1, "max_tokens": 9}
    assert anthropic_body(request | {"reasoning_effort": "low"})["output_config"] == {"effort": "low"}
    assert anthropic_body(request | {"reasoning_effort": "none"})["thinking"] == {"type": "disabled"}


def test_tokens_of_caches_are_part_of_what_was_read_and_are_priced_apart(tmp_path: Path) -> None:
    # 700 plain, 200 from a cache, 100 written to one: 1,000 read; 2 USD a million, cached 0.5; 90 written at 8.
    with anthropic_server() as server:
        reply = ask(judge_on(server, price=PAID), judged_in(tmp_path))
    assert (reply.tokens_in, reply.tokens_cached, reply.tokens_out) == (1000, 200, 90)
    assert reply.cost_usd == pytest.approx((800 * 2 + 200 * 0.5 + 90 * 8) / 1e6)
    assert reply.model_answered == "claude-test-20260101"


def test_reasoning_stays_apart_from_the_answer(tmp_path: Path) -> None:
    parts: tuple[dict[str, Any], ...] = (
        {"type": "thinking", "thinking": "let me see", "signature": "x"},
        {"type": "redacted_thinking", "data": "zz"},
        {"type": "text", "text": "the answer"},
    )
    with anthropic_server([Message(parts=parts), Message(parts=parts[:2])]) as server:
        judge, judged = judge_on(server), judged_in(tmp_path)
        assert ask(judge, judged).raw_answer == "the answer"
        assert ask(judge, judged).raw_answer == "<think>\nlet me see\n</think>"


@pytest.mark.parametrize(
    ("stop_reason", "state"),
    [
        ("end_turn", None),
        ("stop_sequence", None),
        ("max_tokens", "cut_off"),
        ("refusal", "refused"),
        ("model_context_window_exceeded", "cut_off"),
        ("pause_turn", "cut_off"),
    ],
)
def test_the_reason_for_the_end_gives_the_state(stop_reason: str, state: str | None, tmp_path: Path) -> None:
    with anthropic_server([Message(text="{}", finish_reason=stop_reason)]) as server:
        assert ask(judge_on(server), judged_in(tmp_path)).answer_state == state


@pytest.mark.parametrize(
    ("scripted", "fault", "waits"),
    [
        (refused(429, "rate_limit_error", headers={"retry-after": "7"}), "rate_limited", True),
        (refused(529, "overloaded_error"), "provider_error", True),
        (refused(500, "api_error"), "provider_error", True),
        (refused(400, "invalid_request_error", "messages: too long"), "provider_error", False),
    ],
)
def test_an_error_may_pass_or_not_as_its_kind_says(scripted: Message, fault: str, waits: bool, tmp_path: Path) -> None:
    with anthropic_server([scripted]) as server:
        reply = ask(judge_on(server), judged_in(tmp_path))
    assert reply.fault == fault
    assert (reply.retry_after_s is not None) is waits
    if fault == "rate_limited":
        assert 7 <= (reply.retry_after_s or 0) <= 8


@pytest.mark.parametrize(
    ("scripted", "words"),
    [
        (refused(401, "authentication_error", "invalid x-api-key"), "Set MY_KEY to one that it issued"),
        (refused(404, "not_found_error", "model: claude-test"), "Correct `model` or `base_url`"),
        (refused(402, "billing_error", "billing"), "quota or credit"),
        (refused(400, "invalid_request_error", "image input is not supported"), "takes no images"),
        (refused(400, "invalid_request_error", "Your credit balance is too low"), "quota or credit"),
        (refused(400, "invalid_request_error", f"temperature: no, {KEY}"), "does not take the temperature"),
        (refused(400, "invalid_request_error", "output_config.effort: no"), "Correct `reasoning_effort: None`"),
        (
            refused(400, "invalid_request_error", "`temperature` and `top_p` cannot both be specified"),
            "does not take the top_p of t0.2_p0.95",
        ),
        (refused(400, "invalid_request_error", "max_tokens: 1000 > 900, the maximum"), "Lower `max_output_tokens`"),
    ],
)
def test_what_every_call_would_get_stops_the_run_with_what_to_do(scripted: Message, words: str, tmp_path: Path) -> None:
    with anthropic_server([scripted]) as server:
        reply = ask(judge_on(server), judged_in(tmp_path))
    assert len(server.requests) == 1
    assert words in (reply.stops_run or "")
    assert KEY not in repr(reply)


@pytest.mark.parametrize(
    "said", ["output_config.format: not supported by this model", "output_config: Extra inputs are not permitted"]
)
def test_a_schema_that_is_refused_gives_way_to_a_plain_answer(said: str, tmp_path: Path) -> None:
    schema = refused(400, "invalid_request_error", said)
    with anthropic_server([schema, Message()]) as server:
        reply = ask(judge_on(server), judged_in(tmp_path))
    assert [bool(reply.raw_answer), len(reply.earlier)] == [True, 1]
    assert "output_config" not in server.requests[1].body


@pytest.mark.parametrize(
    "said",
    [
        "Could not process image",
        "messages.0.content.1.image: this image is not allowed",
        "input length and `max_tokens` exceed context limit: 199000 + 1000 > 199999",
    ],
)
def test_what_is_wrong_with_one_call_does_not_stop_the_others(said: str, tmp_path: Path) -> None:
    with anthropic_server([refused(400, "invalid_request_error", said)]) as server:
        reply = ask(judge_on(server), judged_in(tmp_path))
    assert (reply.fault, reply.stops_run, len(server.requests)) == ("provider_error", None, 1)


def test_without_a_header_of_its_own_a_used_up_allowance_says_how_long_to_wait(tmp_path: Path) -> None:
    def filled_in(seconds: float) -> str:
        return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")

    name = "anthropic-ratelimit"
    headers = {f"{name}-requests-remaining": "9", f"{name}-requests-reset": filled_in(900)}
    headers |= {f"{name}-input-tokens-remaining": "0", f"{name}-input-tokens-reset": filled_in(20)}
    with anthropic_server([refused(429, "rate_limit_error", headers=headers)]) as server:
        reply = ask(judge_on(server), judged_in(tmp_path))
    assert 15 < (reply.retry_after_s or 0) <= 21


def test_a_body_that_is_no_answer_stays_as_it_is() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert anthropic_completion(error) == error


def test_a_judge_of_the_list_has_the_identity_of_one_that_variables_name() -> None:
    listed = ModelJudge(kind="model", name="any", model="openai:gpt-4o", key_variable="MY_KEY")
    older = replace(access_of(ModelJudge(kind="model", model="openai:gpt-4o"), {}), key="k", judge="The judge openai")
    judge = OpenAIJudge(listed, RubricWeights(), access_of(listed, {"MY_KEY": KEY}))
    assert judge.identity.judge == "openai"
    assert judge.identity.digest == OpenAIJudge(listed, RubricWeights(), older).identity.digest


def test_a_missing_key_is_named_before_anything_is_sent(tmp_path: Path) -> None:
    described = ModelJudge(kind="model", name="claude", model="anthropic:claude-test", price=FREE)
    judge = OpenAIJudge(described, RubricWeights(), access_of(described, {"OPENAI_API_KEY": KEY}))
    with pytest.raises(UserError, match=r"The judge claude cannot be asked: ANTHROPIC_API_KEY is not set"):
        judge.begin(Spent())


def test_a_judge_without_a_key_that_is_asked_for_one_is_to_name_its_variable(tmp_path: Path) -> None:
    with anthropic_server([refused(401, "authentication_error", "x-api-key is missing")]) as server:
        reply = ask(judge_on(server, key_variable=None), judged_in(tmp_path))
    assert "Name by `key_variable` an environment variable that holds a key." in (reply.stops_run or "")


def test_the_key_of_a_provider_goes_to_no_other_address() -> None:
    described = ModelJudge(kind="model", model="anthropic:claude-test", base_url="http://127.0.0.1:1/v1")
    assert access_of(described, {"ANTHROPIC_API_KEY": KEY}).key == "none"


def test_a_call_keeps_its_nonce_and_seed_whatever_the_dialect(tmp_path: Path) -> None:
    with anthropic_server() as server:
        judge = judge_on(server)
        first, again = (call_of(judge, judged_in(tmp_path), setting=Setting(0.2, 0.95)) for _ in range(2))
    assert (first.run_id, first.seed) == (again.run_id, again.seed)
