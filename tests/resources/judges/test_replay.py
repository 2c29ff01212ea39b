"""Recorded answers come back for the call that they were recorded for, from a file of ledger rows."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from resources.configuration.fidelity import FidelityStudy, RubricWeights
from resources.configuration.settings import Setting
from resources.errors import UserError
from resources.inputs.fidelity.texts import object_of
from resources.judges.contract import Attempt, Call, JudgedObject
from resources.judges.prompt import build_call
from resources.judges.question import question_of
from resources.judges.replay import ReplayJudge, open_replay, open_rows
from resources.tables.call_states import SUBSCORES

WEIGHTS = RubricWeights()
SETTING = Setting(0.2, 0.95)


def judged(item: str = "100", digits: str = "0000000a") -> JudgedObject:
    return JudgedObject(digits, item, "c.png", "cc", ("1.png",), ("11",))


def call(
    judge: ReplayJudge, item: JudgedObject | None = None, setting: Setting = SETTING, repeat: int = 1, attempt: int = 1
) -> Call:
    return build_call(item or judged(), Attempt("s", setting, judge.identity, repeat, attempt), WEIGHTS)


def raw(score: float) -> str:
    answer = {"item_id": "100", "subscores": dict.fromkeys(SUBSCORES, score), "score": score, "rationale": ["a", "b"]}
    return json.dumps(answer)


def row(**changes: Any) -> dict[str, Any]:
    return {"object": "0000000a", "setting": SETTING.key, "repeat": 1, "raw_answer": raw(80)} | changes


def jsonl(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "calls.jsonl"
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in rows) + "\n")
    return path


def test_rows_are_found_by_object_setting_and_repeat(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path,
        row(model_answered="m-1", tokens_in=7, tokens_out=3, cost_usd=0.5, state="valid"),
        row(repeat=2, raw_answer=raw(60)),
        "",
        row(object="0000000b", raw_answer=raw(40)),
        {"object": "0000000a", "temperature": 0, "top_p": 1, "repeat": 1, "raw_answer": raw(20)},
    )
    judge = open_replay(path, [])
    assert (judge.n_recorded, judge.identity.judge, judge.identity.model) == (4, "replay", "m-1")
    reply = judge.reply(call(judge))
    assert (reply.raw_answer, reply.fault) == (raw(80), None)
    assert (reply.model_answered, reply.tokens_in, reply.tokens_out, reply.cost_usd) == ("m-1", 7, 3, 0.5)
    assert judge.reply(call(judge, repeat=2)).raw_answer == raw(60)
    assert judge.reply(call(judge, judged(digits="0000000b"))).raw_answer == raw(40)
    assert judge.reply(call(judge, setting=Setting(0.0, 1.0))).raw_answer == raw(20)
    assert judge.n_not_recorded == 0


def test_a_call_that_nobody_recorded_is_a_counted_fault(tmp_path: Path) -> None:
    judge = open_replay(jsonl(tmp_path, row()), [])
    reply = judge.reply(call(judge, repeat=3))
    assert (reply.raw_answer, reply.fault, reply.fault_message) == (None, "provider_error", "not recorded")
    assert judge.n_not_recorded == 1


def test_an_answer_about_other_images_is_not_given(tmp_path: Path) -> None:
    path = jsonl(tmp_path, row(image_hashes=["11", "cc"]), row(repeat=2, image_hashes=["11", "dd"]))
    judge = open_replay(path, [])
    assert judge.reply(call(judge)).raw_answer == raw(80)
    assert judge.reply(call(judge, repeat=2)).fault_message == "not recorded"


def test_every_recorded_attempt_comes_back_in_the_order_of_its_number(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path,
        row(attempt=3, raw_answer=raw(70)),
        row(attempt=1, raw_answer=None, state="rate_limited", fault_message="slow down"),
        row(attempt=2, raw_answer="no", state="invalid_json"),
        row(repeat=2, raw_answer=None, state="timeout", fault_message="60 s"),
    )
    judge = open_replay(path, [])
    reply = judge.reply(call(judge))
    assert (reply.raw_answer, reply.fault) == (raw(70), None)
    assert [(each.fault, each.raw_answer) for each in reply.earlier] == [("rate_limited", None), (None, "no")]
    reply = judge.reply(call(judge, repeat=2))
    assert (reply.raw_answer, reply.fault, reply.fault_message, reply.earlier) == (None, "timeout", "60 s", ())


def test_a_fault_that_was_recorded_after_an_answer_does_not_hide_it(tmp_path: Path) -> None:
    path = jsonl(tmp_path, row(attempt=1), row(attempt=2, raw_answer=None, state="timeout"))
    judge = open_replay(path, [])
    reply = judge.reply(call(judge))
    assert (reply.raw_answer, reply.earlier) == (raw(80), ())


def test_attempts_about_other_images_are_left_out_one_by_one(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path,
        row(attempt=1, raw_answer=raw(10), image_hashes=["11", "dd"]),
        row(attempt=2, raw_answer=raw(20), image_hashes=["11", "cc"]),
        row(attempt=3, raw_answer=raw(30), image_hashes=["11", "dd"]),
    )
    judge = open_replay(path, [])
    reply = judge.reply(call(judge))
    assert (reply.raw_answer, reply.earlier) == (raw(20), ())


@pytest.mark.parametrize("text", [None, "", "  "])
def test_a_failed_answer_without_its_text_keeps_its_state(tmp_path: Path, text: str | None) -> None:
    path = jsonl(tmp_path, row(state="invalid_json", raw_answer=text, fault_message="no JSON object"))
    judge = open_replay(path, [])
    reply = judge.reply(call(judge))
    assert (reply.answer_state, reply.fault, reply.fault_message) == ("invalid_json", None, "no JSON object")


def test_an_answer_that_the_server_cut_off_stays_cut_off_though_its_text_looks_whole(tmp_path: Path) -> None:
    judge = open_replay(jsonl(tmp_path, row(state="cut_off", fault_message="finish_reason 'length'")), [])
    reply = judge.reply(call(judge))
    assert (reply.raw_answer, reply.answer_state, reply.fault_message) == (raw(80), "cut_off", "finish_reason 'length'")


def test_an_answer_with_its_text_is_read_again(tmp_path: Path) -> None:
    judge = open_replay(jsonl(tmp_path, row(state="invalid_json")), [])
    reply = judge.reply(call(judge))
    assert (reply.raw_answer, reply.answer_state, reply.fault_message) == (raw(80), None, None)


def test_other_recorded_answers_make_another_judge(tmp_path: Path) -> None:
    first = open_replay(jsonl(tmp_path, row()), []).identity
    assert open_replay(jsonl(tmp_path, row()), []).identity.digest == first.digest
    assert open_replay(jsonl(tmp_path, row(raw_answer=raw(79))), []).identity.digest != first.digest


def test_a_recording_is_indexed_once_and_again_when_its_content_changes_though_size_and_time_stay(
    tmp_path: Path,
) -> None:
    path = jsonl(tmp_path, row(raw_answer=raw(71)))
    first = open_rows(path)
    written = path.stat()
    assert open_rows(path) is first
    path.write_text(path.read_text().replace("71", "72"))
    os.utime(path, ns=(written.st_atime_ns, written.st_mtime_ns))
    assert open_rows(path).digest != first.digest


def test_a_recording_that_changes_during_the_run_ends_it(tmp_path: Path) -> None:
    path = jsonl(tmp_path, row())
    judge = open_replay(path, [])
    path.write_text(path.read_text().replace("80", "81"))
    with pytest.raises(UserError, match=r"changed during the run: .*calls\.jsonl, row 1 is not what it was"):
        judge.reply(call(judge))
    path.unlink()
    with pytest.raises(UserError, match="changed during the run"):
        judge.reply(call(judge))


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        (["{"], ["row 1", "Correct the line"]),
        (["[1]"], ["row 1", "no JSON object"]),
        ([row(object=None)], ["row 1", "'object'", "None"]),
        ([row(), row(repeat=0)], ["row 2", "'repeat'", "0"]),
        ([row(repeat=True)], ["'repeat'", "True"]),
        ([row(attempt="1")], ["'attempt'", "'1'"]),
        ([row(setting="hot")], ["'hot' is no setting", "t0.2_p0.95"]),
        ([row(setting=None)], ["'setting' is missing"]),
        ([row(state="fine")], ["'state' is unknown", "'fine'"]),
        ([row(raw_answer=None)], ["'raw_answer' is missing"]),
        ([row(raw_answer=" ", state="valid")], ["'raw_answer' is missing"]),
        ([row(raw_answer=5)], ["'raw_answer' is no text"]),
        ([row(), row(repeat=2, cost_usd="0.1")], ["row 2", "'cost_usd' is no number", "'0.1'"]),
        ([row(cost_usd=True)], ["'cost_usd'", "True"]),
        ([row(cost_usd=float("nan"))], ["'cost_usd'", "nan"]),
        ([row(tokens_in="7")], ["row 1", "'tokens_in' is no whole number", "'7'"]),
        ([row(tokens_out=7.5)], ["'tokens_out'", "7.5"]),
        ([row(tokens_cached=-1)], ["'tokens_cached'", "-1"]),
        ([row(model_answered={"name": "m"})], ["'model_answered' is no text", "{'name': 'm'}"]),
        ([row(image_hashes="ab")], ["'image_hashes' is no list"]),
        ([row(), row()], ["row 2", "stands in row 1 too", "Keep one"]),
        ([""], ["no recorded call", "`judge.path`"]),
    ],
)
def test_rows_that_are_wrong_are_refused(tmp_path: Path, rows: list[Any], parts: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        open_replay(jsonl(tmp_path, *rows), [])
    assert [part for part in ["calls.jsonl", "Nothing was loaded", *parts] if part not in str(caught.value)] == []


def scored(*scores: float) -> list[dict[str, Any]]:
    return [row(repeat=number, raw_answer=raw(score)) for number, score in enumerate(scores, start=1)]


def test_a_recording_on_the_scale_of_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        open_replay(jsonl(tmp_path, *scored(0, *[0.1 * number for number in range(1, 11)])), [])
    for part in (
        "calls.jsonl: the 11 scores",
        "on 0-1 (the largest is 1)",
        "Multiply them by 100",
        "llm_calls/{model}",
    ):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "rows",
    [
        scored(*[0.5] * 9),  # too few to tell
        scored(*[0] * 12),  # the lowest score is the same on both scales
        scored(*[0.5] * 11, 2),
        [*scored(*[0.5] * 9), *[row(repeat=9 + n, state="schema_error", raw_answer=raw(0.5)) for n in range(1, 9)]],
    ],
    ids=["few", "zeros", "one_above", "no_scores"],
)
def test_low_scores_alone_do_not_make_the_scale_of_one(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    assert open_replay(jsonl(tmp_path, *rows), []).n_recorded == len(rows)


def test_a_missing_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.jsonl.*Correct `judge\.path`"):
        open_replay(tmp_path / "gone.jsonl", [])


def test_scores_alone_are_replayed_on_their_scale(tmp_path: Path) -> None:
    name = "out/chair (final).png"
    rows = [row(raw_answer=None, score=4.5), {"candidate": f" {name}", "setting": SETTING.key, "repeat": 1, "score": 1},
            row(repeat=2, raw_answer=None, state="refused")]  # fmt: skip
    judge = open_replay(jsonl(tmp_path, *rows), [], (1, 5))
    plan = FidelityStudy(
        human_scores=Path("s.csv"),
        references=Path("r"),
        candidates=Path("c"),
        judge={"kind": "replay", "path": "calls.jsonl", "scale": (1, 5)},
    )
    question = question_of(plan)
    read = question.read(judge.reply(call(judge)).raw_answer, "100")
    # (4.5 - 1) / 4; there are no sub-scores.
    assert (read.state, read.score, read.subscores) == ("valid", 0.875, None)
    other = judge.reply(call(judge, judged(digits=object_of(name))))
    assert question.read(other.raw_answer, "100").score == 0.0
    assert judge.reply(call(judge, repeat=2)).answer_state == "refused"
    assert judge.identity.parameters["scale"] == [1, 5]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"score": 6}, "row 1: field 'score' is 6, outside `judge.scale` 1-5"),
        ({"score": "high"}, "row 1: field 'score' is missing or no number: 'high'"),
    ],
)
def test_a_score_outside_the_scale_or_none_is_named(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        open_replay(jsonl(tmp_path, row(raw_answer=None, **changes)), [], (1, 5))
