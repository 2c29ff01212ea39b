"""Table `human_scores`: what people said, and the gate that no row is lost."""

from pathlib import Path

import pytest

from assets.fidelity.human_scores import accounted_gate, headline
from resources.inputs.fidelity.human_scores import HumanScoresRead, read_human_scores
from tests.assets.shared.made_tables import keeps_to_its_declaration
from tests.resources.inputs.made_files import SCORE_HEADER, glb, study, written


def read(folder: Path, *scores: str) -> HumanScoresRead:
    rows = [f"{glb(str(place))},{score}" for place, score in enumerate(scores)]
    return read_human_scores(study(folder, human_scores=written(folder / "subjective.csv", SCORE_HEADER, *rows)))


def test_the_headline_says_how_people_used_the_scale_and_what_was_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, "0.2", "", "0.4", "0.9")
    numbers = headline(found)
    # Mean (0.2 + 0.4 + 0.9) / 3 = 0.5; deviations -0.3, -0.1, 0.4: sd = sqrt((0.09 + 0.01 + 0.16) / 2) = 0.360555.
    assert numbers["mean"] == pytest.approx(0.5)
    assert numbers["sd"] == pytest.approx(0.3605551275)
    assert (numbers["n_rows_in_file"], numbers["n_ratings"], numbers["n_left_out_blank_score"]) == (4, 3, 1)
    assert (numbers["n_products"], numbers["n_annotators"]) == (1, 1)
    assert "row 3" in numbers["left_out"]
    assert keeps_to_its_declaration("human_scores", found.frame)["score"].tolist() == [0.2, 0.4, 0.9]


def test_a_single_rating_has_no_spread(tmp_path: Path) -> None:
    assert headline(read(tmp_path, "0.2"))["sd"].value is None


def test_a_table_with_every_row_that_is_not_blank_passes(tmp_path: Path) -> None:
    found = read(tmp_path, "0.2", "", "0.4")
    gate = accounted_gate(found.frame, found)
    assert gate.passed
    assert "All 3 rows" in gate.sentence
    assert "2 in the table, 1 blank left out" in gate.sentence


def test_a_file_that_grew_since_the_table_was_made_fails_with_the_numbers_and_the_remedy(tmp_path: Path) -> None:
    stored = read(tmp_path, "0.2", "", "0.4").frame
    gate = accounted_gate(stored, read(tmp_path, "0.2", "", "0.4", "0.5", "0.6"))
    assert not gate.passed
    # 4 ratings in the file, 2 of them in the table.
    assert gate.seen == 2
    assert "make human_scores again" in gate.sentence


def test_a_file_that_shrank_fails_too(tmp_path: Path) -> None:
    stored = read(tmp_path, "0.2", "0.4").frame
    assert accounted_gate(stored, read(tmp_path, "0.2")).seen == 1


def test_a_score_that_was_changed_in_a_file_of_the_same_length_fails(tmp_path: Path) -> None:
    stored = read(tmp_path, "0.2", "0.4").frame
    gate = accounted_gate(stored, read(tmp_path, "0.2", "0.5"))
    assert not gate.passed
    # The old rating is in the table only, the new one in the file only.
    assert gate.seen == 2
