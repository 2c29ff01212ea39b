"""`touchstone evaluate mcq`: answers that are normalised, or taken as they are written."""

from pathlib import Path

from tests.pipeline.command_line.evaluated import evaluated, json_lines, told


def test_answers_that_are_not_normalised_stay_invalid_in_the_confusion_too(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", *({"answer": "B", "prediction": one} for one in ("(B)", "B", "A or B")))
    assert evaluated("mcq", path)["confusions"][0]["matrix"][1] == [0, 2, 0, 0, 1]
    assert evaluated("mcq", path, "--no-normalise-answers")["confusions"][0]["matrix"][1] == [0, 1, 0, 0, 2]


def test_the_terminal_says_what_was_normalised_and_what_is_invalid(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", *({"answer": "B", "prediction": one} for one in ("(B)", "B", "A or B")))
    words = " ".join(told("mcq", path).split())
    assert "1 answer names no option, or more than one (invalid, counted as wrong): 'A or B'." in words
    assert "Answers are normalised: '(B)' as B. `--no-normalise-answers`" in words
