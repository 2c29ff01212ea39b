"""Study A's calls: which judge is asked how faithfully objects look like their photos, often at each setting."""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.agreement.convergence import convergence
from analysis.ties import compare
from resources.configuration.fidelity import FidelityStudy, LocalJudge, ReplayJudge
from resources.configuration.openai_judge import OpenAIJudge
from resources.database.call_records import CallKey, CallRecord, Progress
from resources.errors import UserError
from resources.judges.answers import FULL_SCALE, IN_FRACTIONS, Parsed
from resources.judges.asking import LedgerRun
from resources.judges.contract import Attempt, Call, Judge, JudgedObject
from resources.judges.question import Question, question_of
from resources.runtime.progress import TracksProgress
from resources.tables.call_states import SCORED_STATES


class Saved(NamedTuple):
    """What stopping early left out: of how many objects (each setting counts), and calls that were not made.

    `usd` is at the mean cost of the calls that were made at the same setting, of the same judge.
    """

    n_objects: int
    n_calls: int
    usd: float


def saved_calls(calls: pd.DataFrame, most: int) -> Saved:
    """What is left out where objects have fewer repeats than the plan's most.

    Args:
        calls: Rows of table `judge_calls` with setting, object, repeat and cost_usd, of runs that came to their end.
        most: Repeats planned.
    """
    asked = calls.groupby(["setting", "object"])["repeat"].max()
    n_saved, n_made = (most - asked).groupby(level="setting").sum(), asked.groupby(level="setting").sum()
    usd = calls.groupby("setting")["cost_usd"].sum() / n_made * n_saved
    return Saved(int((asked < most).sum()), int(n_saved.sum()), float(usd.sum()))


ENOUGH_FRACTIONS = 3  # answers in fractions of 1 and none on 0-100: the judge keeps to another scale


@dataclass(frozen=True)
class Judging(LedgerRun[JudgedObject, FidelityStudy]):
    """One judge, one study's objects and settings, one ledger; `up_to` is the repeat that a round ends with."""

    up_to: int | None = None

    def ask(self, progress: TracksProgress, log: logging.Logger) -> None:
        """As `LedgerRun.ask`; where the plan stops early, repeat by repeat, about the objects that still need it."""
        if self.plan.stopping is None:
            super().ask(progress, log)
            return
        again = self.retry_states
        for repeat in range(self.plan.stopping.at_least, self.plan.repeats + 1):
            super(Judging, replace(self, up_to=repeat, retry_states=again)).ask(progress, log)
            again = frozenset()  # what is asked again is asked once, not in every round

    def rows(self) -> dict[str, pd.DataFrame]:
        """The ledger's attempts at the planned calls, by setting key, with the score that the study asks for."""
        frames = {}
        for key in self._setting_keys:
            calls = self.ledger.rows(self.study, self.judge.identity.digest, [key], self._planned.keys())
            # The ledger keeps both scores; which one counts may have changed since.
            chosen = calls[f"score_{self.plan.score_source}"].where(calls["state"].isin(SCORED_STATES))
            frames[key] = calls.assign(score=chosen)
        return frames

    def _due(self, unsettled: dict[CallKey, Progress]) -> dict[CallKey, Progress]:
        """Without the calls about objects that are known well enough, and those of later rounds."""
        if self.plan.stopping is None:
            return unsettled
        known, last = self._known_well(self.plan.stopping.at_least), self.up_to or self.plan.repeats
        return {
            key: one
            for key, one in unsettled.items()
            if (key.repeat <= last or one.answered) and (key.setting, key.object) not in known
        }

    def _known_well(self, at_least: int) -> set[tuple[str, str]]:
        """Settings and objects whose mean has an interval that is narrow enough at one of the looks planned."""
        known: set[tuple[str, str]] = set()
        for key, calls in self.rows().items():
            last = calls.sort_values("attempt").drop_duplicates(["object", "repeat"], keep="last")
            scores = last.pivot_table(index="object", columns="repeat", values="score", aggfunc="first")
            if scores.empty:
                continue
            threshold = self.plan.thresholds.ci_half_width
            curves = convergence(scores.to_numpy(float), threshold, self.plan.repeats, self.plan.confidence)
            narrow = (compare(curves.half_width_all_looks, threshold) <= 0) & (curves.sd > 0)
            arrived = np.flatnonzero(narrow[:, at_least - 1 :].any(axis=1))
            known.update((key, str(one)) for one in scores.index[arrived])
        return known

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

    def _call(self, judged: JudgedObject, attempt: Attempt) -> Call:
        return self._question.call(judged, attempt)

    def _read(self, raw: str | None, call: Call) -> Parsed:
        return self._question.read(raw, call.judged.item_id)


def _scale_of(row: CallRecord) -> object:
    """`IN_FRACTIONS`, `FULL_SCALE`, or null where an answer tells neither."""
    if row.fault_message == IN_FRACTIONS:
        return IN_FRACTIONS
    numbers = [row.score_stated or 0.0, *(row.subscores or {}).values()]
    return FULL_SCALE if max(numbers) > 1 / FULL_SCALE else None


def judge_of(study: FidelityStudy, objects: Sequence[JudgedObject]) -> Judge:
    """The judge that a study's configuration names, ready to be asked about these objects.

    Raises:
        UserError: The judge cannot be opened: its recording is missing or wrong, or it has no model or address.
    """
    # Imported here: each judge brings libraries that the others do not need.
    match study.judge:
        case LocalJudge():
            from resources.judges import local

            return local.LocalJudge(study.judge, study.rubric_weights)
        case ReplayJudge():
            from resources.judges import replay

            return replay.open_replay(study.judge.path, objects, study.judge.scale)
        case OpenAIJudge():
            from resources.judges import openai_judge
            from resources.judges.openai.access import access_of

            return openai_judge.model_judge_of(study.judge, study.rubric_weights, access_of(study.judge))
