"""What a method picks of judged pairs: scores, winners, credit and time by hand."""

import pandas as pd
import pytest

from assets.pairwise.logic.method_scores import (
    current_pairs_gate,
    headline,
    images_of,
    no_rows,
    own_file,
    pairs_of,
    result_rows,
    shared_times_ms,
)
from resources.errors import UserError
from resources.photos.methods.features import Features
from resources.tables.pairwise_rows import judged_pairs
from tests.assets.pairwise.made_photo_pairs import Told, features_of, photo_pairs_of, plan, results_of

# Two photos of series 1 win over its third, one pair is a tie; series 2 has one pair.
VOTES = [(1, 0, 1, 5, 5), (1, 0, 2, 4, 1), (1, 1, 2, 5, 0), (2, 0, 1, 0, 3)]
PAIRS = photo_pairs_of(VOTES)
SCORES = {"000001-01": 3.0, "000001-02": 1.0, "000001-03": 1.0, "000002-01": 2.0, "000002-02": 1.0}


def test_only_judged_pairs_and_each_of_their_images_once() -> None:
    judged = judged_pairs(PAIRS)
    assert list(judged["pair_idx"]) == [1, 2, 3]
    images = images_of(judged)
    assert list(images.index) == ["000001-01", "000001-02", "000002-01", "000001-03", "000002-02"]
    assert images["000002-02"] == "images/000002-02.JPG"


def test_winner_credit_and_time_of_each_pair() -> None:
    rows = results_of(PAIRS, "told", SCORES)
    # Pair 1: 3 over 1, winner 1: right. Pair 2: 1 and 1: tie. Pair 3: 2 over 1, winner 2: wrong.
    assert list(rows["predicted_winner"]) == [1, 0, 1]
    assert list(rows["credit"]) == [1.0, 0.5, 0.0]
    # Decoding 10 ms and measuring 1 ms, of both images.
    assert list(rows["time_ms"]) == pytest.approx([22.0, 22.0, 22.0])
    assert rows["undefined"].isna().all()


def test_a_pair_without_a_score_keeps_its_row_and_says_why() -> None:
    known = {name: score for name, score in SCORES.items() if name != "000001-03"}
    rows = results_of(PAIRS, "told", known, undefined_rules=[None, None, None, "cut off", None])
    assert list(rows["undefined"].fillna("")) == ["cut off", "cut off", ""]
    assert rows["predicted_winner"].isna().tolist() == rows["credit"].isna().tolist() == [True, True, False]
    assert rows["score_image1"].isna().tolist() == [True, True, False]


def test_an_image_that_the_features_lack_is_an_error_and_no_other_images_row() -> None:
    judged = judged_pairs(PAIRS)
    features = features_of(photo_pairs_of(VOTES[:3]))
    with pytest.raises(UserError, match="image_features lacks 000002-01, 000002-02"):
        pairs_of(judged, features)


def test_the_headline_counts_what_is_missing_and_an_unavailable_method_says_why() -> None:
    seen = headline(results_of(PAIRS, "told", SCORES), None)
    assert (seen["n"], seen["accuracy"], seen["n_without_prediction"]) == (3, 0.5, 0)
    assert seen["tie_rate"] == pytest.approx(1 / 3)
    assert headline(no_rows(), "no weights") == {"n": 0, "unavailable": "no weights"}


def test_results_of_other_pairs_than_those_judged_now_are_noticed() -> None:
    rows, judged = results_of(PAIRS, "told", SCORES), judged_pairs(PAIRS)
    assert current_pairs_gate({"told": rows, "none": no_rows()}, judged).passed
    changed = judged_pairs(photo_pairs_of([*VOTES[:3], (2, 0, 1, 3, 0)]))
    gate = current_pairs_gate({"told": rows, "none": no_rows()}, changed)
    assert not gate.passed
    assert gate.sentence.endswith("Make pairwise_results again for told.")


def test_time_here_is_shared_by_the_methods_that_use_a_stage() -> None:
    frame = pd.DataFrame({"decode_ms": [10.0, 10.0], "grey_ms": 3.0, "clip_ms": 8.0, "exposure_ms": 1.0})
    features = Features(frame, ["a", "b"], lambda sentences: frame.to_numpy())
    # Over 4 pairs. Decoding 20 ms in all by three methods: 20/3; grey 6 ms by two: 3 each; exposure 2 and CLIP 16 ms
    # by one each.
    parts = {"r": ("decode", "grey"), "s": ("decode", "grey", "exposure"), "c": ("decode", "clip")}
    shared = shared_times_ms(parts, features, 4)
    assert shared == pytest.approx({"r": (20 / 3 + 3) / 4, "s": (20 / 3 + 5) / 4, "c": (20 / 3 + 16) / 4})
    assert sum(shared.values()) * 4 == pytest.approx(20 + 6 + 2 + 16)


def test_a_users_own_file_is_named_with_its_hash(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("own") / "made.py"
    path.write_text("")
    # SHA-256 of nothing.
    seen = own_file(plan(own_methods={"made": path}), "made")
    assert seen == {
        "file": str(path),
        "file_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    }
    assert own_file(plan(), "sharpness_only") == {}


def test_without_a_judged_pair_there_are_no_rows() -> None:
    nothing = photo_pairs_of([(1, 0, 1, 5, 5)])
    assert result_rows(Told("told", {}), judged_pairs(nothing), features_of(nothing), plan()).empty
