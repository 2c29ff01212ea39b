"""Published numbers of repeatability and agreement: ICC, variance components, kappas, alpha, W, marginal shares."""

import numpy as np

from analysis.agreement.bland_altman import bland_altman
from analysis.agreement.chance_corrected import Coefficient, chance_corrected
from analysis.agreement.coefficients import ac1s, pabaks
from analysis.agreement.concordance import concordance
from analysis.agreement.fleiss import fleiss_kappa
from analysis.agreement.icc import icc
from analysis.agreement.kappa import cohens_kappa, kappa_summary
from analysis.agreement.kendall_w import kendall_w
from analysis.agreement.krippendorff import Level, krippendorff_alpha
from analysis.agreement.page_trend import page_trend
from analysis.agreement.variance_components import reml_icc, variance_components
from analysis.conformance import published
from analysis.conformance.case import Case, of_result
from analysis.resampling.bootstrap import Resampling
from analysis.significance.marginal_homogeneity import bhapkar, stuart_maxwell

SHROUT_FLEISS = "Shrout and Fleiss (1979), Psychol. Bull. 86:420-428, table 2, to more digits by R psych and by hand"
FLEISS = "Fleiss (1971), Psychol. Bull. 76:378-382; z by R irr"
KRIPPENDORFF = "Krippendorff (2011), Computing Krippendorff's Alpha-Reliability"
IRRCAC = "R package irrCAC 1.3, README (Gwet 2014, Handbook of Inter-Rater Reliability)"
IRRCAC_1_0 = "R package irrCAC 1.0, vignette overview"
LME4 = "R package lme4, help of Dyestuff and Penicillin; Bates, lme4: Mixed-effects Modeling with R, chapters 1-2"
VCD = "R package vcd, help of Kappa"
VISION = "Stuart (1955), Biometrika 42:412-416; Agresti (2002), 10.3; R package irr, helps of both tests"
PEAK_FLOW = "peak flow of 17 people, two meters"
FORMS = {
    "ICC(1,1)": ("icc_1_1", "0.16574177", "-0.13293232", "0.72256006"),
    "ICC(A,1)": ("icc_a_1", "0.28976378", "0.01878651", "0.76108437"),
    "ICC(C,1)": ("icc_c_1", "0.71484071", "0.34246477", "0.94585826"),
    "ICC(1,k)": ("icc_1_k", "0.44279713", "-0.88444216", "0.91241542"),
    "ICC(A,k)": ("icc_a_k", "0.62005055", "0.07113682", "0.92723204"),
    "ICC(C,k)": ("icc_c_k", "0.90931554", "0.67567471", "0.98589168"),
}
BATCHES = {"batch": np.repeat(np.arange(6), 5)}
PLATES = dict(
    zip(("plate", "sample"), (place.ravel() for place in np.indices(published.PENICILLIN.shape)), strict=True)
)


def _of_icc() -> list[Case]:
    bounds = {}
    for name, (form, value, low, high) in FORMS.items():
        bounds[name] = (f"{form}.value", value)
        bounds[f"{name}, lower bound"] = (f"{form}.low", low)
        bounds[f"{name}, upper bound"] = (f"{form}.high", high)
    tests = {
        "F, one-way": ("icc_1_1.f", "1.7946785"),
        "p, one-way": ("icc_1_1.p", "0.16476881"),
        "F, two-way": ("icc_c_1.f", "11.027248"),
        "p, two-way": ("icc_c_1.p", "0.00013456652"),
    }
    return [
        *of_result(
            icc, published.SHROUT_FLEISS, data="6 targets x 4 judges", source=SHROUT_FLEISS, numbers=bounds | tests
        ),
        *of_result(
            icc,
            published.UNBALANCED,
            data="the same with 6 cells missing",
            source="Donner and Koval (1980), Biometrics 36:19-25, by hand from the analysis of variance",
            numbers={
                "k0": ("k0", "2.91111111"),
                "ICC(1,1), unequal repeats": ("icc_1_1.value", "0.01375524"),
                "ICC(1,k0)": ("icc_1_k.value", "0.03901734"),
            },
        ),
        *of_result(
            icc,
            published.ANXIETY,
            data="anxiety, 20 subjects x 3 raters",
            source="R package irr 0.84.1, help of icc",
            numbers={
                "ICC(A,1)": ("icc_a_1.value", "0.198"),
                "ICC(A,1), lower bound": ("icc_a_1.low", "-0.039"),
                "ICC(A,1), upper bound": ("icc_a_1.high", "0.494"),
            },
        ),
        Case(
            "ICC(1,k), deterministic",
            icc,
            ([[0.8] * 5, [0.6] * 5, [0.9] * 5],),
            "icc_1_k.value",
            "1.000000000000",
            "rows 0.8, 0.6, 0.9, five times each",
            "by construction",
        ),
    ]


