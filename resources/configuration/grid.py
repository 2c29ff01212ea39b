"""Settings of a judge: the baseline and the grid of temperatures and top_p values."""

import re
from typing import NamedTuple

from resources.errors import UserError

_KEY = re.compile(r"t(?P<temperature>\d+(?:\.\d+)?)_p(?P<top_p>\d+(?:\.\d+)?)")


class Setting(NamedTuple):
    """Sampling parameters of one partition: both unitless."""

    temperature: float
    top_p: float

    @property
    def key(self) -> str:
        """The partition key, such as ``t0.2_p0.95``."""
        return f"t{self.temperature!r}_p{self.top_p!r}"


def setting_from_key(key: str) -> Setting:
    """The setting that a partition key names.

    Raises:
        UserError: The key has another form.
    """
    match = _KEY.fullmatch(key)
    if match is None:
        raise UserError(f"'{key}' is no setting. Write it like t0.2_p0.95 (temperature 0.2, top_p 0.95).")
    return Setting(float(match["temperature"]), float(match["top_p"]))
