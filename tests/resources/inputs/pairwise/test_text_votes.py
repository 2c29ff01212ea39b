"""Pairs of texts with people's votes: counted by order, judges that are recorded next to them, repetitions once."""

from pathlib import Path
from typing import Any

import pytest

from resources.configuration.pairwise import PairwiseStudy
from resources.errors import UserError
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.inputs.pairwise.text_votes import read_text_votes
from tests.resources.inputs.test_battles import row, written


def turned(one: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The same two texts in the other order."""
    sides = {"model_a": "model_b", "conversation_a": "conversation_b"}
    return one | {a: one[b] for a, b in sides.items()} | {b: one[a] for a, b in sides.items()} | changes


def study_of(path: Path, **changes: Any) -> PairwiseStudy:
    return PairwiseStudy(pairs_of="texts", pairs_csv=path, **changes)


def test_votes_of_both_orders_are_one_pair_and_say_what_was_shown_first(tmp_path: Path) -> None:
    rows = [
        row(judge="expert_1", winner="model_b"),
        row(judge="expert_2", winner="tie"),
        turned(row(), judge="expert_3", winner="model_a"),  # gpt-4, shown first
        turned(row(), judge="expert_3", winner="model_a"),  # the same row again
        row(judge="expert_1", turn=2, winner="model_a"),
    ]
    read = read_photo_pairs(study_of(written(tmp_path / "mt.jsonl", *rows)))
    one, two = read.frame.to_dict("records")
    assert (one["image_1"], one["image_2"]) == ("81/alpaca-13b", "81/gpt-4")
    assert [one[name] for name in ("votes_1", "votes_2", "votes_neither", "winner", "n_orders")] == [0, 2, 1, 2, 2]
    assert (one["first_shown_votes"], one["source_2"], one["length_1"]) == (1, "gpt-4", 6)
    assert read.frame["excluded"].isna().all()
    assert (two["image_1"], two["winner"], two["series_id"]) == ("81/turn2/alpaca-13b", 1, one["series_id"])
    assert read.notes == ("Rows that say the same of one pair, order and person again, counted once: 1.",)


def test_a_recorded_judge_is_no_person(tmp_path: Path) -> None:
    rows = [row(), row(judge=["gpt4", "pair"], winner="tie"), turned(row(), judge=["gpt4", "pair"], winner="model_a")]
    found = read_text_votes(study_of(written(tmp_path / "mt.jsonl", *rows), recorded_judges=("GPT4 pair",)))
    assert found.votes["RIGHT"].tolist() == [1]
    assert found.recorded.to_numpy().tolist() == [
        ["GPT4 pair", "81/alpaca-13b", "81/gpt-4", 0],
        ["GPT4 pair", "81/gpt-4", "81/alpaca-13b", 1],
    ]


@pytest.mark.parametrize(
    ("rows", "recorded", "said_so"),
    [
        ([row(), row(judge="gpt4_pair")], (), "'gpt4_pair' in column 'judge' looks like a model"),
        ([row(judge="gpt4_pair")], ("gpt4_pair",), "there is no vote of a person in it"),
        ([row()], ("gpt4",), "column 'judge' holds no 'gpt4'"),
        ([row(), row(winner="tie")], (), "'expert_1' says another winner of 81/alpaca-13b and 81/gpt-4 than in row 1"),
    ],
)
def test_who_is_a_person_and_who_said_two_things_is_said(
    rows: list[dict[str, Any]], recorded: tuple[str, ...], said_so: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=said_so):
        read_text_votes(study_of(written(tmp_path / "mt.jsonl", *rows), recorded_judges=recorded))


def test_a_file_without_texts_is_read_and_has_no_lengths(tmp_path: Path) -> None:
    bare = {name: value for name, value in row().items() if not name.startswith("conversation")}
    found = read_photo_pairs(study_of(written(tmp_path / "mt.jsonl", bare))).frame
    assert found["length_1"].isna().all()
    assert found["winner"].tolist() == [2]
