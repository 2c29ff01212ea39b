"""Which tables each study has, written by hand for the simulated week; how they and its diary are read and compared."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from tests.pipeline.week import of_one_moment

Tables = Mapping[str, pd.DataFrame]
# By their files: what is asked on days of its own and what follows from it, and what keeps every validation.
WATCH = ("fidelity/anchor_scores", "fidelity/drift")
VALIDATIONS = ("reliability/kappa_validation",)

# Study A: tables with a part for each of the two settings, tables in one, and the watch on drift next to them.
BY_SETTING = Counter(
    {
        "judge_calls": 2,
        "score_matrix": 2,
        "retried_calls": 2,
        "icc_by_setting": 2,
        "stability": 2,
        "convergence_curves": 2,
        "convergence_summary": 2,
        "matched_scores": 2,
        "human_agreement": 2,
        "annotator_test": 2,
        "few_labels": 2,
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
        "subscore_sensitivity": 1,
        "fidelity_trust_verdict": 1,
        "judge_comparison": 1,
        "fidelity_report": 1,
    }
)
STUDY_A = BY_SETTING + IN_ONE
ANCHOR, DRIFT = Counter({"anchor_scores": 1}), Counter({"drift": 1})
# Study B, of two methods.
STUDY_B = Counter(
    {
        "photo_pairs": 1,
        "pair_answers": 1,
        "pair_judges": 1,
        "image_features": 1,
        "pairwise_results": 2,
        "method_metrics": 1,
        "bradley_terry": 1,
        "method_significance": 1,
        "benchmark_export": 1,
        "pairwise_trust_verdict": 1,
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
TWO_SETS = DATA_SET + DATA_SET
OVERVIEW = Counter(
    {"evaluation_summary": 1, "metric_comparison": 1, "evaluation_trust_verdict": 1, "evaluation_report": 1}
)
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
        "reliability_trust_verdict": 1,
        "reliability_report": 1,
    }
)
STUDY_D = AFTER_VOTES + Counter({"query_documents": 1, "judgments": 1})
TRUTH = Counter({"ground_truth": 1})
# The judge of this week takes altered renders for better ones.
STUDY_A_MISSES = [
    ("sensitivity", "stripes_are_seen"),
    ("sensitivity", "stripes_lower_the_score"),
]
# Finished runs of each job, without those of the rule.
RUNS = {
    # Monday, the night after the crash, the fixed files, the person.
    "fidelity SUCCESS": 4,
    # The kill, the bad file, the night of the paid judge.
    "fidelity FAILURE": 3,
    "pairwise SUCCESS": 2,
    "pairwise FAILURE": 1,
    # Two on Monday, the slow one, the fixed one, the threshold; the overview each time after them.
    "evaluation SUCCESS": 5,
    "evaluation FAILURE": 1,
    "evaluation_overview SUCCESS": 4,
    # Monday, the fixed file, Saturday.
    "reliability SUCCESS": 3,
    "reliability FAILURE": 1,
    "revalidation SUCCESS": 2,
    "write_ground_truth SUCCESS": 3,
    "watch_drift SUCCESS": 2,
}
# What checks said, partition by partition and in order; `PLANNED` where the run ended before it could look.
CHECKS = {
    # Study D: Monday, the bad file, the fixed one, three times on Saturday.
    "kappa_validation.judges_agree": {"": ["SUCCEEDED", "PLANNED", "SUCCEEDED", "FAILED", "FAILED", "FAILED"]},
    # A gate that stops: Monday, the missing photos, the fixed ones.
    "photo_pairs.photos_are_there": {"": ["SUCCEEDED", "FAILED", "SUCCEEDED"]},
    # A run for the data set and one of the rule ended at the bad file. The threshold of Friday is the pictures' own.
    "correlation.srcc_is_high_enough": {
        # Of the whole table, with each run of one data set.
        "": ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "FAILED"],
        "pictures": ["SUCCEEDED", "FAILED"],
        "questions": ["SUCCEEDED"],
        "slow": ["SUCCEEDED"],
        "wrong": ["PLANNED", "PLANNED", "SUCCEEDED"],
    },
}
# Columns that tell of what was before: photos that were measured on Monday, votes since the validation before.
OF_THE_PAST = [
    "pairwise/image_features.n_computed",
    "reliability/kappa_validation.contingency_actions",
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


def without_history(tables: Tables) -> Tables:
    """The tables without what was before: occasions of the anchor, and all validations but the last."""
    found = {name: table for name, table in tables.items() if name not in WATCH}
    return found | {name: found[name].tail(1).reset_index(drop=True) for name in VALIDATIONS if name in found}


def differing(ours: Tables, theirs: Tables) -> list[str]:
    """Files of one side only, and columns that differ in type, order or the last digit, but for the moment."""
    found = [f"{name}: only on one side" for name in sorted(ours.keys() ^ theirs.keys())]
    for name in sorted(ours.keys() & theirs.keys()):
        one, two = of_one_moment(ours[name]), of_one_moment(theirs[name])
        same = [column for column in one if column in two and one[column].equals(two[column])]
        found += [f"{name}.{column}" for column in one.columns.union(two.columns) if column not in same]
    return found


def named_files(table: pd.DataFrame) -> Iterator[tuple[Path, str]]:
    """The files that a table names by address, each with the content hash that stands next to it."""
    for places in (name for name in table.columns if name.endswith(("path", "paths"))):
        hashes = places.removesuffix("s").removesuffix("path") + "sha256"
        for place, known in zip(table[places], table[hashes], strict=True) if hashes in table else ():
            if isinstance(known, str):
                yield Path(place), known
            elif known is not None:
                yield from zip(map(Path, place), known, strict=True)


def is_as_named(file: Path, known: str) -> bool:
    """The file is there, and its content has this hash."""
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == known
