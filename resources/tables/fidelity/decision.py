"""The tables of study A that decide: the recommended setting, people against the judge, retries, drift, the report."""

from typing import get_args

from analysis.verdict.judge_differences import COMPARED
from analysis.verdict.rule import Word
from resources.tables.declare import SAMPLING, Table, bounds, count, flag, number, text, texts, time, undefined, whole
from resources.tables.fidelity.scores import BASELINE, CALLS, CHOOSING, OBJECT, REPEATS, SCORE, SETTING
from resources.tables.trust_verdict import trust_verdict_table

RECOMMENDED_SETTING = Table(
    "recommended_setting",
    "Which setting to use and why not another: one row per setting.",
    (
        SETTING,
        number("temperature", "Sampling temperature.", "unitless"),
        number("top_p", "Nucleus sampling share.", "share"),
        flag("baseline", "The setting that others are held against."),
        flag("deterministic", "Every object got the same score in each repeat: shown, never recommended for its ICC."),
        flag("recommended", "The one to use; none where no setting keeps the four conditions."),
        flag("nearest", "Where none is recommended: the one that lacks the least."),
        flag(
            "passes",
            "Keeps the four conditions (ICC, JSON validity, Spearman, MAD) on the objects that choose; MAE is none.",
        ),
        text("failed", "Which condition failed and by how much, or why the setting is not compared.", nullable=True),
        number(
            "score", "Weighted distance from the four thresholds; only where all are kept.", "unitless", nullable=True
        ),
        count("rank", "Place by that score, from 1.", nullable=True, low=1),
        number("behind_best", "Score of the best minus this one's.", "unitless", nullable=True),
        *bounds("behind_best", "that difference, simultaneous over settings"),
        flag("as_good_as_best", "The simultaneous interval of the difference from the best reaches 0.", nullable=True),
        number("icc", "ICC(1,k) on the objects that choose.", "unitless", nullable=True),
        number("json_validity_rate", "JSON validity on them.", "share", nullable=True, **SCORE),
        number("spearman_r", "Spearman with people on them.", "unitless", nullable=True),
        number("mad", "Median MAD on them.", "0-1", nullable=True, **SCORE),
        number("icc_reported", "ICC(1,k) to report: other half, or corrected.", "unitless", nullable=True),
        *bounds("icc_reported", "it"),
        number("spearman_reported", "Spearman to report.", "unitless", nullable=True),
        *bounds("spearman_reported", "it"),
        number("mad_reported", "Median MAD to report.", "0-1", nullable=True, **SCORE),
        number("json_validity_reported", "JSON validity to report.", "share", nullable=True, **SCORE),
        text("lacks_when_reported", "Conditions that the reported numbers miss; null where none.", nullable=True),
        number(
            "icc_holm_low",
            "Recommended setting: lower bound of ICC, Holm over settings tried.",
            "unitless",
            nullable=True,
        ),
        number("spearman_holm_low", "Recommended setting: the same of Spearman.", "unitless", nullable=True),
        count("n_settings_tried", "Settings among which was chosen."),
        count("n_choosing", "Objects that choose."),
        count("n_reporting", "Objects behind the reported numbers."),
        count("n_products_choosing", "Products that choose."),
        count("n_products_reporting", "Products behind the reported numbers."),
        count("n_matched_choosing", "Pairs with people (objects, or items) that choose: behind Spearman."),
        count("n_matched_reporting", "Pairs behind the reported Spearman."),
        count("n_matched_products_choosing", "Products of the pairs that choose."),
        count("n_matched_products_reporting", "Products of the pairs behind the reported Spearman."),
        count("n_first_choosing", "First answers that choose: behind JSON validity."),
        count("n_first_reporting", "First answers behind the reported JSON validity."),
        number(
            "cost_per_item_usd",
            "Cost of all attempts at this setting over the items judged, each once however many objects it has.",
            "USD",
            nullable=True,
            low=0,
        ),
        number(
            "repeats_needed_median",
            "Median over objects of the repeats that their spread asks for.",
            "count",
            nullable=True,
        ),
        whole("repeats_needed_most", "Largest of them.", "count", nullable=True),
        count("n_without_projection", "Objects without spread, which project nothing."),
        text("method", "split or optimism, and how the intervals were made."),
    ),
    key=("setting",),
    reads=(
        *SAMPLING,
        *REPEATS,
        *BASELINE,
        "aggregate",
        "match_by",
        "recommendation",
        "thresholds.icc",
        "thresholds.json_validity",
        "thresholds.median_mad",
        "thresholds.spearman",
    ),
)

