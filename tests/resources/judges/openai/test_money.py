"""Budgets and quotas of the judge as a whole: nothing beyond them is ever sent."""

import logging
import threading
import time

import pytest

from resources.database.call_records import Spent
from resources.errors import UserError
from resources.judges.contract import JudgedObject, Reply
from resources.judges.openai_judge import OpenAIJudge
from tests.openai_server import answered, failed, openai_server
from tests.resources.judges.openai.asked import PAID, ask, call_of, judge_of, judge_on, judged_in

# With 64 px images and 100 tokens of output a call takes about 4,000 tokens at most.
SMALL = {"price": PAID, "max_output_tokens": 100}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> JudgedObject:
    return judged_in(tmp_path_factory.mktemp("images"))


def asked_until_it_ends(judge: OpenAIJudge, judged: JudgedObject, workers: int = 4) -> tuple[list[Reply], list[str]]:
    """All replies of several threads that ask on and on, and what ended each of them."""
    replies: list[Reply] = []
    ends: list[str] = []

    def on_and_on(first: int) -> None:
        try:
            for repeat in range(first, 10_000, workers):
                replies.append(ask(judge, judged, repeat=repeat))
        except UserError as problem:
            ends.append(str(problem))

    threads = [threading.Thread(target=on_and_on, args=(number,)) for number in range(1, workers + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return replies, ends


def test_the_run_ends_before_the_call_that_would_not_fit(judged: JudgedObject) -> None:
    usage = {"prompt_tokens": 3000, "completion_tokens": 100}
    # 3000 x $2 + 100 x $8 a million = $0.0068 a call.
    with openai_server([answered(usage=usage)]) as server:
        judge = judge_on(server, Spent(usd=0.9), budget_usd=1.0, **SMALL)
        replies, ends = asked_until_it_ends(judge, judged)
        assert len(server.requests) == len(replies)
        worst = judge.worst_case.usd(call_of(judge, judged))
    spent = 0.9 + sum(reply.cost_usd for reply in replies)
    assert spent <= 1.0 < spent + worst
    assert len(ends) == 4
    assert all("The budget is used up" in end for end in ends)


def test_answers_that_bring_no_usage_use_the_budget_up_at_their_worst_case(judged: JudgedObject) -> None:
    with openai_server([answered(cut=True)]) as server:
        judge = judge_on(server, budget_usd=0.05, faults_until_open=1000, **SMALL)
        replies, _ = asked_until_it_ends(judge, judged, workers=1)
        assert 1 < len(replies) == len(server.requests)
    assert 0.05 * 0.7 < sum(reply.cost_usd for reply in replies) <= 0.05


def test_a_server_that_counts_more_tokens_than_guessed_is_believed(judged: JudgedObject) -> None:
    usage = {"prompt_tokens": 400_000, "completion_tokens": 100}
    # The first call costs $0.80, far more than was guessed; a second one of that size does not fit into $1.00.
    with openai_server([answered(usage=usage)]) as server:
        judge = judge_on(server, budget_usd=1.0, **SMALL)
        replies, _ = asked_until_it_ends(judge, judged)
    assert len(replies) == 1


def test_a_budget_smaller_than_one_call_refuses_to_begin() -> None:
    with openai_server() as server:
        with pytest.raises(UserError, match="does not suffice for one call"):
            judge_on(server, budget_usd=0.0001, **SMALL)
        with pytest.raises(UserError, match="does not suffice for one call"):
            judge_on(server, Spent(usd=10), budget_usd=10, **SMALL)


def test_nobody_spends_money_unattended_without_a_daily_budget() -> None:
    with openai_server() as server:
        with pytest.raises(UserError, match="auto_budget_usd_per_day"):
            judge_on(server, Spent(unattended=True), budget_usd=10, **SMALL)
        judge_on(server, Spent(unattended=True), price={"input": 0, "output": 0})


def test_the_daily_budget_counts_what_was_spent_today_and_binds_no_person(judged: JudgedObject) -> None:
    plan = {"auto_budget_usd_per_day": 0.05, **SMALL}
    with openai_server() as server:
        with pytest.raises(UserError, match="does not suffice"):
            judge_on(server, Spent(usd_today=0.05, unattended=True), **plan)
        judge = judge_on(server, Spent(usd_today=0.02, unattended=True), **plan)
        replies, ends = asked_until_it_ends(judge, judged)
        assert 0 < sum(reply.cost_usd for reply in replies) <= 0.03
        assert "auto_budget_usd_per_day" in ends[0]
        judge_on(server, Spent(usd_today=0.05), **plan)


def test_the_days_quota_of_a_key_holds_across_studies(judged: JudgedObject) -> None:
    with openai_server() as server:
        key_id = ask(judge_on(server), judged).key_id or ""
        judge = judge_on(server, Spent(requests_today={key_id: 7, "another": 99}), requests_per_day=10)
        replies, ends = asked_until_it_ends(judge, judged)
        assert len(replies) == 3
        assert "requests of today" in ends[0]
        with pytest.raises(UserError, match="used up"):
            judge_on(server, Spent(requests_today={key_id: 10}), requests_per_day=10)


def test_tokens_a_minute_below_one_call_are_refused() -> None:
    with openai_server() as server, pytest.raises(UserError, match="tokens_per_minute: 50"):
        judge_on(server, tokens_per_minute=50)


def test_a_free_judge_without_limits_lets_settings_run_beside_each_other() -> None:
    address = "http://127.0.0.1:1/v1"
    assert judge_of(address, budget_usd=1).taken_in_turns("shoes") == ()
    paid, limited = judge_of(address, price=PAID), judge_of(address, requests_per_minute=10)
    assert paid.taken_in_turns("shoes") == ("study shoes, money",)
    [key] = limited.taken_in_turns("shoes")
    assert key == f"key {limited._access.key_id}"
    assert judge_of(address, price=PAID, requests_per_day=9).taken_in_turns("hats") == ("study hats, money", key)
    # A model without a known price is taken for a paid one, except on a server of one's own.
    elsewhere = judge_of("http://example.org/v1", price=None, model="my-own")
    assert elsewhere.taken_in_turns("shoes") == ("study shoes, money",)
    assert judge_of(address, price=None, model="my-own").taken_in_turns("shoes") == ()


def test_forms_that_give_way_count_against_quota_and_rates(judged: JudgedObject) -> None:
    refusal = failed(400, "response_format is not supported", param="response_format")
    with openai_server([refusal, refusal, answered()]) as server:
        judge = judge_on(server, requests_per_day=2)
        reply = ask(judge, judged)
        assert len(server.requests) == 2
    # The third form was not sent; both that were are told of, so that another run counts them.
    assert "requests of today" in (reply.stops_run or "")
    assert [one.fault for one in (*reply.earlier, reply)] == ["provider_error"] * 2
    with openai_server([refusal, refusal, answered()]) as server:
        # 10 a minute: one at once, and one every 6.7 s after it.
        judge = judge_on(server, requests_per_minute=10)
        threading.Timer(1, judge.stop, ["the end"]).start()
        assert ask(judge, judged).stops_run == "the end"
        assert len(server.requests) == 1


def test_a_call_that_was_never_sent_costs_nothing(judged: JudgedObject) -> None:
    with openai_server() as server:
        judge = judge_on(server, budget_usd=1.0, requests_per_day=1, **SMALL)
        spent = ask(judge, judged).cost_usd
        with pytest.raises(UserError, match="requests of today"):
            ask(judge, judged, repeat=2)
        [purse] = judge._allowance._purses
    assert purse._spent == pytest.approx(spent)
    assert purse._set_aside == 0


def test_the_client_does_not_log_every_request(judged: JudgedObject, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with openai_server() as server:
        ask(judge_on(server), judged)
    assert not [one for one in caplog.records if one.name == "httpx2"]


def test_requests_a_minute_are_kept(judged: JudgedObject) -> None:
    # 600 a minute: 60 at once and 9 a second: 64 calls take at least 4/9 s.
    with openai_server() as server:
        judge = judge_on(server, requests_per_minute=600)
        begun = time.monotonic()
        for repeat in range(1, 65):
            ask(judge, judged, repeat=repeat)
        times = [asked.at for asked in server.requests]
    assert times[63] - begun >= 4 / 9 * 0.9
