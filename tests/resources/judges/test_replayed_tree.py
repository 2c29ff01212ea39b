"""Recorded answers come back for the call that they were recorded for, from VFScore's tree."""

import json
from pathlib import Path
from typing import Any

import pytest

from resources.configuration.settings import Setting
from resources.errors import UserError
from resources.judges.answers import parse_answer
from resources.judges.contract import JudgedObject
from resources.judges.replay import ReplayJudge, open_replay
from resources.tables.call_states import SUBSCORES
from tests.resources.judges.test_replay import WEIGHTS, call, judged


def batch(root: Path, item: str, name: str, scores: dict[int, Any], **info: Any) -> Path:
    folder = root / item / f"batch_{name}"
    folder.mkdir(parents=True)
    described = {
        "timestamp": "2025-10-26T14:15:21",
        "model": "gemini-2.5-pro",
        "temperature": 0.2,
        "top_p": 0.95,
        "repeats": len(scores),
    }
    (folder / "batch_info.json").write_text(json.dumps(described | info))
    for number, score in scores.items():
        recorded = {
            "item_id": item,
            "subscores": dict.fromkeys(SUBSCORES, score),
            "score": score,
            "rationale": ["a", "b"],
            "metadata": {"temperature": 0.2, "top_p": 0.95, "run_id": "x", "model_name": "gemini-2.5-pro"},
        }
        (folder / f"rep_{number}.json").write_text(json.dumps(recorded))
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return tmp_path / "llm_calls" / "2.5_pro"


def replies(judge: ReplayJudge, numbers: range, item: JudgedObject | None = None) -> list[float | None]:
    calls = [call(judge, item, repeat=number) for number in numbers]
    return [parse_answer(judge.reply(each).raw_answer, each.judged.item_id, WEIGHTS).score for each in calls]


@pytest.mark.parametrize("score", [0.875, 0.29, 0.57, 1.0, 0.0, 1, 0])
def test_scores_of_a_tree_are_brought_to_the_answers_scale_exactly(tree: Path, score: float) -> None:
    batch(tree, "100", "a", {1: score})
    judge = open_replay(tree, [judged()])
    answer = json.loads(judge.reply(call(judge)).raw_answer or "")
    assert answer["score"] == {0.875: 87.5, 0.29: 29.0, 0.57: 57.0, 1.0: 100.0, 0.0: 0.0}[score]
    assert set(answer) == {"item_id", "subscores", "score", "rationale"}
    parsed = parse_answer(json.dumps(answer), "100", WEIGHTS)
    assert (parsed.state, parsed.score) == ("valid", score)
    assert (judge.identity.model, judge.reply(call(judge)).model_answered) == ("gemini-2.5-pro",) * 2


def test_repeats_go_on_from_batch_to_batch_in_the_order_of_time(tree: Path) -> None:
    # The first batch planned 3 and lost its second repeat: that one stays missing, and the next batch starts at 4.
    batch(tree, "100", "z", {1: 0.1, 3: 0.3}, timestamp="2025-10-01T00:00:00", repeats=3)
    batch(tree, "100", "a", {1: 0.4, 2: 0.5}, timestamp="2025-10-02T00:00:00")
    batch(tree, "100", "b", {1: 0.9}, timestamp="2025-09-01T00:00:00", temperature=0.2, top_p=0.95)
    judge = open_replay(tree, [judged()])
    assert replies(judge, range(1, 8)) == [0.9, 0.1, None, 0.3, 0.4, 0.5, None]
    assert (judge.n_recorded, judge.n_not_recorded) == (5, 2)


def test_a_tree_that_changes_during_the_run_ends_it(tree: Path) -> None:
    folder = batch(tree, "100", "a", {1: 0.25})
    judge = open_replay(tree, [judged()])
    (folder / "rep_1.json").write_text((folder / "rep_1.json").read_text().replace("0.25", "0.75"))
    with pytest.raises(UserError, match=r"changed during the run: .*rep_1\.json is not what it was"):
        judge.reply(call(judge))


