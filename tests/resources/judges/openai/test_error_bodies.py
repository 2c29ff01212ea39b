"""Errors in the forms of many servers: their own words are read, and what they ask for is done."""

import json
import time
from collections.abc import Mapping
from typing import Any

import pytest

from resources.judges.contract import JudgedObject, Reply
from resources.judges.openai.error_bodies import Said, said_in, status_in
from tests.openai_server import Asked, Scripted, answered, openai_server
from tests.resources.judges.openai.asked import PAID, ask, judge_on, judged_in

SEED = {"code": 400, "message": 'Unknown name "seed": Cannot find field.', "status": "INVALID_ARGUMENT"}
KEY = {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> JudgedObject:
    return judged_in(tmp_path_factory.mktemp("images"))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"message": "no", "code": "c", "param": "seed"}, Said("seed: no", "c", "seed")),
        ({"error": "'response_format.type' must be 'text'"}, Said("'response_format.type' must be 'text'")),
        ("overloaded", Said("overloaded")),
        ([{"error": SEED}], Said(SEED["message"], "INVALID_ARGUMENT")),
        (
            {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]},
            Said("response_format: Extra inputs are not permitted", "", "response_format"),
        ),
        ({"detail": "Not Found"}, Said("Not Found")),
        ({"errors": [{"message": "a"}, {"message": "b"}]}, Said("a; b")),
        ("<html><style>a {}</style><h1>502</h1> Bad gateway</html>", Said("502 Bad gateway")),
        ({"strange": 1}, Said('{"strange": 1}')),
        (None, Said("nothing")),
        ([], Said("nothing")),
    ],
)
def test_the_servers_own_words_are_found_in_any_form(body: Any, said: Said) -> None:
    assert said_in(body, "nothing") == said


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ([{"error": {"message": "Quota exceeded.", "details": [{"retryDelay": "34s"}]}}], 34),
        ({"error": {"message": "busy", "retry_after": 2.5}}, 2.5),
        ("Rate limit reached. Please try again in 1m2.5s. Visit our page.", 62.5),
        ("Please try again in 6ms.", 0.006),
        ("Please retry after 20 seconds.", 20),
        ("try again in 1h2m3s", 3723),
        ("wait 2 minutes", 120),
        ("Limit 30000, used 29990. Try again later.", None),
        # No length of time: the pause is then ours.
        ({"error": {"message": "busy", "retry_after": "nan"}}, None),
        ({"error": {"message": "busy", "retry_after": "-50"}}, None),
        ({"error": {"message": "busy", "retry_after": True}}, None),
        ({"error": {"message": "busy", "retry_after": int("9" * 400)}}, float("inf")),
    ],
)
def test_a_delay_inside_the_body_is_read(body: Any, seconds: float | None) -> None:
    assert said_in(body).retry_after_s == seconds


def error(status: int, body: Any) -> Scripted:
    return Scripted(status=status, raw=json.dumps(body).encode())


def asked_of(refuses: Mapping[str, Any], status: int, field: str, judged: JudgedObject) -> tuple[Reply, list[Asked]]:
    """What comes of one call to a server that refuses requests with this field, and what it was sent."""

    def script(asked: Asked) -> Scripted:
        return error(status, refuses) if field in asked.body else answered()

    with openai_server(script) as server:
        return ask(judge_on(server), judged), server.requests


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (400, {"error": "'response_format.type' must be 'text'"}, "'response_format.type' must be 'text'"),
        (
            422,
            {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]},
            "Extra inputs",
        ),
    ],
)
def test_a_form_that_is_refused_in_any_words_gives_way(
    status: int, body: Any, words: str, judged: JudgedObject
) -> None:
    reply, requests = asked_of(body, status, "response_format", judged)
    assert (reply.fault, reply.answer_form, len(requests)) == (None, "plain", 3)
    assert words in (reply.earlier[0].fault_message or "")
    assert "Asked again with answer_form `json_object`" in (reply.earlier[0].fault_message or "")


def test_a_seed_that_is_refused_is_left_out_once_for_all_and_said(judged: JudgedObject) -> None:
    def script(asked: Asked) -> Scripted:
        return error(400, [{"error": SEED}]) if "seed" in asked.body else answered()

    with openai_server(script) as server:
        judge = judge_on(server)
        first, second = ask(judge, judged), ask(judge, judged, repeat=2)
        assert ["seed" in asked.body for asked in server.requests] == [True, False, False]
    assert (first.fault, second.fault, second.earlier) == (None, None, ())
    assert first.earlier[0].fault_message == f"status 400: {SEED['message'].rstrip('.')}. Asked again without `seed`."


