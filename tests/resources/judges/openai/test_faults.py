"""What the judge makes of attempts that bring no answer: which are worth repeating, when, and what ends the run."""

import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from resources.errors import UserError
from resources.judges.contract import JudgedObject, Reply
from tests.openai_server import Scripted, answered, failed, openai_server, quota_used_up, rate_limited
from tests.resources.judges.openai.asked import KEY, PAID, ask, call_of, judge_of, judge_on, judged_in


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> JudgedObject:
    return judged_in(tmp_path_factory.mktemp("images"))


def reply_to(scripted: Scripted, judged: JudgedObject, attempt: int = 1, **configuration: Any) -> Reply:
    with openai_server([scripted]) as server:
        return ask(judge_on(server, **configuration), judged, attempt=attempt)


@pytest.mark.parametrize("status", [500, 502, 503, 529, 409])
def test_a_server_that_fails_is_asked_again_after_a_growing_pause(status: int, judged: JudgedObject) -> None:
    with openai_server([failed(status)]) as server:
        judge = judge_on(server, price=PAID)
        call = call_of(judge, judged, attempt=7)
        pauses = [judge.reply(replace(call, nth_try=nth)).retry_after_s or 0 for nth in (1, 2, 3)]
    # At most 1, 2 and 4 s, at least a third of it; what earlier runs tried does not count.
    assert all(doubled / 3 <= pause <= doubled for pause, doubled in zip(pauses, (1, 2, 4), strict=True))


def test_chance_keeps_calls_apart_at_the_longest_pause_too(judged: JudgedObject) -> None:
    with openai_server([failed(500)]) as server:
        judge = judge_on(server, longest_wait_s=8, faults_until_open=1000)
        calls = [replace(call_of(judge, judged, repeat=repeat), nth_try=9) for repeat in range(1, 13)]
        pauses = [judge.reply(call).retry_after_s or 0 for call in calls]
    # 2^8 s is capped at 8 s, of which chance leaves a third to all.
    assert all(8 / 3 <= pause <= 8 for pause in pauses)
    assert max(pauses) - min(pauses) > 1
    assert len(set(pauses)) == len(pauses)


def test_a_failure_of_the_server_costs_nothing(judged: JudgedObject) -> None:
    reply = reply_to(failed(500), judged, price=PAID)
    assert (reply.fault, reply.cost_usd, reply.stops_run) == ("provider_error", 0.0, None)


def test_the_same_call_always_waits_as_long(judged: JudgedObject) -> None:
    with openai_server([failed(500)]) as server:
        first, second = (ask(judge_on(server), judged).retry_after_s for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry-after": "7"}, 7, 8),
        ({"retry-after-ms": "1500"}, 1.5, 2.5),
        ({"retry-after": "0"}, 0, 0),
        ({"retry-after": "soon"}, 0.3, 1),
        ({"retry-after": "nan"}, 0.3, 1),
        ({"retry-after": "-3"}, 0, 0),
        ({}, 0.3, 1),
    ],
)
def test_a_rate_limit_waits_as_the_server_asks(
    headers: dict[str, str], least: float, most: float, judged: JudgedObject
) -> None:
    reply = reply_to(failed(429, headers=headers), judged)
    assert reply.fault == "rate_limited"
    assert reply.stops_run is None
    assert least <= (reply.retry_after_s if reply.retry_after_s is not None else -1) <= most


def test_a_rate_limit_may_name_a_moment(judged: JudgedObject) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert 30 <= (reply_to(rate_limited(moment), judged).retry_after_s or 0) <= 62


def test_a_pause_that_is_too_long_ends_the_run(judged: JudgedObject) -> None:
    reply = reply_to(rate_limited("3600"), judged, longest_wait_s=60)
    assert reply.retry_after_s is None
    assert "asks to wait 3,600 s" in (reply.stops_run or "")


def test_a_quota_that_is_used_up_ends_the_run_after_this_one_attempt(judged: JudgedObject) -> None:
    with openai_server([answered(), quota_used_up(), answered()]) as server:
        judge = judge_on(server)
        ask(judge, judged)
        reply = ask(judge, judged, repeat=2)
        assert (reply.fault, reply.retry_after_s) == ("rate_limited", None)
        assert "Add credit" in (reply.stops_run or "")
        with pytest.raises(UserError, match="quota or credit"):
            ask(judge, judged, repeat=3)
        assert len(server.requests) == 2


