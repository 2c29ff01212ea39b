"""Table `drift`: occasions against the pinned one, by hand."""

from typing import Any

import pandas as pd
import pytest

from analysis.agreement.icc import icc
from analysis.resampling.pairs import FEWEST_PAIRS
from assets.fidelity.anchor_scores import NOT_YET
from assets.fidelity.drift import (
    NOT_PINNED,
    agreement_gate,
    anchor_mean_holds,
    drift_rows,
    headline,
    same_judge_as_pinned,
)
from resources.tables.all_tables import TABLES
from resources.tables.parquet import checked
from tests.assets.asked_gates import asked, with_limit
from tests.assets.shared.made_tables import SETTING, keeps_to_its_declaration, objects_of, one_each, plan

judge_gate = asked(same_judge_as_pinned)
shift_gate = with_limit(anchor_mean_holds, "drift_shift")

FIRST, SECOND, THIRD = "2026-11-02", "2026-11-09", "2026-11-16"
OBJECTS = objects_of(one_each("abcdef"))
THEN = {"a": 0.1, "b": 0.3, "c": 0.4, "d": 0.6, "e": 0.7, "f": 0.9}


def scores(occasions: dict[str, dict[str, float | None]], **columns: dict[str, Any]) -> pd.DataFrame:
    """Table `anchor_scores`; a column is given for the occasions in which it differs."""
    rows = [
        {
            "occasion": day,
            "object": name,
            "setting": SETTING,
            "judge_score": score,
            "n_valid": 0 if score is None else 3,
            "n_planned": 3,
            "judge": "openai",
            "judge_identity": "1",
            "model_asked": "m",
            "models_answered": ["m-1 (fp1)"],
            "prompt_hash": "p",
            "images_digest": "i",
            "first_call_at": pd.Timestamp(day, tz="UTC"),
            "cost_usd": 0.5,
        }
        | {column: values[day] for column, values in columns.items() if day in values}
        for day, of_day in occasions.items()
        for name, score in of_day.items()
    ]
    return checked(TABLES["anchor_scores"], pd.DataFrame(rows))


def drifted(anchor: pd.DataFrame, objects: pd.DataFrame = OBJECTS) -> pd.DataFrame:
    return keeps_to_its_declaration("drift", drift_rows(anchor, objects, plan()))


def moved(by: float) -> dict[str, float | None]:
    return {name: score + by for name, score in THEN.items()}


def test_the_pinned_occasion_has_a_row_without_a_comparison_and_passes_all_checks() -> None:
    frame = drifted(scores({FIRST: dict(THEN)}))
    [row] = frame.to_dict("records")
    assert row["pinned"] == FIRST
    # (0.1 + 0.3 + 0.4 + 0.6 + 0.7 + 0.9) / 6 = 0.5
    assert row["mean_then"] == row["mean_now"] == pytest.approx(0.5)
    assert pd.isna(row["shift"])
    assert pd.isna(row["icc"])
    assert row["undefined"] == "shift, icc: this occasion is the pinned one"
    assert row["cost_usd"] == 3.0
    for gate in (shift_gate(frame, 0.05), agreement_gate(frame, 0.85), judge_gate(frame)):
        assert gate.passed
        assert gate.sentence.startswith(f"{FIRST} is the pinned occasion, with 6 objects")


