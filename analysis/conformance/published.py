"""Published data sets, each as small as its source prints it, for the cases here and for the tests."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

NO = np.nan
Floats = NDArray[np.float64]

# Shrout and Fleiss (1979), Psychological Bulletin 86:420-428, table 2: 6 targets x 4 judges; and the same with gaps.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
UNBALANCED = [[9, 2, 5, 8], [6, 1, 3, NO], [8, 4, 6, 8], [7, 1, NO, NO], [10, 5, 6, 9], [6, NO, NO, NO]]

# Fleiss (1971), Psychological Bulletin 76:378-382, table 1: 30 subjects, 6 raters, five diagnoses.
DIAGNOSES = np.array(
    [
        [int(digit) for digit in row]
        for row in [
            "00060",
            "03003",
            "01401",
            "00006",
            "03030",
            "20400",
            "00402",
            "20310",
            "20040",
            "00006",
            "10050",
            "11040",
            "03300",
            "10050",
            "02031",
            "00501",
            "30012",
            "51000",
            "02040",
            "10203",
            "00006",
            "01050",
            "02013",
            "20040",
            "10041",
            "05010",
            "40002",
            "02040",
            "10500",
            "00006",
        ]
    ]
)

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, data C: 4 raters x 12 units. Gwet's example of four
# raters and twelve subjects is the same table.
DATA_C = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, NO],
        [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
    ]
)
# The same paper, data A (two observers, two values) and B (nominal, five values).
DATA_A = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]])
DATA_B = np.array([[1, 1, 2, 2, 4, 3, 3, 3, 5, 4, 4, 1], [2, 1, 2, 2, 2, 3, 3, 3, 5, 4, 4, 4]])

# R package irrCAC 1.3, cont3x3abstractors: two abstractors, 100 patients, Ectopic / AIU / NIU.
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
# Cohen (1960), Educ. Psychol. Meas. 20:37-46, table 1, as 200 patients; weights of Cohen (1968), Psychol. Bull.
# 70:213-220: disagreement 0-6 made into agreement 1 - w/6.
PSYCHIATRISTS = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
COHENS_WEIGHTS = [[1.0, 5 / 6, 0.5], [5 / 6, 1.0, 0.0], [0.5, 0.0, 1.0]]
# R package vcd, SexualFun (Hout, Duncan and Sobel 1987; Agresti 1990): 91 couples, never fun to almost always.
SEXUAL_FUN = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
# Feinstein and Cicchetti (1990), J. Clin. Epidemiol. 43:543-549: equal agreement, another prevalence.
BALANCED, SKEWED = [40, 9, 6, 45], [80, 10, 5, 5]
# Stuart (1955), Biometrika 42:412-416: right and left eye of 7,477 women, four grades of vision.
VISION = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
# R package irr 0.84.1, anxiety: 20 subjects x 3 raters, 1-6.
ANXIETY = [
    [3, 3, 2], [3, 6, 1], [3, 4, 4], [4, 6, 4], [5, 2, 3], [5, 4, 2], [2, 2, 1], [3, 4, 6], [5, 3, 1], [2, 3, 1],
    [2, 2, 1], [6, 3, 2], [1, 3, 3], [5, 3, 3], [2, 2, 1], [2, 2, 1], [1, 1, 3], [2, 3, 3], [4, 3, 2], [3, 4, 2],
]  # fmt: skip

# R package lme4: Dyestuff (Davies and Goldsmith 1972), Dyestuff2 (Box and Tiao 1973): 6 batches x 5; Penicillin (Davies
# and Goldsmith 1972): 24 plates x 6 samples.
DYESTUFF = np.array(
    [
        [1545, 1440, 1440, 1520, 1580], [1540, 1555, 1490, 1560, 1495], [1595, 1550, 1605, 1510, 1560],
        [1445, 1440, 1595, 1465, 1545], [1595, 1630, 1515, 1635, 1625], [1520, 1455, 1450, 1480, 1445],
    ],
    dtype=np.float64,
)  # fmt: skip
DYESTUFF_2 = np.array(
    [
        [7.298, 3.846, 2.434, 9.566, 7.99], [5.22, 6.556, 0.608, 11.788, -0.892], [0.11, 10.386, 13.434, 5.51, 8.166],
        [2.212, 4.852, 7.092, 9.288, 4.98], [0.282, 9.014, 4.458, 9.446, 7.198], [1.722, 4.782, 8.106, 0.758, 3.758],
    ]
)  # fmt: skip
PENICILLIN = np.array(
    [
        [int(cell) for cell in (row[:2], row[2:4], row[4:6], row[6:8], row[8:10], row[10:])]
        for row in [
            "272326232321",
            "272326232321",
            "252125242420",
            "262325232320",
            "252226222320",
            "242225232219",
            "242023212219",
            "262226242421",
            "242124222220",
            "242124232219",
            "262326242421",
            "252226242420",
            "262426242522",
            "262326232320",
            "262325242422",
            "252225232320",
            "252124232320",
            "252224232319",
            "242123212119",
            "262326242421",
            "252124222218",
            "252225222220",
            "242124222419",
            "242124222118",
        ]
    ],
    dtype=np.float64,
)

# Bland and Altman (1986), Lancet 327:307-310, table 1: peak flow of 17 people, Wright and mini meter, first readings.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI_WRIGHT = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
# Efron and Tibshirani (1993), An Introduction to the Bootstrap, table 3.2: 15 law schools.
LSAT = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
GPA = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]
# Hollander and Wolfe (1973), Nonparametric Statistical Methods: depression before and after (table 3.1), and Hunter's L
# and panel scores of canned tuna (p. 187; also R's help of cor.test).
DEPRESSION_BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
DEPRESSION_AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
TUNA_LIGHTNESS = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1]
TUNA_PANEL = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8]
# Student (1908), Biometrika 6:1-25, in R's data set sleep: hours gained by two drugs, 10 patients.
SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
# scipy's help of page_trend_test: 10 raters x 3 levels.
PAGE_RATERS = [
    [int(digit) for digit in row] for row in ["343", "224", "335", "132", "232", "245", "124", "344", "245", "134"]
]
# Fleiss (1981), Statistical Methods for Rates and Proportions, p. 139, in R's help of prop.test: smokers, patients.
SMOKERS, PATIENTS = [83, 90, 129, 70], [86, 93, 136, 82]
# Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57:289-300, section 3.2: 15 tests.
FIFTEEN_P = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0
]  # fmt: skip

# Citations among journals, Stigler (1994), Stat. Sci. 9:94-108; Agresti (2002), Categorical Data Analysis, 10.6: the
# row journal is cited by the column journal, which is a win of the row.
JOURNALS = np.array(["Biometrika", "Comm Statist", "JASA", "JRSS-B"])
CITED = np.array([[714, 730, 498, 221], [33, 425, 68, 17], [320, 813, 1072, 142], [284, 276, 325, 188]])
# A made table for Davidson's model: wins of the row, and ties of pairs 0-1, 0-2, 1-2.
TIED_WINS, TIES = np.array([[0, 12, 15], [6, 0, 11], [3, 5, 0]]), np.array([4, 2, 6])
# Agresti (2002), table 10.10: American League 1987, home team, away team, home wins, away wins.
BASEBALL = [
    tuple(game.split())
    for game in [
        "MIL DET 4 3",
        "MIL TOR 4 2",
        "MIL NY 4 3",
        "MIL BOS 6 1",
        "MIL CLE 4 2",
        "MIL BAL 6 0",
        "DET MIL 3 3",
        "DET TOR 4 2",
        "DET NY 4 3",
        "DET BOS 6 0",
        "DET CLE 6 1",
        "DET BAL 4 3",
        "TOR MIL 2 5",
        "TOR DET 4 3",
        "TOR NY 2 4",
        "TOR BOS 4 3",
        "TOR CLE 4 2",
        "TOR BAL 6 0",
        "NY MIL 3 3",
        "NY DET 5 1",
        "NY TOR 2 5",
        "NY BOS 4 3",
        "NY CLE 4 2",
        "NY BAL 6 1",
        "BOS MIL 5 1",
        "BOS DET 2 5",
        "BOS TOR 3 3",
        "BOS NY 4 2",
        "BOS CLE 5 2",
        "BOS BAL 6 0",
        "CLE MIL 2 5",
        "CLE DET 3 3",
        "CLE TOR 3 4",
        "CLE NY 4 3",
        "CLE BOS 4 2",
        "CLE BAL 2 4",
        "BAL MIL 2 5",
        "BAL DET 1 5",
        "BAL TOR 1 6",
        "BAL NY 2 4",
        "BAL BOS 1 6",
        "BAL CLE 3 4",
    ]
]
HOME, AWAY = [game[0] for game in BASEBALL], [game[1] for game in BASEBALL]
HOME_WINS, AWAY_WINS = [float(game[2]) for game in BASEBALL], [float(game[3]) for game in BASEBALL]
# Bickel, Hammel and O'Connell (1975), Science 187:398-404, in R's data set UCBAdmissions: six departments, admitted and
# rejected by men and women.
ADMISSIONS = [
    [[512, 89], [313, 19]], [[353, 17], [207, 8]], [[120, 202], [205, 391]],
    [[138, 131], [279, 244]], [[53, 94], [138, 299]], [[22, 24], [351, 317]],
]  # fmt: skip
# The PPI++ formulas of Angelopoulos, Duchi and Zrnic (2023) on ten labels and forty without.
LABELS, JUDGE_LABELLED, JUDGE_UNLABELLED = (
    [1, 0, 1, 1, 0, 1, 0, 1, 1, 0],
    [1, 0, 1, 1, 1, 1, 0, 1, 0, 1],
    [1] * 30 + [0] * 10,
)
# Four queries of five documents, two judges' labels: n_11 n_10 n_01 n_00.
FOUR_QUERIES = [[2, 1, 0, 2], [1, 0, 0, 4], [0, 0, 0, 5], [4, 0, 1, 0]]


def ratings_of_table(table: ArrayLike) -> Floats:
    """A square table of two raters written out, shape ``(n_units, 2)``, categories from 0."""
    counts = np.asarray(table)
    rows, columns = np.indices(counts.shape)
    both = [np.repeat(place.ravel(), counts.ravel()) for place in (rows, columns)]
    return np.column_stack(both).astype(np.float64)


def ratings_of_counts(counts: ArrayLike) -> Floats:
    """Raters per category written out, shape ``(n_units, n_raters)``: who gave which rating is not known."""
    return np.array([np.repeat(np.arange(len(row)), row) for row in np.asarray(counts)], dtype=np.float64)
