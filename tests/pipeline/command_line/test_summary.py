"""Tests of `pipeline/command_line/summary.py`: the verdict over settings."""

import pytest

from pipeline.command_line.summary import missed_gates
from resources.configuration.fidelity import FidelityThresholds

PASSING = {
    "deterministic": False,
    "icc": 0.9,
    "mad": 0.01,
    "spearman_r": 0.8,
    "mae": 0.05,
    "json_validity_rate": 1.0,
    "n_objects": 48,
}


def test_a_setting_that_keeps_every_threshold_misses_no_gate() -> None:
    assert missed_gates(PASSING, FidelityThresholds()) == []


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({"icc": 0.84}, ["icc"]),
        ({"deterministic": True, "icc": 1.0}, ["icc"]),
        ({"spearman_r": None}, ["spearman_r"]),
        ({"mad": 0.06, "mae": 0.11}, ["mad", "mae"]),
    ],
)
def test_a_gate_that_is_missed_is_named(changed: dict[str, object], missed: list[str]) -> None:
    assert missed_gates(PASSING | changed, FidelityThresholds()) == missed


def test_a_number_at_its_limit_is_compared_like_every_gate_does() -> None:
    # 0.7 - 0.6 is 0.09999999999999998 and 0.8 - 0.7 is 0.10000000000000009: at 12 decimals both are 0.1.
    assert missed_gates(PASSING | {"mae": 0.8 - 0.7}, FidelityThresholds()) == []
