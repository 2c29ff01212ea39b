"""Table `dose_response`: doses, a line by hand, what is left out, and the advice on it."""

import pandas as pd
import pytest

from assets.fidelity.dose_response import headline, more_costs_more, readings
from assets.fidelity.logic.sensitivity_rows import dose_of, dose_points, dose_rows, dose_unit
from tests.assets.asked_gates import with_limit
from tests.assets.fidelity.made_golden_set import scores_of_pairs
from tests.assets.shared.made_tables import keeps_to_its_declaration, plan

dose_gate = with_limit(more_costs_more, "dose_response_r2")

STRIPES = ("stripes7_o30", "stripes7_o50", "stripes7_o70")
SATURATION = ("saturation_75", "saturation_50", "saturation_25")


def rows(scores: pd.DataFrame) -> pd.DataFrame:
    return keeps_to_its_declaration("dose_response", dose_rows(scores, plan())).set_index("kind", drop=False)


def by_dose(names: tuple[str, ...], *drops_of_items: tuple[float | None, ...]) -> pd.DataFrame:
    """Table `golden_scores` of originals at 0.9 that lose so much at each dose."""
    altered = {
        name: [None if drops[place] is None else round(0.9 - drops[place], 6) for drops in drops_of_items]
        for place, name in enumerate(names)
    }
    return scores_of_pairs([0.9] * len(drops_of_items), altered)


def test_the_dose_is_what_was_taken_away_or_added() -> None:
    assert dose_of("saturation", 0.75) == dose_of("brightness", 0.75) == 0.25
    assert dose_of("texture_scale", 1.25) == 0.25
    assert dose_of("hue", 40.0) == 40
    assert (
        dose_unit("brightness", "factor"),
        dose_unit("texture_scale", "factor"),
        dose_unit("blur", "px at 512"),
    ) == (
        "1 - factor",
        "factor - 1",
        "px at 512",
    )


def test_a_line_by_hand() -> None:
    # The worked case of the statistic itself: slope 0.625, R squared 0.78125, intercept 0.0375.
    seen = rows(by_dose(STRIPES, (0.1, 0.2, 0.3), (0.4, 0.4, 0.7))).loc["stripes"]
    assert seen[["slope", "r2", "intercept"]].astype(float).tolist() == pytest.approx([0.625, 0.78125, 0.0375])
    # Ranks 1 2 3 and 1.5 1.5 3: L = 14 + 1.5 + 3 + 9 = 27.5. At least that: the first item in its best order (1 of 6)
    # and the second in one with its largest last (1 of 3): 1 / 18.
    assert (seen["page_l"], seen["page_p"]) == (27.5, pytest.approx(1 / 18))
    assert (seen["n_magnitudes"], seen["n_items"], seen["n_total"], seen["dose_unit"]) == (3, 2, 2, "opacity")


def test_where_better_is_expected_a_rise_with_the_dose_is_what_a_drop_is_elsewhere() -> None:
    rises = by_dose(("polished_1", "polished_2", "polished_3"), (-0.01, -0.02, -0.03), (-0.04, -0.04, -0.07))
    frame = rows(rises)
    seen = frame.loc["polished"]
    # The line by hand with a tenth of its drops, as rises, on doses 1 2 3: its slope a tenth of 0.625 for 0.2, 0.0125.
    assert seen[["slope", "r2"]].astype(float).tolist() == pytest.approx([0.0125, 0.78125])
    assert (seen["page_l"], seen["dose_unit"]) == (27.5, "steps")
    assert readings(frame, 0.6) == {"polished": "explained"}


def test_less_saturation_is_more_of_the_alteration() -> None:
    seen = rows(by_dose(SATURATION, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4))).loc["saturation"]
    # 0.1 for each 0.25 taken away.
    assert (seen["slope"], seen["r2"]) == pytest.approx((0.4, 1.0))
    assert seen["dose_unit"] == "1 - factor"


def test_a_kind_with_two_magnitudes_has_no_row() -> None:
    assert rows(by_dose(STRIPES[:2], (0.1, 0.2), (0.2, 0.3))).empty


def test_items_without_all_magnitudes_are_counted() -> None:
    seen = rows(by_dose(STRIPES, (0.1, 0.2, 0.3), (0.2, None, 0.5), (None, None, 0.5))).loc["stripes"]
    assert (seen["n_items"], seen["n_total"]) == (1, 3)
    # Three of nine pairs lack a score; two items have two doses or more.
    assert (seen["n_line"], seen["n_missing_pairs"]) == (2, 3)


def test_the_number_of_items_beside_r2_is_that_of_the_line() -> None:
    frame = rows(by_dose(STRIPES, (0.1, 0.2, None), (None, 0.3, 0.4), (0.2, None, 0.4)))
    seen = frame.loc["stripes"]
    # No item has all three doses; within items 0.2 of dose costs 0.1, 0.1 and twice that over twice the dose.
    assert (seen["n_items"], seen["n_line"], seen["r2"], seen["slope"]) == (0, 3, pytest.approx(1), pytest.approx(0.5))
    assert dose_gate(frame, 0.6).sentence.startswith("R squared of drop on dose for stripes is 1.000 over 3 items")


def test_items_that_chose_the_setting_are_marked_where_they_count() -> None:
    scores = by_dose(STRIPES, (0.1, 0.2, 0.3), (0.2, 0.3, 0.4), (None, None, None))
    chose = scores.assign(chose_setting=scores["object"].isin(["a", "b"]))
    seen = rows(chose).loc["stripes"]
    assert (seen["n_line"], seen["n_missing_pairs"]) == (2, 3)
    assert seen["method"].endswith("; not held out")
    assert seen["page_method"].endswith("; not held out")
    assert "not held out" not in rows(scores).loc["stripes", "method"]


