"""Tests of `pipeline/command_line/summary.py`: the gates of each setting, and the verdict over all of them."""

import io
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from upath import UPath

from assets.fidelity.setting_summary import summary_rows
from pipeline.command_line.summary import missed_gates, show_summary, verdict
from resources.configuration.fidelity import FidelityThresholds
from resources.home import Home
from tests.assets.made_recommendation import BASELINE, COARSE, SHAKY, STEADY, judgements, recommended, study_of

GOOD = {STEADY: 0.01, SHAKY: 0.011, COARSE: 0.04}

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


@pytest.fixture(scope="module")
def split() -> pd.DataFrame:
    return recommended(judgements(GOOD))


def test_the_verdict_names_the_setting_its_reported_numbers_and_what_cannot_be_told_from_it(
    split: pd.DataFrame,
) -> None:
    row = split[split["recommended"]].iloc[0]
    said = verdict(split)
    other = SHAKY if row["setting"] == STEADY else STEADY
    assert said.startswith(
        f"use {row['setting']}, the best of 3 settings that keep every condition, 3 tried. On products that did not "
        f"choose it (n = 16 objects of 8 products): ICC(1,k) {row['icc_reported']:.3f} "
        f"[{row['icc_reported_low']:.3f}, {row['icc_reported_high']:.3f}], Spearman {row['spearman_reported']:.3f} ["
    )
    assert f"median MAD {row['mad_reported']:.3f}, JSON validity 1.000." in said
    assert said.endswith(f"Cannot be told from it: {other}.")


def test_where_people_scored_only_some_objects_spearman_has_its_own_n(split: pd.DataFrame) -> None:
    row = split[split["recommended"]].iloc[0]
    fewer = split.assign(n_matched_reporting=9, n_matched_products_reporting=5)
    assert "] (n = 9 objects of 5 products that people scored), median MAD" in verdict(fewer)
    assert "that people scored" not in verdict(split)
    assert row["n_matched_reporting"] == row["n_reporting"]


def test_a_recommendation_that_its_reported_numbers_do_not_confirm_says_so(split: pd.DataFrame) -> None:
    lacking = split.assign(lacks_when_reported="Spearman with people is 0.612 over 16 objects; needed: at least 0.7.")
    assert "Not confirmed: Spearman with people is 0.612 over 16 objects; needed: at least 0.7." in verdict(lacking)


def test_where_all_products_chose_the_numbers_are_called_corrected() -> None:
    said = verdict(recommended(judgements({BASELINE: 0.0, STEADY: 0.01}), "optimism"))
    assert said.startswith(
        f"use {STEADY}, the only one of 2 settings tried that keeps every condition. Corrected (n = 32 objects of 16"
    )
    assert "told from it" not in said


def test_without_a_recommendation_the_nearest_says_what_it_lacks() -> None:
    made = recommended(judgements({BASELINE: 0.0, SHAKY: 0.13}))
    lacks = made.set_index("setting").loc[SHAKY, "failed"]
    assert verdict(made) == (
        f"no setting is recommended: none of 2 that were compared keeps every condition. Nearest is {SHAKY}: {lacks}"
    )


@pytest.mark.parametrize("noises", [{}, {BASELINE: 0.0}])
def test_where_nothing_varies_none_is_near(noises: dict[str, float]) -> None:
    said = verdict(recommended(judgements(noises)))
    assert said.endswith("None is near: no setting was compared whose repeats vary.")


@pytest.mark.parametrize("with_recommendation", [True, False])
def test_the_terminal_shows_the_verdict_of_the_table(
    tmp_path: Path, split: pd.DataFrame, *, with_recommendation: bool
) -> None:
    given = judgements(GOOD)
    summary = summary_rows(given.calls, given.matrices, given.human_scores, given.study_objects, study_of())
    tables = tmp_path / "tables" / "fidelity"
    tables.mkdir(parents=True)
    summary.to_parquet(tables / "setting_summary.parquet")
    if with_recommendation:
        split.to_parquet(tables / "recommended_setting.parquet")
    files = "".join(f"  {name}: {name}\n" for name in ("human_scores", "references", "candidates"))
    (tmp_path / "touchstone.yaml").write_text(f"study: mine\nfidelity:\n{files}  thresholds: {{mae: 0.0001}}\n")
    shown = io.StringIO()
    show_summary(Home(UPath(tmp_path), tmp_path), Console(file=shown, width=2000))
    said = shown.getvalue()
    if with_recommendation:
        assert f"Verdict: {verdict(split)} Gates that it misses on all objects: mae." in said
    else:
        assert "Verdict: none, the table recommended_setting was not made." in said
