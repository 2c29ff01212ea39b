"""Photo pairs: orders merged or as listed, winners from votes, the filter's causes, and photos found on the disk."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from resources.configuration.pairwise import PairwiseStudy
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.inputs.pairwise.photo_places import PhotoPlaces, photo_name
from resources.tables.pairwise import PHOTO_PAIRS
from tests.resources.inputs.made_pairs import pairs_file, pairwise_study, row


def photos(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(b"x")
    return folder


def frame_of(folder: Path, *rows: str, **changes: Any) -> pd.DataFrame:
    pairs_file(folder, rows)
    return PHOTO_PAIRS.validated(read_photo_pairs(pairwise_study(folder, **changes)).frame)


def test_merged_orders_add_their_votes_and_image_1_is_the_lower_compare_id(tmp_path: Path) -> None:
    rows = (
        row("7", 2, 0, 4, 1, compareFile1="7-3.JPG", compareFile2="7-1.JPG"),
        row("7", 0, 1, 1, 3),
        row("7", 0, 2, 2, 1),
    )
    frame = frame_of(tmp_path, *rows)
    # Images 0 and 2: shown as (2, 0) 4 : 1 and as (0, 2) 2 : 1, so image 0 has 1 + 2 votes and image 2 has 4 + 1.
    first = frame.iloc[0]
    assert (first["compareID1"], first["compareID2"], first["votes_1"], first["votes_2"]) == (0, 2, 3, 5)
    # First shown: image 2 with 4 votes, then image 0 with 2.
    assert first["votes_1_shown_first"] == 2
    assert (first["first_shown_votes"], first["n_orders"], first["num_reviewers"], first["winner"]) == (6, 2, 8, 2)
    assert (first["compareFile1"], first["compareFile2"]) == ("7-1.JPG", "7-3.JPG")
    assert first["agreement"] == pytest.approx(5 / 8)
    # (2, 0) says image 2 and (0, 2) says image 0.
    assert frame["opposite_orders"].tolist() == [True, False]
    assert frame["pair_idx"].tolist() == [0, 1]
    assert frame["excluded"].tolist()[0] == "low_agreement"


def test_as_listed_keeps_each_order_as_it_was_shown(tmp_path: Path) -> None:
    frame = frame_of(tmp_path, row("7", 2, 0, 4, 1), row("7", 0, 1, 1, 3), row("7", 0, 2, 2, 1), orders="as_listed")
    assert frame[["compareID1", "compareID2"]].to_numpy().tolist() == [[2, 0], [0, 1], [0, 2]]
    assert frame["first_shown_votes"].tolist() == frame["votes_1_shown_first"].tolist() == [4, 1, 2]
    assert frame["winner"].tolist() == [1, 2, 1]
    assert frame["n_orders"].tolist() == [2, 1, 2]
    assert frame["opposite_orders"].tolist() == [True, False, True]


def test_each_pair_is_left_out_for_the_first_cause_that_holds(tmp_path: Path) -> None:
    photos(tmp_path / "photos", *(f"000001-0{number}.JPG" for number in (1, 2, 4, 5)))
    frame = frame_of(
        tmp_path,
        row("1", 0, 1, 2, 2),  # a tie, of one reviewer too few or not
        row("1", 0, 2, 2, 1),  # 2 / 3 is under 0.7; its photo is missing too
        row("1", 1, 3, 1, 0),  # one reviewer
        row("1", 1, 2, 3, 0),  # photo 000001-03 is missing
        row("1", 3, 4, 3, 0),
    )
    assert frame["excluded"].tolist()[:4] == ["tie", "low_agreement", "few_reviewers", "missing_image"]
    assert pd.isna(frame["excluded"][4])
    assert frame["winner"].tolist()[1:] == [1, 1, 1, 1]
    assert pd.isna(frame["winner"][0])
    assert frame["absent_images"].tolist() == [[], ["000001-03"], [], ["000001-03"], []]


def test_agreement_of_exactly_the_least_is_kept(tmp_path: Path) -> None:
    # 7 of 10 votes is 0.7 in decimals, whatever the last bit says.
    photos(tmp_path / "photos", "000001-01.JPG", "000001-02.JPG")
    assert frame_of(tmp_path, row("1", 0, 1, 7, 3))["excluded"].isna().all()


def test_a_least_agreement_under_a_half_leaves_out_ties_only(tmp_path: Path) -> None:
    frame = frame_of(tmp_path, row("1", 0, 1, 2, 1), row("1", 0, 2, 1, 1), min_agreement=0.0)
    assert frame["excluded"].tolist() == ["missing_image", "tie"]


def test_reviewers_of_both_orders_count_together(tmp_path: Path) -> None:
    photos(tmp_path / "photos", "000001-01.JPG", "000001-02.JPG")
    rows = (row("1", 0, 1, 1, 0), row("1", 1, 0, 0, 1))
    assert frame_of(tmp_path, *rows)["excluded"].isna().all()
    assert frame_of(tmp_path, *rows, orders="as_listed")["excluded"].tolist() == ["few_reviewers"] * 2


def test_photos_are_named_by_series_and_place_from_one() -> None:
    assert [photo_name("000007", place) for place in (0, 8, 9, 99)] == [
        "000007-01",
        "000007-09",
        "000007-10",
        "000007-100",
    ]


@pytest.mark.parametrize(
    ("there", "taken"),
    [
        (["a.JPG", "a.jpg", "a.png"], "a.JPG"),
        (["a.jpg", "a.png"], "a.jpg"),
        (["A.Jpeg", "a.PNG"], "A.Jpeg"),
        (["a.PNG"], "a.PNG"),
        # Of two spellings that differ in case only, the first in the alphabet: capitals come first.
        (["a.Jpg", "A.jpg"], "A.jpg"),
    ],
)
def test_a_photo_is_found_in_any_spelling_where_the_exact_name_is_absent(
    tmp_path: Path, there: list[str], taken: str
) -> None:
    places = PhotoPlaces.at(photos(tmp_path, *there))
    assert places.place_of("a") == (str(tmp_path / taken), True)


def test_a_photo_that_is_not_there_has_the_address_at_which_it_belongs(tmp_path: Path) -> None:
    (tmp_path / "a.JPG").mkdir()  # a folder is no photo
    assert PhotoPlaces.at(tmp_path).place_of("a") == (str(tmp_path / "a.JPG"), False)
    nowhere = PhotoPlaces.at(tmp_path / "no_such_folder")
    assert nowhere.place_of("a") == (str(tmp_path / "no_such_folder" / "a.JPG"), False)


def test_the_real_file_is_read_whole(shared_data: Path, tmp_path: Path) -> None:
    study = PairwiseStudy(pairs_csv=shared_data / "pairwise" / "photo_triage_pairs.csv", image_root=tmp_path / "none")
    read = read_photo_pairs(study)
    assert (read.n_rows_in_file, len(read.frame), read.n_votes) == (24_186, 12_790, 74_655)
