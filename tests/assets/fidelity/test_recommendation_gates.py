"""Gates, advice and headline of table `recommended_setting`, and what other code asks of it."""

import re

import pandas as pd
import pytest

from analysis.gates import Gate
from assets.fidelity.logic.recommendation_gates import chosen_setting, confirmed_gate, recommended_gate, sure_gate
from assets.fidelity.logic.setting_conditions import FOUR_CONDITIONS
from assets.fidelity.recommended_setting import headline
from tests.assets.fidelity.made_recommendation import BASELINE, COARSE, SHAKY, STEADY, judgements, recommended, study_of


@pytest.fixture(scope="module")
def split() -> pd.DataFrame:
    """A deterministic baseline, a steady setting, a shaky one, and one that hardly knows what people think."""
    noises = {BASELINE: 0.0, STEADY: 0.01, SHAKY: 0.13, COARSE: 0.01}
    return recommended(judgements(noises, errors={COARSE: 0.6})).set_index("setting")


@pytest.fixture(scope="module")
def optimism() -> pd.DataFrame:
    """Three settings that all pass, chosen on all objects."""
    return recommended(judgements({STEADY: 0.01, SHAKY: 0.02, COARSE: 0.03}), "optimism").set_index("setting")


def test_no_setting_passes_then_none_is_recommended_and_the_nearest_says_what_it_lacks():
    made = recommended(judgements({BASELINE: 0.0, SHAKY: 0.13, COARSE: 0.18}))
    assert chosen_setting(made) == (None, SHAKY)
    assert not made["recommended"].any()
    assert made[["score", "rank", "icc_holm_low"]].isna().all(axis=None)
    gate = recommended_gate(made)
    assert not gate.passed
    assert gate.sentence.startswith(
        f"Number of settings that keep {FOUR_CONDITIONS} is 0 over 3 settings; needed: at le"
    )
    assert f"Nearest is {SHAKY}: Median MAD of the repeats is" in gate.sentence
    for advice in (confirmed_gate(made), sure_gate(made, study_of().thresholds)):
        assert not advice.passed
        assert advice.sentence == (
            "No setting is recommended, so there is nothing to confirm. Recommended is 0 over 3 settings; needed: 1. "
            "a_setting_is_recommended says what is lacking."
        )


def test_where_every_setting_is_deterministic_none_is_near():
    made = recommended(judgements({BASELINE: 0.0, STEADY: 0.0}))
    assert chosen_setting(made) == (None, None)
    assert (
        "No setting was compared whose repeats vary: add one with a temperature above 0."
        in recommended_gate(made).sentence
    )


def test_a_confirmed_recommendation_says_so_with_its_bounds(split):
    gate = confirmed_gate(split.reset_index())
    assert gate.passed
    assert gate.sentence.startswith(f"{STEADY} keeps {FOUR_CONDITIONS} in the numbers to report, over 16 objects of 8")
    assert "Lower bounds for 4 settings tried (Holm): ICC(1,k) 0.9" in gate.sentence
    assert sure_gate(split.reset_index(), study_of().thresholds).passed


def test_a_recommendation_whose_reported_numbers_miss_a_condition_is_not_confirmed():
    # Spearman of about 0.75 in truth: some halves of 12 products choose it and do not confirm it.
    for seed in range(40):
        made = recommended(judgements({BASELINE: 0.0, STEADY: 0.005}, errors={STEADY: 0.17}, n_products=12, seed=seed))
        row = made.set_index("setting").loc[STEADY]
        if row["recommended"] and row["spearman_reported"] < 0.7:
            break
    gate = confirmed_gate(made)
    assert not gate.passed
    assert f"Spearman with people is {row['spearman_reported']:.3f} over 12 objects; needed: at least 0.7." in (
        gate.sentence
    )
    assert "Short by" in row["lacks_when_reported"]
    sure = sure_gate(made, study_of().thresholds)
    assert not sure.passed
    assert sure.sentence.startswith("For 2 settings tried (Holm), the lower bound of Spearman with people is")


def test_spearman_is_told_with_the_objects_and_products_that_people_scored():
    noises = {STEADY: 0.01, SHAKY: 0.02}
    made = recommended(judgements(noises, n_products=40, unscored=24, errors=dict.fromkeys(noises, 0.05)))
    confirmed = confirmed_gate(made).sentence
    assert "over 40 objects of 20 products (Spearman over 16 objects of 8 products): " in confirmed
    sure = sure_gate(made, study_of().thresholds).sentence
    assert re.search(r"lower bound of Spearman with people is 0\.\d+ over 16 objects of 8 products;", sure)
    assert re.search(r"lower bound of ICC\(1,k\) is 0\.\d+ over 40 objects of 20 products;", sure)


def test_one_of_anything_is_no_plural():
    made = recommended(judgements({STEADY: 0.01}))
    assert f"{STEADY} is recommended: 1 of 1 setting keeps {FOUR_CONDITIONS}." in recommended_gate(made).sentence
    assert "Lower bounds for 1 setting tried (Holm)" in confirmed_gate(made).sentence
    assert "(Holm's first step over 1 setting)" in made["method"].iloc[0]


def test_the_gate_of_a_recommendation_names_what_cannot_be_told_from_it(optimism):
    gate = recommended_gate(optimism.reset_index())
    assert isinstance(gate, Gate)
    assert gate.passed
    assert gate.sentence.startswith(f"{STEADY} is recommended: 3 of 3 settings keep {FOUR_CONDITIONS}.")
    assert COARSE not in gate.sentence


def test_the_headline_has_the_reported_numbers_and_a_picture(split):
    numbers = headline(split.reset_index())
    assert numbers["recommended"] == STEADY
    assert numbers["icc_reported"] == pytest.approx(split.loc[STEADY, "icc_reported"])
    assert str(numbers["plot"].value).startswith("![plot](data:image/webp;base64,")