@pytest.mark.parametrize(("status", "body"), [(400, [{"error": KEY}]), (403, {"message": "Invalid API key."})])
def test_a_wrong_key_ends_the_run_whatever_its_status(status: int, body: Any, judged: JudgedObject) -> None:
    with openai_server([error(status, body)]) as server:
        reply = ask(judge_on(server), judged)
        assert len(server.requests) == 1
    assert "does not take the key" in (reply.stops_run or "")
    assert "Set OPENAI_API_KEY" in (reply.stops_run or "")
    assert "Error code" not in (reply.fault_message or "")


def test_a_delay_inside_the_body_is_waited_for(judged: JudgedObject) -> None:
    body = [{"error": {"code": 429, "message": "Quota exceeded.", "details": [{"retryDelay": "7s"}]}}]
    with openai_server([error(429, body)]) as server:
        begun = time.monotonic()
        reply = ask(judge_on(server), judged)
        assert time.monotonic() - begun < 5  # the call itself does not wait
    assert (reply.fault, reply.fault_message) == ("rate_limited", "status 429: Quota exceeded.")
    assert 7 <= (reply.retry_after_s or 0) <= 8


def test_a_form_that_the_configuration_fixes_ends_the_run_with_its_remedy(judged: JudgedObject) -> None:
    with openai_server([error(400, {"error": "response_format is not supported"})]) as server:
        reply = ask(judge_on(server, answer_form="json_schema"), judged)
    assert "Set `answer_form: auto`" in (reply.stops_run or "")


@pytest.mark.parametrize(
    ("scripted", "words"),
    [
        (error(400, {"error": "image could not be parsed"}), "refuses the requests.*Correct what it names"),
        (error(503, "overloaded"), "counts as down.*Run again later"),
        (answered(delay_s=1), "no answer comes in time.*Raise `timeout_s`"),
        (error(429, {"error": {"message": "slow down", "retry_after": 0}}), "rate limit.*Lower `requests_per_minute`"),
    ],
)
def test_what_ends_the_run_after_many_faults_is_named_with_its_own_remedy(
    scripted: Scripted, words: str, judged: JudgedObject
) -> None:
    import re

    with openai_server([scripted]) as server:
        judge = judge_on(server, faults_until_open=2, timeout_s=0.2)
        replies = [ask(judge, judged, repeat=repeat) for repeat in (1, 2)]
    assert re.search(f"2 faults in a row: .*{words}", replies[-1].stops_run or "")


def within_an_answer(body: Any, **changed: Any) -> Scripted:
    """An error that a gateway sends with status 200: bytes as they are, all else as JSON."""
    return answered(raw=body if isinstance(body, bytes) else json.dumps(body).encode(), **changed)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Invalid API key.", "code": 401}},
        {"error": {"message": "Invalid API key.", "type": "invalid_request_error", "code": "invalid_api_key"}},
        {"error": {"message": "Invalid API key.", "status": "UNAUTHENTICATED"}, "choices": None},
        {"error": "Invalid API key."},
        [{"error": KEY | {"message": "Invalid API key."}}],
        {"detail": "Invalid API key."},
        "Invalid API key.",
        b"Invalid API key.",
        b"<html><body><p>Invalid API key.</p></body></html>",
    ],
)
def test_a_wrong_key_within_status_200_ends_the_run_at_once(body: Any, judged: JudgedObject) -> None:
    with openai_server([within_an_answer(body)]) as server:
        reply = ask(judge_on(server, price=PAID), judged)
        assert len(server.requests) == 1
    assert "does not take the key (status 200 with an error: Invalid API key.)" in (reply.stops_run or "")
    assert (reply.fault, reply.retry_after_s, reply.cost_usd) == ("provider_error", None, 0)


