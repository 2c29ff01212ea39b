"""The tables of study B: photo pairs, image features, what each method picks, and how people's votes rank photos."""

from typing import Any

from analysis.preference.accuracy import BAND_NAMES
from resources.tables.declare import SAMPLING, Column, Table, bounds, count, flag, number, text, texts, undefined, whole
from resources.tables.trust_verdict import trust_verdict_table

# Keys of the configuration that several tables are made from.
METHODS = (
    "clip_attributes",
    "composites",
    "dl_methods",
    "recorded_judges",
    "rule_based_methods",
    "@own_methods",
    "clip_model",
    "folds",
    "seed",
)

SHARE: dict[str, Any] = {"low": 0.0, "high": 1.0}
METHOD = text("method", "Partition key: the method, such as sharpness_only.")
CLUSTER = text("cluster", "What intervals, tests and folds keep together: a series, or several that share something.")


def interval_method(name: str) -> Column:
    """How a number's interval was made, which also marks an unreliable one."""
    return text(f"{name}_interval_method", "How its interval was made, or why it has no bounds.", nullable=True)


PHOTO_PAIRS = Table(
    "photo_pairs",
    "Photo pairs with people's votes: one row per pair (or per listed order), left-out ones with the cause.",
    (
        count("pair_idx", "Number of the pair, from 0, in the order of the file."),
        text("series_id", "Series, six digits."),
        CLUSTER,
        count("compareID1", "Image 1 inside its series, from 0."),
        count("compareID2", "Image 2 inside its series, from 0."),
        text("compareFile1", "Its file as the CSV names it."),
        text("compareFile2", "Its file as the CSV names it."),
        text("image_1", "Name of image 1: {series_id}-{compareID + 1:02d}."),
        text("image_2", "Name of image 2."),
        text("path_1", "Address of image 1."),
        text("path_2", "Address of image 2."),
        whole("votes_1", "Votes for image 1, of both orders where they are merged.", "votes", low=0),
        whole("votes_2", "Votes for image 2.", "votes", low=0),
        whole("votes_neither", "Votes for neither; 0 where the file counts none.", "votes", low=0),
        whole("first_shown_votes", "Votes for the image that was shown first.", "votes", low=0),
        whole("votes_1_shown_first", "Votes for image 1 where it was the one shown first.", "votes", low=0),
        count("n_orders", "Orders in which the pair was shown, 1 or 2.", low=1, high=2),
        count("num_reviewers", "People who voted, of both orders where they are merged."),
        number("agreement", "Winner's share of votes_1 + votes_2; 0.5 where both are 0.", "share", **SHARE),
        whole("winner", "Image that people prefer: 1 or 2; null on a tie.", nullable=True, low=1, high=2),
        flag("opposite_orders", "The two orders of the pair have different winners."),
        text(
            "excluded",
            "Why the pair is not judged: tie, low_agreement, few_reviewers, missing_image, not_sampled.",
            nullable=True,
        ),
        texts("absent_images", "Names of its photos that are not in image_root.", optional=True),
        *[
            column
            for side in (1, 2)
            for column in (
                text(f"source_{side}", f"Of pairs of texts: the model that wrote text {side}.", optional=True),
                whole(
                    f"length_{side}",
                    "Its length; null where the file holds no texts.",
                    "characters",
                    nullable=True,
                    low=0,
                    optional=True,
                ),
            )
        ],
    ),
    key=("pair_idx",),
    reads=(
        *SAMPLING,
        "cluster_column",
        "columns",
        "image_root",
        "max_missing_share",
        "min_agreement",
        "min_reviewers",
        "orders",
        "pairs_of",
        "photo_number",
        "recorded_judges",
        "sample_size",
    ),
)

