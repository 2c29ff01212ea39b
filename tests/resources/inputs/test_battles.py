"""Files as MT-Bench and the arenas write them: winners in many words, conversations, and what is wrong with rows."""

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from resources.errors import FileFault, UserError
from resources.inputs.battles import is_battles, read_battles


def said(*texts: str) -> list[dict[str, str]]:
    """A conversation: what the user says, what the model says, and so on."""
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]


def row(**changes: Any) -> dict[str, Any]:
    """A row of MT-Bench's human judgments."""
    return {
        "question_id": 81,
        "model_a": "alpaca-13b",
        "model_b": "gpt-4",
        "winner": "model_b",
        "judge": "expert_1",
        "conversation_a": said("Write.", "Short.", "Rewrite.", "Shorter."),
        "conversation_b": said("Write.", "A long text.", "Rewrite.", "Another."),
        "turn": 1,
    } | changes


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\ufeff" + "".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def test_a_row_of_mt_bench_is_read_up_to_its_turn(tmp_path: Path) -> None:
    found = read_battles(written(tmp_path / "mt.jsonl", row(), row(turn=2, judge="author_0")))
    one, two = found.rows
    assert (one.question, one.turn, one.winner, one.judge) == ("81", 1, 2, "expert_1")
    assert (one.a.name, one.a.query, one.a.document) == ("81/alpaca-13b", "Write.", "Short.")
    assert (two.b.name, two.b.document) == ("81/turn2/gpt-4", "A long text.\n\nUser: Rewrite.\n\nAnother.")


@pytest.mark.parametrize(
    ("winner", "side"),
    [
        ("model_a", 1),
        ("Model_B ", 2),
        ("tie", 0),
        ("tie (bothbad)", 0),
        ("Tie (Both Bad)", 0),
        ("bothbad", 0),
        ("gpt-4", 2),
        ("A", 1),
    ],
)
def test_winners_are_written_in_many_words(winner: str, side: int, tmp_path: Path) -> None:
    assert read_battles(written(tmp_path / "mt.jsonl", row(winner=winner))).rows[0].winner == side


def test_an_arena_as_csv_has_messages_as_text_and_questions_without_names(tmp_path: Path) -> None:
    path = tmp_path / "arena.csv"
    asked = [
        # As a data frame writes lists, as one writes arrays of mappings, and as JSON.
        (
            str(said("Why?", "Because.")),
            "[{'content': 'Why?', 'role': 'user'}\n {'content': 'So.', 'role': 'assistant'}]",
        ),
        (json.dumps(said("How?", "Thus.")), json.dumps(said("How?", "Like this."))),
    ]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        cells = csv.writer(file)
        cells.writerow(["model_a", "model_b", "winner", "conversation_a", "conversation_b", "language"])
        for conversation_a, conversation_b in asked:
            cells.writerow(["koala", "vicuna", "tie (bothbad)", conversation_a, conversation_b, "English"])
        cells.writerow(["koala", "vicuna", "", *asked[1], "English"])
    found = read_battles(path, cluster_column="language")
    assert [(one.a.query, one.a.document, one.b.document) for one in found.rows] == [
        ("Why?", "Because.", "So."),
        ("How?", "Thus.", "Like this."),
    ]
    assert len({one.question for one in found.rows}) == 2
    assert {one.cluster for one in found.rows} == {"English"}
    assert found.notes == ("Rows without a winner, left out: 1.",)


def test_outcomes_in_three_columns_and_responses_are_an_arena_too(tmp_path: Path) -> None:
    path = tmp_path / "arena.parquet"
    pd.DataFrame(
        {
            "id": [1, 2],
            "model_a": ["m1", "m1"],
            "model_b": ["m2", "m3"],
            "prompt": ['["Why?"]', '["Why?"]'],
            "response_a": ['["Because."]', '["Because it is."]'],
            "response_b": ['["[So] it is."]', '["Who knows."]'],
            "winner_model_a": [1, 0],
            "winner_model_b": [0, 0],
            "winner_tie": [0, 1],
        }
    ).to_parquet(path)
    one, two = read_battles(path).rows
    assert (one.winner, two.winner) == (1, 0)
    assert (one.a.query, one.a.document, one.b.document) == ("Why?", "Because.", "[So] it is.")
    # One model answered one question twice, each time in other words: two texts.
    assert (one.question, one.a.name == two.a.name, two.a.name) == (two.question, False, f"{two.question}/m1#2")


