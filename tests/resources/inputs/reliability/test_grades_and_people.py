"""Study D reads grades and labels by their order, and people's scores under each prompt version."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from resources.configuration.reliability import ReliabilityStudy
from resources.errors import UserError
from resources.inputs.reliability.relevance import read_relevance
from tests.resources.inputs.made_records import csv_file

HEAD = ("query_id", "query", "doc_id", "judge", "prompt_version", "score")


def study(path: Path, **changes: object) -> ReliabilityStudy:
    return ReliabilityStudy(**{"queries": path, "gate": {}, **changes})


def rows(path: Path, *lines: tuple[str, ...]) -> Path:
    return csv_file(path, *(dict(zip(HEAD, line, strict=True)) for line in lines))


def test_labels_are_places_in_their_order_in_any_spelling(tmp_path: Path) -> None:
    path = rows(
        tmp_path / "a.csv",
        ("q", "what", "a", "ann", "v1", "irrelevant"),
        ("q", "what", "a", "llm", "v1", "Partly "),
        ("q", "what", "b", "ann", "v1", "RELEVANT"),
        ("q", "what", "b", "llm", "v1", ""),
    )
    read = read_relevance(study(path, grades=("irrelevant", "partly", "relevant")))
    assert read.scores["score"].tolist() == [0.0, 0.5, 1.0]
    assert read.n_missing == {"ann": 0, "llm": 1}


def test_grades_that_are_numbers_are_grades_too(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.csv", ("q", "what", "a", "ann", "v1", "3.0"), ("q", "what", "a", "llm", "v1", "1"))
    plan = study(path, grades=(0, 1, 2, 3), relevant_from=2)
    assert read_relevance(plan).scores["score"].tolist() == [1.0, pytest.approx(1 / 3)]
    # Half-way between grade 1, a third, and grade 2, two thirds.
    assert plan.threshold_of("ann") == 0.5


def test_what_is_no_grade_is_named_with_row_column_and_value(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.csv", ("q", "what", "a", "ann", "v1", "3"), ("q", "what", "a", "llm", "v1", "4"))
    with pytest.raises(UserError) as caught:
        read_relevance(study(path, grades=(0, 1, 2, 3)))
    said = str(caught.value)
    assert said.startswith("a.csv, row 3: '4' in column 'score' is none of the grades 0, 1, 2, 3.")
    assert "put it into `grades`" in said


def test_a_person_without_a_prompt_version_counts_under_each(tmp_path: Path) -> None:
    path = rows(
        tmp_path / "a.csv",
        ("q", "what", "a", "Ann", "", "1"),
        ("q", "what", "a", "llm", "v7", "0.5"),
        ("q", "what", "a", "llm", "v8", "0.25"),
        ("r", "who", "a", "Ann", "", "0"),
        ("r", "who", "a", "llm", "", "0.75"),
        ("s", "why", "a", "Ann", "", "0"),
    )
    read = read_relevance(study(path, people=("ann",), prompt_version="v3"))
    found = read.scores.set_index(["query_id", "judge", "prompt_version"])["score"].to_dict()
    # The judge's own judgment without a version is of the study's; where no one else judged, the person's is too.
    assert found == {
        ("q", "Ann", "v7"): 1.0, ("q", "Ann", "v8"): 1.0, ("q", "llm", "v7"): 0.5, ("q", "llm", "v8"): 0.25,
        ("r", "Ann", "v3"): 0.0, ("r", "llm", "v3"): 0.75, ("s", "Ann", "v3"): 0.0,
    }  # fmt: skip
    assert read.n_missing == {"Ann": 0, "llm": 1}


def test_a_person_who_is_no_judge_is_named(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.csv", ("q", "what", "a", "anne", "v1", "1"), ("q", "what", "a", "llm", "v1", "1"))
    with pytest.raises(UserError, match=r"reliability.people: there is no judge 'ann' \(did you mean 'anne'\?\)"):
        read_relevance(study(path, people=("ann",)))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"grades": ("a",)}, "name at least two"),
        ({"grades": (False, "maybe", True)}, "put such words into quotes"),
        ({"grades": ("a", "A")}, "differ in more than letter case"),
        ({"grades": ("a", "b"), "scale": (1, 5)}, "leave `scale` out"),
        ({"relevant_from": "b"}, "which are not named"),
        ({"grades": ("a", "b"), "relevant_from": "a"}, "none of the grades above the lowest"),
    ],
)
def test_grades_that_contradict_themselves_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        study(Path("q.csv"), **changes)