PAIR_ANSWERS = Table(
    "pair_answers",
    "What judges of pairs say, asked in both orders: one row per judge and judged pair; none where no judge is named.",
    (
        METHOD,
        text("judge", "The judge's name in the configuration."),
        count("pair_idx", "Number of the pair."),
        text("image_1", "Name of photo or text 1."),
        text("image_2", "Name of photo or text 2."),
        CLUSTER,
        whole("picked_1_first", "Picked with 1 shown first: 1 or 2; 0 a tie.", nullable=True, low=0, high=2),
        whole("picked_2_first", "Picked with 2 shown first: 1 or 2; 0 a tie.", nullable=True, low=0, high=2),
        whole("picked", "The same in both orders, else 0, a tie.", nullable=True, low=0, high=2),
        text("state_1_first", "What the call came to, with 1 shown first; null where not asked.", nullable=True),
        text("state_2_first", "The same with 2 shown first.", nullable=True),
        number("latency_ms", "Time of both calls.", "ms", nullable=True, low=0),
        number("cost_usd", "Cost of both calls, attempts without an answer too.", "USD", low=0),
        text("undefined", "Why nothing is picked; null where something is.", nullable=True),
    ),
    key=("method", "pair_idx"),
    reads=("@pair_judges", "image_root", "max_missing_share", "pairs_of", "recorded_judges"),
)

PAIR_JUDGES = Table(
    "pair_judges",
    "Whether the place decides what a judge of pairs says, or the length, or who wrote it: one row per judge.",
    (
        METHOD,
        text("judge", "The judge's name in the configuration."),
        count("n_pairs", "Judged pairs."),
        count("n", "Pairs with an answer in both orders."),
        count("n_clusters", "Clusters behind them."),
        number("consistency", "Share of them with the same answer in both orders.", "share", nullable=True, **SHARE),
        *bounds("consistency", "it, over clusters", "share"),
        number("tie_share", "Share of ties among their answers.", "share", nullable=True, **SHARE),
        number("first_shown_rate", "Share of answers for the one shown first.", "share", nullable=True, **SHARE),
        *bounds("first_shown_rate", "it", "share"),
        count("n_first_shown", "Answers that are no ties."),
        number("position_log_odds", "Log odds gained by being shown first, Bradley-Terry.", "logit", nullable=True),
        *bounds("position_log_odds", "it", "logit"),
        count("n_position", "Pairs that say something about it."),
        number(
            "length_bias",
            "Credit where people prefer the longer text, less that where they prefer the shorter.",
            "share",
            nullable=True,
        ),
        *bounds("length_bias", "it", "share"),
        count("n_longer", "Pairs whose longer text people prefer."),
        count("n_shorter", "Pairs whose shorter text people prefer."),
        number(
            "self_preference",
            "Credit where people prefer the judge's own text, less that where they prefer the other.",
            "share",
            nullable=True,
        ),
        *bounds("self_preference", "it", "share"),
        count("n_own", "Pairs with one own text, which people prefer."),
        count("n_not_own", "Pairs with one own text, where people prefer the other."),
        number("cost_usd", "What its calls cost.", "USD", low=0),
        *[
            interval_method(name)
            for name in ("consistency", "first_shown_rate", "position_log_odds", "length_bias", "self_preference")
        ],
        undefined(),
    ),
    key=("method",),
    reads=(*SAMPLING, "own_sources", "pairs_of"),
)

IMAGE_FEATURES = Table(
    "image_features",
    "Shards of image features, keyed by content: one row per shard; the shards are next to this file. Where no photo "
    "is judged there is one row of no shard.",
    (
        text("shard", "Name of the shard's file; null where no photo is judged.", nullable=True),
        text("path", "Its address.", nullable=True),
        count("n_images", "Different images in it, also of other studies of the same photos."),
        count("n_names", "Photos of the study that it measures; equal ones count each."),
        count("n_unreadable", "Of these photos, unreadable ones."),
        count("n_computed", "Images computed in the latest run; the others were there."),
        texts("stages", "Stages in it: rules, clip, vit, efficientnet."),
        text("recipe", "Digest of sizes, weights and versions behind the numbers.", nullable=True),
        number(
            "images_per_s",
            "Images a second in the latest run; null where nothing was computed.",
            "images/s",
            nullable=True,
            low=0,
        ),
        texts("unavailable", "Stages that could not be computed, each with the reason and the remedy."),
    ),
    key=("shard",),
    reads=(
        "@stages",
        "clip_attributes",
        "clip_model",
        "features_dir",
        "image_root",
        "max_missing_share",
        "pairs_of",
        "recorded_judges",
        "rules_long_side",
        "vit_model",
    ),
)

