"""Choosing among settings: what it does to the chosen one's numbers, and what is left once it is taken off."""

import numpy as np
import pytest

from analysis.agreement.halves import halves
from analysis.agreement.icc_by_product import icc_by_product
from analysis.agreement.selection import behind_best, holm_bounds, reported, split, without_optimism
from analysis.agreement.setting_choice import NONE, Rule, choose
from analysis.agreement.setting_measures import Compared, Evidence, Judged, Measures, compared, evidence_of, measured
from analysis.correlation.correlation import correlation
from analysis.resampling.bootstrap import Resampling
from analysis.undefined import UndefinedStatistic
from tests.analysis.made_settings import made

EASY = Rule(icc=0.2, json_validity=0.2, spearman=0.0, median_mad=0.5)
# Nothing but agreement with people counts.
BY_SPEARMAN = Rule(-1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0, 0.0)
TRUE_RHO = 0.63


def equal_settings(seed: int, n: int = 9, m: int = 10) -> Compared:
    """Ten settings that are equal in truth: each one's own noise around what people say, Spearman 0.63."""
    random = np.random.default_rng(seed)
    human = random.normal(size=n)
    # Of two normal variables Spearman is 6/pi asin(r/2).
    r = 2 * np.sin(np.pi * TRUE_RHO / 6)
    settings = []
    for _ in range(m):
        view = r * human + np.sqrt(1 - r**2) * random.normal(size=n)
        repeats = view[:, None] + 0.01 * random.normal(size=(n, 3))
        settings.append(Judged(repeats, np.ones(n), np.ones(n)))
    return compared(settings, human, np.arange(n), planned_repeats=3)


@pytest.fixture(scope="module")
def simulated() -> np.ndarray:
    """Spearman of any one setting, of the best one, of the best one corrected, and of one chosen on the other half."""
    rows = []
    for seed in range(80):
        evidence = evidence_of(equal_settings(seed), resamples=200, seed=seed)
        best = int(choose(evidence.sample, BY_SPEARMAN))
        corrected = without_optimism(evidence, best, BY_SPEARMAN, confidence=0.95, seed=1).reported["spearman"]
        larger = equal_settings(1000 + seed, n=18)
        chooses = split(larger.clusters, larger.scored, seed)
        elsewhere = int(choose(measured(larger.part(chooses)), BY_SPEARMAN))
        held_out = measured(larger.part(~chooses)).spearman[elsewhere]
        rows.append((evidence.sample.spearman[0], evidence.sample.spearman[best], corrected.value, held_out))
    return np.mean(rows, axis=0)


@pytest.mark.slow
def test_the_best_of_ten_equal_settings_looks_better_than_it_is(simulated):
    one, best, _, _ = simulated
    assert best > one + 0.2
    assert best > TRUE_RHO + 0.15


@pytest.mark.slow
def test_the_corrected_number_does_not(simulated):
    _, best, corrected, _ = simulated
    assert abs(corrected - TRUE_RHO) < 0.05
    assert abs(corrected - TRUE_RHO) < 0.3 * (best - TRUE_RHO)


@pytest.mark.slow
def test_neither_does_the_number_from_the_other_half(simulated):
    one, _, _, held_out = simulated
    # The mean of 80 has a standard error of about 0.03.
    assert abs(held_out - one) < 0.1


def test_optimism_by_a_plain_loop():
    evidence = evidence_of(made(noises=(0.04, 0.045, 0.05)), resamples=120, seed=3)
    chosen = int(choose(evidence.sample, EASY))
    found = without_optimism(evidence, chosen, EASY, confidence=0.9, seed=1)
    gains = []
    for row in range(120):
        pick = int(choose(Measures(*(values[row] for values in evidence.resampled)), EASY))
        if pick != NONE:
            gains.append(evidence.resampled.icc[row, pick] - evidence.resampled.icc[:, pick].mean())
    assert found.n_choices == len(gains)
    icc, plain = found.reported["icc"], reported(evidence, chosen, 0.9, seed=1)["icc"]
    assert icc.optimism == pytest.approx(np.mean(gains), abs=1e-12)
    assert icc.value == pytest.approx(evidence.sample.icc[chosen] - np.mean(gains), abs=1e-12)
    assert icc.interval.low == pytest.approx(plain.interval.low - np.mean(gains), abs=1e-12)
    assert icc.interval.method.endswith("12 clusters, shifted by the optimism")
    assert found.method == f"less bootstrap optimism: the rule chose anew in {len(gains)} of 120 resamples"


