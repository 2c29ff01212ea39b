"""Table `sensitivity`: one alteration by hand, what does not count, the words, and the gates."""

import pandas as pd
import pytest

from analysis.accuracy.hit_rate import HitRate
from analysis.gates import Gate
from analysis.resampling.bootstrap import Interval
from assets.fidelity.logic.sensitivity_rows import seen_in_words, sensitivity_rows
from assets.fidelity.sensitivity import (
    effect_gate,
    every_alteration_is_seen,
    headline,
    hit_rate_gate,
    strong_stripes_stand_out,
    unchanged_copies_keep_their_score,
)
from reports.fidelity.contents import WORDS
from reports.fidelity.plots.golden import LOOKS
from resources.configuration.fidelity import FidelityThresholds, GoldenSet
from resources.photos.golden_set import alterations_of
from resources.tables.all_tables import TABLES
from resources.tables.fidelity.golden import SEEN_WORDS
from tests.assets.asked_gates import asked, with_limit
from tests.assets.fidelity.made_golden_set import scores_of_pairs
from tests.assets.shared.made_tables import keeps_to_its_declaration, plan

seen_gate = asked(every_alteration_is_seen)
strong_stripes_gate = with_limit(strong_stripes_stand_out, "stripes_effect_size")
false_alarm_gate = with_limit(unchanged_copies_keep_their_score, "false_alarm_rate")

ORIGINALS = [0.9, 0.8, 0.7, 0.6]
LIMITS = FidelityThresholds().model_dump()


def rows(scores: pd.DataFrame, **changes: object) -> pd.DataFrame:
    made = sensitivity_rows(scores, plan(**changes))
    return keeps_to_its_declaration("sensitivity", made).set_index("alteration", drop=False)


def of(originals: list[float | None], **altered: list[float | None]) -> pd.DataFrame:
    return rows(scores_of_pairs(originals, altered))


def test_one_alteration_by_hand() -> None:
    seen = of(ORIGINALS, stripes7_o70=[0.5, 0.5, 0.4, 0.6]).iloc[0]
    # Means 0.75 and 0.5, drops 0.4 0.3 0.3 0 with mean 0.25.
    # Squares about the means: 0.05 and 0.02; pooled sd sqrt(0.07 / 6) = 0.108012; d = 0.25 / 0.108012 = 2.314550.
    # J(6) = Gamma(3) / (sqrt(3) Gamma(2.5)) = 2 / (1.732051 x 1.329340) = 0.868627: g = 2.010480.
    # Sd of drops: squares 0.0225 0.0025 0.0025 0.0625 sum to 0.09: sqrt(0.03) = 0.173205; d_z = 1.443376.
    numbers = seen[["mean_original", "mean_altered", "mean_drop", "cohens_d", "hedges_g", "d_z"]].astype(float)
    assert numbers.tolist() == pytest.approx([0.75, 0.5, 0.25, 2.314550, 2.010480, 1.443376], abs=1e-5)
    assert (seen["n_hits"], seen["n_misses"], seen["n_ties"], seen["hit_rate"]) == (3, 1, 1, 0.75)
    # 0.6 beats 0.5 0.5 0.4 and ties 0.6: 3.5; the others beat all four: 15.5 of 16.
    assert seen["auc"] == pytest.approx(15.5 / 16)
    assert (seen["n_items"], seen["n_total"], seen["d_band"]) == (4, 4, "large")
    assert pd.isna(seen["false_alarm_rate"])


def test_a_rise_is_a_hit_and_a_positive_effect_where_better_is_expected() -> None:
    # The pairs of `test_one_alteration_by_hand` with their sides swapped: the same drops, as rises.
    seen = of([0.5, 0.5, 0.4, 0.6], polished_1=ORIGINALS).iloc[0]
    assert seen["expected"] == "better"
    assert seen["mean_drop"] == pytest.approx(-0.25)
    numbers = seen[["cohens_d", "hedges_g", "d_z", "auc"]].astype(float)
    assert numbers.tolist() == pytest.approx([2.314550, 2.010480, 1.443376, 15.5 / 16], abs=1e-5)
    assert (seen["n_hits"], seen["n_misses"], seen["n_ties"], seen["hit_rate"]) == (3, 1, 1, 0.75)
    assert seen["seen"] == "seen in part"


def test_a_drop_where_better_is_expected_is_not_seen_and_the_gate_says_so() -> None:
    frame = of(ORIGINALS, polished_1=[0.5, 0.5, 0.4, 0.6], scratch_1=ORIGINALS)
    assert frame.loc["polished_1", "cohens_d"] < 0
    assert set(frame["seen"]) == {"not seen"}
    gate = seen_gate(frame)
    assert (gate.passed, gate.seen) == (False, 2)
    assert "They are polished_1, scratch_1: differences of that kind do not move its scores as they should" in (
        gate.sentence
    )


