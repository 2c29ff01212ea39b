"""What a pairwise report is made from: the study's tables, its plan, and what people's votes say of people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import pandas as pd

from analysis.messages import labelled, message_list
from reports.shared.contents import StudyContents
from reports.shared.gate_row import GateRow
from reports.shared.numbers import interval, is_number, number, plain_number
from reports.shared.table_view import records
from reports.shared.text import Part, Text, Translations, joined
from resources.configuration.pairwise import PairwiseStudy
from resources.tables.pairwise_rows import interval_column, judged_pairs, letters_of, measured

WORDS: Final = Translations("shared/words", "shared/glossary", "pairwise/words", "pairwise/glossary")
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
        accuracy_bound: What no accuracy of scores of photos can exceed on the judged rows.
    """

    counts: Mapping[str, int]
    position: Mapping[str, Any]
    majority: float | None
    majority_judged: float | None
    accuracy_bound: float | None


@dataclass(frozen=True)
class Contents(StudyContents[PairwiseStudy]):
    """The study's tables, and what goes with them.

    Attributes:
        people: What the votes say of people.
        gates: Of the study and of each method, by name.
    """

    people: People
    gates: Mapping[str, Sequence[GateRow]]

    @cached_property
    def photos(self) -> dict[str, str]:
        """Address of each judged photo, by name; those of the pairs that most methods miss first. Texts have none."""
        credit = self.tables["pairwise_results"].groupby("pair_idx")["credit"].mean()
        pairs = self.judged.assign(credit=self.judged["pair_idx"].map(credit)).sort_values("credit", kind="stable")
        rows = pairs.to_dict("records")
        return {row[f"image_{side}"]: row[f"path_{side}"] for row in rows for side in (1, 2) if row[f"path_{side}"]}

    @cached_property
    def measured(self) -> list[dict[str, Any]]:
        """Rows of `method_metrics` with an accuracy, the best first."""
        return records(measured(self.tables["method_metrics"]))

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
        return judged_pairs(self.tables["photo_pairs"])

    @cached_property
    def letters(self) -> dict[str, str]:
        """Each compared method's letters, the most accurate on the shared pairs first."""
        return letters_of(self.tables["method_significance"])

    def like(self, method: str) -> list[str]:
        """Methods that are not distinguishable from this one, in the order of the letters."""
        rows = self.tables["method_significance"]
        same = rows[~rows["separated"].astype(bool) & ((rows["method_1"] == method) | (rows["method_2"] == method))]
        alike = {*same["method_1"], *same["method_2"]} - {method}
        return [name for name in self.letters if name in alike]


def named(names: Sequence[str]) -> Text:
    """Methods in a sentence; of many the first, and how many more."""
    shown: list[Part] = list(names[:SHOWN])
    if len(names) > SHOWN:
        shown.append(say("and_more", n=number(len(names) - SHOWN, 0)))
    return joined(shown)


def units(contents: Contents) -> Text:
    """What intervals and tests take as independent: series, or what the study's cluster column names."""
    column = contents.plan.cluster_column
    return say("units.clusters", column=column) if column else say("units.series")


def bounds_of(row: Mapping[str, Any], name: str) -> Text:
    """A number's interval in a row of `method_metrics`, marked where too few clusters bear it."""
    unreliable = "unreliable" in (row[interval_column(name)] or "")
    return interval(row[f"{name}_low"], row[f"{name}_high"], unreliable=unreliable)


def without_bounds(row: Mapping[str, Any], names: Sequence[str]) -> str:
    """Which of these numbers have no interval, and why; empty where all have one, or no number either."""
    said = {name: str(row[interval_column(name)] or "") for name in names if is_number(row[name])}
    return message_list(
        labelled(name, why.removeprefix("none: ")) for name, why in said.items() if why.startswith("none: ")
    )


def level(contents: Contents) -> Text:
    """The confidence of the study's intervals, such as 95 %."""
    return joined([plain_number(round(100 * contents.plan.confidence, 10)), "%"], "\u00a0")
