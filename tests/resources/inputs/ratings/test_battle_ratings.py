"""Battles of two models as ratings: each judge picks the first or the second of a pair, people are who is no model."""

from pathlib import Path

import pytest

from analysis.preference.pair_judging import both_orders, first_shown
from analysis.resampling.bootstrap import Resampling
from analysis.words import with_bounds
from resources.errors import UserError
from resources.inputs.ratings.exports import A_TIE_HERE, FIRST_SHOWN
from resources.inputs.ratings.layout import RatingColumns, raw_ratings
from tests.resources.inputs.pairwise.test_text_votes import turned
from tests.resources.inputs.test_battles import row, written

JUDGED = RatingColumns(judges=("gpt4_pair",), people=())


def test_the_judge_and_each_person_are_raters_of_pairs_whatever_the_order(tmp_path: Path) -> None:
    rows = [
        row(judge="expert_1"),  # gpt-4, the second in the alphabet
        turned(row(), judge="expert_2", winner="model_a"),  # gpt-4 again
        row(judge="gpt4_pair", winner="model_b"),
        row(judge="expert_1", question_id=82, winner="tie (bothbad)"),
        row(judge="gpt4_pair", question_id=82, winner="model_a"),
        turned(row(), judge="gpt4_pair", question_id=82, winner="model_a"),  # the first shown, both times
    ]
    found = raw_ratings(written(tmp_path / "mt.jsonl", *rows), JUDGED)
    assert found.objects == ("81/alpaca-13b | 81/gpt-4", "82/alpaca-13b | 82/gpt-4")
    assert (found.judges, found.people) == (("gpt4_pair",), ("expert_1", "expert_2"))
    assert found.ratings == {"expert_1": ["B", "tie"], "expert_2": ["B", None], "gpt4_pair": ["B", "tie"]}
    assert found.clusters == ["81", "82"]


def test_a_judge_that_contradicts_itself_in_one_order_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "mt.jsonl", row(), row(winner="tie"), row(judge="gpt4_pair"))
    with pytest.raises(UserError, match="'expert_1' rated '81/alpaca-13b | 81/gpt-4' in row 1 already"):
        raw_ratings(path, JUDGED)


def test_a_few_rows_in_which_a_judge_contradicts_itself_are_left_out_and_named(tmp_path: Path) -> None:
    rows = [row(question_id=n, judge=judge) for n in range(50) for judge in ("expert_1", "gpt4_pair")]
    path = written(tmp_path / "mt.jsonl", *rows, row(question_id=7, judge="expert_1", winner="tie"))
    found = raw_ratings(path, JUDGED)
    assert found.ratings["expert_1"][found.objects.index("7/alpaca-13b | 7/gpt-4")] is None
    assert sum(text is None for text in found.ratings["expert_1"]) == 1
    # Rows 15 and 101; of expert_1's 51 rows 2 are 3.9 %. The same answer twice would be one.
    [note] = [one for one in found.notes if one.startswith("Left out")]
    assert note == ("Left out, as 'expert_1' contradicts itself in one order of a pair: 2 of its 51 rows (15 / 101).")


def test_one_pair_of_a_person_with_few_rows_is_left_out_and_named(tmp_path: Path) -> None:
    rows = [row(question_id=n, judge=judge) for n in range(5) for judge in ("expert_1", "gpt4_pair")]
    path = written(tmp_path / "mt.jsonl", *rows, row(question_id=3, judge="expert_1", winner="tie"))
    found = raw_ratings(path, JUDGED)
    assert sum(text is None for text in found.ratings["expert_1"]) == 1
    assert "Left out, as 'expert_1' contradicts itself in one order of a pair: 2 of its 6 rows (7 / 11)." in found.notes


def test_a_judge_that_often_contradicts_itself_is_refused_however_many_rows_people_have(tmp_path: Path) -> None:
    # 4 of the judge's 10 rows, and 4 of 110 rows of the file (3.6 %).
    people = [row(question_id=n, judge="expert_1") for n in range(100)]
    judged = [row(question_id=n % 8, judge="gpt4_pair", winner="model_a" if n < 8 else "model_b") for n in range(10)]
    with pytest.raises(UserError, match="row 109: 'gpt4_pair' rated '0/alpaca-13b | 0/gpt-4' in row 101 already"):
        raw_ratings(written(tmp_path / "mt.jsonl", *people, *judged), JUDGED)


