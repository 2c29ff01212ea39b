"""Which photo a vote is about: by its compareID, by the file that a row names, by a mapping, or by a list of paths."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from resources.errors import UserError
from resources.inputs.pairwise.photo_pairs import read_photo_pairs
from resources.tables.pairwise import PHOTO_PAIRS
from tests.resources.inputs.made_pairs import pairs_file, pairwise_study, row


def frame_of(folder: Path, **changes: Any) -> pd.DataFrame:
    return PHOTO_PAIRS.validated(read_photo_pairs(pairwise_study(folder, **changes)).frame)


def photos_of(frame: pd.DataFrame) -> list[list[str]]:
    return frame[["image_1", "image_2"]].to_numpy().tolist()


def pair_list(folder: Path, *pairs: dict[str, Any]) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    return path


def test_the_files_own_names_count_where_the_configuration_says_so(tmp_path: Path) -> None:
    # Both orders: compareID 0 is photo 4 and compareID 1 is photo 2.
    pairs_file(
        tmp_path,
        (
            row("7", 0, 1, 4, 1, compareFile1="7-4.JPG", compareFile2="7-2.JPG"),
            row("7", 1, 0, 1, 4, compareFile1="7-2.JPG", compareFile2="000007-04.jpg"),
        ),
    )
    with pytest.raises(UserError, match="say `photo_number: file`"):
        frame_of(tmp_path)
    frame = frame_of(tmp_path, photo_number="file")
    assert photos_of(frame) == [["000007-04", "000007-02"]]
    assert frame["votes_1"].tolist() == [8]
    assert frame["path_1"].tolist() == [str(tmp_path / "photos" / "000007-04.JPG")]


def test_without_a_word_the_photo_is_the_compare_id_plus_one(tmp_path: Path) -> None:
    pairs_file(tmp_path, [row("7", 0, 1, 4, 1)])
    assert photos_of(frame_of(tmp_path)) == photos_of(frame_of(tmp_path, photo_number="compareID+1"))
    assert photos_of(frame_of(tmp_path)) == [["000007-01", "000007-02"]]


def test_a_mapping_names_photos_by_number_or_by_file(tmp_path: Path) -> None:
    pairs_file(tmp_path, [row("7", 0, 1, 4, 1), row("7", 0, 2, 4, 1)])
    mapping = tmp_path / "numbers.csv"
    mapping.write_text("series_id,compareID,photo\n7,0,3\n000007,1,cat.jpg\n7,2,1\n")
    frame = frame_of(tmp_path, photo_number=mapping)
    assert photos_of(frame) == [["000007-03", "cat"], ["000007-03", "000007-01"]]


@pytest.mark.parametrize(
    ("rows", "how", "words"),
    [
        ([row("7", 0, 1, 4, 1)], "file", "row 2: column 'compareFile1' is blank"),
        (
            [row("7", 0, 1, 4, 1, compareFile1="7-1.JPG", compareFile2="7-1.JPG")],
            "file",
            "compareIDs 0 and 1 of series 000007 mean one photo, 000007-01",
        ),
        (
            [
                row("7", 0, 1, 4, 1, compareFile1="7-1.JPG", compareFile2="7-2.JPG"),
                row("7", 0, 2, 4, 1, compareFile1="7-5.JPG", compareFile2="7-3.JPG"),
            ],
            "file",
            "row 3: compareID 0 of series 000007 is 000007-05 here and 000007-01 above",
        ),
        ([row("7", 0, 3, 4, 1)], "map", "row 2: numbers.csv names no photo of series 000007 with compareID 3"),
    ],
)
def test_a_photo_that_nothing_names_or_two_compare_ids_share_is_a_fault(
    tmp_path: Path, rows: list[str], how: str, words: str
) -> None:
    pairs_file(tmp_path, rows)
    (tmp_path / "numbers.csv").write_text("series_id,compareID,photo\n7,0,1\n7,1,2\n")
    with pytest.raises(UserError, match=words):
        frame_of(tmp_path, photo_number=tmp_path / "numbers.csv" if how == "map" else how)


def test_a_list_names_its_photos_with_winner_and_strength(tmp_path: Path) -> None:
    photos = tmp_path / "photos" / "000007"
    photos.mkdir(parents=True)
    for number in (1, 2, 3):
        (photos / f"000007-0{number}.jpg").write_bytes(b"x")
    names = [f"000007/000007-0{number}.jpg" for number in (1, 2, 3)]
    path = pair_list(
        tmp_path,
        {"image_1": names[2], "image_2": names[0], "winner": 2, "strength": 0.8, "num_reviewers": 5},
        {"image_1": names[0], "image_2": names[1], "winner": names[1], "strength": 0.75, "num_reviewers": 4},
        {"image_1": names[1], "image_2": names[2], "winner": "tie", "num_reviewers": 3},
    )
    frame = frame_of(tmp_path, pairs_csv=path)
    # Image 1 is the first by name: 0.8 of 5 votes are 4 for photo 1 over photo 3; 0.75 of 4 are 3 for photo 2.
    assert photos_of(frame)[0] == ["000007/000007-01", "000007/000007-03"]
    assert frame[["votes_1", "votes_2", "votes_neither"]].to_numpy().tolist() == [[4, 1, 0], [1, 3, 0], [0, 0, 3]]
    assert frame["agreement"].tolist()[:2] == [0.8, 0.75]
    assert frame["excluded"].fillna("judged").tolist() == ["judged", "judged", "tie"]
    assert frame["path_2"].tolist()[0] == str(photos / "000007-03.jpg")


def test_a_list_without_numbers_of_votes_counts_each_row_once_and_filters_by_its_strength(tmp_path: Path) -> None:
    one, two = "000007-01.JPG", "000007-02.JPG"
    path = pair_list(
        tmp_path,
        {"image_1": one, "image_2": two, "winner": 1, "strength": 0.9},
        {"image_1": two, "image_2": one, "winner": "right", "strength": 0.7},
        {"image_1": "8-1.JPG", "image_2": "8-2.JPG", "winner": 1, "strength": 0.6},
    )
    frame = frame_of(tmp_path, pairs_csv=path, min_reviewers=1)
    # The first pair in both orders: the mean of 0.9 and 0.7 is 0.8, with one vote each.
    assert frame["votes_1"].tolist() == [2, 1]
    assert frame["agreement"].tolist() == pytest.approx([0.8, 0.6])
    assert frame["excluded"].tolist()[1] == "low_agreement"
    assert frame["series_id"].tolist() == ["000007", "000008"]


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ({"winner": 3}, "row 1: 3 in field 'winner' names no photo"),
        ({"strength": 80}, "row 1: 80 in field 'strength' is outside 0.5-1"),
        ({"num_reviewers": 0}, "row 1: 0 in field 'num_reviewers' is no whole number from 1"),
        ({"num_reviewers": float("inf")}, "row 1: inf in field 'num_reviewers' is no whole number from 1"),
        ({"num_reviewers": float("nan")}, "row 1: nan in field 'num_reviewers' is no whole number from 1"),
        ({"strength": 0.55, "num_reviewers": 2}, "row 1: 0.55 of 2 votes .* is no majority for the winner"),
        ({"image_1": "cat.jpg"}, "do not say their series"),
        ({"image_1": "../7-1.JPG"}, "leads out of image_root"),
        ({"image_2": None}, "None in field 'image_2' is no path"),
    ],
)
def test_a_fault_of_a_list_names_its_line_field_and_value(tmp_path: Path, pair: dict[str, Any], words: str) -> None:
    path = pair_list(tmp_path, {"image_1": "7-1.JPG", "image_2": "7-2.JPG", "winner": 1} | pair)
    with pytest.raises(UserError, match=words):
        frame_of(tmp_path, pairs_csv=path)


def test_a_list_without_a_winner_says_what_a_pair_has(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="field 'winner' is missing"):
        frame_of(tmp_path, pairs_csv=pair_list(tmp_path, {"image_1": "7-1.JPG", "image_2": "7-2.JPG"}))
