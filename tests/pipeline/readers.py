"""The tables that read a table with an integrity gate, written down by hand.

All of them are tried for one gate of each table; for the others those that ask a judge or compute first. Not tried are
the anchor and `drift`, for which a recorded judge is refused, and `low_kappa_profile`, which waits for `judgments` and
reads what was made from them.
"""

FIRST_OF_OBJECTS = ("judge_calls", "golden_images", "score_matrix")
FIRST_OF_PAIRS = ("bradley_terry", "image_features")
FIRST_OF_JUDGMENTS = ("query_kappa", "judge_agreement", "bias_test", "threshold_advice")
OVER_ALL_SETTINGS = ("setting_summary", "recommended_setting", "fidelity_report")
OF_HUMAN_SCORES = ("study_objects", "golden_images", "annotator_test", "matched_scores", "human_agreement") + (
    "retried_calls",
    *OVER_ALL_SETTINGS,
)
OF_OBJECTS = (
    *FIRST_OF_OBJECTS,
    *("golden_scores", "matched_scores", "human_agreement", "retried_calls"),
    *OVER_ALL_SETTINGS,
)
OF_MATRIX_BY_SETTING = ("icc_by_setting", "stability", "convergence_curves", "convergence_summary") + (
    "matched_scores",
    "annotator_test",
    "retried_calls",
)
OF_PAIRS = (
    *FIRST_OF_PAIRS,
    *("pairwise_results", "method_metrics", "method_significance", "benchmark_export", "pairwise_report"),
)
# Ground truth follows a validation, by a sensor.
OF_JUDGMENTS_BY_THE_RULE = (
    *FIRST_OF_JUDGMENTS,
    *("disagreements", "disputed_documents", "judges_against_reviewers", "recalibration", "reliability_report"),
)