def test_more_magnitudes_than_pages_test_takes_leave_it_null_with_the_reason() -> None:
    scores = by_dose(STRIPES, (0.1, 0.2, 0.3))
    one = scores[scores["alteration"] == "stripes7_o30"]
    sizes = [place / 20 for place in range(1, 14)]
    many = [one.assign(alteration=f"stripes7_o{100 * size:g}", magnitude=size, drop=size / 2) for size in sizes]
    seen = rows(pd.concat(many, ignore_index=True)).loc["stripes"]
    assert (seen["n_magnitudes"], seen["slope"]) == (13, pytest.approx(0.5))
    assert pd.isna(seen["page_p"])
    assert seen["undefined"].startswith("page_l, page_p: 13 magnitudes; the exact distribution is made for 12 at most")


def test_equal_drops_leave_numbers_null_with_the_reason() -> None:
    seen = rows(by_dose(STRIPES, (0.1, 0.1, 0.1), (0.2, 0.2, 0.2))).loc["stripes"]
    assert seen["slope"] == 0
    assert seen[["r2", "pearson_r", "page_l", "page_p"]].isna().all()
    assert seen["undefined"] == (
        "r2, pearson_r: no item's drops change with the dose; page_l, page_p: no item's drops differ between magnitudes"
    )


def test_a_kind_without_any_pair_has_a_row_that_says_so() -> None:
    seen = rows(by_dose(STRIPES, (None, None, None))).loc["stripes"]
    assert (seen["n_items"], seen["n_total"]) == (0, 1)
    assert "no item has a pair" in seen["undefined"]


def test_a_dose_that_explains_the_drops_passes() -> None:
    gate = dose_gate(rows(by_dose(STRIPES, (0.1, 0.2, 0.3), (0.4, 0.4, 0.7))), 0.6)
    assert gate.passed
    assert gate.seen == pytest.approx(0.78125)
    assert gate.sentence.endswith("Every line rises with the dose.")


def test_a_dose_that_does_not_explain_them_fails_and_names_the_kind() -> None:
    gate = dose_gate(rows(by_dose(STRIPES, (0.1, 0.3, 0.1), (0.4, 0.1, 0.5))), 0.6)
    assert not gate.passed
    assert "drop on dose for stripes is " in gate.sentence
    both = pd.concat([by_dose(STRIPES, (0.1, 0.3, 0.1), (0.4, 0.1, 0.5)), by_dose(SATURATION, (0.1, 0.2, 0.3))])
    assert "for stripes, the lowest of 2 kinds, is " in dose_gate(rows(both), 0.6).sentence
    assert "Short of it: stripes (" in gate.sentence


def test_a_line_that_falls_fails_whatever_it_explains() -> None:
    gate = dose_gate(rows(by_dose(STRIPES, (0.3, 0.2, 0.1), (0.5, 0.4, 0.3))), 0.6)
    assert not gate.passed
    assert gate.seen == pytest.approx(1)
    assert "stripes (1.00, falling)" in gate.sentence


def test_a_slope_that_is_0_but_for_the_last_digits_does_not_rise() -> None:
    frame = rows(by_dose(STRIPES, (0.1, 0.2, 0.3), (0.4, 0.4, 0.7))).assign(slope=1e-15)
    gate = dose_gate(frame, 0.6)
    assert not gate.passed
    assert "stripes (0.78, falling)" in gate.sentence


def test_an_undefined_line_fails_with_its_reason() -> None:
    gate = dose_gate(rows(by_dose(STRIPES, (0.1, 0.1, 0.1), (0.2, 0.2, 0.2))), 0.6)
    assert (gate.passed, gate.seen) == (False, None)
    assert "no item's drops change with the dose" in gate.sentence
    assert "stripes (undefined)" in gate.sentence


def test_a_golden_set_without_doses_is_not_asked() -> None:
    gate = dose_gate(rows(scores_of_pairs([0.9], {"untouched": [0.9]})), 0.6)
    assert gate.passed
    assert "No kind of alteration has 3 magnitudes." in gate.sentence


def test_the_headline_names_what_the_dose_does_not_explain() -> None:
    scores = by_dose(STRIPES, (0.1, 0.3, 0.1), (0.4, 0.1, 0.5))
    seen = headline(rows(scores), dose_points(scores), 0.6)
    assert (seen["n_kinds"], seen["n_explained"], seen["not_explained"]) == (1, 0, "stripes")
    assert "data:image/webp;base64," in seen["plot"].value


@pytest.mark.parametrize(
    ("r2", "slope", "reading"),
    [
        (0.6 - 1e-14, 0.1, "explained"),
        (0.59, 0.1, "not_explained"),
        (0.9, -0.1, "falls"),
        (0.9, 1e-14, "falls"),
        (None, 0.1, "undefined"),
    ],
)
def test_a_line_is_read_as_the_gate_counts_it(r2: float | None, slope: float, reading: str) -> None:
    frame = rows(by_dose(STRIPES, (0.1, 0.2, 0.3), (0.4, 0.4, 0.7))).assign(r2=r2, slope=slope)
    assert readings(frame, 0.6) == {"stripes": reading}
    assert dose_gate(frame, 0.6).passed == (reading == "explained")
