"""Table `photo_pairs`: every count of the real file, the draw, and gates that pass and fail."""

from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest
from upath import UPath

from assets.pairwise.logic.photo_pair_counts import (
    counts_of,
    missing_of,
    position_coefficient_of,
    position_of,
    sampled,
)
from assets.pairwise.photo_pairs import (
    accounted_gate,
    every_row_accounted_for,
    headline,
    judged_gate,
    no_photo_is_missing,
    photo_pairs,
    photos_are_there,
    photos_gate,
    some_pairs_are_judged,
)
from resources.inputs.pairwise.photo_pairs import PhotoPairsRead, read_photo_pairs
from resources.runtime.home import Home
from resources.study import Study
from tests.assets.asked_gates import asked
from tests.assets.shared.made_tables import keeps_to_its_declaration
from tests.resources.inputs.made_pairs import pairs_file, pairwise_study, row

no_photo_missing_gate = asked(no_photo_is_missing)

CHECKS = [every_row_accounted_for, photos_are_there, no_photo_is_missing, some_pairs_are_judged]
# Series 1 in both orders and opposite: (0, 1) 3 : 1, (1, 0) 4 : 0; series 2 a tie; series 3 clear.
ROWS = (row("1", 0, 1, 3, 1), row("1", 1, 0, 4, 0), row("2", 0, 1, 2, 2), row("3", 0, 1, 5, 0), row("3", 0, 2, 4, 1))


def read(folder: Path, rows: tuple[str, ...] = ROWS, **changes: Any) -> PhotoPairsRead:
    pairs_file(folder, rows)
    return read_photo_pairs(pairwise_study(folder, **changes))


def photos(folder: Path, *names: str) -> None:
    (folder / "photos").mkdir()
    for name in names:
        (folder / "photos" / f"{name}.JPG").write_bytes(b"x")


def run(folder: Path, **changes: Any) -> dg.ExecuteInProcessResult:
    """The asset and its checks on the small file."""
    pairs_file(folder, ROWS)
    home = Home(UPath(folder / "home"), folder / "home")
    study = Study("small", None, home, pairwise_section=pairwise_study(folder, **changes))
    return dg.materialize([photo_pairs, *CHECKS], resources={"study": study}, raise_on_error=False)


