"""What the judge sends, and how it gives way to what a server does not know, without ever changing a setting."""

import threading
from typing import Any

import pytest

from resources.configuration.settings import Setting
from resources.judges.contract import JudgedObject
from resources.judges.openai.access import Access
from resources.judges.openai.chat_judge import Refused, RequestForm, setting_blamed
from tests.openai_server import Asked, Scripted, answered, failed, openai_server
from tests.resources.judges.openai.asked import KEY, ask, call_of, judge_of, judge_on, judged_in


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> JudgedObject:
    return judged_in(tmp_path_factory.mktemp("images"))


def knows(forms: set[str | None], tokens: str = "max_tokens") -> Any:
    """A server that knows only some forms of the answer, and one name for the limit of tokens."""

    def script(asked: Asked) -> Scripted:
        form = asked.body.get("response_format", {}).get("type")
        if form not in forms:
            return failed(400, f"'response_format.type' : value is not one of the allowed values: {form}")
        if tokens not in asked.body:
            return failed(400, f"Unsupported parameter: use '{tokens}' instead.", "unsupported_parameter", "max_tokens")
        return answered()

    return script


def test_a_request_says_everything_that_a_setting_means(judged: JudgedObject) -> None:
    with openai_server() as server:
        judge = judge_on(server, max_output_tokens=700)
        call = call_of(judge, judged, setting=Setting(0.8, 0.9))
        judge.reply(call)
        (asked,) = server.requests
    body = asked.body
    assert (body["model"], body["temperature"], body["top_p"]) == ("gpt-4o", 0.8, 0.9)
    assert (body["max_tokens"], body["seed"]) == (700, call.seed)
    assert body["response_format"]["type"] == "json_schema"
    assert body["messages"][0] == {"role": "system", "content": call.system_message}
    assert asked.run_id == call.run_id
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_pictures_stand_behind_their_labels_and_before_the_nonce(judged: JudgedObject) -> None:
    with openai_server() as server:
        ask(judge_on(server), judged)
        parts = server.requests[0].body["messages"][1]["content"]
    kinds = [part["type"] for part in parts]
    assert kinds == ["text", "image_url"] * 3 + ["text"]
    assert [part["text"] for part in parts[:-1:2]] == ["GT #1", "GT #2", "CANDIDATE"]
    assert "run_id" in parts[-1]["text"]


def test_repeats_differ_in_nothing_but_nonce_and_seed(judged: JudgedObject) -> None:
    with openai_server() as server:
        judge = judge_on(server)
        for repeat in (1, 2):
            ask(judge, judged, repeat=repeat)
        first, second = (dict(asked.body) for asked in server.requests)
        nonces = [asked.run_id for asked in server.requests]
    assert first.pop("seed") != second.pop("seed")
    first["messages"][1]["content"][-1]["text"] = first["messages"][1]["content"][-1]["text"].replace(*nonces)
    assert first == second


@pytest.mark.parametrize(
    ("forms", "used", "n_requests"),
    [
        ({"json_schema", "json_object", None}, "json_schema", 1),
        ({"json_object", None}, "json_object", 2),
        ({None}, "plain", 3),
    ],
)
def test_the_form_of_the_answer_gives_way_once_for_all_calls(
    forms: set[str | None], used: str, n_requests: int, judged: JudgedObject
) -> None:
    with openai_server(knows(forms)) as server:
        judge = judge_on(server)
        replies = [ask(judge, judged, repeat=repeat) for repeat in (1, 2, 3)]
        assert len(server.requests) == n_requests + 2
    assert {reply.answer_form for reply in replies} == {used}
    assert not any(reply.fault for reply in replies)
    # Every request is an attempt: what a form that gives way took from the day's quota is in the ledger.
    assert [len(reply.earlier) for reply in replies] == [n_requests - 1, 0, 0]
    for given_up in replies[0].earlier:
        assert (given_up.fault, given_up.cost_usd, given_up.key_id) == ("provider_error", 0.0, replies[0].key_id)
        assert given_up.answer_form != used


