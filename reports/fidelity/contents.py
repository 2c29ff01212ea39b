"""What a fidelity report is made from: the study's tables, its plan, and the answers of its gates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import pandas as pd

from analysis.intervals.measured import reliable_from
from reports.shared.contents import StudyContents
from reports.shared.gate_row import GateRow
from reports.shared.numbers import is_number, plain_number
from reports.shared.text import Text, Translations, joined, same
from reports.shared.verdict import is_trusted
from resources.configuration.fidelity import FidelityStudy

WORDS = Translations("shared/words", "shared/glossary", "fidelity/words")
say = WORDS.say
# How the reason of a setting begins that was run and stands next to no other.
NOT_COMPARED: Final = "not compared: "


@dataclass(frozen=True)
class Contents(StudyContents[FidelityStudy]):
    """The study's tables, and what goes with them.

    Attributes:
        gates: Of each setting, by partition key.
        golden_gates: Of the golden set; empty where there is none.
        conditions: The four conditions of a recommendation, of each setting that was compared, by partition key.
        reported_conditions: The same of the numbers to report.
        doses: Dose of each alteration that has one, by name.
        advice: Gates of each setting that are advice only and too many for a table of all.
        decision_gates: Whether the recommendation is confirmed and sure; empty where there is none.
        drops: Of each pair of the golden set that counts: kind, object, dose and drop of the score.
        dose_readings: How the line of each kind of alteration reads: explained, not_explained, falls or undefined.
    """

    gates: Mapping[str, Sequence[GateRow]] = field(default_factory=dict)
    golden_gates: Sequence[GateRow] = ()
    conditions: Mapping[str, Sequence[GateRow]] = field(default_factory=dict)
    reported_conditions: Mapping[str, Sequence[GateRow]] = field(default_factory=dict)
    doses: Mapping[str, float] = field(default_factory=dict)
    dose_readings: Mapping[str, str] = field(default_factory=dict)
    advice: Mapping[str, Sequence[GateRow]] = field(default_factory=dict)
    decision_gates: Sequence[GateRow] = ()
    drops: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=["kind", "object", "dose", "drop"]))

    @cached_property
    def trusted(self) -> bool:
        """Whether the verdict lets the judge stand in for something; what else the page says is no more favourable."""
        frame = self.verdicts
        if frame is not None and self.plan.judges:
            # Another judge's verdict says nothing of the setting that the page is about.
            frame = frame[frame["place"] == self.focus]
        return is_trusted(frame)

    @cached_property
    def settings(self) -> list[str]:
        """The settings that were made and are compared, in the plan's order."""
        made = set(self.tables["setting_summary"]["setting"]) - self.left_out.keys()
        return [key for key in self.plan.partition_keys if key in made]

    @cached_property
    def left_out(self) -> dict[str, str]:
        """The settings that were made and are not compared, such as those of a former judge, with the reason."""
        return left_out(self.tables["setting_summary"])

    @cached_property
    def baselines(self) -> set[str]:
        """The setting that the others are held against, of each judge."""
        return {keys[0] for _, keys in self.plan.by_judge()}

    @cached_property
    def recommended(self) -> str | None:
        """The setting to use."""
        return self._flagged("recommended")

    @cached_property
    def nearest(self) -> str | None:
        """Where none is recommended: the one that lacks least."""
        return self._flagged("nearest")

    @cached_property
    def focus(self) -> str | None:
        """The setting that is shown first: the recommended, else the nearest, else one whose repeats differ."""
        varying = [key for key in self.settings if not self.summary_of(key)["deterministic"]]
        return next(iter([*filter(None, (self.recommended, self.nearest)), *varying, *self.settings]), None)

    def summary_of(self, setting: str) -> dict[str, Any]:
        """A setting's row of `setting_summary`."""
        return self.row("setting_summary", setting)

    def row(self, table: str, setting: str) -> dict[str, Any]:
        """The one row of a setting; nulls where there is none."""
        frame = self.tables[table]
        rows = frame[frame["setting"] == setting]
        if rows.empty:
            return dict.fromkeys(map(str, frame.columns))
        return {str(name): None if _null(cell) else cell for name, cell in rows.iloc[0].items()}

    def of(self, table: str, setting: str) -> pd.DataFrame:
        """All rows of a setting."""
        frame = self.tables[table]
        return frame[frame["setting"] == setting]

    def statistic(self, setting: str, name: str) -> dict[str, Any]:
        """A statistic over all objects from `human_agreement`; nulls where there is none."""
        nothing = dict.fromkeys(map(str, self.tables["human_agreement"].columns))
        return self._overall.get((setting, name), nothing)

    @cached_property
    def _overall(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The rows over all objects, by setting and statistic."""
        frame = self.tables["human_agreement"]
        rows = frame[frame["grouped_by"] == "overall"].to_dict("records")
        return {
            (row["setting"], row["statistic"]): {
                str(column): None if _null(cell) else cell for column, cell in row.items()
            }
            for row in rows
        }

    @cached_property
    def objects_by_key(self) -> pd.DataFrame:
        """What was judged, by match key; of an item with several objects the first, and nothing of texts."""
        objects = self.tables["study_objects"]
        by = "object" if self.plan.match_by == "object" else "item_id"
        judged = objects[objects["excluded"].isna() & (self.plan.texts is None)]
        return judged.drop_duplicates(by).set_index(by, drop=False)

    @cached_property
    def candidates(self) -> dict[str, str]:
        """Address of the picture that was judged, by match key; the objects with the largest error anywhere first."""
        matched, paths = self.tables["matched_scores"], self.objects_by_key["candidate_path"].to_dict()
        sizes = matched["difference"].abs().round(12).groupby(matched["match_key"]).max()
        keys = sizes.sort_values(ascending=False, kind="stable").index
        return {str(key): paths[key] for key in keys if isinstance(paths.get(key), str)}

    @property
    def level(self) -> Text:
        """Of the intervals, in percent."""
        return plain_number(100 * self.plan.confidence)

    def gate(self, setting: str, name: str) -> GateRow | None:
        """One gate of a setting; none where it was not asked."""
        return next((row for row in self.gates.get(setting, ()) if row.name == name), None)

    def named(self, setting: str) -> Text:
        """A setting's key, with what it is."""
        marks = [
            say(f"setting.{mark}")
            for mark, there in (
                ("recommended" if self.trusted else "first", setting == self.recommended),
                ("nearest", setting == self.nearest),
                ("baseline", setting in self.baselines),
            )
            if there
        ]
        return joined([setting, joined(["(", joined(marks), ")"], "")], " ") if marks else same(setting)

    def _flagged(self, flag: str) -> str | None:
        frame = self.tables["recommended_setting"]
        keys = frame.loc[frame[flag].fillna(False).astype(bool), "setting"]
        return str(keys.iloc[0]) if len(keys) else None


def left_out(setting_summary: pd.DataFrame) -> dict[str, str]:
    """Why each setting is left out of the report that is not compared: its numbers are not those of the study now."""
    reasons = setting_summary.set_index("setting")["undefined"].dropna()
    return {
        str(key): str(reason).removeprefix(NOT_COMPARED)
        for key, reason in reasons.items()
        if str(reason).startswith(NOT_COMPARED)
    }


def few(row: Mapping[Any, Any], kind: str = "spearman") -> bool:
    """Whether a row's interval of such a statistic rests on so few products that it is not to be relied on."""
    n_products = row.get("n_products")
    return is_number(n_products) and float(n_products) < reliable_from(kind)  # type: ignore[arg-type]


def _null(cell: Any) -> bool:
    return not isinstance(cell, list) and bool(pd.isna(cell))


def defined(*values: Any) -> bool:
    """Whether all of these are numbers."""
    return all(is_number(value) for value in values)
