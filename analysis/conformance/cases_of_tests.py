"""Published numbers of tests, correlations, shares, effects and bias-corrected estimates."""

from typing import Any

import numpy as np

from analysis.accuracy.accuracy_comparison import cohens_h
from analysis.accuracy.effect_size import cohens_d, effect_size, hedges_g
from analysis.accuracy.group_accuracies import compare_groups
from analysis.accuracy.mean_comparison import paired_t, welch
from analysis.accuracy.prediction_powered import prediction_powered_mean
from analysis.accuracy.prediction_powered_correlation import prediction_powered_correlation
from analysis.accuracy.prediction_powered_share import prediction_powered_share
from analysis.accuracy.rogan_gladen import rogan_gladen
from analysis.conformance import published
from analysis.conformance.case import Case, Reader, of_result
from analysis.correlation.correlation import correlation, usual_p
from analysis.resampling.bca import acceleration, delete_one_values
from analysis.resampling.bootstrap import Resampling
from analysis.resampling.weighted import pearson_of_counts
from analysis.significance.benjamini_yekutieli import benjamini_yekutieli
from analysis.significance.dependent_correlations import williams
from analysis.significance.holm import holm
from analysis.significance.mantel_haenszel import common_odds_ratio
from analysis.significance.mcnemar import mcnemar
from analysis.significance.signed_rank import signed_rank
from analysis.significance.walsh import walsh_median
from analysis.significance.wilson import wilson

COR_TEST = "Hollander and Wolfe (1973), p. 185; R, help of cor.test"
DEPRESSION = "Hollander and Wolfe (1973), Nonparametric Statistical Methods, table 3.1; R, help of wilcox.test"
HOCHBERG = "Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57:289-300, section 3.2; by Holm's rule"
LAW_SCHOOLS = "Efron and Tibshirani (1993), An Introduction to the Bootstrap, table 3.2 and section 14.3"
PPI = "Angelopoulos, Duchi and Zrnic (2023), arXiv:2311.01453, formulas by hand"
SLEEP = "Student (1908), Biometrika 6:1-25; R, helps of t.test and sleep"
NEWCOMBE = "Newcombe (1998), Stat. Med. 17:857-872, table I"


def _of_tests() -> list[Case]:
    differences = np.array(published.DEPRESSION_BEFORE) - np.array(published.DEPRESSION_AFTER)
    patients = "depression of 9 patients, before and after"
    smoking = [
        smokes
        for smokers, n in zip(published.SMOKERS, published.PATIENTS, strict=True)
        for smokes in [1] * smokers + [0] * (n - smokers)
    ]
    found = of_result(
        signed_rank,
        differences,
        data=patients,
        source=DEPRESSION,
        numbers={"Wilcoxon's V": ("statistic", "40.0000"), "Wilcoxon, exact p": ("p", "0.0390625")},
    )
    found.append(Case("Hodges-Lehmann", walsh_median, (differences,), "", "0.46", patients, DEPRESSION))
    found += of_result(
        mcnemar,
        86,
        150,
        data="approval of 1,600 people, asked twice",
        source="Agresti (2013), Categorical Data Analysis, table 11.1; p by the binomial distribution",
        numbers={
            "McNemar, exact p": ("p_exact", "3.7159361e-05"),
            "McNemar, mid-p": ("p_mid", "2.893389517615428e-05"),
        },
    )
    found += of_result(
        holm,
        published.FIFTEEN_P,
        data="15 tests",
        source=HOCHBERG,
        numbers={
            "Holm, 15 x 0.0001": ("0", "0.00150"),
            "Holm, 13 x 0.0019": ("2", "0.02470"),
            "Holm, 12 x 0.0095": ("3", "0.11400"),
        },
    )
    found += of_result(
        benjamini_yekutieli,
        published.FIFTEEN_P,
        data="15 tests",
        source="Benjamini and Yekutieli (2001), Ann. Stat. 29:1165-1188, by hand",
        numbers={"Benjamini-Yekutieli, 15 x 3.31822899 x 0.0019 / 3": ("2", "0.03152318")},
    )
    found += of_result(
        williams,
        0.4,
        0.5,
        0.1,
        103,
        data="r 0.4 and 0.5, between them 0.1, n 103",
        source="R package psych, help of r.test (Steiger 1980, case A)",
        numbers={"Williams' t": ("statistic", "-0.89"), "Williams' t, p": ("p", "0.37")},
    )
    found += of_result(
        compare_groups,
        smoking,
        np.repeat(list("abcd"), published.PATIENTS),
        resampling=Resampling(1),
        data="smokers in four groups of patients",
        source="Fleiss (1981), Statistical Methods for Rates and Proportions, p. 139; R, help of prop.test",
        numbers={"Chi-square of four shares": ("chi_square", "12.6"), "its p": ("p", "0.005585")},
    )
    drugs: dict[str, Any] = {"data": "sleep, two drugs, 10 patients", "source": SLEEP, "resampling": Resampling(1)}
    found += of_result(
        welch,
        published.SLEEP_1,
        published.SLEEP_2,
        **drugs,
        numbers={
            "Welch's t": ("t", "-1.8608"),
            "Welch's t, p": ("p", "0.07939"),
            "Welch's degrees of freedom": ("df", "17.776"),
        },
    )
    found += of_result(
        paired_t,
        published.SLEEP_1,
        published.SLEEP_2,
        **drugs,
        numbers={"Paired t": ("t", "-4.0621"), "Paired t, p": ("p", "0.002833")},
    )
    found += of_result(
        common_odds_ratio,
        published.ADMISSIONS,
        range(6),
        data="admissions to Berkeley, six departments",
        source="R, helps of mantelhaen.test and UCBAdmissions",
        numbers={"Mantel-Haenszel odds ratio": (lambda result: np.exp(result.log_odds_ratio), "0.9046968")},
    )
    return found