def test_a_later_occasion_is_held_against_the_pinned_one_object_by_object() -> None:
    later = {"a": 0.12, "b": 0.28, "c": 0.44, "d": 0.62, "e": 0.70, "f": 0.96}
    frame = drifted(scores({FIRST: dict(THEN), SECOND: later}))
    row = frame.iloc[1]
    # Differences 0.02 -0.02 0.04 0.02 0 0.06: sum 0.12, mean 0.02.
    assert row["shift"] == pytest.approx(0.02)
    assert row["shift_low"] < 0.02 < row["shift_high"]
    assert (row["n_objects"], row["n_pinned"]) == (6, 6)
    # ICC(A,1) by hand: differences have mean 0.02 and, as objects are 6, MSJ = 6 x 0.02^2 / 2 = 0.0012; the squared
    # deviations of the differences from 0.02 are 0 .0016 .0004 0 .0004 .0016, sum .004, so MSE = .004 / 2 / 5 = .0004.
    # Object means .11 .29 .42 .61 .70 .93, mean .51: squared deviations .16 .0484 .0081 .01 .0361 .1764 sum .439,
    # MSB = 2 x .439 / 5 = .1756. (.1756 - .0004) / (.1756 + .0004 + 2 (.0012 - .0004) / 6) = .1752 / .1762667.
    assert row["icc"] == pytest.approx(0.1752 / (0.176 + 0.0016 / 6))
    assert "delete-one jackknife, t(5), 6 clusters" in row["method"]
    assert "icc: ICC(A,1), F, 95 %" in row["method"]
    assert pd.isna(row["changes"])
    assert pd.isna(row["undefined"])


def test_the_same_shift_of_all_objects_fails_the_mean_and_not_the_order() -> None:
    frame = drifted(scores({FIRST: dict(THEN), SECOND: moved(0.06)}))
    gate = shift_gate(frame, 0.05)
    assert not gate.passed
    assert gate.seen == pytest.approx(0.06)
    assert f"from {FIRST} to {SECOND}" in gate.sentence
    assert "the model may have changed under its name" in gate.sentence
    assert agreement_gate(frame, 0.85).passed


def test_a_shift_of_exactly_the_limit_holds_also_downwards() -> None:
    # 0.1 - 0.05 and the like are off by a last digit, which rounding takes away.
    for by in (0.05, -0.05):
        assert shift_gate(drifted(scores({FIRST: dict(THEN), SECOND: moved(by)})), 0.05).passed


def test_a_judge_that_turns_the_order_round_fails_agreement_and_not_the_mean() -> None:
    turned = dict(zip(THEN, sorted(THEN.values(), reverse=True), strict=True))
    frame = drifted(scores({FIRST: dict(THEN), SECOND: turned}))
    gate = agreement_gate(frame, 0.85)
    assert not gate.passed
    pairs = [[score, turned[name]] for name, score in THEN.items()]
    assert gate.seen == pytest.approx(icc(pairs).icc_a_1.value)
    assert gate.seen is not None
    assert gate.seen < 0
    assert shift_gate(frame, 0.05).passed


def test_the_checks_speak_of_the_latest_occasion_only() -> None:
    frame = drifted(scores({FIRST: dict(THEN), SECOND: moved(0.08), THIRD: moved(0.01)}))
    assert frame["shift"].round(12).tolist()[1:] == [0.08, 0.01]
    assert shift_gate(frame, 0.05).passed


def test_objects_of_one_product_are_resampled_together() -> None:
    together = objects_of({"a": "p", "b": "p", "c": "q", "d": "q", "e": "r", "f": "r"})
    frame = drifted(scores({FIRST: dict(THEN), SECOND: moved(0.01)}), together)
    assert "3 clusters, fewer than 5" in frame["method"].iloc[1]
    assert pd.isna(frame["shift_low"].iloc[1])


def test_the_interval_of_icc_takes_objects_of_one_product_for_independent_and_says_so() -> None:
    later = {"a": 0.12, "b": 0.28, "c": 0.44, "d": 0.62, "e": 0.70, "f": 0.96}
    together = objects_of({"a": "p", "b": "p", "c": "q", "d": "r", "e": "s", "f": "t"})
    anchor = scores({FIRST: dict(THEN), SECOND: later})
    assert drifted(anchor, together)["method"].iloc[1].endswith("assumes independence")
    assert "assumes independence" not in drifted(anchor)["method"].iloc[1]