RETRIED_CALLS = Table(
    "retried_calls",
    "Objects with a retried call next to the others: one row per setting.",
    (
        SETTING,
        count("n_calls", "Planned calls with any attempt."),
        count("n_retried_calls", "Of these, with more than one attempt."),
        count("n_retried_answers", "Of these, where an earlier attempt was an answer that a person had tried again."),
        count("n_retried_objects", "Objects with a retried call that gave a score."),
        count("n_other_objects", "Objects without."),
        count("n_objects_gone", "Objects that the study no longer has: in none of the numbers."),
        number("mean_retried", "Mean score of the retried calls.", "0-1", nullable=True, **SCORE),
        number("mean_others", "Mean score of the other calls.", "0-1", nullable=True, **SCORE),
        number(
            "difference", "Mean over objects of retried minus other repeats of the same object.", "0-1", nullable=True
        ),
        *bounds("difference", "it, products resampled", "0-1"),
        number("mae_retried", "Mean absolute error against people, objects with a retried call.", "0-1", nullable=True),
        number("mae_others", "The same of the others.", "0-1", nullable=True),
        count("n_mae_retried", "Objects with a retried call that people scored: behind the first."),
        count("n_mae_others", "Objects without that people scored: behind the second."),
        text("retried", "The objects, at most 20 of them."),
        text("method", "How the interval was made.", nullable=True),
        undefined(),
    ),
    key=("setting",),
    reads=(*SAMPLING, *REPEATS, "aggregate"),
)

# The row of the whole; no annotator may have this name.
EVERYBODY = "all annotators"

ANNOTATOR_TEST = Table(
    "annotator_test",
    "May the judge stand in for a person? The alternative annotator test: one row per setting and annotator.",
    (
        SETTING,
        text("annotator", "Who is held against the judge; all annotators for the row of the whole."),
        count("n_instances", "Objects that annotator, judge and another annotator scored."),
        number(
            "share_judge_better",
            "Share of objects on which the judge is at least as near to the others.",
            "share",
            nullable=True,
            **SCORE,
        ),
        number("share_annotator_better", "Share on which the annotator is.", "share", nullable=True, **SCORE),
        number("p", "One-sided p of the annotator's advantage below epsilon.", "unitless", nullable=True, **SCORE),
        number("p_adjusted", "The same after Benjamini and Yekutieli.", "unitless", nullable=True, **SCORE),
        flag("rejected", "The judge wins against this annotator.", nullable=True),
        number(
            "omega",
            "Winning rate: annotators won against, over annotators tested; row of the whole.",
            "share",
            nullable=True,
            **SCORE,
        ),
        number("rho", "Mean advantage probability; row of the whole.", "share", nullable=True, **SCORE),
        number(
            "human_icc_1_1", "ICC(1,1) of the annotators among themselves; row of the whole.", "unitless", nullable=True
        ),
        *bounds("human_icc_1_1", "it"),
        number("human_icc_1_k", "ICC(1,k) of their mean; row of the whole.", "unitless", nullable=True),
        *bounds("human_icc_1_k", "it"),
        count("human_icc_n", "Objects behind both; row of the whole.", nullable=True),
        number(
            "human_icc_1_1_reml",
            "ICC(1,1) by restricted likelihood, for annotators with gaps; row of the whole.",
            "unitless",
            nullable=True,
        ),
        *bounds("human_icc_1_1_reml", "it"),
        number(
            "human_kendall_w",
            "Kendall's W of the annotators, on objects that all of them scored; row of the whole.",
            "unitless",
            nullable=True,
            **SCORE,
        ),
        number("epsilon", "How far the judge may fall behind a person and still win, because it is cheaper.", "share"),
        text("note", "Warnings: fewer than three annotators, some skipped.", nullable=True),
        text("undefined", "Why numbers are null; null where none is.", nullable=True),
    ),
    key=("setting", "annotator"),
    reads=(*REPEATS, "aggregate", "annotators", "confidence", "thresholds.stand_in_share"),
)

