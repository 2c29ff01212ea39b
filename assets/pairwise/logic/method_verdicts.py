"""The verdict on each method of study B: it takes the place of one voter, against the remaining votes of each pair."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.agreement.alternative_annotator import EPSILON
from analysis.messages import message
from analysis.undefined import UndefinedStatistic
from analysis.verdict.people import LEVELS, Levels, Standing
from analysis.verdict.rule import Policy, Verdict, decided
from analysis.verdict.stated import Row, Stated
from analysis.verdict.voters import Votes, standing_of_votes
from assets.shared.partitions import Frames
from resources.configuration.pairwise import PairwiseStudy
from resources.tables.pairwise_rows import ranked

VOTES = ["votes_1", "votes_2"]
NOTHING = "no judged pair has a prediction"


def method_verdicts(
    results: Frames, photo_pairs: pd.DataFrame, metrics: pd.DataFrame, study: PairwiseStudy
) -> list[Stated]:
    """One verdict per method; that of the most accurate answers the question."""
    policy = study.verdict.policy(epsilon=EPSILON[study.verdict.voters], confidence=study.confidence, seed=study.seed)
    votes = photo_pairs.set_index("pair_idx")[VOTES]
    gone = metrics[metrics["unavailable"].notna()]
    unavailable = dict(zip(gone["method"].astype(str), gone["unavailable"].astype(str), strict=True))
    found = []
    filtered, n_tried = _not_covered(study, photo_pairs), len(metrics) - len(gone)
    for place, name in enumerate(ranked(metrics)["method"].astype(str)):
        said, rows = method_verdict(name, results, votes, unavailable, policy)
        not_covered = (*filtered, f"chosen: {n_tried}") if place == 0 and n_tried > 1 else filtered
        found.append(Stated(name, "", "people", said, place == 0, rows, not_covered, ("pairs", _clusters(study))))
    return found


def method_verdict(
    name: str, results: Frames, votes: pd.DataFrame, unavailable: Mapping[str, str], policy: Policy
) -> tuple[Verdict, tuple[Row, ...]]:
    """The verdict on one method, and what a voter reaches on the same pairs."""
    if name in unavailable:
        return Verdict("cannot say", (message("the method is unavailable"),), ()), ()
    rows = results.get(name, pd.DataFrame(columns=["predicted_winner"]))
    rows = rows[rows["predicted_winner"].notna()]
    if rows.empty:
        return Verdict("cannot say", (message(NOTHING),), ()), ()
    try:
        found = _standing(rows, votes, policy.levels)
    except UndefinedStatistic as undefined:
        return Verdict("cannot say", (undefined.reason,), ()), ()
    own = None if found.own is None else found.own.value
    person = Row("", found.n, found.people.value, own, found.people.low, found.people.high)
    return decided(found, policy=policy, can_rank=False), (person,)


def _standing(rows: pd.DataFrame, votes: pd.DataFrame, levels: Levels = LEVELS) -> Standing:
    counts = votes.loc[rows["pair_idx"]].to_numpy(dtype=np.int64)
    picks = rows["predicted_winner"].to_numpy(dtype=np.int64)
    clusters = rows["cluster"].to_numpy(dtype=np.str_)
    return standing_of_votes(Votes(counts[:, 0], counts[:, 1], clusters), picks, levels)


def _not_covered(study: PairwiseStudy, photo_pairs: pd.DataFrame) -> tuple[str, ...]:
    """Pairs that the filter leaves out, on those that count people agree more than on all; and people's ties."""
    n_ties = int(photo_pairs.loc[photo_pairs["excluded"].isna(), "votes_neither"].sum())
    left_out = message(
        "pairs without a winner, with agreement under {agreement:g} or fewer than {votes} votes",
        agreement=study.min_agreement,
        votes=study.min_reviewers,
    )
    filtered = message("filtered: {left_out}", left_out=left_out)
    return (filtered, f"ties: {n_ties}") if n_ties else (filtered,)


def _clusters(study: PairwiseStudy) -> str:
    return "clusters" if study.cluster_column else "series"
