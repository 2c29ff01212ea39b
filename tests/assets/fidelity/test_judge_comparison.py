"""Table `judge_comparison`: judges at their best settings, on the same objects, one verdict each."""

from pathlib import Path

import dagster as dg
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assets.fidelity.judge_comparison import ALL_CHOSE, NOTHING_CHOSEN, OTHER_HALF, Said, comparison_rows
from assets.fidelity.logic import compared_settings
from assets.fidelity.logic.judge_answers import Judgements, judge_scores
from assets.fidelity.logic.verdict_evidence import Evidence, setting_verdicts
from assets.fidelity.sensitivity import effect_gate
from assets.shared.verdicts import verdict_table
from resources.configuration.fidelity import LocalJudge, ReplayJudge
from resources.configuration.settings import SettingsGrid
from resources.tables.fidelity.decision import FIDELITY_TRUST_VERDICT
from tests.assets.fidelity.made_recommendation import judgements, recommended, study_of
from tests.assets.fidelity.test_fidelity_trust_verdict import empty, several
from tests.assets.shared.made_tables import keeps_to_its_declaration

JUDGES = {"near": LocalJudge(), "far": ReplayJudge(kind="replay", path=Path("calls.jsonl"))}
GRID = SettingsGrid(temperatures=(0.2,), top_ps=(1.0,))
NEAR, FAR = "near@t0.2_p1.0", "far@t0.2_p1.0"
NEAR_TOO = "near@t0.0_p1.0"
NOISES, ERRORS = {NEAR: 0.01, FAR: 0.01}, {NEAR: 0.01, FAR: 0.08}


@pytest.fixture(autouse=True)
def partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = study_of(judges=JUDGES, settings=GRID).partition_keys
    monkeypatch.setattr(compared_settings, "SETTINGS", dg.StaticPartitionsDefinition(keys))


def compared(tables: Judgements, method: str = "auto", **changes: object) -> pd.DataFrame:
    given = {"judges": JUDGES, "settings": GRID, "verdict": {"gate_on": "estimate"}} | changes
    study, made = study_of(method, **given), recommended(tables, method, **given)
    seen = empty("sensitivity")
    agreement = {key: empty("human_agreement") for key in tables.matrices}
    evidence = Evidence(
        tables.matrices, tables.human_scores, tables.study_objects, made, agreement, seen, effect_gate(seen, 0.8)
    )
    stated = verdict_table(setting_verdicts(evidence, "none", study), FIDELITY_TRUST_VERDICT)
    said = Said(tables.calls, tables.matrices, tables.human_scores, tables.study_objects, made, stated)
    return keeps_to_its_declaration("judge_comparison", comparison_rows(said, study))


def value(frame: pd.DataFrame, statistic: str, judge: str, other: str | None = None) -> pd.Series:
    same = frame["other"].isna() if other is None else frame["other"] == other
    return frame[(frame["statistic"] == statistic) & (frame["judge"] == judge) & same].iloc[0]


def test_the_difference_of_two_judges_is_a_paired_test_over_products() -> None:
    tables = several(judgements(NOISES, errors=ERRORS, n_products=20))
    frame = compared(tables)
    people = tables.human_scores.groupby("object")["score"].mean()
    errors = {
        key: (pd.Series(judge_scores(matrix, "mean"), index=matrix["object"]) - people).abs()
        for key, matrix in tables.matrices.items()
    }
    # Every product has two objects, so the mean over objects is that over products.
    products = tables.matrices[NEAR].set_index("object")["product_id"]
    by_product = (errors[NEAR] - errors[FAR]).groupby(products).mean().to_numpy()
    seen = value(frame, "mae", "near", "far")
    assert seen["value"] == pytest.approx(by_product.mean())
    half = stats.t.ppf(0.975, 19) * by_product.std(ddof=1) / np.sqrt(20)
    assert (seen["value_low"], seen["value_high"]) == (
        pytest.approx(by_product.mean() - half, rel=1e-6),
        pytest.approx(by_product.mean() + half, rel=1e-6),
    )
    assert seen["p"] == pytest.approx(stats.ttest_1samp(by_product, 0).pvalue, rel=1e-6)
    assert (seen["n"], seen["n_products"], seen["setting"], seen["other_setting"]) == (40, 20, NEAR, FAR)
    assert [value(frame, "mae", judge)["letters"] for judge in JUDGES] == ["a", "b"]
    assert set(frame["basis"]) == {NOTHING_CHOSEN}


def test_each_judge_has_its_verdict_and_its_price() -> None:
    tables = several(judgements(NOISES, errors=ERRORS | {FAR: 0.4}, n_products=40))
    tables.calls[NEAR]["cost_usd"] = 0.001
    frame = compared(tables)
    assert value(frame, "spearman", "near")["word"] == "yes"
    assert value(frame, "spearman", "far")["word"] == "no"
    assert value(frame, "omega", "near", "far")["value"] == 1.0
    # Five repeats of each object at 0.001.
    costs = value(frame, "cost_per_object_usd", "near")["value"]
    assert costs == pytest.approx(0.005)
    reliability = value(frame, "icc", "near")["value"]
    assert value(frame, "cost_per_point_usd", "near")["value"] == pytest.approx(costs / (100 * reliability))


def test_a_recording_without_prices_is_not_the_cheapest_judge() -> None:
    tables = several(judgements(NOISES, errors=ERRORS, n_products=20))
    tables.calls[NEAR]["cost_usd"], tables.calls[FAR]["cost_usd"] = 0.001, 0.0
    frame = compared(tables)
    for statistic in ("cost_per_object_usd", "cost_per_point_usd"):
        for row in (value(frame, statistic, "far"), value(frame, statistic, "near", "far")):
            assert np.isnan(row["value"])
            assert row["undefined"].startswith("the cost is not known")
        assert value(frame, statistic, "near")["letters"] == "a"
    tables.calls[FAR]["cost_usd"] = 0.002
    assert value(compared(tables), "cost_per_object_usd", "far")["value"] == pytest.approx(0.01)


def test_where_a_judge_has_several_settings_its_own_best_one_is_compared_on_the_other_half() -> None:
    noises = NOISES | {NEAR_TOO: 0.05}
    tables = several(judgements(noises, errors=ERRORS | {NEAR_TOO: 0.3}, n_products=40))
    frame = compared(tables, "split")
    assert set(frame.loc[frame["judge"] == "near", "setting"]) == {NEAR}
    assert set(frame["basis"]) == {OTHER_HALF}
    assert value(frame, "mae", "near", "far")["n_products"] == 20
    assert set(compared(tables, "optimism")["basis"]) == {ALL_CHOSE}


def test_a_judge_that_is_not_compared_is_shown_without_numbers() -> None:
    tables = several(judgements(NOISES, n_products=20))
    tables.matrices[FAR].loc[:9, [f"repeat_{repeat}" for repeat in range(1, 6)]] = np.nan
    tables.matrices[FAR].loc[:9, "n_valid"] = 0
    frame = compared(tables)
    lost = frame[frame["judge"] == "far"]
    assert lost["value"].isna().all()
    assert lost["undefined"].str.startswith("Share of objects with fewer than 3 valid repeats is 0.25").all()
    assert set(lost["word"]) == {"cannot say"}
    assert value(frame, "mae", "near")["n"] == 40