PAIRWISE_RESULTS = Table(
    "pairwise_results",
    "What a method picks: one row per method and judged pair; none for a method that is unavailable.",
    (
        METHOD,
        count("pair_idx", "Number of the pair."),
        text("series_id", "Series, six digits."),
        CLUSTER,
        count("fold_group", "Group of clusters that share a photo, which folds keep whole."),
        whole("winner", "Image that people prefer.", low=1, high=2),
        number("agreement", "Share of the votes for the winner.", "share", **SHARE),
        count("num_reviewers", "People who voted."),
        number(
            "score_image1",
            "Method's score of image 1 (of the pair's image 1, held out by clusters, for a probe).",
            "method's own",
            nullable=True,
        ),
        number("score_image2", "Method's score of image 2.", "method's own", nullable=True),
        whole(
            "predicted_winner",
            "1 or 2; 0 on an exact tie; null where a score is undefined.",
            nullable=True,
            low=0,
            high=2,
        ),
        number("credit", "1 right, 0.5 tie, 0 wrong.", "share", nullable=True, **SHARE),
        number(
            "time_ms",
            "What the method alone would take for the pair: decoding and measuring both images.",
            "ms",
            nullable=True,
            low=0,
        ),
        text("undefined", "Why there is no prediction; null where there is one.", nullable=True),
    ),
    key=("method", "pair_idx"),
    reads=(*METHODS, "features_dir", "image_root", "max_missing_share"),
)

METHOD_METRICS = Table(
    "method_metrics",
    "Every method at a glance: one row per method, unavailable ones with the reason.",
    (
        METHOD,
        count("n", "Pairs with a prediction."),
        count("n_total", "Pairs judged."),
        count("n_series", "Series behind them."),
        count("n_clusters", "Clusters behind them."),
        number("accuracy", "Mean credit: a tie counts half.", "share", nullable=True, **SHARE),
        *bounds("accuracy", "it, over clusters", "share"),
        number("p_chance", "Two-sided p of accuracy 0.5, clusters as units.", "unitless", nullable=True, **SHARE),
        flag("p_chance_unreliable", "Under 10 clusters differ from chance: nothing is sure.", nullable=True),
        number("p_chance_holm", "The same after Holm over all methods.", "unitless", nullable=True, **SHARE),
        number("tie_rate", "Share of exact ties.", "share", nullable=True, **SHARE),
        number("accuracy_decided", "Accuracy without ties.", "share", nullable=True, **SHARE),
        *bounds("accuracy_decided", "it", "share"),
        interval_method("accuracy_decided"),
        number("precision", "Of image 1.", "share", nullable=True, **SHARE),
        number("recall", "Of image 1; a tie is a miss.", "share", nullable=True, **SHARE),
        number("f1_score", "Of image 1.", "share", nullable=True, **SHARE),
        number("precision_macro", "Mean over both images.", "share", nullable=True, **SHARE),
        number("recall_macro", "Mean over both images.", "share", nullable=True, **SHARE),
        number("f1_macro", "Mean over both images.", "share", nullable=True, **SHARE),
        *[
            column
            for band in BAND_NAMES
            for column in (
                number(f"accuracy_{band}", f"Accuracy where agreement is {band} %.", "share", nullable=True, **SHARE),
                *bounds(f"accuracy_{band}", "it", "share"),
                interval_method(f"accuracy_{band}"),
                count(f"n_{band}", "Pairs there."),
            )
        ],
        *[
            count(f"truth_{truth}_predicted_{said}", f"Pairs with winner {truth}, predicted {said}.", nullable=True)
            for truth in (1, 2)
            for said in ("1", "2", "tie")
        ],
        number(
            "bt_agreement",
            "Mean log P of the predicted winner by Bradley-Terry on all votes, in sample.",
            "log probability",
            nullable=True,
        ),
        number("log_likelihood", "Held-out log-likelihood of the votes, in all.", "log probability", nullable=True),
        number("log_likelihood_per_vote", "The same a vote; log 0.5 is chance.", "log probability", nullable=True),
        *bounds("log_likelihood_per_vote", "it", "log probability"),
        interval_method("log_likelihood_per_vote"),
        number(
            "avg_time_ms",
            "What the method alone would take a pair: time of one processor core; a network's on a GPU by the clock.",
            "ms",
            nullable=True,
            low=0,
        ),
        number("throughput", "1000 / avg_time_ms.", "pairs/s", nullable=True, low=0),
        number("shared_time_ms", "What it took here, images shared by methods and pairs.", "ms", nullable=True, low=0),
        text("unavailable", "Why the method yields nothing and how to provide it; null where it works.", nullable=True),
        text("interval_method", "How accuracy's interval was made, or why it has no bounds.", nullable=True),
        undefined(),
    ),
    key=("method",),
    reads=(*METHODS, *SAMPLING, "cluster_column", "features_dir", "separation", "tie_model", "use_bradley_terry"),
)

