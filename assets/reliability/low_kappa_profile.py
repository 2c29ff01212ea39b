"""Table `low_kappa_profile`: what tells queries of low kappa from the rest."""

from collections.abc import Iterable, Mapping

import dagster as dg
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis.agreement.low_kappa_profile import document_kind, document_words, query_is_vague, query_words
from analysis.agreement.low_kappa_profile import low_kappa_profile as profile_of
from analysis.undefined import UndefinedStatistic
from assets.reliability.logic.verdict import verdict_of
from resources.study import Study
from resources.tables.reliability.decision import LOW_KAPPA_PROFILE

COLUMNS = [column.name for column in LOW_KAPPA_PROFILE.columns]


@dg.asset(group_name="reliability_agreement", deps=["judgments"], kinds={"pandas"}, code_version="1")
def low_kappa_profile(
    context: dg.AssetExecutionContext,
    query_kappa: pd.DataFrame,
    judge_agreement: pd.DataFrame,
    query_documents: pd.DataFrame,
    study: dg.ResourceParam[Study],
) -> pd.DataFrame:
    """One row per feature of a query; it says where to look, not what the cause is. Empty without a verdict."""
    try:
        pair = verdict_of(query_kappa, judge_agreement, study.reliability).judges
    except UndefinedStatistic as undefined:
        context.add_output_metadata({"status": "no verdict", "reason": undefined.reason})
        return pd.DataFrame([], columns=COLUMNS)
    frame = profile(query_kappa, pair, query_documents)
    chosen = of_defined_kappa(query_kappa, pair)
    context.add_output_metadata(
        {"judges": ", ".join(pair), "n_low_kappa": int(chosen["is_low"].sum()), "n_queries": len(chosen)}
    )
    return frame


def profile(query_kappa: pd.DataFrame, pair: tuple[str, str], query_documents: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table: the queries that recalibration judges again, against the others with a defined kappa."""
    chosen = of_defined_kappa(query_kappa, pair).set_index("query_id")
    features = features_of(query_documents, chosen["prompt_version"])
    found = profile_of(features, chosen["is_low"].to_numpy(dtype=bool))
    return pd.DataFrame([one._asdict() for one in found], columns=COLUMNS)


def of_defined_kappa(query_kappa: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    """The rows of this pair of judges that have a kappa."""
    ours = (query_kappa["judge_1"] == pair[0]) & (query_kappa["judge_2"] == pair[1])
    return query_kappa[ours & query_kappa["kappa"].notna()]


def features_of(query_documents: pd.DataFrame, versions: pd.Series) -> Mapping[str, ArrayLike]:
    """Features of the queries, in the order of `versions`, by query the prompt version that counts."""
    texts: dict[str, list[str | None]] = {}
    for query, text in zip(query_documents["query_id"], query_documents["document"].astype(object), strict=True):
        texts.setdefault(query, []).append(None if pd.isna(text) else text)
    asked = dict(zip(query_documents["query_id"], query_documents["query"], strict=True))
    queries = [str(query) for query in versions.index]
    kinds = [_most_common_kind(texts[query]) for query in queries]
    features: dict[str, ArrayLike] = {
        "query_words": [query_words(str(asked[query])) for query in queries],
        "query_is_vague": [query_is_vague(str(asked[query])) for query in queries],
        "document_words": np.array([document_words(texts[query]) for query in queries], dtype=object),
        "documents": [len(texts[query]) for query in queries],
    }
    for kind in _told_by(kind for kind in kinds if kind is not None):
        features[f"document_kind={kind}"] = np.array([None if one is None else one == kind for one in kinds])
    for version in _told_by(versions):
        features[f"prompt_version={version}"] = np.array([bool(one == version) for one in versions])
    return features


def _told_by(values: Iterable[str]) -> list[str]:
    """The values to be asked about, in order: of two the second alone, since not to have it is to have the first."""
    known = sorted(set(values))
    return known[1:] if len(known) == 2 else known


def _most_common_kind(texts: list[str | None]) -> str | None:
    """The kind of most of a query's documents, the first in the alphabet on a tie; none where no text is known."""
    kinds = sorted(document_kind(text) for text in texts if text is not None)
    return max(dict.fromkeys(kinds), key=kinds.count) if kinds else None
