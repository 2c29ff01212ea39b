"""The tables of study A's golden set: altered renders, what the judge says of them, and whether it sees the change."""

from resources.tables.declare import SAMPLING, Table, bounds, count, flag, number, text, texts, undefined, whole
from resources.tables.fidelity.scores import CALLS, CHOOSING, ITEM, OBJECT, PRODUCT, SCORE, SETTING

KINDS = (
    "stripes",
    "stripes_shaded",
    "hue",
    "saturation",
    "brightness",
    "blur",
    "texture_scale",
    "logo",
    "untouched",
    "reencoded",
    "other_item",
)
# The unit of a magnitude of the user's own for which none is given.
NO_UNIT = "unitless"
# What `seen` says of an alteration that should lower the score, of one that should not, and of either.
SEEN, IN_PART, NOT_SEEN, KEPT, DISTURBED, UNKNOWN = SEEN_WORDS = (
    "seen",
    "seen in part",
    "not seen",
    "kept",
    "disturbed",
    "unknown",
)
ALTERATION = text("alteration", "Name of the alteration, such as stripes7_o70.")
KIND = text("kind", "What is altered: a built-in kind, or the user's own.")
MAGNITUDE = number("magnitude", "How much of it; null where there is none.", "see magnitude_unit", nullable=True)
MAGNITUDE_UNIT = text(
    "magnitude_unit",
    "Unit of the magnitude: opacity, degrees, factor, px at 512, share, or the user's own; none without a magnitude.",
)
EXPECTED = text("expected", "What a judge that sees it does to the score.", among=("worse", "same", "better"))
MOVES = text("moves", "Sub-score that the user's own pair should move.", nullable=True, optional=True)


GOLDEN_IMAGES = Table(
    "golden_images",
    "Manifest of the golden set: one row per item and alteration, skipped ones with the cause.",
    (
        OBJECT,
        ITEM,
        PRODUCT,
        text("category_l3", "Narrowest category.", nullable=True),
        ALTERATION,
        KIND,
        MAGNITUDE,
        MAGNITUDE_UNIT,
        EXPECTED,
        text("original_path", "Address of the candidate that was altered; null for a text.", nullable=True),
        text("original_sha256", "Its content hash.", nullable=True),
        text("altered_path", "Address of the altered image; null for a text.", nullable=True),
        text("altered_sha256", "Its content hash.", nullable=True),
        texts("reference_paths", "Addresses of the item's photos, in order."),
        texts("reference_sha256", "Their content hashes."),
        number("changed_share", "Share of the object's pixels that changed.", "share", nullable=True, **SCORE),
        flag("chose_setting", "The object's product also had a part in choosing the setting."),
        MOVES,
        text("skipped", "Why there is no altered image; null where there is one.", nullable=True),
    ),
    key=("object", "alteration"),
    reads=(*CHOOSING, "golden", "max_missing_share", "seed"),
)

GOLDEN_SCORES = Table(
    "golden_scores",
    "The judge's scores of the golden set next to those of the originals: one row per item and alteration.",
    (
        SETTING,
        OBJECT,
        ITEM,
        PRODUCT,
        ALTERATION,
        KIND,
        MAGNITUDE,
        MAGNITUDE_UNIT,
        EXPECTED,
        number("original_score", "Judge's score of the original at this setting.", "0-1", nullable=True, **SCORE),
        count("n_original", "Valid repeats behind it."),
        number("altered_score", "Judge's score of the altered image.", "0-1", nullable=True, **SCORE),
        count("n_altered", "Valid repeats behind it."),
        count("n_planned", "Repeats planned for each.", low=1),
        number("drop", "Original minus altered: positive where the altered one is scored lower.", "0-1", nullable=True),
        number("cost_usd", "Cost of judging the altered image.", "USD", low=0),
        flag("chose_setting", "The object's product also had a part in choosing the setting."),
        MOVES,
        text("undefined", "Why there is no pair of scores; null where there is one.", nullable=True),
    ),
    key=("object", "alteration"),
    reads=(*CALLS, *CHOOSING, "aggregate", "golden.items", "golden.setting", "minimum_repeats"),
)

