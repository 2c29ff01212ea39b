"""Servers that send elsewhere, echo the key, or say within an answer that there is none."""

import json

import pytest

from resources.errors import UserError
from resources.judges.contract import JudgedObject
from resources.judges.openai.access import Access
from resources.judges.openai.client import Client
from tests.openai_server import answered, failed, openai_server, valid_text
from tests.resources.judges.openai.asked import KEY, PAID, ask, judge_on, judged_in


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> JudgedObject:
    return judged_in(tmp_path_factory.mktemp("images"))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_and_ends_the_run(status: int, judged: JudgedObject) -> None:
    with openai_server() as elsewhere:
        moved = failed(status, headers={"location": f"{elsewhere.base_url}/chat/completions?to=hidden"})
        with openai_server([moved]) as server:
            reply = ask(judge_on(server, price=PAID), judged)
        assert not elsewhere.requests
    assert (reply.fault, reply.retry_after_s, reply.cost_usd) == ("provider_error", None, 0)
    assert f"sends requests on to another address (status {status})" in (reply.stops_run or "")
    assert "hidden" not in f"{reply.stops_run}{reply.fault_message}"


def test_a_key_that_a_server_echoes_is_kept_nowhere(judged: JudgedObject) -> None:
    text = valid_text(judged.item_id, rationale=[f"the key is {KEY}", f"again {KEY}"])
    with openai_server(
        [answered(text, model=f"model of {KEY}", fingerprint=KEY), answered(refusal=f"no, {KEY}")]
    ) as server:
        judge = judge_on(server)
        replies = [ask(judge, judged), ask(judge, judged, repeat=2)]
    assert KEY not in repr(replies)
    assert (replies[0].fingerprint, replies[0].fault) == ("***", None)
    assert json.loads(replies[0].raw_answer or "")["rationale"] == ["the key is ***", "again ***"]
    assert replies[1].answer_state == "refused"


def test_an_answer_that_ends_with_an_error_is_a_fault_that_is_asked_again(judged: JudgedObject) -> None:
    with openai_server([answered("", finish_reason="error")]) as server:
        reply = ask(judge_on(server), judged)
    assert (reply.fault, reply.raw_answer, reply.answer_state) == ("provider_error", None, None)
    assert reply.retry_after_s is not None
    assert "the answer ended with an error" in (reply.fault_message or "")


def test_a_fault_and_what_was_booked_for_it_are_two_sentences(judged: JudgedObject) -> None:
    with openai_server([answered(raw=b"{}")]) as server:
        reply = ask(judge_on(server, price=PAID), judged)
    assert (reply.fault_message or "").startswith(
        "the server sent no message: it has no choices. Booked at its worst case"
    )


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:99999/hidden", "http://127.0.0.1:abc/hidden", "http://[::1/hidden"]
)
def test_an_address_that_only_the_client_finds_wrong_is_a_users_error_without_it(address: str) -> None:
    client = Client(Access(address, "m", KEY), 5)
    with pytest.raises(UserError, match="OPENAI_BASE_URL is no address that can be asked") as refused:
        client.send({"model": "m", "messages": []})
    assert "hidden" not in str(refused.value)
