"""`summary.json` and `config.yaml` of the benchmark's folder."""

import json
from collections.abc import Hashable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pandas as pd
import yaml

from resources.configuration.pairwise import PairwiseStudy
from resources.tables.pairwise_rows import available, interval_column, judged_pairs

# Those that the older benchmark had, in its order; everything else of the table follows.
FIRST: Final = (
    *("accuracy", "precision", "recall", "f1_score", "accuracy_70_80", "accuracy_80_90", "accuracy_90_100"),
    *("log_likelihood", "avg_time_ms", "throughput"),
)
NOTES: Final = {
    "accuracy": "A tie counts half. In per_pair_results.csv a tie is not correct, so the mean of `correct` is lower by "
    "tie_rate / 2.",
    "intervals": "[null, null] where there are no bounds: interval_methods says why, or `undefined` why there is no "
    "number. Clusters are what intervals and tests take as independent: series, or what cluster_column names.",
    "avg_time_ms": "What the method alone would take for a pair: decoding and measuring both photos, in ms. Decoding, "
    "rules and networks on the processor: time that cores worked, added up, whatever else the machine did; networks on "
    "a GPU: by the clock. shared_time_ms is what it took here, photos shared by pairs and methods.",
    "bt_agreement": "Mean log probability of the method's picks by people's strengths. In-sample: the strengths were "
    "fitted on the same votes. Older benchmarks call it log_likelihood.",
    "log_likelihood": "Of people's votes, in all, on series that the method's slope was not fitted on. What older "
    "benchmarks call log_likelihood is bt_agreement.",
    "top2_accuracy": "top2_accuracy and mrr are 0 by the form of the files: a pair has no second place.",
}


def summary(
    metrics: pd.DataFrame, photo_pairs: pd.DataFrame, study: PairwiseStudy, created_at: datetime
) -> dict[str, Any]:
    """What `summary.json` says; null where a number is undefined.

    Args:
        metrics: Table `method_metrics`.
        photo_pairs: Table `photo_pairs`.
        study: Dataset, orders, filter and seed.
        created_at: When the folder is written, with its zone.
    """
    judged = judged_pairs(photo_pairs)
    left_out = photo_pairs["excluded"].value_counts()
    lacking = metrics[metrics["unavailable"].notna()]
    return {
        "created_at": created_at.isoformat(timespec="seconds"),
        "dataset": study.dataset_name,
        "orders": study.orders,
        "min_agreement": study.min_agreement,
        "min_reviewers": study.min_reviewers,
        "sample_size": study.sample_size,
        "seed": study.seed,
        "rules_resolution": rules_resolution(study),
        "n_pairs": len(judged),
        "n_series": int(judged["series_id"].nunique()),
        "n_clusters": int(judged["cluster"].nunique()),
        "cluster_column": study.cluster_column,
        "n_left_out": {str(cause): int(count) for cause, count in sorted(left_out.items())},
        "methods": {row["method"]: _of_method(row, study) for row in available(metrics).to_dict("records")},
        "unavailable": dict(sorted(zip(lacking["method"], lacking["unavailable"], strict=True))),
        "notes": NOTES,
    }


def strict_json(value: Any) -> str:
    """JSON that every parser reads: no NaN, no infinity.

    Raises:
        ValueError: A number is one of these.
    """
    return json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def rules_resolution(study: PairwiseStudy) -> str:
    """At what size the rule measures were taken, in words."""
    side = study.rules_long_side
    return "full" if side is None else f"longer side {side} px"


def configuration_text(study: PairwiseStudy, file: Path | None) -> str:
    """The study as it was used, defaults and changes from the command line too, to be read as a configuration."""
    source = "the built-in sample study" if file is None else str(file)
    settings = yaml.safe_dump(
        {"pairwise": study.model_dump(mode="json")}, sort_keys=False, allow_unicode=True, width=118
    )
    return f"# As used when the benchmark was written; read from {source}.\n{settings}"


def _of_method(row: Mapping[Hashable, Any], study: PairwiseStudy) -> dict[str, Any]:
    names = [str(name) for name in row]
    bounded = [name for name in names if f"{name}_low" in names]
    ends = {f"{name}_{end}" for name in bounded for end in ("low", "high")}
    made = {name: interval_column(name) for name in bounded}
    apart = {"method", "unavailable", *ends, *made.values(), *(name for name in names if name.startswith("truth_"))}
    rest = [name for name in names if name not in apart and name not in FIRST]
    values = {name: _plain(row[name]) for name in (*FIRST, *rest)}
    values["n_undefined"] = int(row["n_total"] - row["n"])
    intervals = {name: [_plain(row[f"{name}_low"]), _plain(row[f"{name}_high"])] for name in bounded}
    methods = {name: _plain(row[column]) for name, column in made.items()}
    return values | {"intervals": {"confidence": study.confidence} | intervals, "interval_methods": methods}


def _plain(value: Any) -> Any:
    """A value that JSON has: a plain number or text, null for what is missing."""
    if value is None or pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value
