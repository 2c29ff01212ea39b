"""Tests of `pipeline/command_line/summary.py`: the gates of each setting, and the verdict over all of them."""

import io
from pathlib import Path

import dagster as dg
import pandas as pd
import pytest
from rich.console import Console
from upath import UPath

from analysis.gates import NOT_ASKED, Gate, at_least, at_most
from assets.fidelity.logic.current_plan import CurrentPlan
from assets.fidelity.logic.recommendation_gates import grade_of
from assets.fidelity.logic.setting_conditions import FOUR_CONDITIONS, condition_gates, stored_conditions
from assets.fidelity.setting_summary import summary_rows
from assets.shared.table_gates import TableGate
from pipeline.command_line.status_shown import gates_in_words
from pipeline.command_line.study_state import NOTE, GateState
from pipeline.command_line.summary import show_drift, show_outcome, show_summary, stand_in, unseen
from pipeline.command_line.summary import verdict as verdict_of
from pipeline.runs import Outcome
from resources.configuration.fidelity import FidelityThresholds
from resources.runtime.home import Home
from resources.tables.fidelity.decision import EVERYBODY
from resources.tables.fidelity.golden import KEPT, NOT_SEEN, SEEN, UNKNOWN
from tests.assets.fidelity.made_recommendation import BASELINE, COARSE, SHAKY, STEADY, judgements, recommended, study_of

LIMITS = FidelityThresholds()
GOOD = {STEADY: 0.01, SHAKY: 0.011, COARSE: 0.04}


def verdict(recommended: pd.DataFrame) -> str:
    return verdict_of(recommended, LIMITS)


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
        f"use {row['setting']}, the best of 3 settings that keep {FOUR_CONDITIONS}, 3 tried. On products that did not "
        f"choose it (n = 16 objects of 8 products): ICC(1,k) {row['icc_reported']:.3f} "
        f"[{row['icc_reported_low']:.3f}, {row['icc_reported_high']:.3f}], Spearman {row['spearman_reported']:.3f} ["
    )
    assert f"median MAD {row['mad_reported']:.3f}, JSON validity 1.000." in said
    assert "Few products" not in said
    assert said.endswith(f"Not distinguishable from it: {other}.")


def test_a_pass_of_what_was_not_asked_reads_not_asked_after_a_run_and_in_the_status() -> None:
    gates = [
        at_least("srcc_is_high_enough", 0.9, 0.8, n=30, what="SRCC"),
        Gate("accuracy_is_high_enough", True, None, "nothing", f"{NOT_ASKED} There are no answers."),
    ]
    checks = [
        dg.AssetCheckEvaluation(dg.AssetKey("t"), one.name, one.passed, {}, description=one.sentence) for one in gates
    ]
    shown = io.StringIO()
    outcome = Outcome(tables=["t"], gates={one.asset_check_key: one for one in checks})
    show_outcome(outcome, Console(file=shown, width=200))
    assert "  pass  1 hold: srcc_is_high_enough." in shown.getvalue()
    assert "  not asked: accuracy_is_high_enough." in shown.getvalue()
    states = [GateState("t", one.name, NOTE, 0, 1, one.sentence, "", int(one.is_asked)) for one in gates]
    assert gates_in_words(states).plain == "1 pass, 1 not asked"


def test_where_people_scored_only_some_objects_spearman_has_its_own_n(split: pd.DataFrame) -> None:
    row = split[split["recommended"]].iloc[0]
    fewer = split.assign(n_matched_reporting=9, n_matched_products_reporting=5)
    assert "] (people scored 9 objects of 5 products), median MAD" in verdict(fewer)
    assert "people scored" not in verdict(split)
    assert row["n_matched_reporting"] == row["n_reporting"]


def test_a_recommendation_that_its_reported_numbers_do_not_confirm_says_so(split: pd.DataFrame) -> None:
    lacking = split.assign(lacks_when_reported="Spearman with people is 0.612 over 16 objects; needed: at least 0.7.")
    setting = split.loc[split["recommended"], "setting"].iloc[0]
    assert verdict(lacking).startswith(
        f"provisionally {setting} (not confirmed: Spearman with people is 0.612 over 16 objects; needed: at least "
        "0.7), the best of 3"
    )