SENSITIVITY = Table(
    "sensitivity",
    "Whether the judge sees each alteration: one row per alteration, sentinels included.",
    (
        SETTING,
        ALTERATION,
        KIND,
        MAGNITUDE,
        MAGNITUDE_UNIT,
        EXPECTED,
        count("n_items", "Items with a pair of scores that counts: behind every number."),
        count("n_total", "Items of the golden set."),
        count("n_chose_setting", "Items whose product also had a part in choosing the setting."),
        number("mean_original", "Mean score of the originals.", "0-1", nullable=True, **SCORE),
        number("mean_altered", "Mean score of the altered.", "0-1", nullable=True, **SCORE),
        number("mean_drop", "Mean of original minus altered.", "0-1", nullable=True),
        number(
            "cohens_d",
            "Difference of means over the pooled standard deviation; this, d_z and AUC count a rise where `better` is "
            "expected, and else a drop.",
            "unitless",
            nullable=True,
        ),
        *bounds("cohens_d", "Cohen's d, over items"),
        text("d_band", "Cohen's d in words.", nullable=True),
        number("hedges_g", "d without its small-sample bias.", "unitless", nullable=True),
        number("d_z", "Mean difference over the standard deviation of the differences.", "unitless", nullable=True),
        *bounds("d_z", "d_z, noncentral t"),
        number("hit_rate", "Share of items whose score moved as expected.", "share", nullable=True, **SCORE),
        *bounds("hit_rate", "the hit rate", "share"),
        count("n_hits", "Items that moved as expected."),
        count("n_misses", "Items that did not, ties included."),
        count("n_ties", "Pairs with equal scores; misses where a change is expected."),
        number(
            "false_alarm_rate",
            "Share of items called different; only where `same` is expected.",
            "share",
            nullable=True,
            **SCORE,
        ),
        number(
            "auc",
            "P(original > altered), or < for `better`, over all cross pairs; half for ties.",
            "share",
            nullable=True,
            **SCORE,
        ),
        *bounds("auc", "the AUC, over items", "share"),
        text(
            "seen",
            "In words: seen, seen in part, not seen; kept or disturbed where the score should stay; unknown below two "
            "pairs. Seen in part: Cohen's d or the hit rate reaches its threshold, or the mean drop is no longer the "
            "same score, or the lower bound of the hit rate is above a half.",
            among=SEEN_WORDS,
        ),
        text("method", "How the intervals were made.", nullable=True),
        undefined(),
    ),
    key=("alteration",),
    reads=(*SAMPLING, "golden.same_tolerance", "thresholds"),
)

SUBSCORE_SENSITIVITY = Table(
    "subscore_sensitivity",
    "Whether an alteration moves the sub-score that speaks of it: one row per kind of alteration and sub-score.",
    (
        SETTING,
        KIND,
        EXPECTED,
        text("subscore", "Sub-score of the judge's rubric; null where its answers have none.", nullable=True),
        whole("n_items", "Objects with a pair of this sub-score, each with the mean over its alterations.", low=0),
        number("mean_original", "Mean sub-score of the originals.", "0-1", nullable=True, **SCORE),
        number("mean_altered", "Mean sub-score of the altered.", "0-1", nullable=True, **SCORE),
        number("mean_drop", "Mean of original minus altered.", "0-1", nullable=True),
        *bounds("mean_drop", "the mean drop, over products", "0-1"),
        flag("moves", "This is the sub-score that the kind should move; null where none is named.", nullable=True),
        flag(
            "moved_most",
            "It moved as expected by more than each other sub-score; null where one is unknown, or none should move.",
            nullable=True,
        ),
        text("method", "How the interval was made.", nullable=True),
        undefined(),
    ),
    key=("kind", "subscore"),
    # Who judges is one of `golden_scores`, which this table follows: made before it, it would read no answers.
    reads=(*(read for read in CALLS if read != "@judge"), *SAMPLING, "aggregate", "minimum_repeats"),
)

DOSE_RESPONSE = Table(
    "dose_response",
    "Whether more of an alteration costs more, or gains more where it should: one row per kind with 3 magnitudes or "
    "more. A drop is a rise where `better` is expected.",
    (
        SETTING,
        KIND,
        text(
            "dose_unit",
            "Unit of the dose, which is 0 where nothing is changed: what was taken away of a factor, or added to it.",
        ),
        count("n_magnitudes", "Magnitudes."),
        count("n_items", "Items with a pair of scores at all of them, behind Page's test."),
        count("n_line", "Items with a pair at two of them or more, behind the line."),
        count("n_total", "Items of the golden set."),
        count("n_missing_pairs", "Pairs of item and magnitude that lack a score."),
        number(
            "r2", "Share of the within-item variance of drops that the dose explains.", "share", nullable=True, **SCORE
        ),
        number("pearson_r", "Within-item correlation of dose and drop.", "unitless", nullable=True),
        number("slope", "Drop for a unit of dose.", "0-1 per unit", nullable=True),
        *bounds("slope", "the slope, over items", "0-1 per unit"),
        number("intercept", "Drop that the line gives at dose 0.", "0-1", nullable=True),
        number("page_l", "Page's L.", "unitless", nullable=True),
        number("page_p", "p of Page's trend test, one-sided.", "unitless", nullable=True, **SCORE),
        text("page_method", "How p was made.", nullable=True),
        text("method", "How the interval was made.", nullable=True),
        undefined(),
    ),
    key=("kind",),
    reads=(*SAMPLING, "thresholds.dose_response_r2"),
)
