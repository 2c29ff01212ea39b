"""What of the configuration each table, its checks included, is made from: a change of it makes the table again.

A name is a key of the study's section in touchstone.yaml, a section stands for all keys in it, and a name that begins
with @ is one of `pipeline.code_versions.FACTS`. Where inputs lie is not here: their content is observed. Neither is
what changes nothing that is stored or checked: threads, devices, batches, budgets, the order of asking. What is set for
one data set is not here either: `new_datasets` sees that it changed. What follows from a table upstream is that table's
alone; so a changed judge is a change of the tables that ask it, and the rest follows once it has answered.
"""

from collections.abc import Mapping
from typing import Final

_SAMPLING: Final = ("bootstrap_resamples", "confidence", "seed")
_REPEATS: Final = ("max_incomplete_share", "minimum_repeats", "repeats")
_BASELINE: Final = ("settings.baseline_temperature", "settings.baseline_top_p")
_CHOOSING: Final = ("recommendation.fewest_products_to_split", "recommendation.method")
_CALLS: Final = ("@judge", "score_source", "max_missing_share", "repeats")
FIDELITY: Final = {
    "human_scores": ("algorithms", "columns", "score_max"),
    "study_objects": (
        *("algorithms", "candidates", "columns.filename", "golden.items"),
        *("max_missing_share", "mismatched_objects", "references"),
    ),
    "judge_calls": (*_CALLS, "@price", "confidence", "thresholds.json_validity"),
    "score_matrix": (*_REPEATS, "max_missing_share"),
    "retried_calls": (*_SAMPLING, *_REPEATS, "aggregate"),
    "icc_by_setting": (*_SAMPLING, *_REPEATS, "thresholds.icc"),
    "stability": (*_REPEATS, "confidence", "thresholds.ci_half_width", "thresholds.median_mad"),
    "convergence_curves": (*_REPEATS, "confidence", "thresholds.ci_half_width"),
    "convergence_summary": (*_REPEATS, "confidence", "thresholds.ci_half_width"),
    "matched_scores": (*_REPEATS, "aggregate", "match_by"),
    "human_agreement": (*_SAMPLING, "match_by", "thresholds.mae", "thresholds.rmse", "thresholds.spearman"),
    "annotator_test": (*_REPEATS, "aggregate", "annotators", "confidence", "thresholds.stand_in_share"),
    "few_labels": ("confidence", "seed"),
    "setting_summary": (*_SAMPLING, *_REPEATS, *_BASELINE, "aggregate", "match_by", "thresholds"),
    "recommended_setting": (
        *(*_SAMPLING, *_REPEATS, *_BASELINE, "aggregate", "match_by", "recommendation"),
        *("thresholds.icc", "thresholds.json_validity", "thresholds.median_mad", "thresholds.spearman"),
    ),
    "golden_images": (*_CHOOSING, "golden", "max_missing_share", "seed"),
    "golden_scores": (*_CALLS, *_CHOOSING, "aggregate", "golden.items", "golden.setting", "minimum_repeats"),
    "sensitivity": (*_SAMPLING, "golden.same_tolerance", "thresholds"),
    "dose_response": (*_SAMPLING, "thresholds.dose_response_r2"),
    "anchor_scores": (*_CALLS, "minimum_repeats", "anchor", "aggregate", "seed"),
    "drift": (*_SAMPLING, *_REPEATS, "aggregate", "anchor", "thresholds.drift_icc", "thresholds.drift_shift"),
    "fidelity_report": (
        *(*_CHOOSING, *_REPEATS, "aggregate", "annotators", "confidence", "golden", "match_by", "max_missing_share"),
        *("seed", "settings", "thresholds"),
    ),
}
_METHODS: Final = (
    *("clip_attributes", "composites", "dl_methods", "rule_based_methods", "@own_methods"),
    *("clip_model", "folds", "seed"),
)
PAIRWISE: Final = {
    "photo_pairs": (
        *(*_SAMPLING, "cluster_column", "columns", "image_root", "max_missing_share", "min_agreement"),
        *("min_reviewers", "orders", "photo_number", "sample_size"),
    ),
    "image_features": (
        *("@stages", "clip_attributes", "clip_model", "features_dir", "image_root", "max_missing_share"),
        *("rules_long_side", "vit_model"),
    ),
    "pairwise_results": (*_METHODS, "features_dir", "image_root", "max_missing_share"),
    "method_metrics": (
        *(*_METHODS, *_SAMPLING, "cluster_column", "features_dir"),
        *("separation", "tie_model", "use_bradley_terry"),
    ),
    "bradley_terry": ("separation", "tie_model", "use_bradley_terry"),
    "method_significance": (*_METHODS, "confidence", "orders"),
    # It holds a copy of the whole section.
    "benchmark_export": ("*", "@own_methods"),
    "pairwise_report": (
        *(*_METHODS, *_SAMPLING, "cluster_column", "dataset_name", "image_root", "min_agreement", "min_reviewers"),
        *("max_missing_share", "orders", "rules_long_side", "sample_size", "use_bradley_terry"),
    ),
}
_INTERVALS: Final = (*_SAMPLING, "bca_resamples")
EVALUATION: Final = {
    "evaluation_samples": ("max_unusable_share",),
    "correlation": _INTERVALS,
    "mcq_confusion": (),
    "option_rates": (),
    "category_breakdown": _INTERVALS,
    "paper_comparison": ("@baseline",),
    "evaluation_summary": ("seed",),
    "metric_comparison": _INTERVALS,
    "evaluation_report": ("bootstrap_resamples", "confidence", "seed"),
}
_THRESHOLDS: Final = ("threshold", "thresholds")
RELIABILITY: Final = {
    "query_documents": ("@scores_come_with_input", "columns", "postgres", "scale"),
    "judgments": ("@judges", "max_incomplete_share"),
    "query_kappa": (*_THRESHOLDS, "gate.low_kappa", "max_incomplete_share"),
    "judge_agreement": (*_SAMPLING, *_THRESHOLDS, "gate", "max_incomplete_share"),
    "kappa_validation": (*_THRESHOLDS, "gate", "review.min_reviewed_share"),
    "disputed_documents": (*_THRESHOLDS, "review.high_disagreement"),
    "disagreements": (),
    "bias_test": (*_SAMPLING, *_THRESHOLDS, "max_incomplete_share"),
    "threshold_advice": (*_THRESHOLDS, "max_incomplete_share", "seed"),
    "low_kappa_profile": ("gate",),
    "recalibration": (*_SAMPLING, *_THRESHOLDS),
    "ground_truth": (*_THRESHOLDS, "max_incomplete_share"),
    "reviewer_agreement": (),
    "judges_against_reviewers": (*_SAMPLING, *_THRESHOLDS),
    "reliability_report": (*_SAMPLING, *_THRESHOLDS, "gate", "review", "recalibration.prompt_version"),
}
READS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "fidelity": FIDELITY,
    "pairwise": PAIRWISE,
    "evaluation": EVALUATION,
    "reliability": RELIABILITY,
}
