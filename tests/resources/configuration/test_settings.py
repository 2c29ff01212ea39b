"""Settings and their keys, there and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.configuration.settings import Setting, SettingsGrid, setting_from_key
from resources.errors import UserError


def test_a_key_names_temperature_and_top_p() -> None:
    assert Setting(0.2, 0.95).key == "t0.2_p0.95"
    assert Setting(0.0, 1.0).key == "t0.0_p1.0"
    assert setting_from_key("t0.2_p0.95") == Setting(0.2, 0.95)
    assert setting_from_key("t1_p1") == Setting(1.0, 1.0)


@given(st.integers(0, 200), st.integers(1, 100))
def test_a_key_leads_back_to_its_setting(temperature: int, top_p: int) -> None:
    setting = Setting(temperature / 100, top_p / 100)
    assert setting_from_key(setting.key) == setting


@pytest.mark.parametrize("key", ["", "0.2_0.95", "t0.2", "t0.2_p", "t-0.2_p1.0", "t0.2_p0.95 ", "T0.2_P0.95", "t.2_p1"])
def test_what_is_no_key_is_refused_with_an_example(key: str) -> None:
    with pytest.raises(UserError, match=r"is no setting\. Write it like t0\.2_p0\.95"):
        setting_from_key(key)


def test_the_grid_is_the_baseline_and_every_pair() -> None:
    keys = [setting.key for setting in SettingsGrid().settings]
    assert keys == [
        "t0.0_p1.0",
        "t0.2_p1.0",
        "t0.2_p0.95",
        "t0.2_p0.9",
        "t0.5_p1.0",
        "t0.5_p0.95",
        "t0.5_p0.9",
        "t0.8_p1.0",
        "t0.8_p0.95",
        "t0.8_p0.9",
    ]


def test_a_baseline_that_is_in_the_grid_is_there_once_and_first() -> None:
    grid = SettingsGrid(baseline_temperature=0.5, temperatures=(0.2, 0.5), top_ps=(1.0,))
    assert [setting.key for setting in grid.settings] == ["t0.5_p1.0", "t0.2_p1.0"]
    assert grid.baseline == Setting(0.5, 1.0)


def test_values_listed_twice_are_one_setting() -> None:
    assert len(SettingsGrid(temperatures=(0.2, 0.2), top_ps=(0.9, 0.90)).settings) == 2