def verdicts(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    return {found.check_name: found.passed for found in result.get_asset_check_evaluations()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("orders", "counts"),
    [
        (
            "merged",
            {
                "n_pairs": 12_790,
                "n_left_out_tie": 1_280,
                "n_after_filter": 7_707,
                "n_after_filter_images": 9_702,
                "n_after_filter_series": 3_604,
                "n_after_filter_components": 3_622,
            },
        ),
        (
            "as_listed",
            {
                "n_pairs": 24_186,
                "n_left_out_tie": 3_312,
                "n_after_filter": 12_073,
                "n_after_filter_photo_pairs": 9_085,
                "n_after_filter_images": 11_420,
                "n_after_filter_series": 4_333,
                "n_after_filter_components": 4_342,
                "n_opposite_winners_after_filter": 385,
            },
        ),
    ],
)
def test_the_real_file_has_the_stated_counts(
    shared_data: Path, tmp_path: Path, orders: str, counts: dict[str, int]
) -> None:
    plan = pairwise_study(tmp_path, pairs_csv=shared_data / "pairwise" / "photo_triage_pairs.csv", orders=orders)
    found = read_photo_pairs(plan)
    frame = keeps_to_its_declaration("photo_pairs", found.frame)
    shared = {"n_photo_pairs": 12_790, "n_shown_in_both_orders": 11_396, "n_votes": 74_655, "n_images": 12_989}
    assert counts_of(frame).items() >= (counts | shared).items()
    assert found.n_rows_in_file == 24_186
    # No photo is here: every pair that passes the filter lacks its photos.
    assert len(missing_of(frame)) == counts["n_after_filter_images"]
    assert counts_of(frame)["n_left_out_missing_image"] == counts["n_after_filter"]
    assert photos_gate(frame, plan).passed
    assert not photos_gate(frame, plan.model_copy(update={"max_missing_share": 0.05})).passed
    assert accounted_gate(frame, found).passed


@pytest.mark.slow
@pytest.mark.parametrize("orders", ["merged", "as_listed"])
def test_the_real_position_effect_is_the_stated_one_in_either_form(
    shared_data: Path, tmp_path: Path, orders: str
) -> None:
    plan = pairwise_study(tmp_path, pairs_csv=shared_data / "pairwise" / "photo_triage_pairs.csv", orders=orders)
    frame = read_photo_pairs(plan).frame
    whole, both = position_of(frame, plan), position_of(frame[frame["n_orders"] == 2], plan)
    assert whole is not None
    assert both is not None
    assert both.z is not None
    assert (whole.votes_first, whole.votes, round(whole.share, 4)) == (38_150, 74_655, 0.5110)
    assert (round(both.share, 4), round(both.z, 2)) == (0.5100, 5.37)
    coefficient = position_coefficient_of(frame, plan)
    assert not isinstance(coefficient, str)
    assert (round(coefficient.log_odds, 5), coefficient.n_used, int(coefficient.n_votes)) == (0.04782, 8_469, 70_217)


def test_the_headline_counts_what_is_left_out_and_names_missing_photos(tmp_path: Path) -> None:
    photos(tmp_path, "000001-01", "000001-02", "000003-01", "000003-02")
    found = read(tmp_path)
    numbers = headline(found.frame, found.n_rows_in_file, pairwise_study(tmp_path))
    # Merged: series 1 has 3 + 0 : 1 + 4 votes, which is 5 / 8 = 0.625.
    assert (numbers["n_rows_in_file"], numbers["n_pairs"], numbers["n_shown_in_both_orders"]) == (5, 4, 1)
    assert (numbers["n_left_out_tie"], numbers["n_left_out_low_agreement"], numbers["n_left_out_missing_image"]) == (
        1,
        1,
        1,
    )
    assert (numbers["n_opposite_winners"], numbers["n_opposite_winners_after_filter"], numbers["n_judged"]) == (1, 0, 1)
    # First shown: 3 + 4 of 8, 2 of 4, 5 of 5, 4 of 5.
    assert numbers["position_share"] == pytest.approx(18 / 22)
    assert numbers["position_both_orders_share"] == pytest.approx(7 / 8)
    # The one pair in both orders: 3 : 1 and 0 : 4, so that nothing was ever won from the second place by image 2.
    assert numbers["position_log_odds"].value is None
    assert numbers["position_log_odds_interval_method"].endswith("the odds ratio is 0 or infinite")
    assert (numbers["n_missing_images"], numbers["missing_images"]) == (1, "000003-03")
    assert numbers["missing_share"] == pytest.approx(1 / 3)


def test_opposite_winners_count_as_listed_where_both_rows_pass_the_filter(tmp_path: Path) -> None:
    # Both rows of series 1 pass: 3 / 4 and 4 / 4.
    assert counts_of(read(tmp_path, orders="as_listed").frame)["n_opposite_winners_after_filter"] == 1
    strict = read(tmp_path, orders="as_listed", min_agreement=0.8).frame
    assert counts_of(strict)["n_opposite_winners_after_filter"] == 0
    assert counts_of(strict)["n_opposite_winners"] == 1


def test_a_draw_keeps_so_many_pairs_and_the_same_ones_when_others_come(tmp_path: Path) -> None:
    rows = tuple(row(str(series), 0, 1, 3, 0) for series in range(40))
    photos(tmp_path, *(f"{series:06d}-0{number}" for series in range(40) for number in (1, 2)))
    few, all_of_them = read(tmp_path, rows[:20]).frame, read(tmp_path, rows).frame
    drawn, from_all = sampled(few, 5, seed=1), sampled(all_of_them, 12, seed=1)
    assert drawn["excluded"].isna().sum() == 5
    assert (drawn["excluded"] == "not_sampled").sum() == 15

    def names(frame: pd.DataFrame) -> list[str]:
        return frame.loc[frame["excluded"].isna(), "image_1"].tolist()

    assert names(sampled(few, 5, seed=1)) == names(drawn)
    assert names(sampled(few, 5, seed=2)) != names(drawn)
    # The first twelve of all, of those that were there before: a beginning of the same order.
    kept = [name for name in names(from_all) if name < "000020"]
    assert set(kept[:5]) <= set(names(sampled(few, len(kept), seed=1)))
    assert sampled(few, None, seed=1) is few
    assert sampled(few, 20, seed=1) is few


def test_a_pair_whose_votes_changed_since_is_not_accounted_for(tmp_path: Path) -> None:
    stored = read(tmp_path).frame
    assert accounted_gate(stored, read(tmp_path)).passed
    changed = accounted_gate(stored, read(tmp_path, (*ROWS[:-1], row("3", 0, 2, 3, 2))))
    # The old votes stand in the table only, the new ones in the file only.
    assert (changed.passed, changed.seen) == (False, 2)
    assert "make photo_pairs again" in changed.sentence
    assert not accounted_gate(stored, read(tmp_path, orders="as_listed")).passed


def test_few_missing_photos_pass_and_many_fail_with_their_names(tmp_path: Path) -> None:
    photos(tmp_path, "000003-01", "000003-02")
    frame = read(tmp_path).frame
    plan = pairwise_study(tmp_path, max_missing_share=0.34)
    # Pairs that pass the filter need three photos of series 3; the photos of the tie are nobody's concern.
    assert photos_gate(frame, plan).passed
    strict = photos_gate(frame, pairwise_study(tmp_path, max_missing_share=0.33))
    assert not strict.passed
    assert "has no photo 000003-03.JPG." in strict.sentence
    advice = no_photo_missing_gate(frame, plan)
    assert (advice.passed, advice.seen) == (False, 1)
    assert "1 pairs are not judged" in advice.sentence
    assert judged_gate(frame).passed


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    frame = read(tmp_path).frame
    gate = photos_gate(frame, pairwise_study(tmp_path, max_missing_share=0.05))
    assert f"There is no folder {tmp_path / 'photos'}: correct `image_root`." in gate.sentence
    assert "2 missing_image" in judged_gate(frame).sentence


def test_nothing_that_passes_the_filter_needs_no_photo(tmp_path: Path) -> None:
    frame = read(tmp_path, (row("2", 0, 1, 2, 2),)).frame
    assert photos_gate(frame, pairwise_study(tmp_path, max_missing_share=0.0)).passed
    assert no_photo_missing_gate(frame, pairwise_study(tmp_path)).passed
    assert not judged_gate(frame).passed


def test_through_dagster_missing_photos_block_unless_any_share_may_be_missing(tmp_path: Path) -> None:
    warned = run(tmp_path)
    assert warned.success
    assert verdicts(warned) == {
        "every_row_accounted_for": True,
        "photos_are_there": True,
        "no_photo_is_missing": False,
        "some_pairs_are_judged": False,
    }
    [advice] = [one for one in warned.get_asset_check_evaluations() if one.check_name == "no_photo_is_missing"]
    assert advice.severity == dg.AssetCheckSeverity.WARN
    stopped = run(tmp_path, max_missing_share=0.05)
    assert not stopped.success
    [blocking] = [one for one in stopped.get_asset_check_evaluations() if one.check_name == "photos_are_there"]
    assert (blocking.passed, blocking.blocking) == (False, True)


def test_through_dagster_a_sample_is_drawn_and_the_file_is_known_by_its_hash(tmp_path: Path) -> None:
    photos(tmp_path, "000003-01", "000003-02", "000003-03")
    result = run(tmp_path, sample_size=1)
    frame = keeps_to_its_declaration("photo_pairs", result.output_for_node("photo_pairs"))
    assert frame["excluded"].isna().sum() == 1
    assert (frame["excluded"] == "not_sampled").sum() == 1
    [made] = result.asset_materializations_for_node("photo_pairs")
    assert len(str(made.metadata["source_sha256"].value)) == 64
    assert next(iter(made.metadata)) == "n_judged"
    assert "| n\\_left\\_out\\_not\\_sampled | 1 |" in str(made.metadata["others"].value)
