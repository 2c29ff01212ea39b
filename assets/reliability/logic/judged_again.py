"""How many of the queries that were judged again count under the next prompt, and why the others do not."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.words import noun, queries
from assets.reliability.logic.judge_pairs import scored_documents
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.validation_store import Recalibrated
from resources.errors import listing

SHOWN = 3


class JudgedAgain(NamedTuple):
    """`n` queries were set to be judged again, `n_counting` count under that prompt; `reasons` of the others."""

    prompt_version: str
    n: int
    n_counting: int
    reasons: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Both numbers, and why some do not count."""
        verb = noun(self.n_counting, "counts", "count")
        said = f"{self.n_counting} of the {queries(self.n)} set to be judged again {verb} under '{self.prompt_version}'"
        if not self.reasons:
            return f"{said}."
        return f"{said}; the others keep their scores of before: {listing(self.reasons, SHOWN)}."


def judged_again_now(
    judgments: pd.DataFrame, query_documents: pd.DataFrame, started: Recalibrated, plan: ReliabilityStudy
) -> JudgedAgain:
    """What the latest run made of a recalibration.

    Args:
        judgments: Table `judgments`.
        query_documents: Table `query_documents`.
        started: The queries that were set to be judged again, and under which prompt.
        plan: The study.
    """
    version = started.prompt_version
    under = judgments["counts"].astype(bool) & (judgments["prompt_version"] == version)
    counting = set(judgments.loc[under, "query_id"]) & started.queries
    scored = scored_documents(judgments, plan, version, query_documents)
    documents, missing = scored.documents, ~np.isfinite(scored.scores)
    reasons = []
    for query in sorted(started.queries - counting):
        ours = (documents["query_id"] == query).to_numpy(dtype=bool)
        lacking = np.argwhere(missing & ours[:, None])
        if not ours.any():
            reasons.append(f"query '{query}' is not in the input now")
        elif len(lacking):
            row, judge = lacking[0]
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            place = f"{query}/{documents['doc_id'].iloc[row]}"
            reasons.append(f"{place} has no score of judge '{scored.judges[judge]}' under it{more}")
        else:
            reasons.append(f"query '{query}' was judged under another prompt since")
    return JudgedAgain(version, len(started.queries), len(counting), tuple(reasons))
