"""Schedules: off until they are switched on, one run a tick, and what they say of their cost."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.shared.partitions import DATASETS
from pipeline.automation import all_methods, all_settings, partitions_between
from pipeline.definitions import definitions_of, touchstone
from pipeline.runs import QUIET
from pipeline.schedules import anchor_calls, most_it_costs
from resources.configuration.evaluation import Dataset
from resources.configuration.fidelity import LocalJudge
from resources.configuration.openai_judge import OpenAIJudge
from resources.study import Study
from tests.pipeline.watch import quiet
from tests.small_datasets import stored, study_over, write_scores
from tests.small_study import changed, write_study
from tests.text_study import text_study, write_texts

NIGHTLY = {
    "nightly_reliability": ("reliability", "0 1 * * *"),
    "nightly_pairwise": ("pairwise", "0 2 * * *"),
    "nightly_fidelity": ("fidelity", "0 3 * * *"),
    "nightly_evaluation": ("evaluation", "0 4 * * *"),
}


@pytest.fixture(scope="module")
def schedules() -> dict[str, dg.ScheduleDefinition]:
    """Those of the built-in study, by name."""
    found = [one for one in touchstone().schedules or [] if isinstance(one, dg.ScheduleDefinition)]
    return {one.name: one for one in found}


def requests(schedule: dg.ScheduleDefinition, instance: dg.DagsterInstance) -> list[dg.RunRequest]:
    return list(schedule.evaluate_tick(dg.build_schedule_context(instance)).run_requests or [])


def test_every_study_has_a_nightly_refresh_that_is_off_and_says_its_hour_and_cost(
    schedules: dict[str, dg.ScheduleDefinition],
) -> None:
    assert schedules.keys() == NIGHTLY.keys() | {"weekly_anchor"}
    for name, (job, cron) in NIGHTLY.items():
        one = schedules[name]
        assert (one.job_name, one.cron_schedule) == (job, cron)
        assert (one.description or "").startswith(f"Every night at {cron[2:3]:0>2}:00 UTC, once switched on: ")
        assert any(word in (one.description or "") for word in ("costs nothing", "free of charge"))
    assert {one.default_status for one in schedules.values()} == {dg.DefaultScheduleStatus.STOPPED}


def test_a_night_is_one_run_over_all_settings_or_methods(
    schedules: dict[str, dg.ScheduleDefinition], instance: dg.DagsterInstance
) -> None:
    [settings] = requests(schedules["nightly_fidelity"], instance)
    [methods] = requests(schedules["nightly_pairwise"], instance)
    [whole] = requests(schedules["nightly_reliability"], instance)
    assert settings.tags.items() >= all_settings().items()
    assert methods.tags.items() >= all_methods().items()
    assert whole.run_key is None


def test_a_schedule_is_there_only_for_what_is_configured(tmp_path: Path) -> None:
    assert [one.name for one in definitions_of(study_over(tmp_path, {})).schedules or []] == ["nightly_evaluation"]


def nightly_runs(study: Study, instance: dg.DagsterInstance) -> list[dict[str, str]]:
    """The tags of the runs that the nightly refresh asks for on one night; each has a key of that night."""
    night = definitions_of(study).resolve_schedule_def("nightly_evaluation")
    at = datetime(2026, 11, 28, 4, tzinfo=UTC)
    asked = night.evaluate_tick(dg.build_schedule_context(instance, scheduled_execution_time=at)).run_requests or []
    assert len({one.run_key for one in asked if "2026-11-28" in (one.run_key or "")}) == len(asked)
    return [{name: tag for name, tag in one.tags.items() if "partition_range" in name} for one in asked]


@pytest.mark.slow
def test_the_night_evaluates_unchanged_data_sets_in_one_run_and_leaves_changed_ones_to_their_sensor(
    tmp_path: Path, sqlite_instance: dg.DagsterInstance
) -> None:
    files = {name: write_scores(tmp_path / f"{name}.csv") for name in ("ann", "ben", "cid")}
    quiet(tmp_path)
    study = study_over(tmp_path, {name: Dataset(file=file) for name, file in files.items()})
    sqlite_instance.add_dynamic_partitions(DATASETS.name or "", list(files))
    assert nightly_runs(study, sqlite_instance) == []
    # The very tags that the schedule asks for afterwards make them all.
    whole = partitions_between("ann", "cid")
    job = definitions_of(study).resolve_job_def("evaluation")
    assert job.execute_in_process(run_config=QUIET, instance=sqlite_instance, tags=whole).success
    assert all(len(stored(study, "correlation", name)) for name in files)
    assert nightly_runs(study, sqlite_instance) == [whole]
    write_scores(files["ben"], [0.8, 0.2, 0.3, 0.5, 0.4, 0.6, 0.7, 0.1])
    quiet(tmp_path)
    assert nightly_runs(study, sqlite_instance) == [partitions_between("ann", "ann"), partitions_between("cid", "cid")]


PRICE = {"input": 1, "output": 4}
WEEKLY_CASES: list[tuple[dict[str, Any], str]] = [
    ({"kind": "local"}, "Judge local: at most 50 calls (10 objects, 5 repeats), free of charge."),
    (
        {"kind": "openai", "price": {"input": 0, "output": 0}},
        "Judge openai: at most 50 calls (10 objects, 5 repeats), free of charge.",
    ),
    (
        {"kind": "openai"},
        "Judge openai: at most 50 calls (10 objects, 5 repeats). It makes none of them until "
        "auto_budget_usd_per_day is set: the judge may cost money.",
    ),
    (
        {"kind": "openai", "auto_budget_usd_per_day": 2.5},
        "Judge openai: at most 50 calls (10 objects, 5 repeats). It stops where the study has spent 2.5 USD that day.",
    ),
]


@pytest.mark.parametrize(("judge", "said"), WEEKLY_CASES)
def test_the_weekly_watch_says_what_it_asks_and_costs(
    tmp_path: Path, judge: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    watch = definitions_of(changed(write_study(tmp_path), judge=judge)).resolve_schedule_def("weekly_anchor")
    assert (watch.description or "").endswith(f"for drift. {said}")
    assert watch.default_status == dg.DefaultScheduleStatus.STOPPED
    assert (watch.job_name, watch.cron_schedule) == ("watch_drift", "0 4 * * 1")


def test_the_weekly_watch_of_a_judge_with_a_price_says_about_how_many_dollars(tmp_path: Path) -> None:
    judge = {"kind": "openai", "model": "m", "price": PRICE, "auto_budget_usd_per_day": 2.5, "max_output_tokens": 1000}
    watch = definitions_of(changed(write_study(tmp_path), judge=judge)).resolve_schedule_def("weekly_anchor")
    said = (watch.description or "").partition("With 5 photos an object about ")[2]
    about, most = float(said.split()[0]), float(said.partition("at most ")[2].split()[0])
    # Written at most: 50 calls of 1,000 tokens at 4 USD a million are 0.20 USD; what is read comes on top.
    assert 0 < about < most
    assert most > 0.20
    assert said.endswith("It stops where the study has spent 2.5 USD that day.")


def test_the_weekly_watch_of_a_judge_of_texts_says_it_too(tmp_path: Path) -> None:
    write_texts(tmp_path)
    study = text_study(tmp_path, "http://127.0.0.1:1/v1").fidelity
    judge = study.judge.model_copy(update={"auto_budget_usd_per_day": 2.5})
    assert "about 0." in anchor_calls(study.model_copy(update={"judge": judge}))


@pytest.mark.parametrize(
    ("judges", "said"),
    [
        ([], "It asks no judge and costs nothing."),
        ([LocalJudge()], "Its judges are free of charge."),
        ([OpenAIJudge(kind="openai", model="m", price={"input": 0, "output": 0})], "Its judges are free of charge."),
        (
            [
                OpenAIJudge(kind="openai", model="m", price=PRICE),
                OpenAIJudge(kind="openai", model="m", price=PRICE, auto_budget_usd_per_day=1),
            ],
            "It costs at most 0 USD: the judge may cost money, and until auto_budget_usd_per_day is set, a night with "
            "calls to make stops before the first of them.",
        ),
        (
            [
                OpenAIJudge(kind="openai", model="m", price=PRICE, auto_budget_usd_per_day=1.5),
                OpenAIJudge(kind="openai", model="n", price=PRICE, auto_budget_usd_per_day=1),
            ],
            "It costs at most 1.5 USD a night: it stops where the study has spent that much that day.",
        ),
    ],
)
def test_a_night_says_what_it_costs_at_most(judges: list[Any], said: str) -> None:
    assert most_it_costs(judges) == said


def test_the_nights_of_studies_that_ask_name_their_own_judges(tmp_path: Path) -> None:
    paid = changed(
        write_study(tmp_path), judge=OpenAIJudge(kind="openai", model="m", price=PRICE, auto_budget_usd_per_day=3)
    )
    night = definitions_of(paid).resolve_schedule_def("nightly_fidelity")
    assert "It costs at most 3 USD a night" in (night.description or "")