def chosen_in_turn(validity: float) -> Evidence:
    """Forty resamples in which the first setting is chosen in every other one, with what it has there by hand.

    Chosen / not: ICC .90 / .98, validity 1 / .9, Spearman .9 / .5, MAD .02 / .04. The second has .95 1 .7 .03 always.
    """
    turns = np.arange(40) % 2 == 0
    first = [np.where(turns, *pair) for pair in ((0.9, 0.98), (1.0, 0.9), (0.9, 0.5), (0.02, 0.04))]
    both = [np.column_stack([of, np.full(40, other)]) for of, other in zip(first, (0.95, 1, 0.7, 0.03), strict=True)]
    sample = [np.array(pair) for pair in ((0.99, 0.95), (validity, 1), (0.9, 0.7), (0.02, 0.03))]
    return Evidence(
        made(noises=(0.02, 0.03)), Measures(*sample, np.ones(2, dtype=bool)), Measures(*both, np.ones_like(both[0]) > 0)
    )


def test_only_what_flatters_is_taken_off():
    # Means of the first: ICC .94, validity .95, Spearman .7, MAD .03. Chosen in half of the resamples: gains ICC
    # -.04/2, validity .05/2, Spearman .2/2, MAD -.01/2. A lower ICC does not flatter, a lower MAD does.
    found = without_optimism(chosen_in_turn(1.0), 0, BY_SPEARMAN, confidence=0.9, seed=1)
    values = {name: (one.optimism, one.value) for name, one in found.reported.items()}
    expected = {
        "icc": (0, 0.99),
        "json_validity": (0.025, 0.975),
        "spearman": (0.1, 0.8),
        "median_mad": (-0.005, 0.025),
    }
    for name, pair in expected.items():
        assert values[name] == pytest.approx(pair, abs=1e-12)
    icc, spearman = found.reported["icc"].interval, found.reported["spearman"].interval
    plain = reported(chosen_in_turn(1.0), 0, 0.9, seed=1)
    assert icc == plain["icc"].interval
    assert spearman.low == pytest.approx(plain["spearman"].interval.low - 0.1)
    assert spearman.high == pytest.approx(plain["spearman"].interval.high - 0.1)
    assert found.method == (
        "less bootstrap optimism: the rule chose anew in 40 of 40 resamples, which does not flatter icc: as measured"
    )


def test_a_corrected_number_stays_within_what_is_possible():
    found = without_optimism(chosen_in_turn(0.01), 0, BY_SPEARMAN, confidence=0.9, seed=1)
    assert (found.reported["json_validity"].value, found.reported["json_validity"].optimism) == (
        0.0,
        pytest.approx(0.025),
    )
    assert found.method.endswith(", held at the limit of what is possible: json_validity")


@pytest.mark.parametrize("seed", range(6))
def test_no_correction_makes_a_number_better(seed):
    evidence = evidence_of(made(6, noises=(0.002, 0.004), seed=seed), resamples=100, seed=seed)
    rule = Rule(0.99, 0.5, 0.9, 0.01)
    chosen = max(int(choose(evidence.sample, rule)), 0)
    plain, found = (
        reported(evidence, chosen, 0.95, seed=1),
        without_optimism(evidence, chosen, rule, confidence=0.95, seed=1).reported,
    )
    for name, one in found.items():
        sign = -1 if name == "median_mad" else 1
        assert sign * one.value <= sign * plain[name].value
        if one.interval.high is not None:
            assert sign * one.interval.high <= sign * plain[name].interval.high
    assert found["icc"].interval.high <= 1


def test_a_spearman_of_1_whichever_product_is_left_out_is_no_proof():
    # The judge's order is people's: so it stays without any product, and an interval of 1 to 1 would claim certainty.
    settings = made(noises=(0.0001,))
    evidence = evidence_of(settings, resamples=100, seed=1)
    found = reported(evidence, 0, 0.95, seed=1)["spearman"]
    assert (found.value, found.interval.low) == (pytest.approx(1), None)
    assert found.interval.method.startswith("none: the statistic is at its limit")
    assert holm_bounds(settings, 0, 1, confidence=0.95, seed=1)["spearman"].low is None


def test_a_single_setting_that_always_passes_has_no_optimism():
    found = without_optimism(evidence_of(made(noises=(0.03,)), resamples=120, seed=3), 0, EASY, confidence=0.95, seed=1)
    assert [one.optimism for one in found.reported.values()] == pytest.approx([0, 0, 0, 0], abs=1e-12)


def test_a_setting_that_just_passes_is_optimistic_although_it_is_the_only_one():
    evidence = evidence_of(made(noises=(0.06,)), resamples=200, seed=3)
    barely = Rule(float(evidence.sample.icc[0]) - 1e-6, 0.0, -1.0, 1.0)
    found = without_optimism(evidence, 0, barely, confidence=0.95, seed=1)
    assert 0 < found.n_choices < 200
    assert found.reported["icc"].optimism > 0