def _law_schools(counts: np.ndarray) -> np.ndarray:
    lsat, gpa = np.array(published.LSAT, dtype=np.float64), np.array(published.GPA)
    return np.asarray(pearson_of_counts(lsat, gpa)(counts)[:, None])


def _of_correlation() -> list[Case]:
    tuna = (published.TUNA_LIGHTNESS, published.TUNA_PANEL)
    lots = "canned tuna, lightness and panel, 9 lots"
    rows: tuple[tuple[str, str, Reader, str], ...] = (
        ("Pearson's r", "pearson", "value", "0.5711816"),
        ("Spearman's rho", "spearman", "value", "0.6000000"),
        ("Spearman's rho, exact p", "spearman", "p", "0.0968"),
        ("Kendall's tau", "kendall", "value", "0.4444444"),
        ("Kendall's tau, exact p", "kendall", "p", "0.1194"),
    )
    found = [
        Case(name, correlation, (*tuna, kind), read, printed, lots, COR_TEST, {"resampling": Resampling(1)})
        for name, kind, read, printed in rows
    ]
    four = ([0.8, 0.6, 0.9, 0.7], [0.75, 0.65, 0.85, 0.70])
    by_hand = "by hand, and scipy"
    sampling = {"resampling": Resampling(1)}
    schools = (published.LSAT, published.GPA, "pearson")
    deleted = delete_one_values(_law_schools, np.arange(15))[:, 0]
    return [
        *found,
        Case("Pearson's r, p by t", usual_p, ("pearson", *tuna), "", "0.1082", lots, COR_TEST),
        Case("Pearson's r", correlation, (*four, "pearson"), "value", "0.9827076298", "four pairs", by_hand, sampling),
        Case("Pearson's r, p by t", usual_p, ("pearson", *four), "", "0.01729237", "four pairs", by_hand),
        Case("Pearson's r", correlation, schools, "value", "0.77637449", "15 law schools", LAW_SCHOOLS, sampling),
        Case("BCa acceleration", acceleration, (deleted,), "", "-0.075671565", "15 law schools", LAW_SCHOOLS),
    ]