METHOD_SIGNIFICANCE = Table(
    "method_significance",
    "Which methods can be distinguished: one row per two methods.",
    (
        text("method_1", "The one with the higher accuracy."),
        text("method_2", "The other."),
        count("n", "Pairs that every method of the table predicts."),
        count("n_series", "Series behind them."),
        count("n_clusters", "Clusters behind them."),
        number("difference", "Mean credit of method 1 minus method 2.", "share", nullable=True),
        number(
            "z", "Sum of the clusters' differences over the root of their sum of squares.", "unitless", nullable=True
        ),
        number("p", "Two-sided p, clusters as units.", "unitless", nullable=True, **SHARE),
        number("p_holm", "The same after Holm over all pairs of methods.", "unitless", nullable=True, **SHARE),
        flag("separated", "Holm separates them, and 10 clusters or more differ."),
        number("mcnemar_p", "Exact McNemar on pairs both decide; ignores series.", "unitless", nullable=True, **SHARE),
        number("mcnemar_p_mid", "Its mid-p; ignores series.", "unitless", nullable=True, **SHARE),
        count("n_decided_by_both", "Pairs decided by both."),
        text("letters_1", "Letters of method 1: methods that share one are not separated."),
        text("letters_2", "Letters of method 2."),
        undefined(),
    ),
    key=("method_1", "method_2"),
    reads=(*METHODS, "confidence", "orders"),
)

BRADLEY_TERRY = Table(
    "bradley_terry",
    "How people's votes rank photos: one row per photo, strengths comparable inside its component only.",
    (
        text("image", "Name of the photo."),
        text("series_id", "Its series."),
        count("component", "Connected component, from 0."),
        count("n_component", "Photos in it.", low=1),
        number("strength", "Log strength, centred in its component.", "logit"),
        number("standard_error", "Of the centred strength.", "logit", nullable=True, low=0),
        *bounds("strength", "the strength, for independent votes", "logit"),
        text(
            "rank_group",
            "Letters inside the component: photos that share one are not distinguishable; null where not tested.",
            nullable=True,
        ),
        whole("n_votes", "Votes about the photo.", "votes", low=0),
        number("n_wins", "Votes for it; a vote for neither counts half.", "votes", low=0),
        flag("regularised", "Its component has no finite maximum, so the prior holds for all of it."),
    ),
    key=("image",),
    reads=("confidence", "separation", "tie_model", "use_bradley_terry"),
)

BENCHMARK_EXPORT = Table(
    "benchmark_export",
    "The files of the benchmark's folder, in the older benchmark's form: one row per file.",
    (
        text("file", "Path inside the folder."),
        text("path", "Address."),
        text("sha256", "Content hash."),
        whole("n_bytes", "Size.", "bytes", low=0),
        count("n_rows", "Rows; null where it is no table.", nullable=True),
    ),
    key=("file",),
    reads=("*", "@own_methods"),
)

PAIRWISE_REPORT = Table(
    "pairwise_report",
    "The report as one file for the browser: where it lies and what it was made from.",
    (
        text("path", "Address of the HTML file."),
        text("sha256", "Its content hash."),
        whole("n_bytes", "Its size.", "bytes", low=1),
        text("study", "Study that it is about."),
        text("best", "Method with the highest accuracy; null where none is available.", nullable=True),
        texts("languages", "Languages in it."),
    ),
    key=("path",),
    reads=(
        *METHODS,
        *SAMPLING,
        "cluster_column",
        "dataset_name",
        "image_root",
        "min_agreement",
        "min_reviewers",
        "max_missing_share",
        "orders",
        "pairs_of",
        "rules_long_side",
        "sample_size",
        "use_bradley_terry",
    ),
)

PAIRWISE_TRUST_VERDICT = trust_verdict_table(
    "pairwise",
    "method",
    ("cluster_column", "confidence", "min_agreement", "min_reviewers", "seed", "verdict"),
)
