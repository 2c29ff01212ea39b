"""Several criteria are seen wherever they are in the file, and a column of ratings or of a measure is none."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from resources.inputs.any_file import record_file
from resources.inputs.ratings.criteria import are_criteria, criteria_of_names
from resources.inputs.ratings.likely import likely_columns
from resources.inputs.ratings.table import read_ratings
from tests.resources.inputs.ratings.test_table import WIDE, csv


@pytest.mark.parametrize(
    ("name", "criteria", "each"),
    [
        # One after the other, so that the first 1,000 rows hold one of them, or two of three.
        ("criterion", ["fluency", "style"], 1_001),
        ("criterion", ["fluency", "style", "tone"], 600),
        # More than labels of ratings are, and numbered ones.
        ("criterion", [f"c{n}" for n in range(15)], 20),
        ("aspect", ["1", "2", "3"], 10),
        ("dimension_id", [str(n) for n in range(15)], 4),
    ],
)
def test_several_criteria_are_one_verdict_with_a_note_that_names_all(
    tmp_path: Path, name: str, criteria: Sequence[str], each: int
) -> None:
    rows = [f"{one},{1 + i % 5},{1 + i % 4},{1 + i % 3}" for one in criteria for i in range(each)]
    path = csv(tmp_path, "\n".join([f"{name},gpt,ann,bob", *rows]))
    likely = likely_columns(record_file(path))
    assert (likely.where, likely.criteria) == (((name, criteria[0]),), tuple(criteria))
    [note] = [note for note in read_ratings(path, WIDE).notes if "criteria" in note]
    assert note.startswith(f"Column '{name}' holds several criteria ({', '.join(criteria[:10])}")
    assert note.endswith(f"this verdict is on all of them: `--where {name}={criteria[0]}` chooses one.")
    chosen = read_ratings(path, replace(WIDE, where=((name, criteria[1]),)))
    assert len(chosen.objects) == each
    assert not [note for note in chosen.notes if "criteria" in note]


def test_criteria_are_those_of_the_rows_that_are_chosen(tmp_path: Path) -> None:
    rows = [f"{split},{one},{1 + i % 5},{1 + i % 4},{1 + i % 3}" for split, ones in (("dev", "ab"), ("test", "a"))
            for one in ones for i in range(9)]  # fmt: skip
    path = csv(tmp_path, "\n".join(["split,criterion,gpt,ann,bob", *rows]))
    assert [note for note in read_ratings(path, replace(WIDE, where=(("split", "dev"),))).notes if "criteria" in note]
    test = read_ratings(path, replace(WIDE, where=(("split", "test"),)))
    assert not [note for note in test.notes if "criteria" in note]


def test_a_nested_criterion_that_begins_late_and_is_a_list_is_chosen_as_the_note_says(tmp_path: Path) -> None:
    rows = [{"gpt": 1 + i % 5, "ann": 1 + i % 4, "bob": 1 + i % 3} for i in range(1_020)]
    late = [row | {"meta": {"aspects": [["clear"], ["short", "kind"]][i % 2]}} for i, row in enumerate(rows[:20])]
    path = csv(tmp_path, "".join(json.dumps(row) + "\n" for row in rows + late), "r.jsonl")
    [note] = [note for note in read_ratings(path, WIDE).notes if "criteria" in note]
    assert """`--where 'meta.aspects=["clear"]'` chooses one.""" in note
    assert len(read_ratings(path, replace(WIDE, where=(("meta.aspects", '["clear"]'),))).objects) == 10


@pytest.mark.parametrize(
    ("name", "texts", "is_one"),
    [
        ("criterion", "aabb", True),
        ("Kriterium", "2288", True),
        ("criterion", "aaaa", False),  # one criterion
        ("criterion", [*"aaaa", "mean", "std"], False),  # and two rows that sum it up
        ("criterion", ["style", "overall"] * 4, True),
        ("criterion", "abcd", False),  # a remark of its own in each row
        ("dimension", ["256", "512", "1024"] * 4, False),  # of pictures
        ("aspect", ["1.33", "0.75"] * 4, False),
        ("metric", "12345" * 4, False),  # a judge's steps
        ("metric", ["pass", "fail"] * 9, False),  # labels of people's
        ("metric", ["bleu", "rouge"] * 9, True),
    ],
)
def test_what_a_column_with_a_criterions_name_holds_decides(name: str, texts: Sequence[str], is_one: bool) -> None:
    assert are_criteria(name, Counter(texts), [{"Pass", "fail", "unsure"}]) == is_one


def test_a_judge_called_metric_with_labels_is_a_judge_and_no_criterion(tmp_path: Path) -> None:
    rows = [f"d{i},{('pass', 'fail')[i % 2]},{('pass', 'fail')[i // 2 % 2]}" for i in range(40)]
    path = csv(tmp_path, "\n".join(["id,human,metric", *rows]))
    found = likely_columns(record_file(path))
    assert ([column.role for column in found.columns], found.question) == (["object", "person", "judge"], None)
    # Next to another judge it is no criterion by which to choose rows either.
    three = csv(tmp_path, "\n".join(["metric,gpt,ann,bob", *(f"{row[-4:]},{row[-4:]},pass,fail" for row in rows)]))
    assert not [note for note in read_ratings(three, WIDE).notes if "criteria" in note]


@pytest.mark.parametrize(
    ("judges", "people", "found"),
    [
        (["gpt_Fluency", "gpt_style"], ["ann.fluency", "ann.style", "bob.style"],
         {"fluency": ["gpt_Fluency", "ann.fluency"], "style": ["gpt_style", "ann.style", "bob.style"]}),
        # What all names have in common is none, nor are numbers, nor what a name of one side alone has.
        (["gpt_score_1", "claude_score_2"], ["ann_score_1", "bob_score_2"], {}),
        (["bert_similarity"], ["human_similarity", "human_fluency"], {}),
        (["gpt"], ["human1", "human2"], {}),
        ([], ["human_fluency", "human_style"], {}),
    ],
)  # fmt: skip
def test_criteria_are_read_from_names_where_all_have_one(
    judges: list[str], people: list[str], found: dict[str, list[str]]
) -> None:
    assert criteria_of_names(judges, people) == found
