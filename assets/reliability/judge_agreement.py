"""Table `judge_agreement`: kappa over all queries and its companions, with intervals over queries."""

from typing import Any, Literal, NamedTuple

import dagster as dg
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.chance_corrected import Coefficient, chance_corrected
from analysis.agreement.coefficients import bins_of
from analysis.agreement.fleiss import category_counts, fleiss_interval, fleiss_kappa
from analysis.agreement.kappa import COUNTS, kappas, macro_says_little, with_documents
from analysis.agreement.kappa_intervals import OF_LABELS, OF_SCORES, agreement, score_sums
from analysis.agreement.kendall_w import kendall_w
from analysis.agreement.krippendorff import krippendorff_alpha
from analysis.agreement.landis_koch import landis_koch
from analysis.messages import none_because
from analysis.resampling.bootstrap import Interval
from analysis.undefined import UndefinedStatistic
from assets.reliability.judgments import compared
from assets.reliability.logic.judge_pairs import Pair, Scored, Thresholds
from assets.reliability.logic.verdict import verdict_of
from assets.shared.intervals import bound_columns, interval_words
from assets.shared.partitions import metadata_value, readable
from resources.configuration.reliability import ReliabilityStudy
from resources.study import Study
from resources.tables.reliability.agreement import ALL_JUDGES, JUDGE_AGREEMENT

KAPPAS = (
    "kappa_macro",
    "kappa_macro_defined",
    "kappa_micro",
    "weighted_kappa_linear",
    "weighted_kappa_quadratic",
    "fleiss_kappa",
    "conger_kappa",
)
COLUMNS = [column.name for column in JUDGE_AGREEMENT.columns]
LABELS = (0.0, 1.0)
# Queries whose kappa is 0/0 have no part in these.
OF_DEFINED_KAPPAS = ("kappa_macro_defined", "low_share")


