"""What table `query_documents` says of the scores that came with its input, so that no table reads that again."""

from typing import Any, NamedTuple

import pandas as pd

from assets.reliability.logic.judge_pairs import NOT_JUDGED
from resources.database.reliability.records import Source
from resources.errors import UserError
from resources.inputs.reliability.relevance_records import RelevanceInput

SCORES = "scores"


class InputScores(NamedTuple):
    """Who scored in the input, in its order, under which versions, and the rows of what an earlier one had alone."""

    judges: tuple[str, ...]
    sources: list[Source]
    withdrawn: list[int]


def told_of(read: RelevanceInput, withdrawn: list[int]) -> dict[str, Any]:
    """The input's scores as `attrs["about"]` keeps them."""
    sources = read.scores[["judge", "prompt_version"]].drop_duplicates().to_numpy().tolist()
    return {SCORES: {"judges": list(read.judges), "sources": sources, "withdrawn": withdrawn}}


def input_scores(query_documents: pd.DataFrame) -> InputScores:
    """The scores that came with the input of a table.

    Args:
        query_documents: The table, as it was stored.

    Raises:
        UserError: It was made while judges were configured, who are asked instead, or by an older version.
    """
    scores = query_documents.attrs.get("about", {}).get(SCORES)
    if scores is None:
        raise UserError(NOT_JUDGED)
    return InputScores(tuple(scores["judges"]), [Source(*one) for one in scores["sources"]], scores["withdrawn"])
