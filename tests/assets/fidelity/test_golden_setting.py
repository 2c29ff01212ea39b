"""The setting at which altered renders are judged."""

from collections.abc import Sequence

import pandas as pd
import pytest

from assets.fidelity.logic.golden_choice import setting_in_force
from resources.errors import UserError


def table(not_compared: Sequence[str] = (), **flags: str) -> pd.DataFrame:
    settings = ["t0.0_p1.0", "t0.2_p0.95", "t0.8_p0.9"]
    names = ("recommended", "nearest", "baseline")
    columns = {column: [setting == flags.get(column) for setting in settings] for column in names}
    tried = [0 if setting in not_compared else 3 - len(not_compared) for setting in settings]
    frame = pd.DataFrame({"setting": settings, "n_settings_tried": tried, **columns})
    return frame.astype(dict.fromkeys(columns, "boolean"))


def test_a_named_setting_counts_whatever_is_recommended() -> None:
    assert setting_in_force("t0.8_p0.9", table(recommended="t0.2_p0.95"), "golden") == "t0.8_p0.9"


def test_else_the_recommended_setting_counts() -> None:
    assert setting_in_force(None, table(recommended="t0.2_p0.95", nearest="t0.8_p0.9"), "golden") == "t0.2_p0.95"


def test_else_the_one_that_lacks_least() -> None:
    assert setting_in_force(None, table(nearest="t0.8_p0.9"), "golden") == "t0.8_p0.9"


def test_where_all_are_deterministic_the_baseline_counts_if_it_was_compared() -> None:
    assert setting_in_force(None, table(baseline="t0.2_p0.95"), "golden") == "t0.2_p0.95"
    without = table(["t0.0_p1.0", "t0.2_p0.95"], baseline="t0.2_p0.95")
    assert setting_in_force(None, without, "golden") == "t0.8_p0.9"
    assert setting_in_force(None, table(["t0.0_p1.0"]), "golden") == "t0.2_p0.95"


def test_where_none_was_compared_the_baseline_of_those_made_counts() -> None:
    nothing = table(["t0.0_p1.0", "t0.2_p0.95", "t0.8_p0.9"], baseline="t0.8_p0.9")
    assert setting_in_force(None, nothing, "golden") == "t0.8_p0.9"


def test_before_any_setting_was_made_the_error_says_what_to_name() -> None:
    with pytest.raises(UserError, match="name one of the study's settings as `golden.setting`"):
        setting_in_force(None, table().head(0), "golden")
