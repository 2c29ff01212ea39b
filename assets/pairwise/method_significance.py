"""Table `method_significance`: which methods can be distinguished by the pairs that all of them predict."""

from itertools import combinations
from typing import Any

import dagster as dg
import numpy as np
import pandas as pd

from analysis.messages import labelled, message, message_list
from analysis.preference.significance import MethodComparison, MethodPair, compare_methods, few_clusters_differ
from analysis.undefined import UndefinedStatistic
from assets.pairwise.logic.method_scores import current_pairs_gate
from assets.shared.checks import require
from assets.shared.partitions import MADE_SO_FAR, readable
from reports.pairwise.plots import couples
from reports.shared.figure import figure_metadata
from resources.study import Study
from resources.tables.pairwise import METHOD_SIGNIFICANCE
from resources.tables.pairwise_rows import judged_pairs, letters_of
from resources.tables.parquet_tables import Frames

UNITS = ["series_id", "cluster"]


@dg.asset(group_name="pairwise_people", ins={"pairwise_results": MADE_SO_FAR}, kinds={"pandas"}, code_version="2")
def method_significance(
    context: dg.AssetExecutionContext,
    photo_pairs: pd.DataFrame,
    pairwise_results: Frames,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per two methods that predict something: difference, z by clusters, Holm over all couples, letters."""
    require(current_pairs_gate(pairwise_results, judged_pairs(photo_pairs)))
    plan = study.pairwise
    credit, pairs = common_credit({name: pairwise_results[name] for name in plan.methods if name in pairwise_results})
    frame = significance_rows(credit, pairs, merged=plan.orders == "merged", level=plan.level)
    context.add_output_metadata(readable(headline(frame, credit)))
    return frame


def common_credit(results: Frames) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Credit of each method on the pairs that all of them predict, and series and cluster of these pairs.

    Args:
        results: Rows of `pairwise_results` by method. A method that predicts nothing is left out.
    """
    predicted = {name: rows[rows["predicted_winner"].notna()].set_index("pair_idx") for name, rows in results.items()}
    some = {name: rows for name, rows in predicted.items() if len(rows)}
    if not some:
        return pd.DataFrame(), pd.DataFrame(columns=UNITS, dtype="str")
    credit = pd.concat({name: rows["credit"] for name, rows in some.items()}, axis=1, join="inner").sort_index()
    return credit, next(iter(some.values())).loc[credit.index, UNITS]


def significance_rows(
    credit: pd.DataFrame, pairs: pd.DataFrame, *, merged: bool = True, level: float = 0.05
) -> pd.DataFrame:
    """Every couple of methods, the more accurate one first; without a test the reason stands in `undefined`.

    Args:
        credit: A column per method, a row per pair.
        pairs: Their series and cluster, same rows.
        merged: Whether each photo pair is one row; only then McNemar's test is exact.
        level: Of all couples together.
    """
    columns = [column.name for column in METHOD_SIGNIFICANCE.columns]
    if credit.shape[1] < 2:
        return pd.DataFrame(columns=columns)
    counts = {"n": len(credit), "n_series": pairs["series_id"].nunique(), "n_clusters": pairs["cluster"].nunique()}
    labels = pairs["cluster"].to_numpy(dtype=np.str_)
    try:
        found = compare_methods(
            {str(name): credit[name].to_numpy() for name in credit}, labels, orders_merged=merged, level=level
        )
    except UndefinedStatistic as undefined:
        rows = [_untested(credit, *couple, undefined.reason) for couple in _by_accuracy(credit)]
    else:
        rows = [_row(one, credit, found) for one in found.pairs]
    return pd.DataFrame([counts | row for row in rows], columns=columns)


def _row(one: MethodPair, credit: pd.DataFrame, found: MethodComparison) -> dict[str, Any]:
    row: dict[str, Any] = {
        "method_1": one.first,
        "method_2": one.second,
        "difference": _difference(credit, one.first, one.second),
        "p_holm": one.p_holm,
        "separated": one.separated,
        "n_decided_by_both": one.n_decided_by_both,
        "letters_1": "".join(found.letters[one.first]),
        "letters_2": "".join(found.letters[one.second]),
    }
    reasons = [labelled("z, p", one.reason)] if one.reason else []
    if one.test is not None:
        row |= {"z": one.test.z, "p": one.test.p}
        if one.test.unreliable:
            reasons.append(few_clusters_differ(one.test))
    if one.mcnemar is None:
        reasons.append(labelled("mcnemar_p", one.mcnemar_method))
    else:
        row |= {"mcnemar_p": one.mcnemar.p_exact, "mcnemar_p_mid": one.mcnemar.p_mid}
    return row | {"undefined": message_list(reasons) or None}


def _untested(credit: pd.DataFrame, first: str, second: str, reason: str) -> dict[str, Any]:
    # What is not tested is not separated, and methods that are not separated share a letter.
    decided = (credit[[first, second]] != 0.5).all(axis=1)
    return {
        "method_1": first,
        "method_2": second,
        "difference": _difference(credit, first, second),
        "separated": False,
        "n_decided_by_both": int(decided.sum()),
        "letters_1": "a",
        "letters_2": "a",
        "undefined": labelled(message("all tests"), reason),
    }


def _difference(credit: pd.DataFrame, first: str, second: str) -> float | None:
    return float((credit[first] - credit[second]).mean()) if len(credit) else None


def _by_accuracy(credit: pd.DataFrame) -> list[tuple[str, str]]:
    accuracy = {str(name): float(credit[name].mean()) for name in credit}
    return list(combinations(sorted(accuracy, key=lambda name: (-accuracy[name], name)), 2))


def headline(frame: pd.DataFrame, credit: pd.DataFrame) -> dict[str, Any]:
    """How many couples are distinguishable, and on how many pairs."""
    metadata: dict[str, Any] = {
        "n_methods": credit.shape[1],
        "n_pairs": len(credit),
        "n_couples": len(frame),
        "n_separated": int(frame["separated"].sum()),
    }
    if frame.empty:
        return metadata | {"note": "fewer than two methods predict anything"}
    letters = letters_of(frame)
    return metadata | {
        "letters": letters,
        "plot": figure_metadata(couples(frame).specification()),
    }
