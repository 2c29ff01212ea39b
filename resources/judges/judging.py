"""Study A's calls: a judge is asked how faithfully objects look like their photos, several times at each setting."""

from dataclasses import dataclass

import pandas as pd

from resources.configuration.fidelity import FidelityStudy
from resources.judges.answers import Parsed, parse_answer
from resources.judges.contract import SCORED_STATES, Call, JudgedObject, Sampling
from resources.judges.ledger_run import LedgerRun
from resources.judges.prompt import build_call, prompt_hash


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

    def _prompt_hash(self, judged: JudgedObject) -> str:
        return prompt_hash(judged, self.plan.rubric_weights)

    def _call(self, judged: JudgedObject, setting: Sampling, repeat: int, attempt: int) -> Call:
        identity, weights = self.judge.identity, self.plan.rubric_weights
        return build_call(self.study, judged, setting, repeat, attempt, identity, weights)

    def _read(self, raw: str | None, call: Call) -> Parsed:
        return parse_answer(raw, call.judged.item_id, self.plan.rubric_weights, self.plan.score_source)