def test_settings_of_a_tree_stay_apart(tree: Path) -> None:
    folder = batch(tree, "100", "a", {1: 0.4}, temperature=0, top_p=1)
    content = json.loads((folder / "rep_1.json").read_text())
    (folder / "rep_1.json").write_text(json.dumps({key: content[key] for key in content if key != "metadata"}))
    judge = open_replay(tree, [judged()])
    assert judge.reply(call(judge)).fault_message == "not recorded"
    assert judge.reply(call(judge, setting=Setting(0.0, 1.0))).raw_answer is not None


def test_the_folder_above_a_single_model_will_do(tree: Path) -> None:
    batch(tree, "100", "a", {1: 0.4})
    assert open_replay(tree.parent, [judged()]).n_recorded == 1
    batch(tree.parent / "other", "100", "a", {1: 0.4})
    with pytest.raises(UserError, match=r"several models \(2\.5_pro, other\). Set `judge\.path`"):
        open_replay(tree.parent, [judged()])


def test_item_folders_match_in_any_letter_case(tree: Path) -> None:
    batch(tree, "100_Tall", "a", {1: 0.4})
    item = judged("100_tall")
    assert replies(open_replay(tree, [item]), range(1, 2), item) == [0.4]


def test_an_item_with_several_objects_cannot_be_replayed_from_a_tree(tree: Path) -> None:
    batch(tree, "100", "a", {1: 0.4})
    objects = [judged(), judged(digits="0000000b"), judged("200", "0000000c"), judged("200", "0000000d")]
    with pytest.raises(UserError, match=r"100 \(0000000a, 0000000b\).*`selected_objects`") as caught:
        open_replay(tree, objects)
    assert "200" not in str(caught.value).replace(str(tree), "")


def test_a_recorded_answer_that_lacks_a_score_is_judged_like_any_other(tree: Path) -> None:
    batch(tree, "100", "a", {1: None})
    judge = open_replay(tree, [judged()])
    assert parse_answer(judge.reply(call(judge)).raw_answer, "100", WEIGHTS).state == "schema_error"


def damaged_tree(tree: Path, damage: str) -> None:
    folder = batch(tree, "100", "a", {1: 87.5 if damage == "scale" else 0.5})
    if damage == "no_info":
        (folder / "batch_info.json").unlink()
    elif damage == "no_setting":
        (folder / "batch_info.json").write_text('{"timestamp": "2025-10-26T14:15:21", "temperature": "0.2"}')
    elif damage == "no_time":
        (folder / "batch_info.json").write_text('{"timestamp": "yesterday", "temperature": 0.2, "top_p": 0.95}')
    elif damage == "other_setting":
        (folder / "batch_info.json").write_text('{"timestamp": "2025-10-26", "temperature": 0.5, "top_p": 0.95}')
    elif damage == "cut_off":
        (folder / "rep_1.json").write_text('{"item_id": "1')


@pytest.mark.parametrize(
    ("damage", "parts"),
    [
        ("scale", ["100/batch_a/rep_1.json", "score 87.5 is outside 0-1", "divide by 100"]),
        ("no_info", ["100/batch_a/batch_info.json", "cannot be read"]),
        ("no_setting", ["batch_info.json", "'temperature' is no number: '0.2'"]),
        ("no_time", ["batch_info.json", "'timestamp' is no ISO time: 'yesterday'"]),
        ("other_setting", ["rep_1.json", "temperature 0.2 differs from 0.5", "a batch of its own"]),
        ("cut_off", ["rep_1.json", "cannot be read", "Correct the file or remove it"]),
    ],
)
def test_a_tree_that_is_wrong_is_refused_with_file_and_value(tree: Path, damage: str, parts: list[str]) -> None:
    damaged_tree(tree, damage)
    with pytest.raises(UserError) as caught:
        open_replay(tree, [judged()])
    assert [part for part in parts if part not in str(caught.value)] == []


def test_a_folder_without_batches_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no \{item\}/batch_\*/ below it.*llm_calls/\{model\}"):
        open_replay(tmp_path, [])
