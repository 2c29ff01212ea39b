"""What a reliability report is made from: the study's tables, the verdict on them, and what is due."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.contingency import ContingencyFacts, ContingencyStep
from analysis.agreement.landis_koch import landis_koch
from analysis.agreement.reliability_gate import ReliabilityVerdict
from analysis.intervals.measured import reliable_from
from reports.shared.contents import StudyContents
from reports.shared.numbers import NOTHING, day, interval, is_number, plain_number
from reports.shared.phrases import phrase
from reports.shared.table_view import records
from reports.shared.text import Part, Text, Translations, joined, same
from resources.configuration.reliability import ReliabilityStudy
from resources.database.reliability.review_records import Blindness
from resources.tables.reliability.agreement import ALL_JUDGES

WORDS: Final = Translations("shared/words", "shared/glossary", "reliability/words", "reliability/glossary")
say = WORDS.say


@dataclass(frozen=True)
class Standing:
    """Where the study stands.

    Attributes:
        gate: The verdict on the deciding pair; none where kappa is not defined.
        reason: Why there is no verdict; none where there is one.
        facts: What the step that is due depends on.
        step: The step that is due.
        command: What to type for it.
    """

    gate: ReliabilityVerdict | None
    reason: str | None
    facts: ContingencyFacts
    step: ContingencyStep
    command: str


@dataclass(frozen=True)
class Truth:
    """The ground truth that the scores and votes of now give, and what is written.

    Attributes:
        n_queries: Queries in which every document has a label.
        unresolved: How many queries are left out, by why (`analysis.agreement.consensus`).
        n_by_people: Of `n_queries`, those with a document that people decided.
        n_written: Queries in the database's ground truth.
        n_validation: Which validation allowed those, counted from 1; none where nothing is written.
    """

    n_queries: int
    unresolved: Mapping[str, int]
    n_by_people: int
    n_written: int
    n_validation: int | None


@dataclass(frozen=True)
class Contents(StudyContents[ReliabilityStudy]):
    """The study's tables, and what goes with them.

    Attributes:
        standing: The verdict, and what is due.
        truth: What ground truth there would be.
        thresholds: The current ones, by judge, in the judges' order.
        differences: Shape ``(n_queries,)``, the median of judge 1 - judge 2 of each query, of the pair that decides.
        words: What reviewers wrote, as the review store has it.
        blindness: How many of the votes that stand were cast blind.
    """

    standing: Standing
    truth: Truth
    thresholds: Mapping[str, float]
    differences: NDArray[np.float64]
    words: pd.DataFrame
    blindness: Blindness = Blindness(0, 0, 0)

    @cached_property
    def history(self) -> list[dict[str, Any]]:
        """Every validation, the first one first, with its `number` from 1: the database counts over all studies."""
        rows = records(self.tables["kappa_validation"])
        return [row | {"number": number} for number, row in enumerate(rows, start=1)]

    @property
    def last(self) -> dict[str, Any] | None:
        """The latest validation, where it is of these tables; none without a verdict."""
        return self.history[-1] if self.history and self.standing.gate is not None else None

    @property
    def judges(self) -> tuple[str, ...]:
        """Every judge, in order."""
        return tuple(self.thresholds)

    @cached_property
    def pair(self) -> tuple[str, str] | None:
        """The pair of judges that decides; without a verdict the first; none where there is none."""
        if self.last is not None:
            return str(self.last["judge_1"]), str(self.last["judge_2"])
        pairs = self.tables["query_kappa"][["judge_1", "judge_2"]]
        return None if pairs.empty else (str(pairs["judge_1"].iloc[0]), str(pairs["judge_2"].iloc[0]))

    @cached_property
    def kappas(self) -> pd.DataFrame:
        """Rows of `query_kappa` of that pair."""
        return self.of_pair("query_kappa", self.pair)

    @cached_property
    def agreement(self) -> dict[str, dict[str, Any]]:
        """Rows of `judge_agreement` of that pair, by statistic."""
        return by_statistic(self.of_pair("judge_agreement", self.pair))

    @cached_property
    def of_all_judges(self) -> dict[str, dict[str, Any]]:
        """Rows of `judge_agreement` of three judges or more together, by statistic; empty for two."""
        return by_statistic(self.of_pair("judge_agreement", (ALL_JUDGES, ALL_JUDGES)))

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of judges, in order."""
        rows = self.tables["query_kappa"][["judge_1", "judge_2"]].drop_duplicates()
        return [(str(one), str(other)) for one, other in rows.itertuples(index=False)]

    def of_pair(self, table: str, pair: tuple[str, str] | None) -> pd.DataFrame:
        """The rows of a table that are of this pair of judges."""
        frame = self.tables[table]
        if pair is None:
            return frame.iloc[:0]
        return frame[(frame["judge_1"] == pair[0]) & (frame["judge_2"] == pair[1])]

    def named(self, pair: tuple[str, str] | None = None) -> Text:
        """The two judges in a sentence; those that decide where left out."""
        chosen = pair or self.pair
        return say("judges.none") if chosen is None else say("judges.two", one=chosen[0], other=chosen[1])


def by_statistic(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Rows of `judge_agreement` by their statistic."""
    return {str(row["statistic"]): row for row in records(frame)}


def band(kappa: Any) -> Text:
    """Landis and Koch's word for a kappa, or a dash where there is none."""
    return say(f"band.{landis_koch(float(kappa)).replace(' ', '_')}") if is_number(kappa) else same(NOTHING)


def bounds_of(row: Mapping[str, Any], name: str) -> Text:
    """The interval of a kappa of a validation, marked where it is of few queries."""
    few = bool(row["total_queries"] < reliable_from("kappa"))
    return interval(row[f"{name}_low"], row[f"{name}_high"], unreliable=few)


def level(contents: Contents) -> Text:
    """The confidence of the study's intervals, such as 95 %."""
    return joined([plain_number(round(100 * contents.plan.confidence, 10)), "%"], "\u00a0")


def note_of(row: Mapping[str, Any]) -> Part:
    """Why a row has no number, or no interval."""
    if row["undefined"]:
        return phrase(row["undefined"])
    method = str(row["method"])
    return phrase(method.removeprefix("none: ")) if method.startswith("none: ") else ""


def when(instant: Any) -> Text:
    """A day and the time of it."""
    return joined([day(instant), f"{instant:%H:%M}\u00a0UTC"], ", ")
