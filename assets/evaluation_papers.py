"""A paper's numbers beside ours: rows of `paper_comparison`, and the same as strict JSON values."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from analysis.bootstrap import Interval
from analysis.paper_deviation import paper_deviation
from assets.evaluation_results import JSONObject, bounds
from resources.inputs.paper_baseline import PaperResult


class OurNumber(NamedTuple):
    """One of our numbers with its interval; null with the reason where the data do not define it."""

    value: float | None
    interval: Interval
    reason: str


def numbers_of(rows: Iterable[Mapping[Any, Any]]) -> dict[str, OurNumber]:
    """Our numbers by statistic, from rows of `correlation` and `category_breakdown`."""
    numbers = {}
    for row in rows:
        value, low, high = (_number(row.get(name)) for name in ("value", "ci_low", "ci_high"))
        method = row.get("method")
        # After the first ";" a method tells of p and of the curve.
        none = isinstance(method, str) and method.startswith("none")
        why = str(method).partition(";")[0] if none else "no interval of this number"
        interval = Interval(low, high, why, int(row["n_clusters"]), unreliable=False, n_dropped=0)
        undefined = row.get("undefined")
        numbers[str(row["statistic"])] = OurNumber(value, interval, undefined if isinstance(undefined, str) else "")
    return numbers


def comparison_row(result: PaperResult, ours: Mapping[str, OurNumber]) -> dict[str, Any]:
    """One paper's number beside ours; the reason where there is nothing to compare or nothing to tell."""
    row: dict[str, Any] = {
        "statistic": result.metric,
        "model": result.model,
        "tools": result.tools,
        "protocol": result.protocol,
        "paper_value": result.value,
    }
    if result.metric not in ours:
        return row | {"undefined": f"this data set has no {result.metric}"}
    value, interval, reason = ours[result.metric]
    if value is None:
        return row | {"undefined": reason}
    found = paper_deviation(value, interval, result.value)
    return row | {
        "value": value,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "delta": found.delta,
        "relative": found.relative,
        "direction": found.direction,
        "deviates": found.deviates,
        "undefined": None if found.deviates is not None else found.reason,
    }


def paper_values(
    baseline: str,
    baseline_dataset: str,
    whole: JSONObject,
    compared: Sequence[JSONObject],
    others: Sequence[PaperResult],
) -> JSONObject:
    """A paper's numbers beside ours, and the entries of the baseline that are of something else.

    Args:
        baseline: The file's name.
        baseline_dataset: What it calls the data set.
        whole: One row of our numbers, for its counts.
        compared: Rows of `comparison_row`.
        others: The other entries.
    """
    left = Counter((result.dataset, result.metric) for result in others)
    return {
        "baseline": baseline,
        "baseline_dataset": baseline_dataset,
        "n_used": whole["n_used"],
        "n_clusters": whole["n_clusters"],
        "n_deviating": sum(row.get("deviates") is True for row in compared),
        "comparisons": [
            {
                "metric": row["statistic"],
                "value": row.get("value"),
                "ci": bounds(row, "ci"),
                **{
                    key: row.get(key)
                    for key in (
                        "paper_value",
                        "delta",
                        "relative",
                        "direction",
                        "deviates",
                        "model",
                        "tools",
                        "protocol",
                        "undefined",
                    )
                },
            }
            for row in compared
        ],
        "other_entries": [{"dataset": name, "metric": metric, "n": n} for (name, metric), n in left.items()],
    }


def _number(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)