FEW_LABELS = Table(
    "few_labels",
    "How far a few human labels and the judge on everything would bring the mean human score.",
    (
        SETTING,
        count("n_labels", "Objects with a label, drawn at random."),
        count("n_unlabelled", "Objects with the judge's score only."),
        number("prediction_powered", "PPI++ estimate of the mean human score.", "0-1", nullable=True),
        *bounds("prediction_powered", "it", "0-1"),
        number("people_only", "Mean of the labels.", "0-1", nullable=True),
        *bounds("people_only", "it", "0-1"),
        number("judge_only", "Mean of the judge's scores, uncorrected.", "0-1", nullable=True),
        *bounds("judge_only", "it", "0-1"),
        number("all_labels", "Mean human score of all objects: what is estimated.", "0-1", nullable=True),
        number("lambda_", "How far the judge is trusted, 0-1.", "unitless", nullable=True, **SCORE),
        number("labels_gained", "Labels that the judge is worth.", "labels", nullable=True),
        *(
            column
            for name, what in (
                ("pass_prediction_powered", "Share of objects that people would pass, by labels and judge (PPI++)."),
                ("pass_corrected", "The same by the judge's share and its error rates (Rogan and Gladen)."),
                ("pass_people_only", "Share of the labelled that people pass."),
                ("pass_judge_only", "Share that the judge passes, uncorrected."),
            )
            for column in (number(name, what, "share", nullable=True), *bounds(name, "it", "share"))
        ),
        number("pass_all_labels", "Share that people pass of all objects: what is estimated.", "share", nullable=True),
        text("pass_undefined", "Why shares are null; null where none is.", nullable=True),
        *(
            column
            for name, what in (
                ("correlation_prediction_powered", "Pearson's r of judge and people by labels and judge (PPI++)."),
                ("correlation_people_only", "The same on the labelled alone."),
            )
            for column in (number(name, what, "unitless", nullable=True), *bounds(name, "it", "unitless"))
        ),
        text("correlation_undefined", "Why correlations are null; null where none is.", nullable=True),
        count("n_products", "Products behind the objects."),
        text("method", "How the intervals were made, and what they assume.", nullable=True),
        text("undefined", "Why numbers are null; null where none is.", nullable=True),
    ),
    key=("setting", "n_labels"),
    reads=("confidence", "pass_score", "seed"),
)

ANCHOR_SCORES = Table(
    "anchor_scores",
    "The pinned anchor objects, each time they were judged: one row per occasion and object.",
    (
        text(
            "occasion", "Day (UTC) on which the anchor was judged, as 2026-11-28; 'judge 2' behind it: another judge."
        ),
        OBJECT,
        SETTING,
        number(
            "judge_score",
            "Judge's score (mean or median, as configured); null without a valid repeat.",
            "0-1",
            nullable=True,
            **SCORE,
        ),
        count("n_valid", "Valid repeats."),
        count("n_planned", "Repeats planned; of an earlier day, the largest one seen.", low=1),
        text("judge", "Judge: openai, local or replay."),
        text("judge_identity", "Digest of judge, model, rubric, parameters and code version."),
        text("model_asked", "Model that was asked for."),
        texts("models_answered", "Models and fingerprints that answered."),
        text("prompt_hash", "Prompt without the nonce."),
        text("images_digest", "Digest of the images shown."),
        time("first_call_at", "First call of the occasion at this object (UTC)."),
        number("cost_usd", "Cost of the object's calls.", "USD", low=0),
    ),
    key=("occasion", "object"),
    reads=(*CALLS, "minimum_repeats", "anchor", "aggregate", "seed"),
)

