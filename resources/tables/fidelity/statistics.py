"""The tables of study A that hold statistics: repeatability, agreement and the summary."""

from resources.tables.declare import SAMPLING, Column, Table, bounds, count, flag, number, text, whole
from resources.tables.fidelity.scores import BASELINE, ITEM, OBJECT, PRODUCT, REPEATS, SCORE, SETTING

FORMS = {
    "11": ("ICC(1,1)", "one-way, one repeat"),
    "a1": ("ICC(A,1)", "two-way, absolute agreement, one repeat"),
    "c1": ("ICC(C,1)", "two-way, consistency, one repeat"),
    "1k": ("ICC(1,k)", "one-way, mean of the planned repeats"),
    "ak": ("ICC(A,k)", "two-way, absolute agreement, mean"),
    "ck": ("ICC(C,k)", "two-way, consistency, mean"),
}


def _form(key: str) -> tuple[Column, ...]:
    name, words = FORMS[key]
    return (
        number(f"icc_{key}", f"{name}: {words}.", "unitless", nullable=True, high=1.0),
        number(f"icc_{key}_low", f"Lower bound of {name}.", "unitless", nullable=True),
        number(f"icc_{key}_high", f"Upper bound of {name}.", "unitless", nullable=True),
        number(f"icc_{key}_f", f"F of {name}.", "unitless", nullable=True),
        number(f"icc_{key}_df1", f"Numerator degrees of freedom of {name}.", "unitless", nullable=True),
        number(f"icc_{key}_df2", f"Denominator degrees of freedom of {name}.", "unitless", nullable=True),
        number(f"icc_{key}_p", f"p of {name} against 0.", "unitless", nullable=True, **SCORE),
    )


ICC_BY_SETTING = Table(
    "icc_by_setting",
    "How far one repeat's score stands in for another's: six ICC forms per setting.",
    (
        SETTING,
        count("n_objects", "Objects in the matrix."),
        count("n_used", "Objects with enough valid repeats: what the numbers rest on."),
        count("n_complete", "Objects with every repeat: the two-way forms use these only."),
        count("n_products", "Products behind the objects used."),
        count("n_planned", "Repeats planned.", low=1),
        count("n_missing", "Cells of the matrix without a score."),
        number("k0", "Effective repeats per object.", "repeats", nullable=True),
        number("icc_1k0", "ICC(1,k0): one-way, mean of the repeats that there are.", "unitless", nullable=True),
        number("icc_1k_reml", "ICC(1,k) by restricted likelihood (REML), for gaps.", "unitless", nullable=True),
        *bounds("icc_1k_reml", "ICC(1,k) by restricted likelihood, objects taken as unrelated"),
        *[column for key in FORMS for column in _form(key)],
        number("icc_1k_low_by_product", "Lower bound of ICC(1,k), over products.", "unitless", nullable=True),
        number("icc_1k_high_by_product", "Upper bound of ICC(1,k), over products.", "unitless", nullable=True),
        text("interval_by_product", "How the products' interval was made, or why there is none."),
        number("variance_between", "Variance between objects.", "0-1 squared", nullable=True),
        number("variance_within", "Variance within objects, between repeats (MSW).", "0-1 squared", nullable=True),
        number("standard_error_of_measurement", "sqrt(MSW).", "0-1", nullable=True),
        number("repeatability_limit", "95 % of repeats differ by less: 1.96 sqrt(2 MSW).", "0-1", nullable=True),
        text("band", "ICC(1,k) in words.", nullable=True),
        number("lower_bound", "The bound that counts: by product where objects share one.", "unitless", nullable=True),
        text("band_lower", "The lower bound in words.", nullable=True),
        flag("deterministic", "Every object got the same score in each repeat."),
        text("method", "How the F intervals were made."),
        text("two_way_rows", "Rows that the two-way forms rest on."),
        text("undefined", "Why numbers are null; null where none is.", nullable=True),
    ),
    key=("setting",),
    reads=(*SAMPLING, *REPEATS, "thresholds.icc"),
)

