"""The verdict on each pair of judges of study D: whether they agree with each other, by the bounds of the gate."""

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.agreement.alternative_annotator import EPSILON
from analysis.agreement.coefficients import bins_of
from analysis.messages import message
from analysis.ties import compare
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import People
from analysis.verdict.rule import (
    Condition,
    Policy,
    Seen,
    Verdict,
    by_conditions,
    needed_at_least,
    proven_with,
    reached,
)
from analysis.verdict.stated import Stated, against_people
from assets.reliability.logic.judge_pairs import Scored, Thresholds
from assets.reliability.logic.verdict import verdict_of
from resources.configuration.reliability import ReliabilityStudy

GOOD: Final = "agree with each other"
BAD: Final = "do not agree with each other"
GATE = "judges_agree"


def pair_verdicts(query_kappa: pd.DataFrame, judge_agreement: pd.DataFrame, plan: ReliabilityStudy) -> list[Stated]:
    """One verdict per pair of judges; that of the pair that decides the gate answers the question.

    Args:
        query_kappa: The table; disputes that people decided are not in it.
        judge_agreement: The table.
        plan: The gate's limits and what the verdict asks for.
    """
    policy = plan.verdict.policy(epsilon=EPSILON["expert"], confidence=plan.confidence, seed=plan.seed)
    try:
        deciding: tuple[str, str] | None = verdict_of(query_kappa, judge_agreement, plan).judges
    except UndefinedStatistic:
        deciding = None
    found = []
    for judges, rows in query_kappa.groupby(["judge_1", "judge_2"], sort=False):
        try:
            said = _of_pair(verdict_of(rows, judge_agreement, plan).measures, policy, plan)
        except UndefinedStatistic as undefined:
            said = Verdict("cannot say", (undefined.reason,), ())
        leading = deciding is None or deciding == judges
        names = " and ".join(map(str, judges))
        found.append(Stated(names, "", "each other", said, leading, (), ("disputes: none",), ("queries", "queries")))
    return found


def people_verdicts(scored: Scored, thresholds: Thresholds, plan: ReliabilityStudy) -> list[Stated]:
    """One verdict per judge who is no person, against those who are, as in any table of ratings.

    Args:
        scored: Documents by judges; queries are what is one cluster.
        thresholds: Of each judge; without declared grades, what is above them is relevant.
        plan: Who the people are, the grades, and what the verdict asks for.

    Raises:
        UserError: A person is none of the judges.
    """
    names = plan.people_among(scored.judges)
    policy = plan.verdict.policy(epsilon=EPSILON["expert"], confidence=plan.confidence, seed=plan.seed)
    labels = plan.grades or ("not relevant", "relevant")
    there = np.isfinite(scored.scores)
    codes = scored.labels(thresholds).astype(np.float64)
    if plan.grades:
        codes = bins_of(np.where(there, scored.scores, 0.0), plan.anchors).astype(np.float64)
    codes = np.where(there, codes, np.nan)
    column = {judge: place for place, judge in enumerate(scored.judges)}
    people = People(
        codes[:, [column[name] for name in names]],
        scored.queries,
        measure="ordered_labels" if plan.grades else "labels",
        names=names,
        labels=labels,
    )
    found = []
    for judge in scored.judges:
        if judge not in names:
            against, said, rows = against_people(people, codes[:, column[judge]], (), policy=policy)
            found.append(Stated(judge, "", against, said, True, rows, (), ("documents", "queries")))
    return found


def _of_pair(seen: dict[str, Any], policy: Policy, plan: ReliabilityStudy) -> Verdict:
    gate, n_queries, n_documents = plan.gate, int(seen["total_queries"]), int(seen["n_documents"])
    conditions = [
        reached(message("kappa macro"), GATE, _kappa(seen, "kappa_macro", n_queries), gate.min_macro),
        reached(message("kappa micro"), GATE, _kappa(seen, "kappa_micro", n_documents, n_queries), gate.min_micro),
        _low_share(seen, gate.max_low_share),
    ]
    if n_documents < policy.fewest_objects:
        why = message("both scored {n} of the same objects, fewer than {fewest}", n=n_documents,
                      fewest=policy.fewest_objects)  # fmt: skip
        return Verdict("cannot say", (why,), tuple(conditions))
    said = by_conditions(GOOD, BAD, conditions, n_queries, policy=policy)
    if said.word != GOOD:
        return said
    # Without an interval, or where a convention decides, agreement is not proven.
    open_ = [one for one in conditions[:2] if one.low is None and policy.gate_on == "bound"]
    without = seen["kappa_macro_defined"]
    if without is None or pd.isna(without) or compare(float(without), gate.min_macro) < 0:
        value = None if without is None or pd.isna(without) else float(without)
        named = Condition(message("kappa macro without queries of one label"), "fails", False, value, None, None,
                          needed_at_least(gate.min_macro), n_queries, None, "convention_does_not_decide",
                          limit=gate.min_macro)  # fmt: skip
        said = said._replace(conditions=(*said.conditions, named))
        open_.append(named)
    return proven_with(said, open_, n_queries)


def _kappa(seen: dict[str, Any], column: str, n: int, n_clusters: int | None = None) -> Seen:
    return Seen(float(seen[column]), seen[f"{column}_low"], seen[f"{column}_high"], n, n_clusters)


def _low_share(seen: dict[str, Any], most: float) -> Condition:
    share = Seen(float(seen["low_share"]), None, None, int(seen["total_queries"]) - int(seen["n_undefined"]))
    return reached(message("share of queries with low kappa"), GATE, share, most, at_most=True)
