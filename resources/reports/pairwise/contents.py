"""What a pairwise report is made from: the study's tables, its plan, and what people's votes say of people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import pandas as pd

from analysis.holm import below_level
from resources.configuration.pairwise import PairwiseStudy
from resources.plots.pairwise import CHANCE, LEVEL
from resources.reports.numbers import is_number, number, plain_number
from resources.reports.text import Part, Text, Translations, joined

WORDS: Final = Translations("shared", "glossary", "pairwise", "pairwise_glossary")
SHOWN: Final = 20
say = WORDS.say


@dataclass(frozen=True)
class People:
    """How far people agree among themselves; shares of 1, none where no vote defines them.

    Attributes:
        counts: Of pairs, photos, series and votes before and after the filter, by name.
        position: The position effect over all pairs and over those shown in both orders, by name.
        majority: Share of all votes that went with their pair's majority.
        majority_judged: The same over the judged pairs.
        best_possible: The highest accuracy that scores of photos can have on the judged rows.
    """

    counts: Mapping[str, int]
    position: Mapping[str, Any]
    majority: float | None
    majority_judged: float | None
    best_possible: float | None


@dataclass(frozen=True)
class Contents:
    """The tables by name (all methods in one frame), and what goes with them.

    Attributes:
        study: Name of the study.
        plan: Its configuration.
        tables: Frames that keep to their declarations; empty where nothing was made.
        people: What the votes say of people.
        plausible: The least and the highest accuracy that need no second look.
    """

    study: str
    plan: PairwiseStudy
    tables: Mapping[str, pd.DataFrame]
    people: People
    plausible: tuple[float, float]

    @cached_property
    def measured(self) -> list[dict[str, Any]]:
        """Rows of `method_metrics` with an accuracy, the best first."""
        frame = self.tables["method_metrics"]
        frame = frame[frame["accuracy"].notna()].sort_values(["accuracy", "method"], ascending=[False, True])
        return records(frame)

    @property
    def best(self) -> dict[str, Any] | None:
        """The method that is right most often."""
        return self.measured[0] if self.measured else None

    @cached_property
    def unavailable(self) -> dict[str, list[str]]:
        """Methods that yield nothing, by the reason."""
        frame = self.tables["method_metrics"]
        found: dict[str, list[str]] = {}
        for row in records(frame[frame["unavailable"].notna()]):
            found.setdefault(str(row["unavailable"]), []).append(str(row["method"]))
        return found

    @cached_property
    def undefined(self) -> list[dict[str, Any]]:
        """Methods that are there and have no accuracy."""
        frame = self.tables["method_metrics"]
        return records(frame[frame["accuracy"].isna() & frame["unavailable"].isna()])

    @property
    def not_run(self) -> list[str]:
        """Methods of the plan that have no row yet."""
        made = set(self.tables["method_metrics"]["method"])
        return [name for name in self.plan.methods if name not in made]

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The pairs that methods are judged on."""
        pairs = self.tables["photo_pairs"]
        return pairs[pairs["excluded"].isna()]

    @cached_property
    def letters(self) -> dict[str, str]:
        """Each compared method's letters, the most accurate on the shared pairs first."""
        rows = self.tables["method_significance"]
        found = dict(zip(rows["method_1"], rows["letters_1"], strict=True))
        found |= dict(zip(rows["method_2"], rows["letters_2"], strict=True))
        # A couple names the more accurate method first, so the best is first in all of its couples.
        wins = rows["method_1"].value_counts()
        order = sorted(found, key=lambda name: (-int(wins.get(name, 0)), name))
        return {str(name): str(found[name]) for name in order}

    def like(self, method: str) -> list[str]:
        """Methods that are not told from this one, in the order of the letters."""
        rows = self.tables["method_significance"]
        same = rows[~rows["separated"].astype(bool) & ((rows["method_1"] == method) | (rows["method_2"] == method))]
        beside = {*same["method_1"], *same["method_2"]} - {method}
        return [name for name in self.letters if name in beside]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A table's rows with none for every null."""
    return [{str(name): None if null(cell) else cell for name, cell in row.items()} for row in frame.to_dict("records")]


def null(cell: Any) -> bool:
    """Whether a cell is empty; a list is not."""
    return not isinstance(cell, list) and pd.api.types.is_scalar(cell) and bool(pd.isna(cell))


def against_chance(row: Mapping[str, Any]) -> str:
    """Whether a method is surely right more often than a coin, surely less often, or neither, with all in mind."""
    p = row["p_chance_holm"]
    if not is_number(p) or not below_level(float(p), LEVEL):
        return "open"
    return "better" if row["accuracy"] > CHANCE else "worse"


def percent(share: Any, decimals: int = 1) -> Text:
    """A share in percent, for sentences."""
    if not is_number(share):
        return number(None)
    return joined([number(100 * float(share), decimals), "%"], "\u00a0")


def named(names: Sequence[str]) -> Text:
    """Methods in a sentence; of many the first, and how many more."""
    shown: list[Part] = list(names[:SHOWN])
    if len(names) > SHOWN:
        shown.append(say("and_more", n=number(len(names) - SHOWN, 0)))
    return joined(shown)


def level(contents: Contents) -> Text:
    """The confidence of the study's intervals, such as 95 %."""
    return joined([plain_number(round(100 * contents.plan.confidence, 10)), "%"], "\u00a0")
