"""Validations, steps and ground truth on SQLite and on Postgres: history stays, ground truth is replaced whole."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from resources.database.engine import open_engine
from resources.database.reliability.records import ValidationRecord
from resources.database.reliability.validation_store import ValidationStore
from resources.errors import UserError
from resources.tables.reliability.decision import GROUND_TRUTH, KAPPA_VALIDATION
from tests.made_queries import STUDY, stored, truth, validated


@pytest.fixture
def store(migrated_url: str) -> Iterator[ValidationStore]:
    """A study with two queries and no validation yet."""
    engine = open_engine(migrated_url)
    stored(engine)
    yield ValidationStore(engine, STUDY)
    engine.dispose()


def test_a_validation_comes_back_with_everything_that_was_measured(store: ValidationStore) -> None:
    number = validated(store)
    frame = store.validations()
    assert list(frame.columns) == [column.name for column in KAPPA_VALIDATION.columns]
    row = frame.iloc[0].to_dict()
    assert (row["id"], row["run"], row["status"], row["kappa_macro"]) == (number, "run1", "passed", 0.75)
    assert (row["kappa_macro_defined"], row["low_share"], row["n_undefined"]) == (0.71, 0.1, 3)
    assert np.isnan(row["kappa_macro_high"])
    assert json.loads(row["thresholds"]) == {"careful": 0.5, "hasty": 0.6}
    assert json.loads(row["contingency_actions"]) == [{"step": "disagreements", "n_queries": 24}]
    assert bool(row["not_proven"])
    assert not bool(row["depends_on_convention"])
    assert (datetime.now(UTC) - row["timestamp"]).total_seconds() < 60


def test_a_run_has_one_validation_and_the_first_stays(store: ValidationStore) -> None:
    number = validated(store)
    assert validated(store, kappa_macro=0.1, status="contingency_triggered") == number
    assert store.validations()["kappa_macro"].tolist() == [0.75]
    assert validated(store, run="run2") != number
    assert store.validations()["run"].tolist() == ["run1", "run2"]


def test_without_a_validation_the_history_is_an_empty_table(store: ValidationStore) -> None:
    assert store.validations().empty
    assert store.ground_truth_rows().empty
    assert store.actions().empty


def test_numbers_of_numpy_are_stored_as_numbers(store: ValidationStore) -> None:
    validated(store, kappa_macro=np.float64(0.5), measures={"n_documents": np.int64(7), "low_share": np.float64(0.25)})
    row = store.validations().iloc[0]
    assert (row["kappa_macro"], row["n_documents"], row["low_share"]) == (0.5, 7, 0.25)


def test_a_measure_that_is_no_number_is_refused_and_nothing_is_kept(store: ValidationStore) -> None:
    with pytest.raises((ValueError, sa.exc.StatementError), match="not JSON compliant|Out of range"):
        validated(store, measures={"low_share": float("nan")})
    assert store.validations().empty


def test_a_measure_that_is_missing_is_refused(store: ValidationStore) -> None:
    empty = ValidationRecord(
        run="r",
        status="passed",
        kappa_macro=1,
        kappa_micro=1,
        total_queries=1,
        not_proven=False,
        depends_on_convention=False,
        contingency_actions=[],
        notes="",
        measures={},
    )
    with pytest.raises(ValueError, match="lack .*'kappa_macro_defined'"):
        store.record_validation(empty)


def test_steps_are_listed_with_who_took_them(store: ValidationStore) -> None:
    first = store.take_action("thresholds_accepted", {"thresholds": {"hasty": np.float64(0.6)}}, " Ann ")
    second = store.take_action("manual_review_opened", {}, "Ben")
    frame = store.actions()
    assert frame["id"].tolist() == [first, second]
    assert frame["who"].tolist() == ["Ann", "Ben"]
    assert frame["details"].tolist() == [{"thresholds": {"hasty": 0.6}}, {}]


@pytest.mark.parametrize(
    ("action", "details"),
    [
        ("thresholds_accepted", {}),
        ("thresholds_accepted", {"thresholds": {}}),
        ("thresholds_accepted", {"thresholds": {"hasty": 1.2}}),
        ("recalibration_started", {"queries": ["q1"], "held_out": []}),
        ("recalibration_started", {"prompt_version": "v2", "queries": ["q1"], "held_out": ["q2"]}),
        ("manual_review_opened", {"queries": []}),
        ("gave_up", {}),
    ],
)
def test_details_that_do_not_fit_the_step_are_refused(
    store: ValidationStore, action: str, details: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match=r"takes|must lie in|held out|is no action"):
        store.take_action(action, details, "Ann")
    assert store.actions().empty


def test_a_step_that_nobody_takes_is_refused(store: ValidationStore) -> None:
    with pytest.raises(UserError, match="needs the name of who takes it. Nothing was changed"):
        store.take_action("manual_review_opened", {}, "  ")


def test_the_threshold_accepted_last_is_in_force_for_each_judge(store: ValidationStore) -> None:
    configured = {"careful": 0.5, "hasty": 0.5, "third": 0.4}
    assert store.thresholds_in_force(configured) == configured
    for thresholds in ({"hasty": 0.6, "gone": 0.9}, {"hasty": 0.65}, {"careful": 0.55}):
        store.take_action("thresholds_accepted", {"thresholds": thresholds}, "Ann")
    assert store.thresholds_in_force(configured) == {"careful": 0.55, "hasty": 0.65, "third": 0.4}


def test_steps_since_the_validation_before_are_those_of_the_next(store: ValidationStore) -> None:
    store.take_action("thresholds_accepted", {"thresholds": {"hasty": 0.6}}, "Ann")
    assert [step["step"] for step in store.actions_since_validation()] == ["thresholds_accepted"]
    validated(store)
    assert store.actions_since_validation() == []
    store.take_action("manual_review_opened", {}, "Ben")
    (step,) = store.actions_since_validation()
    assert (step["step"], step["who"]) == ("manual_review_opened", "Ben")


def test_ground_truth_is_replaced_whole(store: ValidationStore) -> None:
    number = validated(store)
    assert store.write_ground_truth([truth("q1", number), truth("q2", number)]) == 2
    decided = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    people = truth(
        "q2",
        number,
        human_override=True,
        n_by_people=1,
        override_reason="it says so",
        reviewer="Ann",
        decided_at=decided,
        kappa=None,
        expected_docs=(),
    )
    assert store.write_ground_truth([people]) == 1
    frame = store.ground_truth_rows()
    assert list(frame.columns) == [column.name for column in GROUND_TRUTH.columns]
    row = frame.iloc[0].to_dict()
    assert (row["query_id"], row["query"], row["n_documents"], row["n_by_people"]) == ("q2", "what is q2?", 2, 1)
    assert (row["expected_docs"], row["override_reason"], row["reviewer"]) == ([], "it says so", "Ann")
    assert row["decided_at"] == decided
    assert np.isnan(row["kappa"])
    assert row["validation"] == number
    assert store.ground_truth_scores() == {"q2": {"careful": [0.9, 0.1], "hasty": [0.8, 0.3]}}


def test_ground_truth_is_refused_while_the_judges_do_not_agree(store: ValidationStore) -> None:
    passed = validated(store)
    store.write_ground_truth([truth("q1", passed)])
    failed = validated(store, run="run2", status="contingency_triggered")
    with pytest.raises(UserError, match="is contingency_triggered: ground truth is written after passed or"):
        store.write_ground_truth([truth("q2", failed)])
    assert store.ground_truth_rows()["query_id"].tolist() == ["q1"]


@pytest.mark.parametrize("queries", [("q1", "q1"), ("q1", "q9")])
def test_ground_truth_of_a_query_twice_or_of_another_study_is_refused(
    store: ValidationStore, queries: tuple[str, str]
) -> None:
    number = validated(store)
    store.write_ground_truth([truth("q2", number)])
    with pytest.raises(ValueError, match="twice|not of study"):
        store.write_ground_truth([truth(query, number) for query in queries])
    assert store.ground_truth_rows()["query_id"].tolist() == ["q2"]


def test_a_validation_of_another_study_allows_nothing(store: ValidationStore) -> None:
    number = validated(ValidationStore(store.engine, "boots"))
    with pytest.raises(ValueError, match="is not of study 'shoes'"):
        store.write_ground_truth([truth("q1", number)])
    assert store.validations().empty


@pytest.mark.parametrize(
    "change",
    [
        {"n_documents": 3},
        {"scores": {}},
        {"n_by_people": 1},
        {"override_reason": "x" * 201},
        {"decided_at": datetime(2026, 3, 1)},  # noqa: DTZ001
    ],
)
def test_ground_truth_that_contradicts_itself_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="query 'q1'"):
        truth("q1", 1, **change)