def test_a_recommendation_whose_lower_bounds_do_not_reach_is_provisional_and_says_which(split: pd.DataFrame) -> None:
    assert grade_of(split, LIMITS) == ("use", ())
    setting = split.loc[split["recommended"], "setting"].iloc[0]
    short = split.assign(spearman_holm_low=0.628)
    assert grade_of(short, LIMITS).name == "provisionally"
    assert verdict(short).startswith(
        f"provisionally {setting} (not for sure: lower bounds over 3 settings tried: Spearman 0.628, needed 0.7), "
    )
    unknown = split.assign(icc_holm_low=None, spearman_holm_low=0.7)
    assert grade_of(unknown, LIMITS).doubts == (
        "not for sure: lower bounds over 3 settings tried: ICC(1,k) undefined, needed 0.85",
    )
    assert grade_of(split.assign(recommended=False), LIMITS) == ("none", ())


def test_where_all_products_chose_the_numbers_are_called_corrected() -> None:
    said = verdict(recommended(judgements({BASELINE: 0.0, STEADY: 0.01}), "optimism"))
    assert said.startswith(
        f"use {STEADY}, the only one of 2 settings tried that keeps {FOUR_CONDITIONS}. Corrected for the choice, which "
        "was made on 32 objects of 16 products: ICC(1,k) 0.9"
    )
    assert said.count(" seen)") == 4
    assert "told from it" not in said


def test_with_one_setting_nothing_is_said_to_be_chosen() -> None:
    made = recommended(judgements({STEADY: 0.01}))
    # All 32 objects of 16 products, not the half that the recommendation reports where there is a choice.
    assert "no other tried. On 32 objects of 16 products: ICC(1,k) 0.9" in verdict(made)
    assert (
        made["method"].iloc[0].startswith("one setting, none to choose from: reported from 32 objects of 16 products")
    )


def test_a_corrected_number_stands_beside_the_one_seen_and_not_beside_its_n() -> None:
    tables = judgements({BASELINE: 0.0, STEADY: 0.01}, invalid={STEADY: 3})
    row = recommended(tables, "optimism", thresholds=LIMITS).set_index("setting").loc[STEADY]
    # 3 of 160 first answers were not valid: 157 / 160 = 0.98125, which keeps the condition.
    assert row["json_validity_rate"] == pytest.approx(0.98125)
    lower = row.to_dict() | {"json_validity_reported": 0.963}
    gate = {
        one.name: one for one in condition_gates(stored_conditions(lower, "reporting"), LIMITS, deterministic=False)
    }
    assert gate["json_validity_rate"].sentence == (
        "JSON validity is 0.963 after correcting for the choice (0.981 seen over 160 first answers); needed: at least "
        "0.98. Short by 0.017."
    )


def test_without_a_recommendation_the_nearest_says_what_it_lacks() -> None:
    made = recommended(judgements({BASELINE: 0.0, SHAKY: 0.13}))
    lacks = made.set_index("setting").loc[SHAKY, "failed"]
    assert verdict(made) == (
        f"no setting is recommended: none of 2 that were compared keeps {FOUR_CONDITIONS}. Nearest is {SHAKY}: {lacks}"
    )


def test_where_nothing_varies_none_is_near() -> None:
    said = verdict(recommended(judgements({BASELINE: 0.0})))
    assert said.endswith("None is near: no setting was compared whose repeats vary.")


def test_where_nothing_was_compared_the_verdict_says_why() -> None:
    made = recommended(judgements({BASELINE: 0.0}))
    nothing = made.assign(n_settings_tried=0, failed="not compared: its calls are of another judge. Run it again.")
    assert verdict(nothing) == (
        "no setting is recommended: none was compared. not compared: its calls are of another judge. Run it again."
    )
    assert verdict(made.head(0)) == "no setting is recommended: none was compared."