@dg.asset(group_name="reliability_agreement", kinds={"pandas"}, code_version="3")
def judge_agreement(
    context: dg.AssetExecutionContext,
    query_documents: pd.DataFrame,
    judgments: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """Kappa macro and micro, percent agreement, PABAK, AC1, alpha and others; Fleiss for three judges or more."""
    scored, thresholds, pairs = compared(judgments, query_documents, study)
    rows = [row for pair in pairs for row in pair_rows(pair, study.reliability)]
    if len(scored.judges) > 2:
        rows += all_rows(scored, thresholds, study.reliability)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    context.add_output_metadata(readable(headline(frame, deciding_pair(pairs, frame, study.reliability))))
    return frame


def deciding_pair(pairs: list[Pair], frame: pd.DataFrame, plan: ReliabilityStudy) -> tuple[str, str] | None:
    """The pair of judges that the verdict is of; none where there is no verdict."""
    counts = [
        pd.DataFrame(pair.counts, columns=list(COUNTS)).assign(judge_1=pair.judge_1, judge_2=pair.judge_2)
        for pair in pairs
    ]
    try:
        return verdict_of(pd.concat(counts), frame, plan).judges
    except UndefinedStatistic:
        return None


def pair_rows(pair: Pair, plan: ReliabilityStudy) -> list[dict[str, Any]]:
    """Every statistic of two judges."""
    known: dict[str, Any] = {"judge_1": pair.judge_1, "judge_2": pair.judge_2}
    sums = score_sums(pair.score_1, pair.score_2, pair.queries, pair.n_queries, plan.anchors)
    try:
        found = agreement(pair.counts, sums, resampling=plan.resampling, low_kappa=plan.gate.low_kappa)
    except UndefinedStatistic as undefined:
        known |= {"n_queries": 0, "n_documents": 0}
        return [known | _nothing(name, undefined.reason) for name in (*OF_LABELS, *OF_SCORES, "ac2_quadratic")]
    known |= {"n_queries": found.n_queries, "n_documents": found.n_documents}
    rows = [known | _numbers(name, estimate.value, estimate.interval) for name, estimate in found.estimates.items()]
    documents = with_documents(pair.counts)
    defined = ~np.isnan(kappas(documents))
    n_undefined = int((~defined).sum())
    behind = {"n_queries": int(defined.sum()), "n_documents": int(documents[defined].sum())}
    rows = [row | (behind if row["statistic"] in OF_DEFINED_KAPPAS else {}) for row in rows]
    if macro_says_little(found.n_queries, n_undefined, found.n_documents):
        rows = [row | ({"band": None} if row["statistic"] == "kappa_macro" else {}) for row in rows]
    rows += [known | _nothing(name, reason) for name, reason in found.undefined.items()]
    bins = np.column_stack([bins_of(one, plan.anchors) for one in (pair.score_1, pair.score_2)]).astype(np.float64)
    return [*rows, known | _ac2(bins, pair.queries, plan)]


def all_rows(scored: Scored, thresholds: Thresholds, plan: ReliabilityStudy) -> list[dict[str, Any]]:
    """Statistics of three judges or more together; Fleiss on documents that all scored, the others with gaps."""
    whole = scored.of_all()
    known: dict[str, Any] = {"judge_1": ALL_JUDGES, "judge_2": ALL_JUDGES}
    complete = known | _behind(scored, scored.complete)
    rows = []
    try:
        counts = category_counts(whole.labels(thresholds).astype(np.int64), 2)
        interval = fleiss_interval(counts, whole.queries, resampling=plan.resampling)
        rows.append(complete | _numbers("fleiss_kappa", fleiss_kappa(counts).kappa, interval))
    except UndefinedStatistic as undefined:
        rows.append(complete | _nothing("fleiss_kappa", undefined.reason))
    there = np.isfinite(scored.scores)
    gaps = np.where(there, scored.labels(thresholds).astype(np.float64), np.nan)
    bins = np.where(there, bins_of(np.where(there, scored.scores, 0.0), plan.anchors).astype(np.float64), np.nan)
    # AC1 takes the labels' frequencies from single scores too; alpha pairs scores, and one alone is in no pair.
    of_any, of_pairs = (
        known | _behind(scored, rows_in) for rows_in in (np.asarray(there.any(axis=1)), scored.of_several)
    )
    rows.append(of_any | _of_family(_Member("conger_kappa", "cohen", LABELS), gaps, scored.queries, plan))
    rows.append(of_any | _ac2(bins, scored.queries, plan))
    for name, behind, compute in (
        ("ac1", of_any, lambda: chance_corrected(gaps, "gwet", categories=LABELS).value),
        ("alpha_nominal", of_pairs, lambda: krippendorff_alpha(gaps, "nominal").value),
        ("alpha_ordinal", of_pairs, lambda: krippendorff_alpha(bins, "ordinal").value),
        ("alpha_interval", of_pairs, lambda: krippendorff_alpha(scored.scores, "interval").value),
        ("kendall_w", complete, lambda: kendall_w(scored.scores).w),
    ):
        try:
            rows.append(behind | _numbers(name, compute(), None))
        except UndefinedStatistic as undefined:
            rows.append(behind | _nothing(name, undefined.reason))
    return rows


def _ac2(bins: NDArray[np.float64], queries: NDArray[Any], plan: ReliabilityStudy) -> dict[str, Any]:
    """Gwet's AC2 of bins, or of declared grades, with quadratic weights."""
    categories = tuple(float(place) for place in range(len(plan.anchors)))
    return _of_family(_Member("ac2_quadratic", "gwet", categories, "quadratic"), bins, queries, plan)


class _Member(NamedTuple):
    """A coefficient of the chance-corrected family, by the name of its row."""

    name: str
    kind: Coefficient
    categories: tuple[float, ...]
    weights: Literal["unweighted", "quadratic"] = "unweighted"


def _of_family(
    one: _Member, ratings: NDArray[np.float64], queries: NDArray[Any], plan: ReliabilityStudy
) -> dict[str, Any]:
    """A coefficient of the chance-corrected family with its interval over queries."""
    try:
        found = chance_corrected(
            ratings,
            one.kind,
            weights=one.weights,
            categories=one.categories,
            clusters=queries,
            confidence=plan.confidence,
        )
    except UndefinedStatistic as undefined:
        return _nothing(one.name, undefined.reason)
    return _numbers(one.name, found.value, found.interval)


def _behind(scored: Scored, documents: NDArray[np.bool_]) -> dict[str, int]:
    """How many queries and documents these are."""
    return {"n_queries": int(np.unique(scored.queries[documents]).size), "n_documents": int(documents.sum())}


def headline(frame: pd.DataFrame, pair: tuple[str, str] | None) -> dict[str, Any]:
    """Macro, micro and others of the pair that decides."""
    if pair is None:
        return {}
    same = (frame["judge_1"] == pair[0]) & (frame["judge_2"] == pair[1])
    of_pair = frame[same].set_index("statistic")
    names = [name for name in ("kappa_macro", "kappa_micro", "ac1", "percent_agreement") if name in of_pair.index]
    return {name: metadata_value(of_pair.loc[name, "value"]) for name in names}


def _numbers(name: str, value: float, interval: Interval | None) -> dict[str, Any]:
    return {
        "statistic": name,
        "value": value,
        **bound_columns("value", interval),
        "method": interval_words(interval) if interval else none_because("point value only"),
        "band": landis_koch(value) if name in KAPPAS else None,
        "undefined": None,
    }


def _nothing(name: str, reason: str) -> dict[str, Any]:
    return {"statistic": name, "value": None, "method": "none", "band": None, "undefined": reason}