def _of_components() -> list[Case]:
    return [
        *of_result(
            variance_components,
            published.DYESTUFF.ravel(),
            BATCHES,
            data="Dyestuff, 6 batches x 5",
            source=LME4,
            numbers={
                "REML, between batches": ("variances.batch", "1764.05"),
                "REML, residual": ("variances.residual", "2451.25"),
                "REML criterion": ("criterion", "319.6543"),
            },
        ),
        *of_result(
            variance_components,
            published.DYESTUFF_2.ravel(),
            BATCHES,
            data="Dyestuff2, where the estimate is 0",
            source=LME4,
            numbers={
                "REML, between batches": ("variances.batch", "0.000"),
                "REML, residual": ("variances.residual", "13.81"),
                "REML criterion": ("criterion", "161.8283"),
            },
        ),
        *of_result(
            variance_components,
            published.PENICILLIN.ravel(),
            PLATES,
            data="Penicillin, 24 plates x 6 samples, crossed",
            source=LME4,
            numbers={
                "REML, plates, SD": (lambda found: found.variances["plate"] ** 0.5, "0.8467"),
                "REML, samples, SD": (lambda found: found.variances["sample"] ** 0.5, "1.9316"),
                "REML, residual, SD": (lambda found: found.variances["residual"] ** 0.5, "0.5499"),
                "REML criterion": ("criterion", "330.8606"),
            },
        ),
        Case(
            "ICC(1,1) by REML",
            reml_icc,
            (published.DYESTUFF,),
            "icc_1_1",
            "0.41849",
            "Dyestuff, 6 batches x 5",
            "1764.05 / (1764.05 + 2451.25), of the same",
        ),
    ]


def _of_the_family() -> list[Case]:
    abstractors = published.ratings_of_table(published.ABSTRACTORS)
    diagnoses = published.ratings_of_counts(published.DIAGNOSES[:15])
    psychiatrists = published.ratings_of_table(published.PSYCHIATRISTS)
    couples = published.ratings_of_table(published.SEXUAL_FUN)
    of_two: tuple[tuple[str, Coefficient, str], ...] = (
        ("Percent agreement", "percent_agreement", "0.89"),
        ("Cohen's kappa", "cohen", "0.7964094"),
        ("Scott's pi", "fleiss", "0.7962397"),
        ("Gwet's AC1", "gwet", "0.8493305"),
        ("Brennan-Prediger", "brennan_prediger", "0.835"),
        ("Krippendorff's alpha, by the family", "krippendorff", "0.7972585"),
    )
    of_six: tuple[tuple[str, Coefficient, str, str], ...] = (
        ("Fleiss' kappa", "fleiss", "0.4139265", "0.08119291"),
        ("Gwet's AC1", "gwet", "0.4448007", "0.08418757"),
        ("Brennan-Prediger", "brennan_prediger", "0.4388889", "0.08312142"),
    )
    of_four: tuple[tuple[str, Coefficient, str, str, str], ...] = (
        ("Percent agreement", "percent_agreement", "unweighted", "0.8181818", IRRCAC),
        ("Conger's kappa", "cohen", "unweighted", "0.76282", IRRCAC_1_0),
        ("Fleiss' kappa", "fleiss", "unweighted", "0.76117", IRRCAC),
        ("Brennan-Prediger", "brennan_prediger", "unweighted", "0.77273", IRRCAC_1_0),
        ("Gwet's AC1", "gwet", "unweighted", "0.775444068", IRRCAC),
        ("Krippendorff's alpha, quadratic weights", "krippendorff", "quadratic", "0.8491071429", KRIPPENDORFF),
    )
    found = [
        Case(name, chance_corrected, (abstractors, kind), "value", printed, "2 abstractors, 100 patients", IRRCAC)
        for name, kind, printed in of_two
    ]
    for name, kind, value, error in of_six:
        found += of_result(
            chance_corrected,
            diagnoses,
            kind,
            data="6 raters, 15 patients, 5 diagnoses",
            source=IRRCAC,
            numbers={name: ("value", value), f"{name}, standard error": ("error", error)},
        )
    found += [
        Case(
            name,
            chance_corrected,
            (published.DATA_C.T, kind),
            "value",
            printed,
            "Gwet's 4 raters x 12 subjects, with gaps",
            source,
            {"weights": weights},
        )
        for name, kind, weights, printed, source in of_four
    ]
    two = "two psychiatrists, 200 patients, 3 categories"
    cohen_1968 = "Cohen (1968), Psychol. Bull. 70:213-220; R package psych, help of cohen.kappa"
    fun = "SexualFun, 91 couples, 4 grades"
    for name, ratings, weights, printed, data, source in (
        ("Cohen's kappa", psychiatrists, "unweighted", "0.492", two, "Cohen (1960), Educ. Psychol. Meas. 20:37-46"),
        ("Weighted kappa, own weights", psychiatrists, published.COHENS_WEIGHTS, "0.348", two, cohen_1968),
        ("Cohen's kappa", couples, "unweighted", "0.1293", fun, VCD),
        ("Weighted kappa, linear", couples, "linear", "0.2374", fun, VCD),
    ):
        options = {"weights": weights}
        found.append(Case(name, chance_corrected, (ratings, "cohen"), "value", printed, data, source, options))
    return found


