"""The setting at which altered renders are judged."""

import pandas as pd
import pytest

from assets.golden_setting import setting_in_force
from resources.errors import UserError


def table(**flags: str) -> pd.DataFrame:
    settings = ["t0.0_p1.0", "t0.2_p0.95", "t0.8_p0.9"]
    columns = {column: [setting == flags.get(column) for setting in settings] for column in ("recommended", "nearest")}
    return pd.DataFrame({"setting": settings, **columns}).astype(dict.fromkeys(columns, "boolean"))


def test_a_named_setting_counts_whatever_is_recommended() -> None:
    assert setting_in_force("t0.8_p0.9", table(recommended="t0.2_p0.95"), "golden") == "t0.8_p0.9"


def test_else_the_recommended_setting_counts() -> None:
    assert setting_in_force(None, table(recommended="t0.2_p0.95", nearest="t0.8_p0.9"), "golden") == "t0.2_p0.95"


def test_else_the_one_that_lacks_least() -> None:
    assert setting_in_force(None, table(nearest="t0.8_p0.9"), "golden") == "t0.8_p0.9"


def test_without_any_the_error_says_what_to_name() -> None:
    with pytest.raises(UserError, match="Name one of the study's settings as `golden.setting`"):
        setting_in_force(None, table(), "golden")
