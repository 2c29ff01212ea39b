"""Columns of the votes that a file may have: what several series share, and votes for neither photo."""

import math
from pathlib import Path

import pytest

from analysis.preference.bradley_terry import BradleyTerry
from assets.pairwise.bradley_terry import all_votes_gate, headline, strength_rows
from assets.pairwise.logic.photo_pair_counts import counts_of, position_numbers, strengths_of
from resources.errors import UserError
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.inputs.pairwise.photo_votes import read_photo_votes
from resources.tables.pairwise import PHOTO_PAIRS
from tests.resources.inputs.made_pairs import HEADER, pairs_file, pairwise_study, row

SCENES, WITH_TIES = f"{HEADER},scene", f"{HEADER},TIES"


def tied(series: str, first: int, second: int, left: int, right: int, ties: int) -> str:
    total = left + right + ties
    cells = {"Total": total, "num_reviewers": total, "Agreement": max(left, right) / max(left + right, 1)}
    return row(series, first, second, left, right, **(cells if left + right else cells | {"Agreement": 0.5}), TIES=ties)


def test_a_named_column_says_what_series_share_and_without_one_each_series_is_its_own(tmp_path: Path) -> None:
    rows = [row("1", 0, 1, 3, 1, scene="park"), row("2", 0, 1, 3, 1, scene="park"), row("3", 0, 1, 3, 1, scene="sea")]
    pairs_file(tmp_path, rows, SCENES)
    for orders in ("merged", "as_listed"):
        study = pairwise_study(tmp_path, cluster_column="scene", orders=orders)
        frame = PHOTO_PAIRS.validated(read_photo_pairs(study).frame)
        assert frame["cluster"].tolist() == ["park", "park", "sea"]
    alone = read_photo_pairs(pairwise_study(tmp_path)).frame
    assert alone["cluster"].tolist() == alone["series_id"].tolist() == ["000001", "000002", "000003"]


def test_a_series_in_two_clusters_is_refused_with_both_named(tmp_path: Path) -> None:
    rows = [row("1", 0, 1, 3, 1, scene="park"), row("01", 0, 2, 3, 1, scene="sea")]
    with pytest.raises(UserError, match="row 3: series 000001 lies in cluster 'sea' here and in 'park' above"):
        read_photo_votes(pairs_file(tmp_path, rows, SCENES), "scene")


def test_a_blank_cluster_and_a_missing_column_are_refused(tmp_path: Path) -> None:
    rows = [row("1", 0, 1, 3, 1, scene="park"), row("2", 0, 2, 3, 1, scene=" ")]
    with pytest.raises(UserError, match="row 3: column 'scene' is blank"):
        read_photo_votes(pairs_file(tmp_path, rows, SCENES), "scene")
    with pytest.raises(UserError, match="'place' is missing"):
        read_photo_votes(tmp_path / "pairs.csv", "place")


def test_votes_for_neither_count_as_reviewers_and_not_for_agreement(tmp_path: Path) -> None:
    pairs_file(tmp_path, [tied("1", 0, 1, 3, 1, 4), tied("1", 1, 0, 1, 3, 2), tied("2", 0, 1, 0, 0, 3)], WITH_TIES)
    read = read_photo_pairs(pairwise_study(tmp_path))
    frame = PHOTO_PAIRS.validated(read.frame)
    # Merged: 6 votes for photo 0, 2 for photo 1, 6 for neither; 6 of 8 agree. All voters of series 2 chose neither.
    columns = ["votes_1", "votes_2", "votes_neither", "num_reviewers", "agreement"]
    assert frame[columns].to_numpy().tolist() == [[6, 2, 6, 14, 0.75], [0, 0, 3, 3, 0.5]]
    assert frame["winner"].isna().tolist() == [False, True]
    assert frame["excluded"].tolist()[1] == "tie"
    assert read.n_votes == counts_of(frame)["n_votes"] == 17
    # Photo 0 got 3 of the 4 votes where it was first, photo 1 one of 4; who chose neither has no place in it.
    assert position_numbers(frame, pairwise_study(tmp_path))["position_share"] == 0.5


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (row("1", 0, 1, 3, 1, Total=4, num_reviewers=6, TIES=2), "4 in column 'Total' is not the sum of LEFT 3"),
        (row("1", 0, 1, 3, 1, Total=6, num_reviewers=4, TIES=2), "4 in column 'num_reviewers' are fewer people than"),
        (row("1", 0, 1, 3, 1, Total=6, num_reviewers=6, TIES="two"), "'two' in column 'TIES' is no whole number"),
    ],
)
def test_votes_for_neither_that_contradict_the_row_are_refused(tmp_path: Path, bad: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        read_photo_votes(pairs_file(tmp_path, [bad], WITH_TIES))


def test_the_model_of_ties_changes_the_strengths_where_votes_are_for_neither(tmp_path: Path) -> None:
    rows = [tied("1", 0, 1, 9, 3, 8), tied("1", 0, 2, 6, 4, 2), tied("1", 1, 2, 5, 5, 9)]
    pairs_file(tmp_path, rows, WITH_TIES)
    found = {}
    for model in ("half_wins", "davidson", "rao_kupper"):
        study = pairwise_study(tmp_path, tie_model=model)
        pairs = read_photo_pairs(study).frame
        fit = strengths_of(pairs, study)
        assert isinstance(fit, BradleyTerry)
        assert fit.n_votes == 51
        frame = strength_rows(pairs, fit, 0.95)
        assert headline(pairs, frame, fit)["n_votes_for_neither"] == 19
        assert all_votes_gate(frame, pairs).passed
        # Photo 1: 9 + 6 votes for it, and half of 8 + 2.
        assert frame["n_wins"].tolist()[0] == 20.0
        found[model] = [round(value, 6) for value in fit.strengths]
    assert len({str(strengths) for strengths in found.values()}) == 3


def test_without_votes_for_neither_two_photos_differ_by_the_log_of_their_votes(tmp_path: Path) -> None:
    pairs_file(tmp_path, [row("1", 0, 1, 6, 3)])
    study = pairwise_study(tmp_path, tie_model="davidson", min_agreement=0.5)
    fit = strengths_of(read_photo_pairs(study).frame, study)
    assert isinstance(fit, BradleyTerry)
    assert fit.strength_differences(["000001-01"], ["000001-02"])[0] == pytest.approx(math.log(2), abs=1e-6)


def test_strengths_without_a_finite_maximum_are_refused_where_the_study_says_so(tmp_path: Path) -> None:
    pairs_file(tmp_path, [row("1", 0, 1, 5, 0), row("2", 0, 1, 3, 2)])
    study = pairwise_study(tmp_path, separation="refuse")
    pairs = read_photo_pairs(study).frame
    why = strengths_of(pairs, study)
    assert isinstance(why, str)
    assert why.startswith("1 of 2 components (2 images) are not strongly connected")
    gate = all_votes_gate(strength_rows(pairs, why, 0.95), pairs, why)
    assert gate.passed
    assert why in gate.sentence
    assert isinstance(strengths_of(pairs, pairwise_study(tmp_path)), BradleyTerry)