def test_gates_on_stripes_look_at_no_kind_of_the_users_own() -> None:
    frame = of(ORIGINALS, scratch_1=ORIGINALS)
    assert effect_gate(frame, 0.8).sentence.startswith("Not asked of this data set.")


def test_own_pairs_count_by_themselves_where_all_their_items_chose_the_setting() -> None:
    # Item a alone was held out, and has no scratch.
    chose = [False, True, True, True]
    scores = scores_of_pairs(ORIGINALS, {"stripes7_o70": [0.1] * 4, "scratch_1": [None, 0.1, 0.1, 0.1]}, chose=chose)
    frame = rows(scores)
    assert (frame.loc["stripes7_o70", "n_items"], frame.loc["scratch_1", "n_items"]) == (1, 3)
    assert "not held out" in frame.loc["scratch_1", "method"]
    assert "not held out" not in str(frame.loc["stripes7_o70", "method"])


def test_each_interval_names_its_method() -> None:
    method = of(ORIGINALS, stripes7_o70=[0.5, 0.5, 0.4, 0.6])["method"].iloc[0]
    assert method == (
        "hit rate: Wilson, 4 trials; AUC, cohens_d: none: 4 clusters, fewer than 5; "
        "d_z: noncentral t, 3 degrees of freedom"
    )


def test_untouched_copies_have_a_false_alarm_rate() -> None:
    seen = of(ORIGINALS, untouched=[0.9, 0.84, 0.7, 0.65]).iloc[0]
    # Differences 0, -0.04, 0, -0.05: the last is not nearer than 0.05.
    assert (seen["hit_rate"], seen["false_alarm_rate"]) == (0.75, 0.25)
    assert seen["seen"] == "disturbed"


def test_numbers_that_the_data_do_not_define_are_null_with_the_reason() -> None:
    seen = of([0.5, 0.5, 0.5], hue_5=[0.3, 0.3, 0.3]).iloc[0]
    assert seen[["cohens_d", "hedges_g", "d_z", "d_band"]].isna().all()
    assert seen["undefined"].startswith("cohens_d, hedges_g: neither original nor altered scores vary")
    assert "d_z: all drops are equal" in seen["undefined"]
    assert seen["hit_rate"] == 1


def test_a_single_pair_has_a_hit_rate_and_no_effect_size() -> None:
    seen = of([0.5, None], hue_5=[0.3, 0.2]).iloc[0]
    assert (seen["n_items"], seen["n_total"], seen["hit_rate"]) == (1, 2, 1)
    assert seen["undefined"] == "cohens_d, hedges_g, d_z: only 1 pair, at least 2 needed"


def test_what_one_item_did_is_not_taken_for_seen() -> None:
    seen = of([0.5, None], hue_5=[0.1, 0.2], untouched=[0.5, 0.5]).set_index("alteration")["seen"]
    assert seen.tolist() == ["unknown", "unknown"]


def test_an_alteration_without_any_pair_has_a_row_that_says_so() -> None:
    seen = of([0.5, None], hue_5=[None, 0.2]).iloc[0]
    assert (seen["n_items"], seen["seen"]) == (0, "unknown")
    assert "no item has a pair of scores that counts" in seen["undefined"]


def test_items_that_chose_the_setting_do_not_count() -> None:
    scores = scores_of_pairs(ORIGINALS, {"hue_5": [0.1, 0.1, 0.7, 0.6]}, chose=[True, True, False, False])
    seen = rows(scores).iloc[0]
    assert (seen["n_items"], seen["n_chose_setting"], seen["mean_drop"]) == (2, 2, 0)
    assert "not held out" not in seen["method"]


def test_where_every_item_chose_the_setting_all_count_and_the_row_says_so() -> None:
    seen = rows(scores_of_pairs(ORIGINALS, {"hue_5": [0.1, 0.1, 0.7, 0.6]}, chose=[True] * 4)).iloc[0]
    assert (seen["n_items"], seen["n_chose_setting"]) == (4, 4)
    assert seen["method"].endswith("; not held out")


def test_items_that_chose_count_where_no_other_has_a_pair() -> None:
    # d, e and f are held out and have no pair: a, b and c drop by 0.2, 0.2 and 0.1.
    altered: list[float | None] = [0.7, 0.6, 0.6, None, None, None]
    scores = scores_of_pairs([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], {"hue_5": altered}, chose=[True] * 3 + [False] * 3)
    seen = rows(scores).iloc[0]
    assert (seen["n_items"], seen["mean_drop"]) == (3, pytest.approx(0.5 / 3))
    assert seen["method"].endswith("; not held out")