STABILITY = Table(
    "stability",
    "How much one object's repeats differ: one row per object and setting.",
    (
        SETTING,
        OBJECT,
        ITEM,
        PRODUCT,
        count("n_valid", "Repeats with a score."),
        number("mean", "Mean of the repeats.", "0-1", nullable=True, **SCORE),
        number("median", "Median of the repeats.", "0-1", nullable=True, **SCORE),
        number("mad", "Median absolute deviation from the median.", "0-1", nullable=True, low=0),
        number("sd", "Standard deviation (n - 1).", "0-1", nullable=True, low=0),
        number("ci_low", "Lower bound of the mean, t interval.", "0-1", nullable=True),
        number("ci_high", "Upper bound of the mean.", "0-1", nullable=True),
        number("half_width", "Half the interval's width; none from one repeat.", "0-1", nullable=True, low=0),
        count("n_outliers", "Outlying repeats, flagged from 10 repeats on.", nullable=True),
        text("undefined", "Why numbers are null; null where none is.", nullable=True),
    ),
    key=("setting", "object"),
    reads=(*REPEATS, "confidence", "thresholds.ci_half_width", "thresholds.median_mad"),
)

CONVERGENCE_CURVES = Table(
    "convergence_curves",
    "What each further repeat buys: one row per object and number of repeats.",
    (
        SETTING,
        OBJECT,
        count("n", "Repeats looked at.", low=1),
        number("mean", "Mean of the first n.", "0-1", **SCORE),
        number("median", "Median of the first n.", "0-1", **SCORE),
        number("mad", "Median absolute deviation of the first n.", "0-1", low=0),
        number("ci_low", "Lower bound of the mean at this n.", "0-1", nullable=True),
        number("ci_high", "Upper bound of the mean at this n.", "0-1", nullable=True),
        number("half_width", "Half-width at this n.", "0-1", nullable=True, low=0),
        number("half_width_all_looks", "Half-width that holds over all planned looks.", "0-1", nullable=True, low=0),
        whole("first_n", "The object's first n of 3 or more at or under the threshold.", "count", nullable=True),
        whole("stable_n", "The object's n from which it stays there.", "count", nullable=True),
        whole("projected_n", "Repeats that its spread says are needed.", "count", nullable=True),
        whole("first_n_all_looks", "First n by the half-width of all looks.", "count", nullable=True),
    ),
    key=("setting", "object", "n"),
    reads=(*REPEATS, "confidence", "thresholds.ci_half_width"),
)

CONVERGENCE_SUMMARY = Table(
    "convergence_summary",
    "Convergence over objects: one row per setting and number of repeats.",
    (
        SETTING,
        count("n", "Repeats looked at.", low=1),
        count("n_objects", "Objects with that many repeats."),
        number("mean_half_width", "Mean over objects.", "0-1", nullable=True),
        number("median_half_width", "Median over objects.", "0-1", nullable=True),
        number("max_half_width", "Largest over objects.", "0-1", nullable=True),
        count("n_converged", "Objects at or under the threshold."),
        count("n_without_spread", "Of these, only because their repeats so far are equal."),
        number("threshold", "Half-width asked for.", "0-1"),
    ),
    key=("setting", "n"),
    reads=(*REPEATS, "confidence", "thresholds.ci_half_width"),
)

