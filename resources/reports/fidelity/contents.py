"""What a fidelity report is made from: the study's tables, its plan, and the answers of its gates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from resources.configuration.fidelity import FidelityStudy
from resources.reports.gate_row import GateRow
from resources.reports.numbers import is_number
from resources.reports.text import Text, Translations, joined, same

WORDS = Translations("shared", "fidelity", "glossary")
say = WORDS.say


@dataclass(frozen=True)
class Contents:
    """The tables by name (all settings in one frame), and what goes with them.

    Attributes:
        study: Name of the study.
        plan: Its configuration.
        tables: Frames that keep to their declarations; empty where nothing was made.
        gates: Of each setting, by partition key.
        golden_gates: Of the golden set; empty where there is none.
        doses: Dose of each alteration that has one, by name.
    """

    study: str
    plan: FidelityStudy
    tables: Mapping[str, pd.DataFrame]
    gates: Mapping[str, Sequence[GateRow]] = field(default_factory=dict)
    golden_gates: Sequence[GateRow] = ()
    doses: Mapping[str, float] = field(default_factory=dict)

    @property
    def settings(self) -> list[str]:
        """The settings that were made, in the plan's order."""
        made = set(self.tables["setting_summary"]["setting"])
        return [setting.key for setting in self.plan.settings.settings if setting.key in made]

    @property
    def baseline(self) -> str:
        """The setting that the others are held against."""
        return self.plan.settings.baseline.key

    @property
    def recommended(self) -> str | None:
        """The setting to use."""
        return self._flagged("recommended")

    @property
    def nearest(self) -> str | None:
        """Where none is recommended: the one that lacks least."""
        return self._flagged("nearest")

    @property
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

    def named(self, setting: str) -> Text:
        """A setting's key, with what it is."""
        marks = [
            say(f"setting.{mark}")
            for mark, there in (
                ("recommended", setting == self.recommended),
                ("nearest", setting == self.nearest),
                ("baseline", setting == self.baseline),
            )
            if there
        ]
        return joined([setting, joined(["(", joined(marks), ")"], "")], " ") if marks else same(setting)

    def _flagged(self, flag: str) -> str | None:
        frame = self.tables["recommended_setting"]
        keys = frame.loc[frame[flag].fillna(False).astype(bool), "setting"]
        return str(keys.iloc[0]) if len(keys) else None


def _null(cell: Any) -> bool:
    return not isinstance(cell, list) and bool(pd.isna(cell))


def defined(*values: Any) -> bool:
    """Whether all of these are numbers."""
    return all(is_number(value) for value in values)
