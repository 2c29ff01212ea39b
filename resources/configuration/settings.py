"""Settings of study A: temperature and top_p, their partition keys, and the grid that a configuration names."""

import re
from typing import Annotated, Final, NamedTuple

from pydantic import Field, model_validator

from resources.configuration.section import Section
from resources.errors import UserError

# Between a judge's name and its setting in a partition key, where a study has several judges.
AT: Final = "@"
_KEY = re.compile(r"t(?P<temperature>\d+(?:\.\d+)?)_p(?P<top_p>\d+(?:\.\d+)?)")


class Setting(NamedTuple):
    """Sampling parameters of one partition: both unitless."""

    temperature: float
    top_p: float

    @property
    def key(self) -> str:
        """The partition key, such as ``t0.2_p0.95``."""
        return f"t{self.temperature!r}_p{self.top_p!r}"


def judge_in(key: str) -> str | None:
    """The judge that a partition key such as ``claude@t0.2_p0.95`` names; none in a study of one judge."""
    return key.rpartition(AT)[0] or None


def setting_from_key(key: str) -> Setting:
    """The setting that a partition key names, whichever judge it belongs to.

    Raises:
        UserError: The key has another form.
    """
    match = _KEY.fullmatch(key.rpartition(AT)[2])
    if match is None:
        raise UserError(f"'{key}' is no setting. Write it like t0.2_p0.95 (temperature 0.2, top_p 0.95).")
    return Setting(float(match["temperature"]), float(match["top_p"]))


class SettingsGrid(Section):
    """The baseline plus every temperature with every top_p."""

    baseline_temperature: float = Field(0.0, ge=0, le=2)
    baseline_top_p: float = Field(1.0, gt=0, le=1)
    temperatures: tuple[Annotated[float, Field(ge=0, le=2)], ...] = (0.2, 0.5, 0.8)
    top_ps: tuple[Annotated[float, Field(gt=0, le=1)], ...] = (1.0, 0.95, 0.9)

    @model_validator(mode="after")
    def keys_read_back(self) -> "SettingsGrid":
        """Refuse numbers whose partition key would not name them, such as 0.00001."""
        for setting in self.settings:
            try:
                same = setting_from_key(setting.key) == setting
            except UserError:
                same = False
            if not same:
                raise ValueError(f"setting {setting.key} has no plain decimal key; round the number")
        return self

    @property
    def baseline(self) -> Setting:
        """The setting that the others are held against."""
        return Setting(self.baseline_temperature, self.baseline_top_p)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Every setting once, the baseline first."""
        grid = [Setting(temperature, top_p) for temperature in self.temperatures for top_p in self.top_ps]
        return tuple(dict.fromkeys([self.baseline, *grid]))
