"""What a run is said to take before it begins."""

from pathlib import Path
from typing import Any

import pytest

from resources.configuration.openai_judge import OpenAIJudge as Configuration
from resources.database.call_queries import MeasuredCalls
from resources.judges.openai.estimate import Estimator, Planned
from resources.judges.openai.limits import FRAME_TOKENS, SCHEMA_BYTES, WorstCase
from resources.judges.openai.prices import ModelPrice, price_of
from tests.openai_server import answered, openai_server
from tests.resources.judges.openai.asked import PAID, ask, call_of, judge_of, judge_on, judged_in


def estimator(measured: MeasuredCalls | None = None, **changed: Any) -> tuple[Estimator, ModelPrice]:
    configuration = Configuration(
        **{"kind": "openai", "price": PAID, "image_side_px": 512, "concurrency": 4, **changed}
    )
    price = price_of("gpt-6-luna", configuration)
    return Estimator(configuration, price, measured), price


@pytest.fixture
def planned(tmp_path: Path) -> Planned:
    judge = judge_of("http://127.0.0.1:1/v1")
    return Planned(call_of(judge, judged_in(tmp_path, n_photos=3)), 100)


def test_a_guess_counts_characters_and_pictures(planned: Planned) -> None:
    guess, price = estimator()
    row = guess.row("t0.2_p0.95", [planned])
    characters = len(planned.example.system_message) + len(planned.example.user_message) + SCHEMA_BYTES
    # Four pictures of 16 x 16 patches, times 1.2.
    tokens_in = round(characters / 4) + FRAME_TOKENS + 4 * 308
    assert row.tokens_in == 100 * tokens_in
    assert row.tokens_out == 100 * 180
    assert row.usd == pytest.approx(100 * (tokens_in * 2 + 180 * 8) / 1e6)
    assert row.worst_usd > 1.5 * row.usd
    assert "squares of 512 px" in guess.method
    # What is shown as the most is one attempt a call, and the words say so.
    assert row.worst_usd == pytest.approx(100 * WorstCase(guess._configuration, price).usd(planned.example))
    assert "every call sent once" in guess.method
    assert "tried up to 5 times (`attempts`)" in guess.method
    assert "tried" not in estimator(attempts=1)[0].method
    assert price.input == 2


def test_hours_follow_the_slowest_of_latency_and_limits(planned: Planned) -> None:
    # 100 calls of 6 s, 4 at a time: 150 s.
    assert estimator()[0].row("", [planned]).hours == pytest.approx(150 / 3600)
    # 100 calls at 90 % of 10 a minute: 666.7 s.
    limited = estimator(requests_per_minute=10)[0]
    assert limited.row("", [planned]).hours == pytest.approx(60 * 100 / 9 / 3600)
    tokens = estimator(tokens_per_minute=10_000)[0].row("", [planned])
    assert tokens.hours == pytest.approx((tokens.tokens_in + tokens.tokens_out) / 9000 / 60)


def test_enough_recorded_answers_take_the_place_of_the_guess(planned: Planned) -> None:
    measured = MeasuredCalls(20, tokens_in=5000, tokens_out=400, tokens_cached=3000, latency_s=2.0)
    guess, _ = estimator(measured)
    row = guess.row("", [planned])
    # 2000 plain at $2, 3000 cached at $0.50, 400 out at $8 a million.
    assert row.usd == pytest.approx(100 * (2000 * 2 + 3000 * 0.5 + 400 * 8) / 1e6)
    assert row.hours == pytest.approx(100 * 2 / 4 / 3600)
    assert "20 recorded answers" in guess.method
    assert "sent once" in guess.method
    too_few = estimator(measured._replace(n_answers=19))[0]
    assert too_few.row("", [planned]) == estimator()[0].row("", [planned])


def test_the_whole_is_the_sum_of_its_parts(planned: Planned) -> None:
    guess, _ = estimator()
    rows = guess.rows({"a": [planned], "b": [planned, planned], "c": []})
    total = guess.row("in all", [planned, planned, planned])
    assert [row.n_calls for row in rows] == [100, 200, 0]
    assert total.n_calls == 300
    assert total.usd == pytest.approx(3 * rows[0].usd)
    assert rows[2].hours == 0


def test_the_worst_case_of_a_call_is_never_below_what_it_takes(tmp_path: Path) -> None:
    judged = judged_in(tmp_path)
    with openai_server([answered()]) as server:
        judge = judge_on(server, price=PAID)
        call = call_of(judge, judged)
        text = (call.system_message + call.user_message).encode()
        assert judge.worst_case.tokens_in(call) >= len(text)
        ask(judge, judged)
        assert judge.worst_case.usd(call) >= judge.price.usd(1000, 100)
