"""Judges of pairs on the page: their numbers with intervals in both languages, and no section where there is none."""

import numpy as np
import pandas as pd

from assets.pairwise.logic.pair_judging import judge_rows
from assets.pairwise.method_metrics import accuracies_are_plausible
from pipeline.command_line.pairwise_summary import about_judges
from reports.pairwise.judges import judges_table, said_of_judges
from reports.pairwise.report import pairwise_page
from resources.configuration.pairwise import PairwiseStudy
from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked
from tests.assets.asked_gates import asked
from tests.assets.pairwise.made_photo_pairs import plan
from tests.reports.pairwise.made_pairwise import contents_of_votes

plausible_gate = asked(accuracies_are_plausible)

N = 40


def judges(study: PairwiseStudy) -> pd.DataFrame:
    """A judge that goes by the place in a quarter of forty pairs, each of its own series."""
    place = np.arange(N)
    ones = np.where(place % 2 == 0, 1, 2)
    twos = np.where(place % 8 == 1, 1, np.where(place % 8 == 0, 2, ones))
    pairs = pd.DataFrame(
        {
            "pair_idx": place,
            "image_1": [f"{one}-1" for one in place],
            "image_2": [f"{one}-2" for one in place],
            "cluster": [str(one) for one in place],
            "winner": 1,
        }
    )
    answers = pairs.drop(columns="winner").assign(
        method="judge_eye",
        judge="eye",
        picked_1_first=ones,
        picked_2_first=twos,
        picked=np.where(ones == twos, ones, 0),
        cost_usd=0.0,
    )
    return checked(TABLES["pair_judges"], judge_rows(answers, pairs, study))


def test_a_judge_has_its_numbers_with_intervals_in_both_languages() -> None:
    contents = contents_of_votes(pair_judges=judges(plan()))
    table = judges_table(contents)
    assert table is not None
    [cells] = table.rows
    said = [cell.plains["en"] if hasattr(cell, "plains") else cell for cell in cells]
    # The first is picked twice in five pairs and never in five: as often as not, and 30 of 40 consistent.
    assert said[0] == "eye"
    assert said[2].startswith("0.750")
    assert said[3].startswith("0.500")
    assert said[4].startswith("0.000")
    [sentence] = said_of_judges(contents)
    assert "75.0" in sentence.plains["en"]
    assert "75,0" in sentence.plains["it"]
    page = pairwise_page(contents)
    for words in ("Judges of pairs", "Giudici di coppie", "First-shown rate", "Quota della prima mostrata"):
        assert words in page


def test_the_terminal_says_what_the_order_does() -> None:
    [line] = about_judges(judges(plan()))
    assert line.startswith("Judge eye: the same answer in both orders of 0.750 [0.5")
    assert "of its answers 0.500 [" in line


def test_a_study_without_judges_has_no_such_section() -> None:
    contents = contents_of_votes()
    assert judges_table(contents) is None
    assert 'id="judges"' not in pairwise_page(contents)


def test_an_accuracy_beyond_that_of_measures_is_no_fault_of_a_judge() -> None:
    frame = pd.DataFrame({"method": ["judge_eye"], "accuracy": [0.85]})
    assert plausible_gate(frame).passed
    both = pd.concat([frame, frame.assign(method="sharpness_only")])
    assert "sharpness_only 0.850" in plausible_gate(both).sentence
    assert "judge_eye" not in plausible_gate(both).sentence
