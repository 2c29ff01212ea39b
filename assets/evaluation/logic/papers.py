"""A paper's numbers next to ours: rows of `paper_comparison`, and the same as strict JSON values."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from analysis.correlation.paper_deviation import paper_deviation
from analysis.messages import Name, message
from analysis.resampling.bootstrap import Interval
from analysis.spelling import one_spelling
from assets.evaluation.logic.results import JSONObject, bounds
from assets.evaluation.logic.rows import STATISTICS
from assets.shared.intervals import bound_columns
from resources.inputs.evaluation.paper_baseline import Category, PaperResult

AS_MEASURED = "as measured"
UNKNOWN_SIGN = message(
    "higher goes with better here, so it is not known which sign the paper gives; say `sign` in the baseline"
)


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
        why = str(method).partition(";")[0] if none else message("no interval of this number")
        interval = Interval(low, high, why, int(row["n_clusters"]), unreliable=False, n_dropped=0)
        undefined = row.get("undefined")
        numbers[str(row["statistic"])] = OurNumber(value, interval, undefined if isinstance(undefined, str) else "")
    return numbers


def numbers_of_category(breakdowns: Iterable[Mapping[Any, Any]], category: Category) -> dict[str, OurNumber]:
    """Our numbers of the samples of one category, by statistic; empty where no breakdown has it.

    Args:
        breakdowns: Rows of `category_breakdown`.
        category: The fields and their values, in any order; values are compared without letter case.
    """
    wanted = {name: one_spelling(value) for name, value in category}
    found = []
    for row in breakdowns:
        fields = str(row["grouped_by"]).split(",")[: int(row["level"])]
        of = [wanted[name] for name in fields if name in wanted]
        names = {" / ".join(of), " / ".join(map(repr, of))}
        if len(fields) == len(of) == len(wanted) and one_spelling(str(row["group"])) in names:
            found.append(row)
    return numbers_of(found)


def comparison_row(
    result: PaperResult, ours: Mapping[str, OurNumber], *, lower_is_better: bool = False
) -> dict[str, Any]:
    """One paper's number next to ours; the reason where there is nothing to compare or nothing to tell.

    Args:
        result: The paper's.
        ours: Our numbers by statistic, of the paper's category where it has one.
        lower_is_better: Whether the sign of our scores was turned. A correlation that a paper says to be as measured,
            or gives below 0, is then held against ours as measured. Where ours is below 0 once turned, nothing tells
            which sign the paper means: it must say so.
    """
    row: dict[str, Any] = {
        "statistic": result.metric,
        "category": ", ".join(f"{name} = {value}" for name, value in result.category) or None,
        "model": result.model,
        "tools": result.tools,
        "protocol": result.protocol,
        "paper_value": result.value,
    }
    if result.metric not in ours:
        lacking = {"metric": result.metric, "category": Name(row["category"])}
        why = message("this data set has no {metric} of {category}", **lacking)
        return row | {"undefined": why if result.category else message("this data set has no {metric}", **lacking)}
    value, interval, reason = ours[result.metric]
    if value is None:
        return row | {"undefined": reason}
    signed = lower_is_better and result.metric in STATISTICS
    if signed and result.sign is None and value < 0.0:
        return row | {"undefined": UNKNOWN_SIGN}
    if signed and (result.sign == "as_measured" or (result.sign is None and result.value < 0.0)):
        low, high = (None if bound is None else 0.0 - bound for bound in (interval.high, interval.low))
        value, interval, row["sign"] = -value, interval._replace(low=low, high=high), AS_MEASURED
    found = paper_deviation(value, interval, result.value)
    return row | {
        "value": value,
        **bound_columns("ci", interval),
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
    """A paper's numbers next to ours, and the entries of the baseline that are of something else."""
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
                "category": row.get("category"),
                "sign": row.get("sign"),
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