def test_where_too_few_objects_are_left_the_gates_name_what_is_gone_and_no_other_cause() -> None:
    frame = drifted(scores({FIRST: dict(THEN), SECOND: {"a": 0.1, "b": 0.3}}), objects_of(one_each("ab")))
    for gate in (shift_gate(frame, 0.05), agreement_gate(frame, 0.85)):
        assert not gate.passed
        assert "objects with enough valid repeats on both occasions: 2; needed: 3" in gate.sentence
        assert "the study no longer has, or has no usable images of, c, d, e, f. Go back" in gate.sentence


def test_without_a_number_the_provider_is_not_suspected() -> None:
    frame = drifted(scores({FIRST: {"a": 0.1, "b": 0.3}}))
    assert frame["n_pinned"].tolist() == [0]
    for gate in (shift_gate(frame, 0.05), agreement_gate(frame, 0.85)):
        assert not gate.passed
        assert "changed under its name" not in gate.sentence
    assert judge_gate(frame).sentence == f"On {FIRST} {NOT_PINNED}."


def test_an_object_that_was_not_asked_about_is_told_from_one_that_left_the_study() -> None:
    without_f = {name: score for name, score in THEN.items() if name != "f"}
    frame = drifted(scores({FIRST: dict(THEN), SECOND: without_f}))
    assert frame["changes"].iloc[1] == "not judged on this occasion: f"


def test_an_object_that_left_the_study_stays_in_the_anchor_and_is_named() -> None:
    without_f = {name: score for name, score in THEN.items() if name != "f"}
    frame = drifted(scores({FIRST: dict(THEN), SECOND: without_f}), objects_of(one_each("abcde")))
    row = frame.iloc[1]
    assert (row["n_objects"], row["n_pinned"]) == (5, 6)
    assert row["changes"] == "the study no longer has, or has no usable images of, f"
    # Without f the mean of both occasions is (3.0 - 0.9) / 5 = 0.42: an object that is gone is no shift.
    assert row["mean_then"] == row["mean_now"] == pytest.approx(0.42)
    assert row["shift"] == 0
    assert judge_gate(frame).passed


@pytest.mark.parametrize(
    ("columns", "flag", "words"),
    [
        ({"judge_identity": "2"}, "same_identity", "the judge's rubric, parameters or code version changed"),
        ({"judge_identity": "2", "model_asked": "n"}, "same_identity", "the model asked for is n, then m"),
        ({"judge_identity": "2", "judge": "local"}, "same_identity", "the judge is local, then openai"),
        (
            {"models_answered": ["m-2 (fp1)"]},
            "same_models",
            "answers came from m-2 (fp1), then from m-1 (fp1)",
        ),
        ({"models_answered": []}, "same_models", "answers came from no one, then from m-1 (fp1)"),
        ({"prompt_hash": "q"}, "same_material", "the prompt of a, b, c, d, e and 1 more changed"),
        ({"images_digest": "j"}, "same_material", "the images of a, b, c, d, e and 1 more changed"),
    ],
)
def test_what_changed_about_the_judge_is_said_and_warned_of(columns: dict[str, Any], flag: str, words: str) -> None:
    anchor = scores({FIRST: dict(THEN), SECOND: moved(0.0)}, **{name: {SECOND: of} for name, of in columns.items()})
    frame = drifted(anchor)
    row = frame.iloc[1]
    flags = ["same_identity", "same_models", "same_material"]
    assert {name for name in flags if not row[name]} == {flag}
    assert row["changes"] == words
    gate = judge_gate(frame)
    assert not gate.passed
    assert words in gate.sentence
    assert gate.seen == 1


def test_too_few_scores_on_both_occasions_are_undefined_and_warned_of() -> None:
    nothing = dict.fromkeys(THEN, None)
    frame = drifted(scores({FIRST: dict(THEN), SECOND: nothing | {"a": 0.1, "b": 0.3}}))
    row = frame.iloc[1]
    assert row["undefined"] == "shift, icc: objects with enough valid repeats on both occasions: 2; needed: 3"
    for gate in (shift_gate(frame, 0.05), agreement_gate(frame, 0.85)):
        assert not gate.passed
        assert "objects with enough valid repeats on both occasions: 2" in gate.sentence


