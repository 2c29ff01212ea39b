"""What a recalibration would judge again, and whether it can be: looked at before anything is recorded."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.ties import ceiling
from assets.reliability.logic.contingency_state import (
    queries_of_low_kappa,
    queries_of_older_prompts,
    require_contingency,
)
from assets.reliability.logic.judge_pairs import judges_in
from assets.reliability.logic.judged_again import documents_of, refuse_without_judges
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import RelevanceJudge
from resources.database.reliability.recalibrations import Recalibrated
from resources.errors import UserError
from resources.judges.openai.access import access_of, require_key
from resources.judges.relevance.documents import AskedDocument
from resources.judges.relevance.recorded import RecordedJudge
from resources.judges.relevance.registry import ready_judges
from resources.study import Study, stored_table

NO_TABLES = (
    "The tables of the latest validation are not in this home. Nothing was changed. Run `touchstone run reliability`."
)


class RecalibrationPlan(NamedTuple):
    """`rows` are those of table `query_kappa`, in its order; `without_answer` counts documents without a record.

    `every`: they were not chosen by their kappa.
    """

    again: Recalibrated
    rows: pd.DataFrame
    asked: list[AskedDocument]
    without_answer: int
    every: bool


def recalibration_plan(study: Study, *, every: bool = False) -> RecalibrationPlan:
    """The queries that would be judged again under the next prompt, and which of them are held out.

    Args:
        study: The running study.
        every: All queries that do not count under that prompt yet, also after a pass; else those of low kappa.

    Raises:
        UserError: It is not its time, there is nothing to judge again or no judge that could, or a judge is not ready.
            Nothing was changed.
    """
    plan = study.reliability
    history = require_contingency(study, or_passed=every)
    tables = [stored_table(study, name) for name in ("query_kappa", "judgments", "query_documents")]
    query_kappa, judgments, documents = tables
    if query_kappa is None or judgments is None or documents is None:
        raise UserError(NO_TABLES)
    refuse_without_judges(plan, judges_in(judgments, plan))
    rows = (queries_of_older_prompts if every else queries_of_low_kappa)(study, query_kappa, history)
    version = plan.recalibration.prompt_version
    if rows.empty:
        raise UserError(
            f"No query {'' if every else 'of low kappa '}is left that was not judged under '{version}'. Nothing was "
            "changed. Name another prompt in `recalibration: prompt_version`, or, where kappa is too low, go on by "
            "`touchstone reliability manual-review`."
        )
    queries = [str(query) for query in rows["query_id"]]
    again = Recalibrated(version, frozenset(queries), held_out(queries, plan.recalibration.held_out_share, plan.seed))
    judges = {**plan.judges, **plan.recalibration.judges}
    asked = documents_of(documents, again.queries)
    return RecalibrationPlan(again, rows, asked, refuse_unready(study, judges, version, asked), every)


def held_out(queries: Sequence[str], share: float, seed: int) -> frozenset[str]:
    """The queries that are kept back from the author of the next prompt: the share of them, rounded down.

    Args:
        queries: Ids, in any order: the same ones and the same seed give the same part.
        share: 0 to below 1.
        seed: Of the draw.
    """
    names = sorted(queries)
    chosen = np.random.default_rng(seed).permutation(len(names))[: -ceiling(-share * len(names))]
    return frozenset(names[place] for place in chosen)


def refuse_unready(
    study: Study, judges: Mapping[str, RelevanceJudge], version: str, asked: Sequence[AskedDocument]
) -> int:
    """Find out what would stop the judges after the step was recorded, when it could not be taken back.

    Returns:
        How many documents a recorded judge has no answer about.

    Raises:
        UserError: A document has no text, a file, a prompt, a model or a key is missing or wrong.
    """
    without = 0
    for judge in ready_judges(study, judges, version, asked).values():
        if isinstance(judge, RecordedJudge):
            without += len(asked) - len(judge.judged(asked, version))
        elif isinstance(judge, OpenAIJudge):
            require_key(access_of(judge))
    return without
