"""What judges are asked in which round, and how many of the queries judged again count under the next prompt."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.words import noun, queries
from assets.reliability.logic.judge_pairs import (
    scored_documents,
)
from resources.configuration.reliability import RelevanceJudge, ReliabilityStudy
from resources.database.reliability.recalibrations import Recalibrated, recalibrations
from resources.errors import UserError, listing
from resources.judges.relevance.documents import AskedDocument
from resources.study import Study

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
    """What the latest run made of a recalibration."""
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


def rounds(
    study: Study,
) -> list[tuple[str, Mapping[str, RelevanceJudge], frozenset[str] | None]]:
    """What judges are asked: the prompt version, the judges, and the queries (all where none are named).

    Raises:
        UserError: Queries are to be judged again, and the configuration names no judge that could.
    """
    plan = study.reliability
    found: list[tuple[str, Mapping[str, RelevanceJudge], frozenset[str] | None]] = []
    if plan.judges:
        found.append((plan.prompt_version, plan.judges, None))
    for again in recalibrations(study.validations):
        judges = {**plan.judges, **plan.recalibration.judges}
        if judges:
            found.append((again.prompt_version, judges, again.queries))
    return found


def documents_of(query_documents: pd.DataFrame, queries: frozenset[str] | None) -> list[AskedDocument]:
    """The documents of these queries, as a judge is asked about them."""
    rows = query_documents if queries is None else query_documents[query_documents["query_id"].isin(queries)]
    return [
        AskedDocument(
            row["query_id"], row["query"], row["doc_id"], None if pd.isna(row["document"]) else row["document"]
        )
        for row in rows.to_dict("records")
    ]


def refuse_without_judges(plan: ReliabilityStudy, judges: Sequence[str] = ()) -> None:
    """Refuse to have queries judged again where no judge could.

    Raises:
        UserError: Scores came with the input, and no judge is configured, or not each of these.
    """
    if not plan.judges and not plan.recalibration.judges:
        raise UserError(
            "The scores came with the input, so Touchstone cannot ask the judges again. Name judges under "
            "`recalibration: judges:`, or have them score these queries under the next prompt and add the rows "
            f"with prompt_version '{plan.recalibration.prompt_version}' to the input."
        )
    known = {**plan.judges, **plan.recalibration.judges}
    if missing := [name for name in judges if name not in known]:
        others = [name for name in plan.recalibration.judges if name not in judges]
        raise UserError(
            f"No judge is named that could judge again for {listing(missing)}: kappa needs every judge's answer under "
            f"'{plan.recalibration.prompt_version}'. Nothing was changed. Add it to `recalibration: judges:`"
            f"{f', which names {listing(others)}, of whom there are no scores' if others else ''}."
        )