def test_items_of_one_product_are_left_out_together() -> None:
    products = ["p", "p", "q", "q", "r", "s", "t", "u"]
    originals = [0.9, 0.8, 0.7, 0.6, 0.5, 0.8, 0.7, 0.9]
    scores = scores_of_pairs(originals, {"hue_5": [0.5, 0.4, 0.6, 0.7, 0.2, 0.6, 0.5, 0.3]}, products=products)
    method = rows(scores)["method"].iloc[0]
    assert "arsinh(d/2), t(" in method
    assert "6 clusters" in method
    assert "noncentral t" not in method


def test_rows_stand_by_kind_and_from_weak_to_strong() -> None:
    scores = scores_of_pairs(
        ORIGINALS,
        dict.fromkeys(["untouched", "saturation_25", "saturation_75", "stripes7_o70", "stripes7_o30"], ORIGINALS),
    )
    expected = ["stripes7_o30", "stripes7_o70", "saturation_75", "saturation_25", "untouched"]
    assert rows(scores)["alteration"].tolist() == expected


def test_words_for_what_is_seen() -> None:
    originals: list[float | None] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    seen = of(
        originals,
        stripes7_o70=[0.5, 0.4, 0.3, 0.2, 0.1, 0.1],  # far and always
        hue_5=[0.89, 0.79, 0.69, 0.59, 0.49, 0.39],  # always, by next to nothing
        saturation_50=[0.5, 0.8, 0.7, 0.6, 0.5, 0.4],  # once, and by 0.067 on average
        saturation_75=[0.88, 0.82, 0.68, 0.62, 0.48, 0.42],  # as often up as down
    )["seen"]
    assert seen["stripes7_o70"] == "seen"
    assert seen["hue_5"] == seen["saturation_50"] == "seen in part"
    assert seen["saturation_75"] == "not seen"


def test_a_stricter_hit_rate_does_not_tighten_the_limit_of_false_alarms() -> None:
    # One of ten copies scores differently: 0.1, within 0.2, though the hit rate asked for is 0.95.
    scores = scores_of_pairs([0.5] * 10, {"untouched": [0.5] * 9 + [0.7]})
    assert rows(scores, thresholds={"hit_rate": 0.95})["seen"].tolist() == ["kept"]
    assert rows(scores, thresholds={"false_alarm_rate": 0.05})["seen"].tolist() == ["disturbed"]


def test_every_word_of_what_is_seen_has_colours_and_words_in_each_language() -> None:
    assert set(SEEN_WORDS) == set(LOOKS)
    assert all(WORDS.has(f"seen.{word.replace(' ', '_')}") for word in SEEN_WORDS)


def test_every_alteration_has_a_unit_that_the_tables_declare() -> None:
    units = {one.unit for one in alterations_of(GoldenSet())}
    for name in ("golden_images", "golden_scores", "sensitivity"):
        [column] = [one for one in TABLES[name].columns if one.name == "magnitude_unit"]
        # A kind of the user's own has a unit of its own, so the built-in ones are said and not enforced.
        assert all(unit in column.meaning for unit in units)


def stripes(weak: list[float | None], strong: list[float | None]) -> pd.DataFrame:
    originals: list[float | None] = [0.90, 0.80, 0.70, 0.60, 0.75, 0.85]
    return of(originals, stripes7_o30=weak, stripes7_o70=strong, hue_5=originals)


SEEN = stripes([0.6, 0.6, 0.5, 0.4, 0.5, 0.6], [0.2, 0.2, 0.1, 0.1, 0.2, 0.2])
OVERLOOKED = stripes([0.9, 0.8, 0.7, 0.59, 0.7, 0.84], [0.8, 0.7, 0.6, 0.55, 0.7, 0.7])


def test_stripes_that_are_seen_pass_every_gate_on_them() -> None:
    gates = [
        effect_gate(SEEN, 0.8),
        hit_rate_gate(SEEN, 0.8),
        strong_stripes_gate(SEEN, 1.5),
    ]
    assert all(gate.passed for gate in gates), [gate.sentence for gate in gates]
    # Six items prove no more than that: the bootstrap's lower bound was too high.
    assert not effect_gate(SEEN, 0.8, "cohens_d_low").passed
    assert gates[0].seen == SEEN.loc["stripes7_o30", "cohens_d"]


def test_the_weakest_stripes_decide() -> None:
    gate = effect_gate(OVERLOOKED, 0.8)
    assert not gate.passed
    assert gate.seen == OVERLOOKED.loc["stripes7_o30", "cohens_d"]
    assert gate.sentence.startswith("Cohen's d on stripes7_o30, the lowest of 2 stripes alterations, is ")
    rate = hit_rate_gate(OVERLOOKED, 0.8)
    assert (rate.passed, rate.seen) == (False, 0.5)
    assert "3 scores stayed equal" in rate.sentence
    assert "from 16 flawless items on" in rate.sentence
    assert not effect_gate(OVERLOOKED, 0.8, "cohens_d_low").passed
    assert not strong_stripes_gate(OVERLOOKED, 1.5).passed