def test_an_answer_that_does_not_come_in_time_is_booked_at_its_worst_case(judged: JudgedObject) -> None:
    reply = reply_to(answered(delay_s=5), judged, price=PAID, timeout_s=0.2)
    assert reply.fault == "timeout"
    assert reply.retry_after_s is not None
    assert reply.cost_usd > 0.008  # 1,000 tokens that may be written at $8 a million, and what is read
    assert "worst case" in (reply.fault_message or "")


def test_an_answer_that_drips_does_not_come_in_time_either(judged: JudgedObject) -> None:
    assert reply_to(answered(drip_s=0.05), judged, timeout_s=0.4).fault == "timeout"


def test_a_cut_connection_is_booked_too(judged: JudgedObject) -> None:
    reply = reply_to(answered(cut=True), judged, price=PAID)
    assert (reply.fault, reply.raw_answer) == ("provider_error", None)
    assert "the connection broke" in (reply.fault_message or "")
    assert reply.cost_usd > 0.008


def test_a_server_that_is_not_there_costs_nothing_and_is_named(judged: JudgedObject) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    reply = ask(judge_of(f"http://127.0.0.1:{port}/v1", price=PAID), judged)
    assert (reply.fault, reply.cost_usd) == ("provider_error", 0.0)
    assert f"http://127.0.0.1:{port}/v1 cannot be reached" in (reply.fault_message or "")


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (401, "invalid_api_key", "OPENAI_API_KEY"),
        (402, None, "Add credit"),
        (403, None, "does not let the key use 'gpt-4o'"),
        (404, "model_not_found", "has no model 'gpt-4o'"),
        (413, None, "image_side_px"),
    ],
)
def test_what_no_other_call_would_fare_better_with_ends_the_run(
    status: int, code: str | None, words: str, judged: JudgedObject
) -> None:
    reply = reply_to(failed(status, code=code), judged)
    assert (reply.fault, reply.retry_after_s) == ("provider_error", None)
    assert words in (reply.stops_run or "")


@pytest.mark.parametrize(
    "echo",
    [
        f"Incorrect API key provided: {KEY}. You can find yours",
        "Incorrect API key provided: sk-test-********ghij. You can find yours",
        f"Incorrect API key provided: {KEY[:8]}... You can find yours",
    ],
)
def test_no_message_shows_the_key_nor_what_a_server_echoes_of_it(echo: str, judged: JudgedObject) -> None:
    reply = reply_to(failed(401, echo), judged)
    for part in (KEY, KEY[:8], KEY[-4:]):
        assert part not in str(reply)
    assert "You can find yours" in (reply.stops_run or "")


@pytest.mark.parametrize("name", ["temperature", "top_p"])
def test_a_refused_setting_is_never_left_out(name: str, judged: JudgedObject) -> None:
    message = f"Unsupported value: '{name}' does not support this with this model."
    with openai_server([failed(400, message, "unsupported_value", name)]) as server:
        reply = ask(judge_on(server), judged)
        assert len(server.requests) == 1
    assert f"does not take the {name} of t0.2_p0.95" in (reply.stops_run or "")


def test_a_prompt_that_a_filter_refuses_is_filtered(judged: JudgedObject) -> None:
    reply = reply_to(failed(400, code="content_filter"), judged)
    assert (reply.fault, reply.answer_state) == (None, "filtered")


def test_another_bad_request_is_a_fault_that_is_not_repeated_within_the_run(judged: JudgedObject) -> None:
    reply = reply_to(failed(400, "image could not be parsed"), judged)
    assert (reply.fault, reply.retry_after_s, reply.stops_run) == ("provider_error", None, None)
    assert "image could not be parsed" in (reply.fault_message or "")


def test_an_image_that_cannot_be_read_is_a_fault_and_nothing_is_sent(judged: JudgedObject, tmp_path: Path) -> None:
    broken = judged_in(tmp_path)
    Path(broken.candidate_path).unlink()
    with openai_server() as server:
        reply = ask(judge_on(server), broken)
        assert not server.requests
    assert (reply.fault, reply.key_id) == ("provider_error", None)
    assert "no such file" in (reply.fault_message or "")


def test_an_image_that_changed_ends_the_run(tmp_path: Path) -> None:
    judged = judged_in(tmp_path)
    Path(judged.candidate_path).write_bytes(Path(judged.reference_paths[0]).read_bytes())
    with openai_server() as server, pytest.raises(UserError, match="changed since study_objects"):
        ask(judge_on(server), judged)