def test_scores_of_too_few_repeats_are_left_out_and_counted() -> None:
    anchor = scores({FIRST: dict(THEN), SECOND: moved(0.01)})
    # The second day broke off after one repeat of a and b, which came out far away.
    broken = anchor["occasion"].eq(SECOND) & anchor["object"].isin(["a", "b"])
    anchor.loc[broken, ["n_valid", "judge_score"]] = [1, 0.95]
    row = drifted(anchor).iloc[1]
    assert (row["n_objects"], row["n_too_few_repeats"], row["shift"]) == (4, 2, pytest.approx(0.01))
    # c to f: (0.4 + 0.6 + 0.7 + 0.9) / 4 = 0.65.
    assert (row["mean_then"], row["mean_now"]) == pytest.approx((0.65, 0.66))
    assert headline(drifted(anchor), anchor, plan())["n_objects_moved"] == 0


def test_no_occasion_at_all_fails_every_check_with_a_sentence() -> None:
    anchor = scores({FIRST: dict(THEN)}).head(0)
    frame = drifted(anchor)
    assert headline(frame, anchor, plan()) == {"n_occasions": 0}
    for gate in (shift_gate(frame, 0.05), agreement_gate(frame, 0.85), judge_gate(frame)):
        assert (gate.passed, gate.seen) == (False, None)
        assert "judged on 0 days; needed: at least 1. Run `anchor_scores` again." in gate.sentence


def test_an_anchor_whose_objects_are_all_alike_has_no_icc() -> None:
    alike = dict.fromkeys(THEN, 0.5)
    frame = drifted(scores({FIRST: dict(alike), SECOND: dict(alike)}))
    assert frame["undefined"].iloc[1].startswith("icc: every score equals every other")
    assert frame["shift"].iloc[1] == 0
    assert not agreement_gate(frame, 0.85).passed


def test_a_judge_without_chance_agrees_with_itself_perfectly() -> None:
    frame = drifted(scores({FIRST: dict(THEN), SECOND: moved(0.0)}))
    assert frame["icc"].iloc[1] == 1
    # The number is there, so it is not undefined; there is no interval, and the method says why.
    assert pd.isna(frame["undefined"].iloc[1])
    assert pd.isna(frame["icc_low"].iloc[1])
    assert "icc: none: deterministic" in frame["method"].iloc[1]
    assert agreement_gate(frame, 0.85).passed


def test_before_anything_is_pinned_the_row_and_the_checks_say_so() -> None:
    frame = drifted(scores({FIRST: {"a": 0.1, "b": 0.2}}))
    assert "nothing is pinned yet" in frame["undefined"].iloc[0]
    assert frame["n_pinned"].iloc[0] == 0
    for gate in (shift_gate(frame, 0.05), agreement_gate(frame, 0.85)):
        assert not gate.passed
        assert "nothing is pinned yet" in gate.sentence


def test_the_headline_counts_objects_that_moved_by_more_than_the_limit() -> None:
    later = moved(0.0) | {"a": 0.15, "b": 0.36, "f": 0.80}
    anchor = scores({FIRST: dict(THEN), SECOND: later})
    said = headline(drifted(anchor), anchor, plan())
    # a moved by exactly 0.05, which is not more; b by 0.06, f by 0.10.
    assert said["n_objects_moved"] == 2
    assert (said["occasion"], said["pinned"], said["same_judge"]) == (SECOND, FIRST, True)
    assert said["plot"].value.startswith("![plot](data:image/webp;base64,")


def test_the_words_for_nothing_pinned_name_the_fewest_objects_of_a_comparison() -> None:
    assert NOT_PINNED.startswith(f"no occasion has {FEWEST_PAIRS} objects with enough valid repeats")
    assert f"not yet: fewer than {FEWEST_PAIRS} objects have a score" == NOT_YET