def test_an_undefined_effect_fails_with_its_reason() -> None:
    flat = of([0.5] * 4, stripes7_o70=[0.4] * 4)
    for gate in (effect_gate(flat, 0.8), strong_stripes_gate(flat, 1.5)):
        assert not gate.passed
        assert gate.seen is None
        assert "neither original nor altered scores vary" in gate.sentence


def test_stripes_without_any_pair_fail() -> None:
    nothing = of([None, None], stripes7_o70=[0.1, 0.2])
    assert not effect_gate(nothing, 0.8).passed
    assert not hit_rate_gate(nothing, 0.8).passed


def test_a_golden_set_without_stripes_or_copies_is_not_asked() -> None:
    hue = of(ORIGINALS, hue_5=ORIGINALS)
    gates: list[Gate] = [effect_gate(hue, 0.8), hit_rate_gate(hue, 0.8), strong_stripes_gate(hue, 1.5)]
    for gate in [*gates, false_alarm_gate(hue, 0.2)]:
        assert gate.passed
        assert gate.sentence.startswith("Not asked of this data set.")


def test_copies_that_keep_their_score_pass_and_others_fail() -> None:
    assert false_alarm_gate(of(ORIGINALS, untouched=ORIGINALS, reencoded=ORIGINALS), 0.2).passed
    gate = false_alarm_gate(of(ORIGINALS, untouched=ORIGINALS, reencoded=[0.9, 0.6, 0.7, 0.6]), 0.2)
    assert (gate.passed, gate.seen, gate.needed) == (False, 0.25, "<= 0.2")
    alone = false_alarm_gate(of(ORIGINALS, untouched=ORIGINALS), 0.2)
    assert alone.sentence.startswith("False-alarm rate on untouched is 0.000 over 4 items")
    assert gate.sentence.startswith("False-alarm rate on reencoded, the highest of 2 kinds of copies, is 0.250")


def test_what_the_judge_does_not_see_is_named() -> None:
    gate = seen_gate(OVERLOOKED)
    assert not gate.passed
    assert "They are stripes7_o30, hue_5" in gate.sentence
    assert seen_gate(of(ORIGINALS, stripes7_o70=[0.1, 0.2, 0.1, 0.1])).passed


NO_PAIR: list[float | None] = [None] * 4


def test_what_nobody_knows_is_not_seen_by_default() -> None:
    unknown = seen_gate(of(ORIGINALS, stripes7_o70=NO_PAIR, hue_5=NO_PAIR))
    assert (unknown.passed, unknown.seen) == (False, None)
    assert "undefined (fewer than 2 items have a pair of scores that counts for stripes7_o70, hue_5)" in (
        unknown.sentence
    )
    assert not seen_gate(of(ORIGINALS, stripes7_o70=[0.1] * 4, hue_5=NO_PAIR)).passed
    # One is missed for sure, so the number is at least 1 whatever the other would be.
    both = seen_gate(of(ORIGINALS, stripes7_o70=NO_PAIR, hue_5=ORIGINALS))
    assert (both.passed, both.seen) == (False, 1)
    assert "They are hue_5" in both.sentence
    assert "for stripes7_o70." in both.sentence


def test_a_golden_set_of_copies_only_is_not_asked_what_is_seen() -> None:
    gate = seen_gate(of(ORIGINALS, untouched=ORIGINALS))
    assert (gate.passed, gate.seen) == (True, None)
    assert gate.sentence.startswith("Not asked of this data set.")


def test_a_lower_bound_of_a_half_up_to_the_last_digit_is_no_more_than_a_coin() -> None:
    interval = Interval(0.1 + 0.2 + 0.2 + 1e-14, 0.9, "Wilson", 20, False, 0)
    hits = HitRate(0.7, interval, 14, 6, 0, 20, 20, 0.5, 0.49, 0.01)
    assert seen_in_words(hits, 0.1, "worse", FidelityThresholds(), 0.05) == "not seen"
    surely = hits._replace(interval=interval._replace(low=0.51))
    assert seen_in_words(surely, 0.1, "worse", FidelityThresholds(), 0.05) == "seen in part"


def test_the_headline_says_plainly_what_is_not_seen() -> None:
    seen = headline(OVERLOOKED, LIMITS)
    assert seen["not_seen"] == "stripes7_o30, hue_5"
    assert seen["lowest_hit_rate_on_stripes"] == 0.5
    assert seen["lowest_d_on_stripes"] == OVERLOOKED.loc["stripes7_o30", "cohens_d"]
    assert seen["disturbed"] == "none"
    assert "data:image/webp;base64," in seen["plot"].value


def test_a_headline_without_numbers_has_nulls() -> None:
    assert headline(of([None], untouched=[0.5]), LIMITS)["lowest_d_on_stripes"].value is None
