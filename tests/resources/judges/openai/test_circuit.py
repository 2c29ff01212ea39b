"""When calls go out: alone at first, all together then, and none when the provider is down."""

import threading
import time
from pathlib import Path

import pytest

from resources.errors import UserError
from resources.judges.contract import JudgedObject, Reply
from resources.judges.openai import limits as circuit
from resources.judges.openai_judge import OpenAIJudge
from tests.openai_server import Asked, OpenAIServer, Scripted, answered, failed, openai_server, rate_limited
from tests.resources.judges.openai.asked import ask, judge_on, judged_in

Outcome = Reply | UserError


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> JudgedObject:
    return judged_in(tmp_path_factory.mktemp("images"))


@pytest.fixture(autouse=True)
def short_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circuit, "REST_S", 0.1)


def asked_at_once(judge: OpenAIJudge, judged: JudgedObject, n: int) -> list[Outcome]:
    """The outcomes of n calls that begin together."""
    outcomes: list[Outcome] = []

    def one(repeat: int) -> None:
        try:
            outcomes.append(ask(judge, judged, repeat=repeat))
        except UserError as problem:
            outcomes.append(problem)

    threads = [threading.Thread(target=one, args=(repeat,)) for repeat in range(1, n + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(outcomes) == n
    return outcomes


def test_the_first_call_goes_alone_and_the_others_follow_together(judged: JudgedObject) -> None:
    def script(asked: Asked) -> Scripted:
        # The others are answered once all of them are there, however long a busy machine takes to send them.
        return answered(delay_s=0.1) if asked.number == 1 else answered(held_until=lambda: len(server.requests) == 6)

    with openai_server(script) as server:
        outcomes = asked_at_once(judge_on(server, timeout_s=20), judged, 6)
        first, *others = [asked.at for asked in server.requests]
    assert {outcome.fault for outcome in outcomes if isinstance(outcome, Reply)} == {None}
    assert min(others) - first >= 0.1
    assert server.most_at_once == 5


def test_a_wrong_key_costs_one_request_however_many_calls_wait(judged: JudgedObject) -> None:
    with openai_server([failed(401)]) as server:
        outcomes = asked_at_once(judge_on(server), judged, 6)
        assert len(server.requests) == 1
    assert sum(isinstance(outcome, Reply) for outcome in outcomes) == 1
    assert all("OPENAI_API_KEY" in str(outcome) for outcome in outcomes)


def test_a_provider_that_is_down_from_the_start_ends_the_run_and_is_told_of(judged: JudgedObject) -> None:
    with openai_server([failed(503, "overloaded")]) as server:
        judge = judge_on(server, faults_until_open=4)
        replies = [ask(judge, judged, attempt=attempt) for attempt in range(1, 5)]
        assert [reply.stops_run is None for reply in replies] == [True, True, True, False]
        assert replies[-1].retry_after_s is None
        with pytest.raises(UserError, match=r"4 faults in a row.*status 503: overloaded.*goes on from here"):
            ask(judge, judged, attempt=5)
        assert len(server.requests) == 4


def test_a_provider_that_fails_on_the_way_gets_a_rest_and_one_more_try(judged: JudgedObject) -> None:
    with openai_server([answered(), failed(503), failed(503), failed(503), answered()]) as server:
        judge = judge_on(server, faults_until_open=3)
        states = [ask(judge, judged, repeat=repeat).fault for repeat in range(1, 6)]
        before, after = server.requests[3].at, server.requests[4].at
    assert states == [None, "provider_error", "provider_error", "provider_error", None]
    assert after - before >= 0.1


def test_a_provider_that_stays_down_ends_the_run(judged: JudgedObject) -> None:
    with openai_server([answered(), failed(503)]) as server:
        judge = judge_on(server, faults_until_open=3)
        replies = [ask(judge, judged, repeat=repeat) for repeat in range(1, 6)]
        assert replies[-1].stops_run is not None
        assert len(server.requests) == 5


def test_faults_that_come_together_do_not_stand_for_the_last_try(judged: JudgedObject) -> None:
    def script(asked: Asked) -> Scripted:
        return failed(503, delay_s=0.05) if 1 < asked.number <= 9 else answered()

    with openai_server(script) as server:
        judge = judge_on(server, faults_until_open=3)
        ask(judge, judged)
        outcomes = asked_at_once(judge, judged, 8)
        assert all(isinstance(outcome, Reply) and outcome.stops_run is None for outcome in outcomes)
        assert ask(judge, judged, repeat=9).fault is None


def test_an_answer_in_between_begins_the_count_anew(judged: JudgedObject) -> None:
    with openai_server([answered(), *[failed(500), failed(500), answered()] * 3]) as server:
        judge = judge_on(server, faults_until_open=3)
        assert [ask(judge, judged, repeat=repeat).stops_run for repeat in range(1, 11)] == [None] * 10


def test_a_rate_limit_makes_every_call_wait(judged: JudgedObject) -> None:
    with openai_server([answered(), rate_limited("0.3"), answered()]) as server:
        judge = judge_on(server)
        ask(judge, judged)
        assert ask(judge, judged, repeat=2).fault == "rate_limited"
        asked_at_once(judge, judged, 4)
        limited, *others = [asked.at for asked in server.requests[1:]]
    assert min(others) - limited >= 0.3


def test_a_rush_of_rate_limits_is_no_provider_that_is_down(judged: JudgedObject) -> None:
    def script(asked: Asked) -> Scripted:
        return rate_limited("0.2") if 1 < asked.number <= 9 else answered()

    with openai_server(script, latency_s=0.05) as server:
        judge = judge_on(server, faults_until_open=3)
        ask(judge, judged)
        outcomes = asked_at_once(judge, judged, 8)
        assert {outcome.fault for outcome in outcomes if isinstance(outcome, Reply)} == {"rate_limited"}
        assert {outcome.fault for outcome in asked_at_once(judge, judged, 8) if isinstance(outcome, Reply)} == {None}


def test_calls_that_wait_hear_at_once_that_the_run_ends(judged: JudgedObject) -> None:
    server: OpenAIServer
    with openai_server([answered(), rate_limited("50"), failed(401, delay_s=0.2)]) as server:
        judge = judge_on(server)
        ask(judge, judged)
        begun = time.monotonic()
        slow = threading.Thread(target=ask, args=(judge, judged, 2))
        slow.start()
        slow.join(5)
        waiting = threading.Thread(target=asked_at_once, args=(judge, judged, 3))
        waiting.start()
        time.sleep(0.05)
        judge._circuit.stop("the end")
        waiting.join(5)
        assert not waiting.is_alive()
        assert time.monotonic() - begun < 5


def test_a_passage_that_ends_in_an_error_makes_way(judged: JudgedObject, tmp_path: Path) -> None:
    passing = circuit.Circuit(3, 1)
    with pytest.raises(ZeroDivisionError), passing.passed():
        raise ZeroDivisionError
    with passing.passed() as passage:
        assert passage.alone
