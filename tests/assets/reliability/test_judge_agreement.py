"""Agreement over all queries by hand and by others' programs, for two judges and for three, and what has no value."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from analysis.agreement.chance_corrected import chance_corrected
from analysis.agreement.coefficients import bins_of
from analysis.agreement.kappa_intervals import OF_LABELS, OF_SCORES
from analysis.agreement.kendall_w import kendall_w
from assets.reliability.judge_agreement import all_rows, deciding_pair, headline
from assets.reliability.logic.judge_pairs import pairs_of_judges
from resources.tables.reliability.agreement import ALL_JUDGES
from tests.assets.reliability.made_judgments import (
    BASE,
    THREE,
    Scores,
    at,
    blocks,
    judge_agreement_of,
    pair_of,
    plan,
    scored_of,
)

random = np.random.default_rng(11)
OF_THREE = {
    f"q{q}": {
        f"d{d}": tuple(float(np.clip(base + shift, 0, 1)) for shift in random.normal(0, 0.2, 3))
        for d, base in enumerate(random.random(6))
    }
    for q in range(12)
}
WITH_GAP = {**OF_THREE, "q0": {**OF_THREE["q0"], "d0": (0.9, None, 0.2)}}


def values_of(frame: pd.DataFrame) -> pd.Series:
    return frame.set_index("statistic")["value"]


def test_macro_micro_and_companions_by_hand() -> None:
    found = values_of(judge_agreement_of(BASE))
    # Kappas 0.5, 1, none, -1; pooled n_11 4, n_10 2, n_01 1, n_00 3: 2 (12 - 2) / (6*5 + 4*5) = 0.4.
    assert found["kappa_macro"] == (0.5 + 1 + 1 - 1) / 4
    assert found["kappa_macro_defined"] == pytest.approx(0.5 / 3)
    assert found["kappa_micro"] == pytest.approx(0.4)
    assert found["low_share"] == pytest.approx(1 / 3)
    # Agreement 7 / 10; PABAK 2 * 0.7 - 1; prevalence (4 - 3) / 10; bias (2 - 1) / 10.
    named = ["percent_agreement", "pabak", "prevalence_index", "bias_index"]
    assert found[named].tolist() == pytest.approx([0.7, 0.4, 0.1, 0.1])


def test_every_statistic_has_a_row_with_its_numbers_of_queries_and_documents() -> None:
    frame = judge_agreement_of(BASE)
    assert frame["statistic"].tolist() == [*OF_LABELS, *OF_SCORES, "ac2_quadratic"]
    # One query, of 2 documents, has no kappa.
    of_defined = frame["statistic"].isin(["kappa_macro_defined", "low_share"])
    for rows, behind in ((frame[of_defined], (3, 8)), (frame[~of_defined], (4, 10))):
        assert set(zip(rows["n_queries"], rows["n_documents"], strict=True)) == {behind}


def test_four_queries_are_too_few_for_an_interval_and_twelve_are_enough() -> None:
    assert judge_agreement_of(BASE)["value_low"].isna().all()
    macro = judge_agreement_of(OF_THREE, THREE).iloc[0]
    assert macro["value_low"] < macro["value"] < macro["value_high"]
    assert macro["method"].endswith("effective sample of the delete-one jackknife, t(11), 12 clusters")


def test_bands_are_for_kappas_alone() -> None:
    bands = judge_agreement_of(BASE).set_index("statistic")["band"]
    assert (bands["kappa_macro"], bands["kappa_micro"]) == ("fair", "fair")
    assert bands[["percent_agreement", "ac1", "alpha_nominal"]].isna().all()


def test_queries_with_one_label_have_a_macro_and_no_micro_and_say_why() -> None:
    frame = judge_agreement_of({"q1": {"d": (0.9, 0.8)}, "q2": {"d": (0.7, 0.6)}}).set_index("statistic")
    assert frame.loc["kappa_macro", "value"] == 1.0
    for name in ("kappa_macro_defined", "kappa_micro", "low_share"):
        assert np.isnan(frame.loc[name, "value"])
    assert "0/0" in frame.loc["kappa_micro", "undefined"]
    assert frame.loc["low_share", "undefined"] == "no query has a defined kappa"


def test_two_judges_without_a_common_document_have_rows_without_values_and_the_reason() -> None:
    frame = judge_agreement_of({"q": {"d": (0.9, None, 0.1), "e": (None, 0.2, 0.3)}}, THREE)
    rows = frame[(frame["judge_1"] == "careful") & (frame["judge_2"] == "hasty")]
    assert rows["statistic"].tolist() == [*OF_LABELS, *OF_SCORES, "ac2_quadratic"]
    assert rows["value"].isna().all()
    assert set(rows["undefined"]) == {"no query with a document that both judges scored"}
    assert rows["n_documents"].eq(0).all()


def all_of(scores: dict, thresholds: dict[str, float]) -> pd.DataFrame:
    return pd.DataFrame(all_rows(scored_of(scores, THREE), thresholds, plan())).set_index("statistic")


def test_the_family_counts_gaps_and_its_interval_is_over_queries() -> None:
    found = all_of(WITH_GAP, at(THREE))
    cells = np.array([given for docs in WITH_GAP.values() for given in docs.values()], dtype=float)
    queries = np.repeat(np.arange(len(WITH_GAP)), [len(docs) for docs in WITH_GAP.values()])
    labels = np.where(np.isnan(cells), np.nan, cells > 0.5)
    expected = chance_corrected(labels, "cohen", categories=(0, 1), clusters=queries)
    row = found.loc["conger_kappa"]
    assert (row["value"], row["value_low"], row["value_high"]) == pytest.approx(
        (expected.value, expected.interval.low, expected.interval.high), nan_ok=True
    )
    whole = cells[~np.isnan(cells).any(axis=1)]
    assert found.loc["kendall_w", "value"] == pytest.approx(kendall_w(whole).w)
    assert found.loc["kendall_w", "n_documents"] == len(whole)


def test_fleiss_takes_documents_that_all_scored_and_is_that_of_statsmodels() -> None:
    found = all_of(WITH_GAP, at(THREE))
    whole = np.array([given for docs in WITH_GAP.values() for given in docs.values() if None not in given])
    expected = fleiss_kappa(aggregate_raters((whole > 0.5).astype(int))[0])
    row = found.loc["fleiss_kappa"]
    assert row["value"] == pytest.approx(expected)
    assert row["value_low"] < row["value"] < row["value_high"]
    assert (row["judge_1"], row["judge_2"], row["n_documents"]) == (ALL_JUDGES, ALL_JUDGES, 71)


def test_alphas_of_three_judges_take_gaps_and_are_those_of_fast_krippendorff() -> None:
    found = all_of(WITH_GAP, at(THREE))["value"]
    scores = np.array(
        [[np.nan if one is None else one for one in given] for docs in WITH_GAP.values() for given in docs.values()]
    )
    gaps = np.isnan(scores)
    labels = np.where(gaps, np.nan, scores > 0.5)
    bins = np.where(gaps, np.nan, bins_of(np.where(gaps, 0.0, scores)))
    for name, values, level in (
        ("alpha_nominal", labels, "nominal"),
        ("alpha_ordinal", bins, "ordinal"),
        ("alpha_interval", scores, "interval"),
    ):
        expected = krippendorff.alpha(values.T, level_of_measurement=level)
        assert found[name] == pytest.approx(expected), name


def test_three_judges_of_one_label_have_no_fleiss_and_say_why() -> None:
    found = all_of({"q": {"d": (0.9, 0.8, 0.7), "e": (0.9, 0.8, 0.6)}}, at(THREE))
    assert np.isnan(found["value"].astype(float)["fleiss_kappa"])
    assert found.loc["fleiss_kappa", "undefined"]
    assert found.loc["alpha_nominal", "undefined"]


def test_micro_kappa_is_sklearns_on_pooled_labels() -> None:
    pooled = np.array([given[:2] for docs in OF_THREE.values() for given in docs.values()]) > 0.5
    found = values_of(judge_agreement_of({q: {d: g[:2] for d, g in docs.items()} for q, docs in OF_THREE.items()}))
    assert found["kappa_micro"] == pytest.approx(cohen_kappa_score(*pooled.T))


def test_alpha_counts_documents_with_two_scores_and_ac1_all() -> None:
    scores = {"q": {"d": (0.9, 0.8, 0.7), "e": (0.1, 0.2, None)}, "r": {"d": (0.9, None, None)}}
    found = all_of(scores, at(THREE))
    for name in ("alpha_nominal", "alpha_ordinal", "alpha_interval"):
        assert found.loc[name, ["n_documents", "n_queries"]].tolist() == [2, 1], name
    assert found.loc["ac1", ["n_documents", "n_queries"]].tolist() == [3, 2]


def test_intervals_of_few_queries_name_their_number() -> None:
    scores = {f"q{q}": docs for q, docs in enumerate([*OF_THREE.values()][:6])}
    assert "6 clusters" in judge_agreement_of(scores, THREE).iloc[0]["method"]
    assert "6 clusters" in all_of(scores, at(THREE)).loc["fleiss_kappa", "method"]


def test_the_headline_is_of_the_pair_that_decides() -> None:
    # careful and hasty agree in all, odd with neither.
    scores = {f"q{q}": {"d": (0.9, 0.9, 0.1), "e": (0.1, 0.1, 0.9), "f": (0.9, 0.8, 0.9)} for q in range(3)}
    frame = judge_agreement_of(scores, THREE)
    pairs = pairs_of_judges(scored_of(scores, THREE), at(THREE))
    pair = deciding_pair(pairs, frame, plan())
    assert pair == ("careful", "odd")
    assert headline(frame, pair)["kappa_macro"] == frame.loc[frame["judge_2"] == "odd", "value"].iloc[0] < 0
    assert headline(frame, None) == {}


def test_a_pair_that_fails_is_the_headline_though_another_has_the_lower_macro() -> None:
    # careful and hasty pass with macro 0.75; careful and odd have 0.875 and fail on micro 0.5 (see the verdict's test).
    frames = {"hasty": blocks([(7, 1, 1, 7)] * 2), "odd": blocks([(0, 0, 0, 1)] * 3 + [(6, 2, 2, 6)])}
    pairs = [pair_of(scores)._replace(judge_2=name) for name, scores in frames.items()]
    frame = pd.concat([judge_agreement_of(scores).assign(judge_2=name) for name, scores in frames.items()])
    pair = deciding_pair(pairs, frame, plan())
    assert pair == ("careful", "odd")
    assert headline(frame, pair)["kappa_macro"] == pytest.approx(0.875)


def test_without_a_verdict_there_is_no_headline() -> None:
    scores: Scores = {"q": {"d": (0.9, 0.8)}}
    assert deciding_pair([pair_of(scores)], judge_agreement_of(scores), plan()) is None


def test_declared_grades_are_the_bins_of_weighted_kappa() -> None:
    # Grades 0 1 2 2 and 0 1 2 1 of 0, 1, 2: one disagreement of one step.
    scores = {"q": {f"d{place}": pair for place, pair in enumerate([(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.0, 0.5)])}}
    rows = judge_agreement_of(scores, grades=("no", "partly", "yes")).set_index("statistic")["value"]
    first, second = [0, 1, 2, 2], [0, 1, 2, 1]
    for weights in ("linear", "quadratic"):
        assert rows[f"weighted_kappa_{weights}"] == pytest.approx(cohen_kappa_score(first, second, weights=weights))
    # On the anchors 0, 0.3, 0.5, 0.7 and 1 the steps would be of other lengths.
    assert judge_agreement_of(scores).set_index("statistic")["value"]["weighted_kappa_linear"] == pytest.approx(
        cohen_kappa_score([0, 2, 4, 4], [0, 2, 4, 2], weights="linear", labels=range(5))
    )


def test_a_macro_that_is_mostly_a_convention_has_no_band() -> None:
    mostly = blocks([(3, 0, 0, 0), (0, 0, 0, 3), (2, 0, 0, 2)])
    assert judge_agreement_of(mostly).set_index("statistic")["band"].isna()["kappa_macro"]
    assert judge_agreement_of(mostly).set_index("statistic").loc["kappa_micro", "band"] == "almost perfect"
    half = blocks([(3, 0, 0, 0), (2, 0, 0, 2)])
    assert judge_agreement_of(half).set_index("statistic").loc["kappa_macro", "band"] == "almost perfect"