def test_calls_that_begin_together_find_the_form_with_one_of_them(judged: JudgedObject) -> None:
    with openai_server(knows({None}), latency_s=0.05) as server:
        judge = judge_on(server)
        threads = [threading.Thread(target=ask, args=(judge, judged, repeat)) for repeat in range(1, 7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert len(server.requests) == 2 + 6


def test_a_form_that_the_configuration_names_does_not_give_way(judged: JudgedObject) -> None:
    with openai_server(knows({None})) as server:
        reply = ask(judge_on(server, answer_form="json_object"), judged)
        assert len(server.requests) == 1
    assert reply.fault == "provider_error"
    assert "response_format" in (reply.fault_message or "")


def test_the_name_of_the_token_limit_gives_way(judged: JudgedObject) -> None:
    with openai_server(knows({"json_schema"}, tokens="max_completion_tokens")) as server:
        assert ask(judge_on(server), judged).fault is None
        assert "max_tokens" not in server.requests[-1].body


@pytest.mark.parametrize(
    ("configuration", "absent"),
    [({"send_seed": False}, "seed"), ({"send_neutral_top_p": False}, "top_p"), ({}, "reasoning_effort")],
)
def test_what_the_configuration_leaves_out_is_not_sent(
    configuration: dict[str, Any], absent: str, judged: JudgedObject
) -> None:
    with openai_server() as server:
        judge = judge_on(server, **configuration)
        judge.reply(call_of(judge, judged, setting=Setting(0.2, 1.0)))
        assert absent not in server.requests[0].body


def test_only_a_neutral_top_p_is_left_out(judged: JudgedObject) -> None:
    with openai_server() as server:
        ask(judge_on(server, send_neutral_top_p=False), judged)
        assert server.requests[0].body["top_p"] == 0.95


def test_reasoning_effort_is_sent_and_part_of_the_identity(judged: JudgedObject) -> None:
    with openai_server() as server:
        judge = judge_on(server, reasoning_effort="none")
        ask(judge, judged)
        assert server.requests[0].body["reasoning_effort"] == "none"
        assert judge.identity.digest != judge_on(server).identity.digest


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"image_side_px": 128}, False),
        ({"image_format": "png"}, False),
        ({"image_detail": "low"}, False),
        ({"answer_form": "plain"}, False),
        ({"max_output_tokens": 500}, False),
        ({"send_seed": False}, False),
        ({"send_neutral_top_p": False}, False),
        ({"concurrency": 2}, True),
        ({"requests_per_minute": 5}, True),
        ({"budget_usd": 9}, True),
        ({"timeout_s": 9}, True),
        ({"attempts": 1}, True),
    ],
)
def test_what_changes_an_answer_makes_another_judge_and_the_rest_does_not(changed: dict[str, Any], same: bool) -> None:
    address = "http://127.0.0.1:1/v1/"
    plain, other = judge_of(address).identity, judge_of(address, **changed).identity
    assert (plain.digest == other.digest) is same
    assert plain.parameters["base_url"] == "http://127.0.0.1:1/v1"
    assert KEY not in str(plain)


def test_names_of_an_organisation_and_an_administrators_key_go_to_no_other_provider(
    judged: JudgedObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "ours")
    with openai_server() as server:
        ask(judge_on(server), judged)
        monkeypatch.setattr(Access, "is_openai", True)
        ask(judge_on(server), judged)
    other, own = (asked.headers for asked in server.requests)
    assert not {"openai-organization", "openai-project"} & set(other)
    assert [own["openai-organization"], own["openai-project"]] == ["ours", "ours"]
    assert other["authorization"] == own["authorization"] == f"Bearer {KEY}"


def test_openai_itself_is_asked_with_the_newer_name_first() -> None:
    form = RequestForm("json_schema", False, "max_completion_tokens")
    other = form.without(Refused("max_completion_tokens", "unknown field"))
    assert other is not None
    assert other.tokens_field == "max_tokens"
    assert other.without(Refused("max_tokens", "unknown field")) is None


@pytest.mark.parametrize(
    ("param", "message", "blamed"),
    [
        ("temperature", "", "temperature"),
        ("", "Unsupported value: 'temperature' does not support 0.2", "temperature"),
        ("", "`temperature` and `top_p` cannot both be specified for this model.", "top_p"),
        ("temperature", "temperature: use top_p instead", "temperature"),
        ("", "output_config.effort: Extra inputs are not permitted", "reasoning_effort"),
        ("", "the seed is taken at best effort", "seed"),
        ("", "top_p must be in (0, 1]", "top_p"),
        ("", 'Unknown name "seed": Cannot find field.', "seed"),
        ("", "the image is not proceeded", None),
    ],
)
def test_a_refusal_is_laid_on_the_setting_that_it_names(param: str, message: str, blamed: str | None) -> None:
    assert setting_blamed(Refused(param, message)) == blamed