def test_a_winner_that_is_written_as_one_model_is_that_model(tmp_path: Path) -> None:
    alike = {"model_a": "GPT-4", "model_b": "gpt-4"}
    rows = [row(**alike, winner=winner) for winner in ("GPT-4", "gpt-4")]
    assert [one.winner for one in read_battles(written(tmp_path / "mt.jsonl", *rows)).rows] == [1, 2]
    with pytest.raises(UserError, match="'Gpt-4' in column 'winner' names neither model"):
        read_battles(written(tmp_path / "neither.jsonl", row(**alike, winner="Gpt-4")))


def test_a_models_name_that_is_the_word_for_the_other_side_is_a_question(tmp_path: Path) -> None:
    rows = [row(model_a="A", model_b="B", winner="B"), row(model_a="B", model_b="A", winner="A")]
    assert read_battles(written(tmp_path / "same.jsonl", rows[0])).rows[0].winner == 2
    with pytest.raises(UserError, match="row 2: 'A' in column 'winner' is the name of a model and the word for anoth"):
        read_battles(written(tmp_path / "mt.jsonl", *rows))


@pytest.mark.parametrize(
    ("changed", "said_so"),
    [
        ({"winner": "llama"}, "'llama' in column 'winner' names neither model"),
        ({"model_b": "alpaca-13b", "conversation_b": row()["conversation_a"]}, "sets 'alpaca-13b' against itself"),
        ({"model_a": ""}, "there is no value in column 'model_a'"),
        ({"turn": "second"}, "'second' in column 'turn' is no whole number"),
        ({"conversation_a": "[{'role': 'user"}, "column 'conversation_a' holds no list of messages"),
        ({"question_id": None, "conversation_a": None, "conversation_b": None}, "it does not say its question"),
    ],
)
def test_what_is_wrong_with_a_row_names_row_column_and_value(
    changed: dict[str, Any], said_so: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "mt.jsonl", row(), row(judge="expert_2", **changed))
    with pytest.raises(UserError, match=said_so) as raised:
        read_battles(path)
    assert "row 2" in str(raised.value)


def test_an_answer_that_is_a_list_of_numbers_is_read_as_it_is(tmp_path: Path) -> None:
    answers = {"response_a": "[1, 2, 3]", "response_b": '["Sorted: 1.", null]', "prompt": "Sort."}
    [one] = read_battles(written(tmp_path / "a.jsonl", row(conversation_a=None, conversation_b=None, **answers))).rows
    assert (one.a.document, one.b.document) == ("[1, 2, 3]", "Sorted: 1.")


def outcomes(path: Path, *won: str) -> Path:
    """Battles with the outcome's three cells."""
    rows = [f"q{place},m1,m2,{cells}" for place, cells in enumerate(won)]
    path.write_text("prompt,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n" + "\n".join(rows) + "\n")
    return path


def test_outcomes_are_true_or_false_as_data_frames_write_them(tmp_path: Path) -> None:
    found = read_battles(outcomes(tmp_path / "a.csv", "True,False,False", "FALSE,TRUE,FALSE", "0,0,1"))
    assert [one.winner for one in found.rows] == [1, 2, 0]
    with pytest.raises(FileFault, match=r"row 3: '0\.7' in column 'winner_model_b' is neither 1 nor 0"):
        read_battles(outcomes(tmp_path / "b.csv", "1,0,0", "0,0.7,0"))


def test_a_missing_column_and_a_file_without_winners_are_said(tmp_path: Path) -> None:
    without = {name: value for name, value in row().items() if name != "winner"}
    with pytest.raises(FileFault, match="there is no field 'winner'"):
        read_battles(written(tmp_path / "mt.jsonl", without))
    with pytest.raises(FileFault, match="there is no row with a winner"):
        read_battles(written(tmp_path / "open.jsonl", row(winner=None)))
    renamed = {"verdict" if name == "winner" else name: value for name, value in row().items()}
    path = written(tmp_path / "named.jsonl", renamed)
    assert read_battles(path, {"winner": "verdict"}).rows[0].winner == 2
    assert is_battles(["Model_A", "model_b", "winner", "x"])
    assert is_battles(["model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"])
    assert not is_battles(["model_a", "winner"])