def test_where_hardly_any_resample_chooses_there_is_no_correction():
    evidence = evidence_of(made(noises=(0.06,)), resamples=200, seed=3)
    strict = Rule(
        icc=float(np.sort(evidence.resampled.icc[:, 0])[-5]), json_validity=0.0, spearman=-1.0, median_mad=1.0
    )
    found = without_optimism(evidence, 0, strict, confidence=0.95, seed=1)
    assert found.method == "no correction: a setting meets every condition in 5 of 200 resamples only"
    assert found.reported == reported(evidence, 0, 0.95, seed=1)


def test_reported_intervals_are_those_of_each_statistic_by_itself():
    settings = made(20, 2)
    evidence = evidence_of(settings, resamples=200, seed=3)
    found = reported(evidence, 1, 0.95, seed=1)
    icc = icc_by_product(settings.settings[1].scores, settings.clusters, resampling=Resampling(3), planned_repeats=4)
    assert found["icc"].interval[:2] == pytest.approx(icc[:2], abs=1e-12)
    judge = settings.settings[1].scores.mean(axis=1)
    rho = correlation(judge, settings.human, "spearman", settings.clusters, resampling=Resampling(3))
    assert found["spearman"].value == pytest.approx(rho.value, abs=1e-12)
    assert found["spearman"].interval[:2] == pytest.approx(rho.interval[:2], abs=1e-12)
    assert found["spearman"].interval.method == "delete-one jackknife, Fisher's z, t(19), 20 clusters"


def test_an_undefined_measure_is_reported_as_none_and_a_deterministic_icc_without_interval():
    n = 8
    steady = Judged(np.repeat(np.linspace(0.1, 0.9, n)[:, None], 3, axis=1), np.zeros(n), np.zeros(n))
    settings = compared([steady], np.linspace(0.2, 0.8, n) ** 2, np.arange(n), planned_repeats=3)
    found = reported(evidence_of(settings, resamples=100, seed=1), 0, 0.95, seed=1)
    assert (found["icc"].value, found["icc"].interval.method) == (1.0, "none: deterministic")
    assert found["json_validity"].value is None
    assert found["json_validity"].interval.low is None


def test_a_copy_of_the_best_setting_cannot_be_told_from_it_and_a_bad_one_can():
    settings = made(40, 2, noises=(0.02, 0.2))
    doubled = compared([*settings.settings, settings.settings[0]], settings.human, settings.clusters, planned_repeats=4)
    evidence = evidence_of(doubled, resamples=200, seed=3)
    seen = behind_best(evidence, 0, np.ones(3, dtype=bool), EASY, confidence=0.95)
    assert (seen[2].low, seen[2].high) == (0, 0)
    assert seen[1].low > 0
    assert list(behind_best(evidence, 0, np.array([True, False, True]), EASY, confidence=0.95)) == [0, 2]
    with pytest.raises(ValueError, match="no candidate"):
        behind_best(evidence, 1, np.array([True, False, True]), EASY, confidence=0.95)


def test_the_bound_over_ten_settings_lies_at_a_tenth_of_the_tail():
    settings = made(20, 2)
    alone = holm_bounds(settings, 1, 1, confidence=0.95, seed=3)
    usual = reported(evidence_of(settings, resamples=100, seed=3), 1, 0.95, seed=3)
    assert alone["icc"][:2] == usual["icc"].interval[:2]
    ten = holm_bounds(settings, 1, 10, confidence=0.95, seed=3)
    tenth = reported(evidence_of(settings, resamples=100, seed=3), 1, 0.995, seed=3)
    for measure in ("icc", "spearman"):
        assert ten[measure].low < alone[measure].low
        assert ten[measure].low == pytest.approx(tenth[measure].interval.low, abs=1e-12)
        assert ten[measure].method.endswith("20 clusters at 99.5 % (Holm's first step over 10 settings)")


def test_few_products_leave_no_bound():
    assert holm_bounds(made(4, 3), 0, 5, confidence=0.95, seed=3)["icc"].low is None


def test_products_that_people_scored_are_halved_among_themselves():
    products = np.repeat([f"p{number}" for number in range(10)], 2)
    # Of p0 to p3 people scored one object each.
    scored = (products < "p4") & (np.arange(20) % 2 == 0)
    chooses = split(products, scored, 7)
    of_product = dict(zip(products.tolist(), chooses.tolist(), strict=True))
    assert sum(of_product[f"p{number}"] for number in range(4)) == 2
    assert sum(of_product.values()) == 5
    assert np.array_equal(split(products, np.ones(20, dtype=bool), 7), halves(products, 7))
    order = np.random.default_rng(1).permutation(20)
    assert np.array_equal(split(products[order], scored[order], 7), chooses[order])


def test_one_scored_product_or_none_cannot_be_split():
    with pytest.raises(UndefinedStatistic, match="no object"):
        split(["a", "b"], [False, False], 1)
    with pytest.raises(UndefinedStatistic, match="one product"):
        split(["a", "b"], [True, False], 1)
    with pytest.raises(ValueError, match="do not fit"):
        split(["a", "b"], [True], 1)