def _of_labels() -> list[Case]:
    paradox = "Feinstein and Cicchetti (1990), J. Clin. Epidemiol. 43:543-549"
    balanced, skewed = "40 9 6 45: half positive", "80 10 5 5: most positive"
    return [
        Case("Cohen's kappa of two labels", cohens_kappa, (published.BALANCED,), "", "0.70", balanced, paradox),
        Case("Cohen's kappa of two labels", cohens_kappa, (published.SKEWED,), "", "0.32", skewed, paradox),
        Case(
            "PABAK",
            pabaks,
            (published.SKEWED,),
            "",
            "0.70",
            skewed,
            "Byrt, Bishop and Carlin (1993), J. Clin. Epidemiol. 46:423-429: 2 x 0.85 - 1",
        ),
        Case(
            "Gwet's AC1 of two labels",
            ac1s,
            (published.SKEWED,),
            "",
            "0.80800",
            skewed,
            "Gwet (2008), Br. J. Math. Stat. Psychol. 61:29-48, by hand: q 0.875, (0.85 - 0.21875) / 0.78125",
        ),
        *of_result(
            fleiss_kappa,
            published.DIAGNOSES,
            data="6 raters, 30 patients, 5 diagnoses",
            source=FLEISS,
            numbers={"Fleiss' kappa": ("kappa", "0.4302445"), "Fleiss' kappa, z": ("z", "17.65183")},
        ),
        *of_result(
            kappa_summary,
            published.FOUR_QUERIES,
            data="four queries x five documents",
            source="by hand; docs/statistics.md, Kappa",
            numbers={
                "kappa, macro": ("macro", "0.65384615"),
                "kappa, macro of the defined": ("macro_defined", "0.53846154"),
                "kappa, micro": ("micro", "0.79166667"),
            },
        ),
    ]


def _of_others() -> list[Case]:
    with_gaps = "data C, 4 observers x 12 units, with gaps"
    alphas: tuple[tuple[np.ndarray, Level, str, str], ...] = (
        (published.DATA_A, "nominal", "0.095", "data A, 2 observers x 10 units"),
        (published.DATA_B, "nominal", "0.692", "data B, 2 observers x 12 units"),
        (published.DATA_C, "nominal", "0.7434210526", with_gaps),
        (published.DATA_C, "ordinal", "0.8153875038", with_gaps),
        (published.DATA_C, "interval", "0.8491071429", with_gaps),
    )
    found = [
        Case(
            f"Krippendorff's alpha, {level}", krippendorff_alpha, (table.T, level), "value", printed, data, KRIPPENDORFF
        )
        for table, level, printed, data in alphas
    ]
    found += of_result(
        kendall_w,
        published.ANXIETY,
        data="anxiety, 20 subjects x 3 raters, with ties",
        source="R package irr 0.84.1, help of kendall",
        numbers={
            "Kendall's W": ("w", "0.54"),
            "Kendall's W, chi-square": ("chi_square", "30.8"),
            "Kendall's W, p": ("p", "0.0429"),
        },
    )
    for function, name, value, p in (
        (stuart_maxwell, "Stuart-Maxwell", "11.957", "0.007533"),
        (bhapkar, "Bhapkar", "11.976", "0.007467"),
    ):
        found += of_result(
            function,
            published.VISION,
            data="vision of 7,477 women, 4 grades",
            source=VISION,
            numbers={name: ("statistic", value), f"{name}, p": ("p", p)},
        )
    found += of_result(
        page_trend,
        published.PAGE_RATERS,
        [1, 2, 3],
        data="10 raters x 3 levels, with ties",
        source="scipy, help of page_trend_test (L); p given the ties by enumeration",
        numbers={"Page's L": ("value", "133.5000"), "Page's L, p given the ties": ("p", "0.000384214804653762")},
    )
    found += of_result(
        bland_altman,
        published.WRIGHT,
        published.MINI_WRIGHT,
        resampling=Resampling(1),
        data=PEAK_FLOW,
        source="Bland and Altman (1986), Lancet 327:307-310; limits with 1.96 where the paper has 2",
        numbers={
            "Bland-Altman, bias": ("bias.value", "-2.1"),
            "Bland-Altman, SD": ("sd", "38.8"),
            "Bland-Altman, lower limit": ("lower_limit.value", "-78.1"),
            "Bland-Altman, upper limit": ("upper_limit.value", "73.9"),
        },
    )
    found += of_result(
        concordance,
        published.WRIGHT,
        published.MINI_WRIGHT,
        resampling=Resampling(1),
        data=PEAK_FLOW,
        source="Stata, help of concord: Lin (1989), Biometrics 45:255-268",
        numbers={"Lin's CCC": ("ccc", "0.943"), "its precision, Pearson's r": ("precision", "0.943")},
    )
    return found


OF_AGREEMENT = [*_of_icc(), *_of_components(), *_of_the_family(), *_of_labels(), *_of_others()]
