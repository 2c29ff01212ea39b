"""Where the contingency stands: the step that is due follows from tables, votes and what people set going."""

from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest

from assets.reliability.logic.contingency_state import (
    COMMANDS,
    REVIEW,
    RUN,
    advised_thresholds,
    due,
    facts_of,
    next_command,
    recalibration_under_way,
    require_contingency,
    stored_tables,
    thresholds_now,
)
from assets.reliability.logic.recalibration_plan import held_out, recalibration_plan
from pipeline.command_line.reliability_steps import (
    accept_thresholds,
    kappas_at,
    open_manual_review,
    start_recalibration,
    thresholds_asked_for,
)
from resources.errors import UserError
from resources.study import Study
from tests.small_relevance import AGREED, LENIENT, OPPOSED, relevance_study, stored, validate, vote_on

pytestmark = pytest.mark.slow

DIFFERENT = [AGREED] * 10 + [OPPOSED] * 10
HIGHER = [AGREED] * 4 + [LENIENT] * 8


def facts(study: Study) -> Any:
    tables = stored_tables(study)
    assert tables is not None
    return facts_of(study, tables)


def test_steps_come_in_order_until_people_resolve_what_judging_again_did_not(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = relevance_study(tmp_path, DIFFERENT, DIFFERENT)
    assert (due(study).name, next_command(study, due(study))) == ("validate", RUN)
    assert "was not run yet" in due(study).sentence
    outcome = validate(study, instance)
    assert (outcome.user_errors, outcome.other_errors) == ([], [])
    # Ten queries are in dispute, with two documents each; 20 % of ten are two.
    now = facts(study)
    assert (now.status, now.n_disputed, now.n_reviewed, now.quota) == ("contingency_triggered", 10, 0, 2)
    assert (now.n_low, now.n_undecided, now.biased, now.recalibrated) == (10, 20, False, False)
    assert due(study).name == "review"
    with pytest.raises(UserError, match="0/10 disagreements reviewed, 2 needed"):
        recalibration_plan(study)
    assert study.validations.actions().empty

    assert vote_on(study, 2) == 2
    assert facts(study).n_undecided == 16  # two queries with two documents are decided, no table was made anew
    assert due(study).name == "recalibrate"
    plan = recalibration_plan(study)
    assert plan.again.queries == {f"q{number}" for number in range(11, 21)}
    assert len(plan.again.held_out) == 5
    start_recalibration(study, plan.again, "ann")
    assert due(study).name == "validate"
    assert recalibration_under_way(study) == plan.again
    validate(study, instance)
    assert recalibration_under_way(study) is None

    # The answers under the next prompt are the same, so that kappa is too.
    assert facts(study).recalibrated
    assert due(study).name == "manual_review"
    assert next_command(study, due(study)) == COMMANDS["manual_review"]
    assert len(open_manual_review(study, "ann")) == 16
    open_manual_review(study, "bob")
    assert study.validations.actions()["action"].tolist() == ["recalibration_started", "manual_review_opened"]
    assert next_command(study, due(study)) == REVIEW
    outcome = validate(study, instance)
    assert "ground_truth" not in outcome.tables
    assert study.validations.ground_truth_rows().empty

    assert vote_on(study) == 8
    assert due(study).name == "validate"
    outcome = validate(study, instance)
    assert "ground_truth" in outcome.tables
    statuses = study.validations.validations()["status"].tolist()
    assert statuses == [*["contingency_triggered"] * 3, "resolved_by_review"]
    assert due(study).name == "none"
    assert len(study.validations.ground_truth_rows()) == 20
    with pytest.raises(UserError, match="resolved_by_review: no step is due"):
        require_contingency(study)


def test_a_bias_is_mended_by_the_advised_threshold_and_the_judges_pass(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = relevance_study(tmp_path, HIGHER)
    validate(study, instance)
    vote_on(study, 2)
    now = facts(study)
    assert (now.biased, now.threshold_helps, now.changed) == (True, True, False)
    assert due(study).name == "accept_thresholds"
    chosen = thresholds_asked_for(study, ())
    assert list(chosen) == ["judge2"]
    assert 0.5 < chosen["judge2"] <= 1
    before, after = kappas_at(study, {"judge1": 0.5, "judge2": 0.5}), kappas_at(study, {"judge1": 0.5, **chosen})
    # 4 queries of kappa 1 and 8 of kappa 0: a third.
    assert before[0].macro == pytest.approx(1 / 3)
    assert after[0].macro > before[0].macro
    accept_thresholds(study, chosen, "ann")
    tables = stored_tables(study)
    assert tables is not None
    in_force = thresholds_now(study, tables.query_kappa)
    assert in_force == {"judge1": 0.5, **chosen}
    assert advised_thresholds(tables, in_force) == {}
    assert (facts(study).threshold_helps, facts(study).changed) == (False, True)
    assert due(study).name == "validate"
    validate(study, instance)
    assert not facts(study).changed


def test_accepting_the_threshold_that_is_in_force_changes_nothing(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, DIFFERENT, DIFFERENT)
    validate(study, instance)
    vote_on(study, 2)
    accept_thresholds(study, {"judge2": 0.5}, "ann")
    assert not facts(study).changed


def test_votes_that_hold_each_other_decide_nothing(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, [AGREED, OPPOSED, OPPOSED])
    validate(study, instance)
    vote_on(study)
    assert facts(study).n_undecided == 0
    vote_on(study, reviewer="bob", relevant=False)
    assert facts(study).n_undecided == 4


def test_judges_without_a_defined_kappa_ask_for_more_data(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    nothing_relevant = ((0.1, 0.2), (0.2, 0.1))
    study = relevance_study(tmp_path, [nothing_relevant] * 3)
    validate(study, instance)
    assert study.validations.validations().empty
    assert due(study).name == "more_data"
    assert next_command(study, due(study)) == "touchstone import reliability"
    with pytest.raises(UserError, match="no validation yet"):
        require_contingency(study)


def test_tables_that_are_in_another_home_are_made_again(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, [AGREED, OPPOSED])
    validate(study, instance)
    (study.home.tables / "reliability" / "bias_test.parquet").unlink()
    assert due(study).name == "validate"


def test_another_prompt_makes_recalibration_due_again(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, DIFFERENT, DIFFERENT)
    validate(study, instance)
    vote_on(study, 2)
    start_recalibration(study, recalibration_plan(study).again, "ann")
    validate(study, instance)
    with pytest.raises(UserError, match="No query of low kappa is left that was not judged under 'recalibrated_v2'"):
        recalibration_plan(study)
    recalibration = study.reliability.recalibration.model_copy(update={"prompt_version": "v3"})
    study.reliability_section = study.reliability.model_copy(update={"recalibration": recalibration})
    assert (facts(study).recalibrated, facts(study).n_low) == (False, 10)
    assert due(study).name == "recalibrate"


def test_nobody_to_ask_and_half_of_the_judges_are_refused_before_anything_is_recorded(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = relevance_study(tmp_path, DIFFERENT)
    validate(study, instance)
    vote_on(study, 2)
    with pytest.raises(UserError, match="cannot ask the judges again"):
        recalibration_plan(study)
    other = relevance_study(tmp_path, DIFFERENT, DIFFERENT)
    recalibration = other.reliability.recalibration
    half = recalibration.model_copy(update={"judges": {"judge1": recalibration.judges["judge1"]}})
    study.reliability_section = other.reliability.model_copy(update={"recalibration": half})
    with pytest.raises(UserError, match="No judge is named that could judge again for judge2"):
        recalibration_plan(study)
    assert study.validations.actions().empty


@pytest.mark.parametrize(
    ("n", "share", "n_held_out"), [(10, 0.5, 5), (7, 0.5, 3), (1, 0.9, 0), (10, 0.3, 3), (5, 0, 0)]
)
def test_the_share_held_out_is_rounded_down_so_that_a_query_is_left_to_read(
    n: int, share: float, n_held_out: int
) -> None:
    queries = [f"q{number}" for number in range(n)]
    found = held_out(queries, share, 7)
    assert len(found) == n_held_out
    assert found <= set(queries)


def test_which_queries_are_held_out_depends_on_the_seed_and_not_on_their_order() -> None:
    queries = [f"q{number}" for number in range(40)]
    assert held_out(queries, 0.5, 7) == held_out(queries[::-1], 0.5, 7)
    assert held_out(queries, 0.5, 7) != held_out(queries, 0.5, 8)


def test_what_lies_in_the_home_is_what_the_run_made(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, [AGREED, OPPOSED])
    validate(study, instance)
    tables = stored_tables(study)
    assert tables is not None
    pd.testing.assert_frame_equal(tables.query_kappa, stored(study, "query_kappa"))