def test_a_parameter_that_is_refused_within_status_200_is_left_out_once(judged: JudgedObject) -> None:
    def script(asked: Asked) -> Scripted:
        return within_an_answer({"error": SEED}) if "seed" in asked.body else answered()

    with openai_server(script) as server:
        judge = judge_on(server)
        first, second = ask(judge, judged), ask(judge, judged, repeat=2)
        assert ["seed" in asked.body for asked in server.requests] == [True, False, False]
    assert (first.fault, second.fault, second.earlier) == (None, None, ())
    assert first.earlier[0].fault_message == (
        f"status 200 with an error: {SEED['message'].rstrip('.')}. Asked again without `seed`."
    )


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ({"error": {"code": 429, "message": "Quota exceeded.", "details": [{"retryDelay": "7s"}]}}, {}),
        ({"error": {"type": "rate_limit_error", "message": "Slow down."}}, {"retry-after": "7"}),
        ({"error": {"message": "Rate limit reached. Please try again in 7s."}}, {}),
    ],
)
def test_a_rate_limit_within_status_200_is_waited_for(body: Any, headers: dict[str, str], judged: JudgedObject) -> None:
    with openai_server([within_an_answer(body, headers=headers)]) as server:
        reply = ask(judge_on(server), judged)
    assert (reply.fault, reply.stops_run) == ("rate_limited", None)
    assert 7 <= (reply.retry_after_s or 0) <= 8
    assert body["error"]["message"] in (reply.fault_message or "")


def test_a_rate_limit_in_plain_words_within_status_200_is_waited_for(judged: JudgedObject) -> None:
    with openai_server([within_an_answer(b"Too many requests. Try again in 7s.")]) as server:
        reply = ask(judge_on(server), judged)
    assert (reply.fault, reply.stops_run) == ("rate_limited", None)
    assert 7 <= (reply.retry_after_s or 0) <= 8


@pytest.mark.parametrize(
    "body",
    [
        b"Something broke upstream.",
        # The words are a judge's, of an answer that was cut off or streamed; they are no error's.
        b'{"choices": [{"message": {"content": "The API key on the render is wrong, its material unsupp',
        b'data: {"choices": [{"delta": {"content": "The API key on the render is wrong"}}]}',
    ],
)
def test_what_is_no_known_error_in_plain_words_is_asked_again_and_booked(body: bytes, judged: JudgedObject) -> None:
    with openai_server([within_an_answer(body)]) as server:
        reply = ask(judge_on(server, price=PAID), judged)
    assert (reply.fault, reply.stops_run) == ("provider_error", None)
    assert reply.retry_after_s is not None
    assert (reply.fault_message or "").startswith("the server's answer is no JSON object: ")
    assert reply.cost_usd > 0


def test_used_up_credit_within_status_200_ends_the_run(judged: JudgedObject) -> None:
    body = {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}
    with openai_server([within_an_answer(body)]) as server:
        assert "is used up" in (ask(judge_on(server), judged).stops_run or "")


def test_an_error_of_unknown_kind_within_status_200_is_asked_again_and_booked(judged: JudgedObject) -> None:
    with openai_server([within_an_answer({"error": {"message": "Something broke upstream."}})]) as server:
        reply = ask(judge_on(server, price=PAID), judged)
    assert (reply.fault, reply.stops_run) == ("provider_error", None)
    assert reply.retry_after_s is not None
    assert (reply.fault_message or "").startswith("status 200 with an error: Something broke upstream. Booked at its")
    assert reply.cost_usd > 0


def test_an_answer_that_ends_with_a_known_error_is_read_alike_and_its_tokens_count(judged: JudgedObject) -> None:
    choice = {"message": {"content": "{"}, "finish_reason": "error", "error": {"code": 429, "message": "Slow down."}}
    body = {"choices": [choice], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}
    with openai_server([within_an_answer(body)]) as server:
        reply = ask(judge_on(server, price=PAID), judged)
    assert (reply.fault, reply.fault_message) == ("rate_limited", "the answer ended with an error: Slow down.")
    # Two dollars a million in, eight out.
    assert (reply.tokens_in, reply.tokens_out, reply.cost_usd) == (1000, 100, pytest.approx(0.0028))


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": {"code": 503, "message": "x"}}, 503),
        ({"error": {"code": "402", "message": "x"}}, 402),
        ({"error": {"message": "x", "code": "model_not_found"}}, 404),
        ({"error": {"message": "The model `m` does not exist."}}, 404),
        ({"error": {"message": "Unsupported parameter: 'timeout'."}}, 400),
        ({"error": {"message": "upstream timed out"}}, 504),
        ({"error": {"code": 7, "message": "x"}}, None),
    ],
)
def test_an_error_says_which_status_it_should_have_had(body: Any, status: int | None) -> None:
    assert status_in(body) == status