DRIFT = Table(
    "drift",
    "Whether the judge still says of the anchor what it said when the anchor was pinned: one row per occasion.",
    (
        text("occasion", "Day (UTC) on which the anchor was judged; 'judge 2' behind it: another judge that day."),
        text("pinned", "Occasion that it is held against."),
        SETTING,
        count("n_objects", "Objects with enough valid repeats on both occasions, which are compared."),
        count("n_pinned", "Objects of the anchor."),
        count(
            "n_too_few_repeats", "Objects of this occasion with fewer valid repeats than a score needs: not compared."
        ),
        number("mean_then", "Mean score when pinned.", "0-1", nullable=True, **SCORE),
        number("mean_now", "Mean score on this occasion.", "0-1", nullable=True, **SCORE),
        number("shift", "Now minus then.", "0-1", nullable=True),
        *bounds("shift", "the shift, over products", "0-1"),
        number("icc", "ICC(A,1) of then and now.", "unitless", nullable=True),
        *bounds("icc", "it, F interval"),
        flag("same_identity", "Judge, model, rubric and parameters are those of the pinned occasion."),
        flag("same_models", "The same models and fingerprints answered."),
        flag("same_material", "Prompt and images are those of the pinned occasion."),
        text("changes", "What changed, in words; null where nothing did.", nullable=True),
        number("cost_usd", "Cost of the occasion.", "USD", low=0),
        text("method", "How the intervals were made.", nullable=True),
        undefined(),
    ),
    key=("occasion",),
    reads=(*SAMPLING, *REPEATS, "aggregate", "anchor", "thresholds.drift_icc", "thresholds.drift_shift"),
)

FIDELITY_REPORT = Table(
    "fidelity_report",
    "The report as one file for the browser: where it lies and what it was made from.",
    (
        text("path", "Address of the HTML file."),
        text("sha256", "Its content hash."),
        whole("n_bytes", "Its size.", "bytes", low=1),
        text("study", "Study that it is about."),
        text("judge", "Judge that it is about."),
        text("recommended", "Recommended setting; null where there is none.", nullable=True),
        texts("languages", "Languages in it."),
    ),
    key=("path",),
    reads=(
        *CHOOSING,
        *REPEATS,
        "aggregate",
        "annotators",
        "confidence",
        "golden",
        "match_by",
        "max_missing_share",
        "pass_score",
        "seed",
        "settings",
        "texts",
        "thresholds",
    ),
)

JUDGE_COMPARISON = Table(
    "judge_comparison",
    "Each judge at its best setting, and every two of them by their difference, on the same objects: one row per "
    "judge, other judge and statistic.",
    (
        text("judge", "Judge, by its name in the list `judges` where there are several."),
        text("other", "Judge that is subtracted; null in a row about one judge.", nullable=True),
        text(
            "statistic",
            "`spearman` and `mae` against the mean of people; `icc` is ICC(1,k) at the repeats of every object; "
            "`omega` is the winning rate of the alternative annotator test; `cost_per_object_usd` is of all repeats of "
            "an object; `cost_per_point_usd` is that over 100 times the ICC, for a hundredth of reliability.",
            among=COMPARED,
        ),
        text("setting", "Partition key of the judge's setting: the recommended one, else its own best."),
        text("other_setting", "The same of the other judge.", nullable=True),
        number("value", "The judge's, or its less the other's; USD, 0-1 or unitless by statistic.", nullable=True),
        *bounds("value", "it, products left out one by one, or resampled for omega", "as value"),
        number("p", "Two-sided p of no difference.", "unitless", nullable=True, **SCORE),
        number("p_holm", "The same after Holm, over all pairs of a statistic.", "unitless", nullable=True, **SCORE),
        text(
            "letters",
            "Rank group: judges that share a letter are not distinguishable; `a` holds the best. Null in rows of two.",
            nullable=True,
        ),
        text("word", "The judge's verdict; null in rows of two.", nullable=True, among=get_args(Word)),
        count("n", "Objects behind it; for spearman and mae the pairs with people."),
        count("n_products", "Products behind it."),
        text("basis", "Which objects these are: those that chose no setting, or all."),
        text("method", "How the interval was made.", nullable=True),
        text("undefined", "Why the number is null; null where it is not.", nullable=True),
    ),
    key=("judge", "other", "statistic"),
    reads=(*SAMPLING, *CHOOSING, *REPEATS, "aggregate", "annotators", "match_by", "verdict"),
)

FIDELITY_TRUST_VERDICT = trust_verdict_table(
    "fidelity",
    "setting",
    (
        *CHOOSING,
        "aggregate",
        "annotators",
        "confidence",
        "minimum_repeats",
        "seed",
        "thresholds.effect_size",
        "thresholds.icc",
        "thresholds.json_validity",
        "thresholds.median_mad",
        "thresholds.spearman",
        "verdict",
    ),
)