@pytest.mark.parametrize("with_recommendation", [True, False])
def test_the_terminal_shows_the_verdict_of_the_table(
    tmp_path: Path, split: pd.DataFrame, *, with_recommendation: bool
) -> None:
    given = judgements(GOOD)
    summary = summary_rows(given, study_of())
    tables = tmp_path / "tables" / "fidelity"
    tables.mkdir(parents=True)
    summary.to_parquet(tables / "setting_summary.parquet")
    if with_recommendation:
        split.to_parquet(tables / "recommended_setting.parquet")
    files = "".join(f"  {name}: {name}\n" for name in ("human_scores", "references", "candidates"))
    asked = "  confidence: 0.9\n"
    (tmp_path / "touchstone.yaml").write_text(f"study: mine\nfidelity:\n{files}{asked}")
    shown = io.StringIO()
    chosen = str(split.loc[split["recommended"], "setting"].iloc[0])
    far = at_most("close_to_people", 0.2, 0.1, n=32, what="MAE")
    near = at_most("close_to_people", 0.05, 0.1, n=32, what="MAE")
    idle = Gate("repeatable", True, None, ">= 0.85", "Does not apply: deterministic.")
    gates = {
        "close_to_people": TableGate({key: far if key == chosen else near for key in GOOD}, (), "settings"),
        "repeatable": TableGate(dict.fromkeys(GOOD, idle), (), "settings"),
    }
    show_summary(Home(UPath(tmp_path), tmp_path), Console(file=shown, width=2000), gates)
    said = shown.getvalue()
    assert "ICC(1,k) [90 % CI]" in said
    # The same gate results as everywhere, over all settings and at the one to use, by code name.
    assert "Over all settings 1 gate fails: close_to_people at 1 of 3." in said
    rows = [line.split() for line in said.splitlines() if line.split() and line.split()[0] in GOOD]
    assert {row[0]: row[-1] for row in rows} == {key: "fail" if key == chosen else "pass" for key in GOOD}
    if with_recommendation:
        assert f"Setting: {verdict(split)} On all objects valid there it misses close_to_people." in said
        assert "answers and 0 faults in the ledger" in said
    else:
        assert "Setting: none, the table recommended_setting was not made." in said


def shown_summary(folder: Path, summary: pd.DataFrame) -> str:
    tables = folder / "tables" / "fidelity"
    tables.mkdir(parents=True, exist_ok=True)
    summary.to_parquet(tables / "setting_summary.parquet")
    files = "".join(f"  {name}: {name}\n" for name in ("human_scores", "references", "candidates"))
    (folder / "touchstone.yaml").write_text(f"study: mine\nfidelity:\n{files}")
    shown = io.StringIO()
    show_summary(Home(UPath(folder), folder), Console(file=shown, width=2000), {})
    return shown.getvalue()


def test_a_judge_that_answers_everything_alike_is_said_in_the_first_line(tmp_path: Path) -> None:
    given = judgements(GOOD)
    summary = summary_rows(given, study_of())
    folder = tmp_path / "tables" / "fidelity" / "score_matrix"
    folder.mkdir(parents=True)
    for key, matrix in given.matrices.items():
        repeats = [name for name in matrix if name.startswith("repeat_")]
        alike = dict.fromkeys(repeats, 0.63) if key == STEADY else {}
        matrix.assign(**alike).to_parquet(folder / f"{key}.parquet")
    said = shown_summary(tmp_path, summary)
    n = len(given.matrices[STEADY])
    words = f"The judge gives one and the same answer, 0.63, to all {n} objects ({STEADY}): it distinguishes nothing."
    assert said.startswith(words)


def test_settings_of_another_judge_are_named_apart_and_not_counted(tmp_path: Path) -> None:
    given = judgements(GOOD)
    other = dict(given.calls)
    other[STEADY] = other[STEADY].assign(judge_identity="2")
    plan = CurrentPlan("1", {}, {})
    summary = summary_rows(given._replace(calls=other), study_of(), dict.fromkeys(given.matrices, plan))
    assert summary["setting"].iloc[0] == STEADY
    said = shown_summary(tmp_path, summary)
    assert "Compared on 32 objects of 16 products that are valid in every setting compared, 32 of them scored" in said
    assert f"Not compared: {STEADY}: its calls are of another judge" in said
    # 32 objects of 5 repeats at each of the two other settings.
    assert "320 answers and 0 faults in the ledger, 3.20 USD, without 1 setting that another judge answered." in said