def test_two_orders_that_differ_are_a_tie_and_the_note_says_how_often(tmp_path: Path) -> None:
    rows = [row(question_id=n, judge=judge) for n in range(3) for judge in ("expert_1", "gpt4_pair")]
    # The other order: of question 0 the same model, of 1 the other one; 2 was seen in one order.
    rows += [turned(row(), question_id=n, judge="GPT4_pair", winner=("model_a", "model_b")[n]) for n in range(2)]
    found = raw_ratings(written(tmp_path / "mt.jsonl", *rows), JUDGED)
    assert found.ratings["gpt4_pair"] == ["B", "tie", "B"]
    assert found.notes == (
        "Names in column 'judge' that differ in spelling only are one: 'GPT4_pair' is 'gpt4_pair'.",
        "Ties, as 'gpt4_pair' answers otherwise in the other order: 1 of 2 pairs seen in both.",
        A_TIE_HERE,
    )


def test_what_a_tie_means_is_said_only_where_there_is_one(tmp_path: Path) -> None:
    rows = [row(question_id=n, judge=judge) for n in range(3) for judge in ("expert_1", "gpt4_pair")]
    assert A_TIE_HERE not in raw_ratings(written(tmp_path / "none.jsonl", *rows), JUDGED).notes
    one = row(question_id=9, judge="expert_1", winner="tie")
    assert A_TIE_HERE in raw_ratings(written(tmp_path / "one.jsonl", *rows, one), JUDGED).notes


def test_a_judge_that_prefers_the_place_is_said_with_the_interval_of_study_b(tmp_path: Path) -> None:
    # Of 40 pairs in both orders 10 go to the second shown twice, the others to gpt-4: 30 of 80 answers to the first.
    rows = [row(question_id=n, judge=judge) for n in range(40) for judge in ("expert_1", "gpt4_pair")]
    rows += [turned(row(), question_id=n, judge="expert_1", winner="model_a") for n in range(40)]
    rows += [
        turned(row(), question_id=n, judge="gpt4_pair", winner="model_b" if n < 10 else "model_a") for n in range(40)
    ]
    found = raw_ratings(written(tmp_path / "mt.jsonl", *rows), JUDGED)
    answers = both_orders([2] * 40, [1] * 10 + [2] * 30)
    other = first_shown(answers, [str(n) for n in range(40)], resampling=Resampling(1))
    assert (other.votes_first, other.votes) == (30, 80)
    [note] = [one for one in found.notes if one.startswith("The place")]
    seen = with_bounds(30 / 80, other.interval.low, other.interval.high)
    assert note == FIRST_SHOWN.format(who="gpt4_pair", n=80, seen=seen)


def test_rows_of_the_order_in_which_a_judge_agrees_with_itself_count_for_no_contradiction(tmp_path: Path) -> None:
    # 2 of 3 pairs twice in one order, with 4 of 62 rows (6.5 %); a third row in the other order contradicts nothing.
    rows = [row(question_id=n, judge=judge) for n in range(58) for judge in ("expert_1", "gpt4_pair")]
    rows += [row(question_id=n, judge="gpt4_pair", winner="tie") for n in range(2)]
    rows += [turned(row(), question_id=n, judge="gpt4_pair", winner="model_a") for n in range(2)]
    path = written(tmp_path / "mt.jsonl", *rows)
    with pytest.raises(UserError) as refused:
        raw_ratings(path, JUDGED)
    assert (
        "'gpt4_pair' contradicts itself in one order of 2 pairs, in 4 of its 62 rows (6.5 %): up to one pair or 5 % "
        "would be left out. Keep one answer of each pair and order."
    ) in str(refused.value)
    # 22 rows more that agree: 4 of 84 are 4.8 %, and 6 would be 7.1 %.
    path = written(tmp_path / "more.jsonl", *rows, *(row(question_id=100 + n, judge="gpt4_pair") for n in range(22)))
    assert any("4 of its 84 rows" in note for note in raw_ratings(path, JUDGED).notes)


def test_a_column_of_the_judges_next_to_the_winner_is_read_as_any_wide_file(tmp_path: Path) -> None:
    rows = [row(question_id=place, gpt4_winner="model_b") for place in range(2)]
    wide = RatingColumns(judges=("gpt4_winner",), people=("winner",))
    found = raw_ratings(written(tmp_path / "wide.jsonl", *rows), wide)
    assert found.ratings == {"gpt4_winner": ["model_b"] * 2, "winner": ["model_b"] * 2}


def test_a_row_without_a_judge_is_named_by_the_files_own_column(tmp_path: Path) -> None:
    path = written(tmp_path / "mt.jsonl", row(), row(judge="", question_id=82), row(judge="gpt4_pair"))
    with pytest.raises(UserError, match="row 2: column 'judge' is blank"):
        raw_ratings(path, JUDGED)
