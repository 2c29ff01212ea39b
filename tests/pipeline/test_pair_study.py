"""Study B with a judge of pairs: killed and resumed, its planted preference of a place found, a method among others."""

import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from tests.assets.shared.made_tables import keeps_to_its_declaration
from tests.chaos.forked import Forked, finished
from tests.openai_server import Asked, Scripted, openai_server
from tests.pair_study import LOG_ODDS, N_QUESTIONS, prefers_the_first, write_battles

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
KILL_AT = 40


class Made(NamedTuple):
    """What two runs left, the first of which was killed: the home, what was printed, and how often texts were asked."""

    home: Path
    said: str
    asked: Counter[str]
    asked_when_killed: int


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("battles")
    home = folder / "home"
    slow = [True]

    def answer(asked: Asked) -> Scripted:
        if slow[0] and asked.number > KILL_AT:
            time.sleep(1.0)
        return prefers_the_first(asked)

    with openai_server(answer) as server:
        write_battles(folder, server.base_url)
        places = {"TOUCHSTONE_CONFIG": str(folder / "touchstone.yaml"), "TOUCHSTONE_HOME": str(home)}
        command, log = ("run", "pairwise", "--yes"), folder / "log.txt"
        first = Forked(command, os.environ | places, ROOT, log)
        until = time.monotonic() + 120
        while len(server.requests) <= KILL_AT and first.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        first.kill()
        first.wait()
        assert len(server.requests) > KILL_AT, log.read_text()
        slow[0], before = False, len(server.requests)
        done = finished(command, os.environ | places, ROOT, folder)
        assert done.returncode == 0, done.stdout + done.stderr
        return Made(home, done.stdout, Counter(request.text for request in server.requests), before)


def stored(made: Made, table: str, method: str = "") -> pd.DataFrame:
    folder = made.home / "tables" / "pairwise"
    path = folder / table / f"{method}.parquet" if method else folder / f"{table}.parquet"
    return keeps_to_its_declaration(table, pd.read_parquet(path))


def test_both_orders_of_every_pair_are_asked_and_no_answer_twice(made: Made) -> None:
    assert len(made.asked) == 2 * N_QUESTIONS
    # What was under way when the run was killed is asked again: at most as many as are asked at a time.
    assert sum(made.asked.values()) - 2 * N_QUESTIONS <= 4
    assert made.asked_when_killed >= 40
    answers = stored(made, "pair_answers")
    live = answers[answers["method"] == "judge_gpt"]
    assert (live["state_1_first"] == "valid").all()
    assert live["cost_usd"].sum() > 0


def test_the_planted_preference_of_the_place_is_within_its_intervals(made: Made) -> None:
    judges = stored(made, "pair_judges").set_index("judge")
    row = judges.loc["gpt"]
    assert row["position_log_odds_low"] <= LOG_ODDS <= row["position_log_odds_high"]
    assert row["n"] == N_QUESTIONS
    answers = stored(made, "pair_answers")
    live = answers[answers["method"] == "judge_gpt"]
    first = (live["picked_1_first"] == 1).sum() + (live["picked_2_first"] == 2).sum()
    assert row["first_shown_rate"] == first / (2 * N_QUESTIONS)
    # What the model gives on average over these texts, by its own formula.
    from tests.pair_study import MODELS, strength

    gaps = [strength(place, MODELS[0]) - strength(place, MODELS[1]) for place in range(N_QUESTIONS)]
    expected = sum(1 / (1 + 2.718281828459045 ** -(sign * gap + LOG_ODDS)) for gap in gaps for sign in (1, -1))
    assert row["first_shown_rate_low"] <= expected / (2 * N_QUESTIONS) <= row["first_shown_rate_high"]
    assert row["consistency"] == (live["picked_1_first"] == live["picked_2_first"]).mean()
    assert row["n_own"] + row["n_not_own"] == N_QUESTIONS
    assert judges.loc["gpt4_pair", "n"] == 0
    assert "consistency" in judges.loc["gpt4_pair", "undefined"]


def test_a_judge_is_a_method_among_the_others(made: Made) -> None:
    metrics = stored(made, "method_metrics").set_index("method")
    assert list(metrics.index) == ["longer_text", "judge_gpt", "judge_gpt4_pair"]
    # The recorded judge picks the stronger text, whom most people prefer.
    assert metrics.loc["judge_gpt4_pair", "accuracy"] == 1.0
    assert metrics.loc["judge_gpt", "accuracy"] > 0.6
    assert metrics.loc["judge_gpt", "tie_rate"] > 0.1
    assert metrics.loc["judge_gpt", "avg_time_ms"] > 0
    verdicts = stored(made, "pairwise_trust_verdict")
    assert {"judge_gpt", "judge_gpt4_pair"} <= set(verdicts["judge"])
    couples = stored(made, "method_significance")
    assert "judge_gpt" in {*couples["method_1"], *couples["method_2"]}
    [folder] = (made.home / "outputs" / "quality_benchmarks").iterdir()
    detailed = pd.read_csv(folder / "detailed_results.csv")
    assert "judge_gpt" in set(detailed["method"])
    assert json.loads((folder / "summary.json").read_text())["methods"]["judge_gpt"]["n"] == N_QUESTIONS


def test_the_terminal_and_the_page_name_the_judge_and_its_place(made: Made) -> None:
    assert "gpt, both orders of 80 pairs" in made.said
    assert "Judge gpt: the same answer in both orders of 0." in made.said
    page = (made.home / "outputs" / "pairwise_report.html").read_text()
    for words in ("Judges of pairs", "Giudici di coppie", "First-shown rate", "judge_gpt"):
        assert words in page