def test_where_no_setting_is_compared_each_reason_is_said_once(tmp_path: Path) -> None:
    given = judgements(GOOD)
    plan = CurrentPlan("2", {}, {})
    summary = summary_rows(given, study_of(), dict.fromkeys(given.matrices, plan))
    said = shown_summary(tmp_path, summary)
    assert "Compared on" not in said
    assert f"Not compared: {STEADY}, {SHAKY}, {COARSE}: its calls are of another judge" in said


def test_the_test_of_annotators_is_one_line_without_a_yes() -> None:
    rows = pd.DataFrame(
        {
            "annotator": [EVERYBODY, "a", "b", "c"],
            "omega": [1 / 3, None, None, None],
            "n_instances": [40, 40, 40, 29],
            "rejected": pd.array([None, True, False, None], dtype="boolean"),
            "undefined": [None] * 4,
        }
    )
    said = stand_in(rows, 0.5)
    assert said == (
        "Alternative annotator test: it wins against 1 of 2 annotators (omega 0.33, needed 0.5). Not tested, with "
        "fewer than 30 objects: c (29)."
    )
    assert stand_in(rows, 0.3) == said.replace("0.5", "0.3")
    few = rows.assign(omega=None, undefined="only 1 annotator")
    assert stand_in(few, 0.5) == "Alternative annotator test: not testable (only 1 annotator)."


def test_what_the_judge_does_not_see_is_one_line() -> None:
    rows = pd.DataFrame(
        {
            "setting": STEADY,
            "alteration": ["hue_5", "hue_10", "blur_1", "untouched"],
            "expected": ["worse", "worse", "worse", "same"],
            "seen": [NOT_SEEN, SEEN, UNKNOWN, KEPT],
        }
    )
    said = unseen(rows)
    assert said == f"Does not see: 1 of 2 alterations (at {STEADY}): hue_5. Unknown, too few pairs: 1."
    assert unseen(rows.assign(seen=SEEN)) == f"Does not see: none of 3 alterations (at {STEADY})."
    assert unseen(rows.head(0)) is None
    assert unseen(rows.assign(seen=UNKNOWN)) == (
        f"What it does not see is unknown: too few pairs of scores of all 3 alterations (at {STEADY})."
    )


def test_where_nothing_is_pinned_the_watch_says_so(tmp_path: Path) -> None:
    tables = tmp_path / "tables" / "fidelity"
    tables.mkdir(parents=True)
    row = {"occasion": "2026-11-28", "pinned": "2026-11-28", "n_objects": 0, "n_pinned": 0, "changes": None}
    row |= {"shift": None, "shift_low": None, "shift_high": None, "icc": None, "undefined": "all: none"}
    pd.DataFrame([row]).to_parquet(tables / "drift.parquet")
    files = "".join(f"  {name}: {name}\n" for name in ("human_scores", "references", "candidates"))
    (tmp_path / "touchstone.yaml").write_text(f"study: mine\nfidelity:\n{files}")
    shown = io.StringIO()
    show_drift(Home(UPath(tmp_path), tmp_path), Console(file=shown, width=200))
    assert "(pinned)" not in shown.getvalue()
    assert "Nothing to compare with: no occasion has 3 objects with enough valid repeats" in shown.getvalue()


def test_the_watch_on_drift_says_the_level_of_its_intervals(tmp_path: Path) -> None:
    tables = tmp_path / "tables" / "fidelity"
    tables.mkdir(parents=True)
    row = {"occasion": "2026-11-28", "pinned": "2026-01-05", "n_objects": 5, "n_pinned": 6, "changes": None}
    row |= {"shift": 0.0123, "shift_low": -0.01, "shift_high": 0.03, "icc": 0.91}
    pd.DataFrame([row]).to_parquet(tables / "drift.parquet")
    files = "".join(f"  {name}: {name}\n" for name in ("human_scores", "references", "candidates"))
    (tmp_path / "touchstone.yaml").write_text(f"study: mine\nfidelity:\n{files}  confidence: 0.99\n")
    shown = io.StringIO()
    show_drift(Home(UPath(tmp_path), tmp_path), Console(file=shown, width=200))
    assert "shift [99 % CI]" in shown.getvalue()
    assert "+0.012 [-0.010, +0.030]" in shown.getvalue()
