"""Study A's calls: a judge is asked how faithfully objects look like their photos, several times at each setting."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from resources.configuration.fidelity import FidelityStudy
from resources.database.call_records import CallRecord
from resources.errors import UserError
from resources.judges.answers import FULL_SCALE, IN_FRACTIONS, Parsed
from resources.judges.asking import LedgerRun
from resources.judges.contract import Call, JudgedObject, Sampling
from resources.judges.question import Question, question_of
from resources.tables.call_states import SCORED_STATES

ENOUGH_FRACTIONS = 3  # answers in fractions of 1 and none on 0-100: the judge keeps to another scale


@dataclass(frozen=True)
class Judging(LedgerRun[JudgedObject, FidelityStudy]):
    """One judge, one study's objects and settings, one ledger."""

    def rows(self) -> dict[str, pd.DataFrame]:
        """The ledger's attempts at the planned calls, by setting key, with the score that the study asks for."""
        frames = {}
        for key in self._setting_keys:
            calls = self.ledger.rows(self.study, self.judge.identity.digest, [key], self._planned.keys())
            # The ledger keeps both scores; which one counts may have changed since.
            chosen = calls[f"score_{self.plan.score_source}"].where(calls["state"].isin(SCORED_STATES))
            frames[key] = calls.assign(score=chosen)
        return frames

    def _kept(self, rows: Sequence[CallRecord]) -> None:
        """Stop a judge that gives fractions where 0-100 was asked for.

        Raises:
            UserError: All its answers are such.
        """
        self._scales.update(_scale_of(row) for row in rows)
        n = self._scales[IN_FRACTIONS]
        if n >= ENOUGH_FRACTIONS and not self._scales[FULL_SCALE]:
            raise UserError(
                f"{self.judge.identity.model} answers in fractions of 1, where 0-{FULL_SCALE} was asked for: so did "
                f"all {n} answers so far. Whether 0.63 means 63 is not guessed, so none has a score. They are kept in "
                "the state `ambiguous`. Take another model, or set `answer_form: json_schema` if the server offers it."
            )

    @cached_property
    def _scales(self) -> Counter[object]:
        """How many answers of this run are on which scale."""
        return Counter()

    @cached_property
    def _question(self) -> Question:
        """The task of the judge that the plan names."""
        return question_of(self.plan)

    def _prompt_hash(self, judged: JudgedObject) -> str:
        return self._question.prompt_hash(judged)

    def _call(self, judged: JudgedObject, setting: Sampling, repeat: int, attempt: int) -> Call:
        return self._question.call(self.study, judged, setting, repeat, attempt, self.judge.identity)

    def _read(self, raw: str | None, call: Call) -> Parsed:
        return self._question.read(raw, call.judged.item_id)


def _scale_of(row: CallRecord) -> object:
    """`IN_FRACTIONS`, `FULL_SCALE`, or null where an answer tells neither."""
    if row.fault_message == IN_FRACTIONS:
        return IN_FRACTIONS
    numbers = [row.score_stated or 0.0, *(row.subscores or {}).values()]
    return FULL_SCALE if max(numbers) > 1 / FULL_SCALE else None
