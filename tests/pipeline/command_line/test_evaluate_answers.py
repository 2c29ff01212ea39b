"""`touchstone evaluate mcq`: answers that are normalised, or taken as they are written."""

from pathlib import Path

from tests.pipeline.command_line.evaluated import evaluated, json_lines, refused, told

LABELS = "llm,ann\npass,pass\nfail,pass\nunsure ,unsure\nfail,fail\nFAIL,fail\n"


def test_answers_that_are_not_normalised_stay_invalid_in_the_confusion_too(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", *({"answer": "B", "prediction": one} for one in ("(B)", "B", "A or B")))
    assert evaluated("mcq", path)["confusions"][0]["matrix"][1] == [0, 2, 0, 0, 1]
    assert evaluated("mcq", path, "--no-normalise-answers")["confusions"][0]["matrix"][1] == [0, 1, 0, 0, 2]


def test_the_terminal_says_what_was_normalised_and_what_is_invalid(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "a.jsonl", *({"answer": "B", "prediction": one} for one in ("(B)", "B", "A or B")))
    words = " ".join(told("mcq", path).split())
    assert "1 answer names no option, or more than one (invalid, counted as wrong): 'A or B'." in words
    assert "Answers are normalised: '(B)' as B. `--no-normalise-answers`" in words


def test_options_that_no_row_names_are_an_option_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(LABELS)
    found = evaluated("mcq", path, "--prediction", "llm", "--truth", "ann", "--options", "pass, fail, unsure")
    # Four of five are right: a blank behind a label and its letters' case say nothing.
    assert (found["accuracy"], found["n_invalid"]) == (0.8, 0)
    [confusion] = found["confusions"]
    assert confusion["options"] == ["pass", "fail", "unsure"]
    assert [row[:3] for row in confusion["matrix"]] == [[1, 1, 0], [0, 2, 0], [0, 0, 1]]


def test_without_them_the_refusal_says_how_to_name_them(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(LABELS)
    said = refused("mcq", path, "--prediction", "llm", "--truth", "ann")
    assert "labels.csv: 5 faults" in said
    assert "row 2: 'pass' in field 'ann' is none of the options 'A', 'B', 'C', 'D'" in said
    assert "name every question's options by `--options`" in said
    assert "two options are alike" in refused("mcq", path, "--prediction", "llm", "--truth", "ann", "--options", "a,A")


def test_too_few_clusters_for_intervals_are_said(tmp_path: Path) -> None:
    given = [(answer, "AAB"[row % 3], f"doc{row % 3}") for row, answer in enumerate("ABCABCABCBCA")]
    rows = ({"answer": answer, "prediction": prediction, "doc": doc} for answer, prediction, doc in given)
    words = " ".join(told("mcq", json_lines(tmp_path / "a.jsonl", *rows), "--cluster", "doc").split())
    assert "(3 clusters, fewer than 5)" in words
    assert "assumes independent" not in words
