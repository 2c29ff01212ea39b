"""Which tables each study has, written by hand for the simulated week, and how an entry of its diary is read."""

from collections import Counter
from typing import Any

# Study A: tables with a part for each of the three settings, tables in one, and the watch on drift beside them.
BY_SETTING = Counter(
    {
        "judge_calls": 3,
        "score_matrix": 3,
        "retried_calls": 3,
        "icc_by_setting": 3,
        "stability": 3,
        "convergence_curves": 3,
        "convergence_summary": 3,
        "matched_scores": 3,
        "human_agreement": 3,
        "annotator_test": 3,
        "few_labels": 3,
    }
)
IN_ONE = Counter(
    {
        "human_scores": 1,
        "study_objects": 1,
        "setting_summary": 1,
        "recommended_setting": 1,
        "golden_images": 1,
        "golden_scores": 1,
        "sensitivity": 1,
        "dose_response": 1,
        "fidelity_report": 1,
    }
)
STUDY_A = BY_SETTING + IN_ONE
ANCHOR, DRIFT = Counter({"anchor_scores": 1}), Counter({"drift": 1})
# Study B, of two methods.
STUDY_B = Counter(
    {
        "photo_pairs": 1,
        "image_features": 1,
        "pairwise_results": 2,
        "method_metrics": 1,
        "bradley_terry": 1,
        "method_significance": 1,
        "benchmark_export": 1,
        "pairwise_report": 1,
    }
)
# Study C: what each data set has, and what stands over all of them.
DATA_SET = Counter(
    {
        "evaluation_samples": 1,
        "correlation": 1,
        "mcq_confusion": 1,
        "option_rates": 1,
        "category_breakdown": 1,
        "paper_comparison": 1,
    }
)
OVERVIEW = Counter({"evaluation_summary": 1, "metric_comparison": 1})
# Study D: what votes and thresholds decide, what is before that, and what is withheld until a validation allows it.
AFTER_VOTES = Counter(
    {
        "query_kappa": 1,
        "judge_agreement": 1,
        "kappa_validation": 1,
        "disputed_documents": 1,
        "disagreements": 1,
        "bias_test": 1,
        "threshold_advice": 1,
        "low_kappa_profile": 1,
        "recalibration": 1,
        "reviewer_agreement": 1,
        "judges_against_reviewers": 1,
        "reliability_report": 1,
    }
)
STUDY_D = AFTER_VOTES + Counter({"query_documents": 1, "judgments": 1})
TRUTH = Counter({"ground_truth": 1})
# The judge of this week takes altered renders for better ones, and at temperature 0 it says the same each time.
STUDY_A_MISSES = [
    ("icc_by_setting", "repeatable"),
    ("sensitivity", "stripes_are_seen"),
    ("sensitivity", "stripes_lower_the_score"),
]


class Note:
    """One entry of the diary: runs as who asked for which job, materializations and calls since the entry before."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.entry = entry
        self.made = Counter(entry.get("made", {}))
        self.calls: dict[str, int] = entry.get("calls", {})
        self.runs = [(one["asked_by"], one["job"]) for one in entry.get("runs", [])]
        self.errors = [one["errors"] for one in entry.get("runs", []) if one["errors"]]
        self.gates = [(table, name) for one in entry.get("runs", []) for table, name, _ in one["gates"]]
        self.gate_words = [words for one in entry.get("runs", []) for *_, words in one["gates"]]

    @property
    def is_quiet(self) -> bool:
        """Nothing ran, was made or was asked."""
        return not self.runs and not self.made and not self.calls