def _of_shares() -> list[Case]:
    found = []
    for successes, trials, low, high, source in (
        (19, 38, "0.348499283643951", "0.651500716356049", "R package binom, method wilson"),
        (15, 148, "0.0623863995", "0.1604872417", f"{NEWCOMBE} (0.0624, 0.1605)"),
        (0, 20, "0.0000000000", "0.1611251581", f"{NEWCOMBE} (0.0000, 0.1611)"),
        (81, 263, "0.2553", "0.3662", NEWCOMBE),
        (1, 29, "0.0061", "0.1718", NEWCOMBE),
    ):
        found += of_result(
            wilson,
            successes,
            trials,
            data=f"{successes} of {trials}",
            source=source,
            numbers={"Wilson, lower bound": ("low", low), "Wilson, upper bound": ("high", high)},
        )
    table = "Cohen (1988), Statistical Power Analysis, table 6.2.2 (0.201)"
    numbers = ([1, 2, 3, 4], [3, 4, 5, 6, 7])
    drop = ([0.9, 0.85, 0.95, 0.88], [0.5, 0.45, 0.55, 0.48])
    sleep = (published.SLEEP_2, published.SLEEP_1)
    sampling = {"resampling": Resampling(1)}
    drugs = "sleep, two drugs, 10 patients"
    return [
        *found,
        Case("Cohen's h", cohens_h, (0.5, 0.4), "", "0.2013579207903309", "0.5 and 0.4", table),
        Case("Cohen's d", cohens_d, numbers, "", "-1.707825127659933", "1-4 and 3-7", "by hand"),
        Case("Hedges' g", hedges_g, numbers, "", "-1.51689524", "1-4 and 3-7", "by hand"),
        Case("Cohen's d", effect_size, drop, "d.value", "9.516619", "four renders, 0.4 lower", "by hand", sampling),
        Case("d_z", effect_size, sleep, "d_z.value", "1.2846", drugs, f"{SLEEP}: 4.0621 / sqrt(10)", sampling),
    ]


def _of_corrected() -> list[Case]:
    study = (published.LABELS, published.JUDGE_LABELLED, published.JUDGE_UNLABELLED)
    data = "10 labels, 40 judged alone"
    # Sensitivity 0.96 and specificity 0.89 as 100 sick and 100 healthy cows; 31 of 150 others test positive.
    cows = ([1] * 100 + [0] * 100, [1] * 96 + [0] * 4 + [0] * 89 + [1] * 11, [1] * 31 + [0] * 119)
    return [
        *of_result(
            prediction_powered_mean,
            *study,
            tuning=1.0,
            data=data,
            source=PPI,
            numbers={
                "PPI mean, lambda 1": ("mean.value", "0.65000000"),
                "PPI mean, lambda 1, lower bound": ("mean.interval.low", "0.29026518"),
                "PPI mean, lambda 1, upper bound": ("mean.interval.high", "1.00973482"),
            },
        ),
        *of_result(
            prediction_powered_mean,
            *study,
            data=data,
            source=PPI,
            numbers={
                "PPI++ lambda": ("tuning", "0.32598753"),
                "PPI++ mean": ("mean.value", "0.61629938"),
                "PPI++ mean, lower bound": ("mean.interval.low", "0.32881899"),
                "PPI++ mean, upper bound": ("mean.interval.high", "0.90377976"),
            },
        ),
        Case("PPI++ share", prediction_powered_share, study, "share.value", "0.61629938", data, PPI),
        Case(
            "PPI++ correlation, labels alone",
            prediction_powered_correlation,
            (published.LSAT, published.GPA, [3.0, 3.1, 3.3]),
            "human_only.value",
            "0.77637449",
            "15 law schools as labels, GPA as judge",
            LAW_SCHOOLS,
        ),
        Case(
            "Rogan-Gladen",
            rogan_gladen,
            cows,
            "rate.value",
            "0.1137",
            "31 of 150 cows, sensitivity 0.96, specificity 0.89",
            "Rogan and Gladen (1978), Am. J. Epidemiol. 107:71-76, by hand: (0.20667 - 0.11) / 0.85",
        ),
    ]


OF_TESTS = [*_of_tests(), *_of_correlation(), *_of_shares(), *_of_corrected()]