HUMAN_AGREEMENT = Table(
    "human_agreement",
    "How well the judge stands in for people: one row per setting, group and statistic.",
    (
        SETTING,
        text("grouped_by", "overall, category_l3 or algorithm."),
        text("group", "Which group of objects."),
        text("statistic", "Which number."),
        number("value", "The number; null where the data do not define it.", nullable=True),
        number("ci_low", "Lower bound.", nullable=True),
        number("ci_high", "Upper bound.", nullable=True),
        number("p", "p-value against no association.", nullable=True, **SCORE),
        text("unit", "Unit of value and bounds."),
        count("n_used", "Objects behind the number."),
        count("n_total", "Objects of the group that are judged, scored by people or not."),
        count("n_products", "Products behind the number."),
        text("method", "How interval and p were made.", nullable=True),
        text("undefined", "Why the number is null.", nullable=True),
    ),
    key=("setting", "grouped_by", "group", "statistic"),
    reads=(*SAMPLING, "match_by", "thresholds.mae", "thresholds.rmse", "thresholds.spearman"),
)

SETTING_SUMMARY = Table(
    "setting_summary",
    "All settings side by side, on the objects that are valid in every one of them.",
    (
        SETTING,
        number("temperature", "Sampling temperature.", "unitless"),
        number("top_p", "Nucleus sampling share.", "share"),
        flag("baseline", "The setting that others are held against."),
        number("icc", "ICC(1,k) at the planned repeats.", "unitless", nullable=True),
        number("icc_low", "Lower bound: by product where objects share one, else F.", "unitless", nullable=True),
        number("icc_high", "Upper bound, by the same.", "unitless", nullable=True),
        text("icc_band", "ICC in words.", nullable=True),
        flag("deterministic", "Every object got the same score in each repeat."),
        number("mad", "Median over objects of the MAD.", "0-1", nullable=True),
        number("half_width", "Median over objects of the half-width.", "0-1", nullable=True),
        number("spearman_r", "Spearman correlation with people.", "unitless", nullable=True),
        number("spearman_low", "Lower bound, over products.", "unitless", nullable=True),
        number("spearman_high", "Upper bound, over products.", "unitless", nullable=True),
        text("spearman_interval", "How that interval was made, or why there is none.", nullable=True),
        number("pearson_r", "Pearson correlation with people.", "unitless", nullable=True),
        number("mae", "Mean absolute error against people.", "0-1", nullable=True),
        number("rmse", "Root mean squared error against people.", "0-1", nullable=True),
        number("bias", "Judge minus people, mean.", "0-1", nullable=True),
        number("json_validity_rate", "Valid among first attempts that got an answer.", "share", nullable=True),
        count("n_evaluations", "Attempts that got any answer."),
        count("n_faults", "Attempts that got none."),
        number("cost_usd", "Cost of all attempts.", "USD", low=0),
        count("n_total", "Objects that are judged."),
        count("n_objects", "Of these, valid in every setting that is compared: what the numbers rest on."),
        count("n_products", "Products behind them."),
        count("n_matched", "Of these objects (or their items), those that people scored too."),
        count("n_left_out", "Objects valid in this setting but not in every one."),
        text(
            "incomplete",
            "Objects with too few valid repeats in this setting, with how many; null where there are none.",
            nullable=True,
        ),
        *(
            number(
                f"{name}_{end}",
                f"{what} with all objects, missing answers as the {end} for the judge; null where none is left out.",
                unit,
                nullable=True,
            )
            for name, what, unit in (
                ("icc", "ICC(1,k)", "unitless"),
                ("mad", "Median MAD", "0-1"),
                ("spearman", "Spearman correlation", "unitless"),
                ("mae", "Mean absolute error", "0-1"),
            )
            for end in ("worst", "best")
        ),
        *(
            number(
                f"variance_{source}",
                f"Variance of single scores {what}, over all of these settings.",
                "0-1 squared",
                nullable=True,
                low=0.0,
            )
            for source, what in (
                ("object", "between objects"),
                ("setting", "between settings"),
                ("object_setting", "by object and setting together"),
                ("repeat", "between repeats"),
            )
        ),
        text("variance_undefined", "Why there are no variances; null where there are.", nullable=True),
        text("undefined", "Why numbers are null; null where none is.", nullable=True),
    ),
    key=("setting",),
    reads=(*SAMPLING, *REPEATS, *BASELINE, "aggregate", "match_by", "thresholds"),
)
