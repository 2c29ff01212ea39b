"""A judge whose first ten answers have no score is stopped; one with any score goes on."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resources.configuration.fidelity import FidelityStudy
from resources.configuration.openai_judge import ModelJudge
from resources.configuration.settings import Setting
from resources.database.engine import open_engine
from resources.database.ledger import Ledger
from resources.database.migrate import migrate
from resources.errors import UserError
from resources.judges.judging import Judging
from resources.judges.openai.access import access_of
from resources.judges.openai_judge import model_judge_of
from resources.runtime.progress import LoggedProgress
from tests.anthropic_server import Message, anthropic_server
from tests.openai_server import OpenAIServer, answered, openai_server
from tests.resources.judges.openai.asked import FREE, KEY, judged_in

LOG = logging.getLogger("run")
PROMPT = "Rate.\n{images}\nHow alike is {item_id}, from 1 to 5? Answer with the number.\n"


def judging_on(folder: Path, server: OpenAIServer, model: str, **judge: Any) -> Judging:
    keys = {"model": model, "base_url": server.base_url, "key_variable": "KEY", "price": FREE, "concurrency": 1}
    described = ModelJudge(**{"kind": "model", "name": "tested", "image_side_px": 64, "timeout_s": 5, **keys, **judge})
    files = dict.fromkeys(("human_scores", "references", "candidates"), folder)
    plan = FidelityStudy(**files, judge=described, repeats=5)
    engine = open_engine(f"sqlite:///{folder / 'touchstone.db'}")
    migrate(engine)
    one = judged_in(folder)
    objects = [replace(one, object=f"{place:08x}", item_id=f"item {place}") for place in range(4)]
    asked = model_judge_of(described, plan.rubric_weights, access_of(described, {"KEY": KEY}))
    return Judging("chairs", plan, asked, objects, [Setting(0.2, 1.0)], Ledger(engine))


def test_ten_answers_without_a_score_stop_the_judge_and_one_is_shown(tmp_path: Path) -> None:
    with openai_server([answered("I like it")]) as server:
        judging = judging_on(tmp_path, server, "some-model")
        with pytest.raises(UserError, match="None of the first 10 answers of some-model has a score") as raised:
            judging.ask(LoggedProgress(), LOG)
    assert "no JSON object in the answer" in str(raised.value)
    assert "One of them reads: I like it" in str(raised.value)
    assert 10 <= len(server.requests) < 20
    assert len(judging.open_calls()) == 20 - len(server.requests)


def test_running_a_judge_again_whose_answers_all_lack_a_score_sends_nothing_unless_they_are_to_be_tried_again(
    tmp_path: Path,
) -> None:
    with openai_server([answered("no")]) as server:
        judging = judging_on(tmp_path, server, "some-model")
        with pytest.raises(UserError, match="None of the first"):
            judging.ask(LoggedProgress(), LOG)
        asked = len(server.requests)
        with pytest.raises(UserError, match="so nothing was sent. Of .* are `invalid_json`"):
            judging_on(tmp_path, server, "some-model").ask(LoggedProgress(), LOG)
        assert len(server.requests) == asked
        again = judging_on(tmp_path, server, "some-model")  # a judge that was stopped asks nothing more
        with pytest.raises(UserError, match="None of the first"):
            replace(again, retry_states=frozenset({"invalid_json"})).ask(LoggedProgress(), LOG)
        assert len(server.requests) > asked


def test_a_score_at_another_setting_lets_a_judge_go_on(tmp_path: Path) -> None:
    with openai_server([answered(), answered("no")]) as server:
        judging = judging_on(tmp_path, server, "some-model")
        replace(judging, objects=judging.objects[:1]).ask(LoggedProgress(), LOG)
        other = replace(judging, settings=[Setting(0.8, 1.0)])
        other.ask(LoggedProgress(), LOG)
        assert len(server.requests) == 5 + 20


def test_one_answer_with_a_score_lets_the_judge_go_on(tmp_path: Path) -> None:
    with openai_server([*[answered("no")] * 9, answered(), answered("no")]) as server:
        judging_on(tmp_path, server, "some-model").ask(LoggedProgress(), LOG)
    assert len(server.requests) == 20


def test_an_own_prompt_is_asked_of_another_dialect_and_resumed_without_a_repeated_call(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text(PROMPT)
    task = {"prompt": tmp_path / "prompt.txt", "scale": [1, 5]}
    with anthropic_server([*[Message("4")] * 7, Message("6"), Message("2")]) as server:
        judging = judging_on(tmp_path, server, "anthropic:claude-test", task=task)
        few = replace(judging, objects=judging.objects[:2])
        few.ask(LoggedProgress(), LOG)
        assert len(server.requests) == 10
        judging.ask(LoggedProgress(), LOG)
        assert len(server.requests) == 20
        judging.ask(LoggedProgress(), LOG)
    assert len(server.requests) == 20
    [asked] = server.requests[:1]
    assert asked.body["system"] == "Rate."
    assert asked.body["messages"][0]["content"][-1]["text"].startswith("How alike is item ")
    assert "output_config" not in asked.body
    calls = judging.rows()["t0.2_p1.0"]
    assert sorted(calls["score"].dropna().unique()) == [0.25, 0.75]
    assert list(calls["state"].value_counts().items()) == [("valid", 19), ("out_of_range", 1)]
