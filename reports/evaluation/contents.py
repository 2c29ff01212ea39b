"""What an evaluation report is made from: the tables of every data set, the plan, and where the numbers come from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reports.shared.contents import StudyContents
from reports.shared.numbers import interval, is_unreliable, percent
from reports.shared.phrases import phrase
from reports.shared.table_view import records
from reports.shared.text import Part, Text, Translations
from resources.configuration.evaluation import EvaluationStudy

WORDS: Final = Translations("shared/words", "shared/glossary", "evaluation/words", "evaluation/glossary")
HEADLINES: Final = ("srcc", "accuracy")
CORRELATIONS: Final = ("srcc", "plcc", "krcc")  # called so in every language
say = WORDS.say


@dataclass(frozen=True)
class Contents(StudyContents[EvaluationStudy]):
    """The tables of all data sets, and what the page reads from them."""

    @property
    def datasets(self) -> list[str]:
        """Every data set, sorted."""
        return sorted(self.tables["evaluation_samples"]["dataset"].unique())

    @property
    def headlines(self) -> list[dict[str, Any]]:
        """The row of each data set that its verdict rests on: SRCC of scores, accuracy of answers."""
        rows = records(self.tables["evaluation_summary"])
        return [row for row in rows if row["statistic"] in HEADLINES and row["dataset"] in self.datasets]

    @property
    def level(self) -> Text:
        """The level of the intervals, in percent."""
        return percent(self.plan.confidence, 0)


def statistic_name(name: str) -> Part:
    """A statistic as people read it; a name of the code where there are no words for it."""
    if name in CORRELATIONS:
        return name.upper()
    return say(f"statistic.{name}") if WORDS.has(f"statistic.{name}") else name


def bounds_of(row: Mapping[str, Any]) -> Text:
    """The interval of a row, marked where it rests on too few clusters."""
    return interval(row["ci_low"], row["ci_high"], unreliable=is_unreliable(row.get("method")))


def reason(row: Mapping[str, Any]) -> Part:
    """Why a number is missing; empty where it is there."""
    return phrase(row["undefined"]) if row["undefined"] else ""
