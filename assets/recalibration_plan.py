"""What a recalibration would judge again, and whether it can be: looked at before anything is recorded."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.rounding import rounded
from assets.contingency_state import queries_of_low_kappa, require_contingency, stored_table
from assets.judge_pairs import judges_in
from assets.reliability.judgments import documents_of, refuse_without_judges
from resources.configuration.openai_judge import OpenAIJudge
from resources.configuration.reliability import RecordedJudge, RelevanceJudge
from resources.errors import UserError, listed
from resources.judges.openai.access import access_of, require_key
from resources.judges.relevance import recorded
from resources.judges.relevance.calibration import read_calibration
from resources.judges.relevance.documents import AskedDocument
from resources.judges.relevance.openai_relevance import relevance_judge
from resources.judges.relevance.prompts import prompt_of
from resources.judges.relevance.texts import refuse_without_text
from resources.reliability.recalibrations import Recalibrated
from resources.study import Study


class RecalibrationPlan(NamedTuple):
    """`rows` are those of table `query_kappa`, in its order; `without_answer` counts documents that nobody recorded."""

    again: Recalibrated
    rows: pd.DataFrame
    asked: list[AskedDocument]
    without_answer: int


def recalibration_plan(study: Study) -> RecalibrationPlan:
    """The queries of low kappa that would be judged again under the next prompt, and which of them are held out.

    Raises:
        UserError: It is not its time, there is nothing to judge again or nobody who could, or a judge is not ready.
            Nothing was changed.
    """
    plan = study.reliability
    history = require_contingency(study)
    refuse_without_judges(plan)
    tables = [stored_table(study, name) for name in ("query_kappa", "judgments", "query_documents")]
    query_kappa, judgments, documents = tables
    if query_kappa is None or judgments is None or documents is None:
        raise UserError(
            "The tables of the latest validation are not in this home. Nothing was changed. Run "
            "`touchstone run reliability`."
        )
    rows = queries_of_low_kappa(study, query_kappa, history)
    version = plan.recalibration.prompt_version
    if rows.empty:
        raise UserError(
            f"No query of low kappa is left that was not judged under '{version}'. Nothing was changed. Name another "
            "prompt in `recalibration: prompt_version`, or go on by `touchstone reliability manual-review`."
        )
    queries = [str(query) for query in rows["query_id"]]
    again = Recalibrated(version, frozenset(queries), held_out(queries, plan.recalibration.held_out_share, plan.seed))
    judges = {**plan.judges, **plan.recalibration.judges}
    if missing := [name for name in judges_in(judgments, plan) if name not in judges]:
        raise UserError(
            f"Nobody is named who could judge again for {listed(missing)}: kappa needs every judge's answer under "
            f"'{version}'. Nothing was changed. Add it to `recalibration: judges:`."
        )
    asked = documents_of(documents, again.queries)
    return RecalibrationPlan(again, rows, asked, refuse_unready(study, judges, version, asked))


def held_out(queries: Sequence[str], share: float, seed: int) -> frozenset[str]:
    """The queries that are kept back from whoever writes the next prompt: the share of them, rounded down.

    Args:
        queries: Ids, in any order: the same ones and the same seed give the same part.
        share: 0 to below 1.
        seed: Of the draw.
    """
    names = sorted(queries)
    chosen = np.random.default_rng(seed).permutation(len(names))[: int(float(rounded(share * len(names))))]
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
    for name, judge in judges.items():
        if isinstance(judge, RecordedJudge):
            without += len(asked) - len(recorded.RecordedJudge(name, judge.path, version).judged(asked, version))
            continue
        refuse_without_text(name, asked)
        if isinstance(judge, OpenAIJudge):
            access = access_of(judge)
            require_key(access)
            relevance_judge(name, judge, prompt_of(version, study.reliability.prompts), access)
        elif study.reliability.calibration is not None:
            read_calibration(study.reliability.calibration).refuse_evaluated(asked)
    return without
