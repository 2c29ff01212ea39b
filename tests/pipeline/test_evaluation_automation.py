"""Data sets that are new, changed, bad, removed or back, tick by tick: which runs are asked for, and which again."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.shared.partitions import DATASETS
from pipeline.asked_runs import RUN_KEY, today
from pipeline.definitions import definitions_of
from pipeline.evaluation_automation import QUIET_S, new_datasets
from pipeline.runs import QUIET
from resources.configuration.evaluation import Dataset, EvaluationGates
from resources.study import Study
from tests.pipeline.ticks import take_effect
from tests.small_datasets import evaluate, stored, study_over, write_scores
from tests.small_study import without_drawing

pytestmark = pytest.mark.slow


def tick(study: Study, instance: dg.DagsterInstance, cursor: str | None = None) -> dg.SensorResult:
    context = dg.build_sensor_context(
        instance=instance, definitions=definitions_of(study), resources={"study": study}, cursor=cursor
    )
    result = new_datasets(context)
    assert isinstance(result, dg.SensorResult)
    return result


def settled(path: Path) -> None:
    """As if the file had been written a while ago."""
    past = time.time() - 10 * QUIET_S
    os.utime(path, (past, past))


def test_a_dropped_file_becomes_a_partition_and_a_run(tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    study = study_over(tmp_path, {}, inbox=tmp_path / "inbox")
    with dg.DagsterInstance.ephemeral() as instance:
        assert not tick(study, instance).run_requests
        dropped = write_scores(tmp_path / "inbox" / "dropped.csv")
        assert not tick(study, instance).run_requests, "a file that may still grow is left alone"
        settled(dropped)
        result = tick(study, instance)
        [request] = result.run_requests or []
        assert (request.job_name, request.partition_key) == ("evaluation", "dropped")
        [add] = result.dynamic_partitions_requests or []
        assert list(add.partition_keys) == ["dropped"]
        for event in result.asset_events:
            instance.report_runless_asset_event(event)
        assert evaluate(study, instance).succeeded
        assert not tick(study, instance).run_requests
        settled(write_scores(dropped, [0.8, 0.2, 0.3, 0.5, 0.4, 0.6, 0.7, 0.1]))
        again = tick(study, instance)
        assert [one.partition_key for one in again.run_requests or []] == ["dropped"]


def test_when_data_sets_are_made_the_tables_over_all_of_them_follow(tmp_path: Path) -> None:
    study = study_over(tmp_path, {"pictures": Dataset(file=write_scores(tmp_path / "scores.csv"))})
    settled(tmp_path / "scores.csv")
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(DATASETS.name or "", ["pictures"])
        job = definitions_of(study).resolve_job_def("evaluation")
        assert job.execute_in_process(instance=instance, partition_key="pictures").success
        result = tick(study, instance)
        assert [one.job_name for one in result.run_requests or []] == ["evaluation_overview"]


def test_a_bad_file_is_asked_for_once_and_does_not_keep_the_overview_waiting(tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    settled(write_scores(tmp_path / "inbox" / "good.csv"))
    bad = tmp_path / "inbox" / "bad.csv"
    bad.write_text("nothing,known\n1,2\n")
    settled(bad)
    study = study_over(tmp_path, {}, inbox=tmp_path / "inbox")
    with dg.DagsterInstance.ephemeral() as instance:
        first = tick(study, instance)
        assert {one.partition_key for one in first.run_requests or []} == {"good", "bad"}
        instance.add_dynamic_partitions(DATASETS.name or "", ["good", "bad"])
        job = definitions_of(study).resolve_job_def("evaluation")
        assert job.execute_in_process(instance=instance, partition_key="good").success
        second = tick(study, instance, first.cursor)
        assert [one.job_name for one in second.run_requests or []] == ["evaluation_overview"]
        bad.unlink()
        third = tick(study, instance, first.cursor)
        [removed] = third.dynamic_partitions_requests or []
        assert list(removed.partition_keys) == ["bad"]
        assert [one.job_name for one in third.run_requests or []] == ["evaluation_overview"]


class Inbox:
    """The sensor as the daemon drives it over an inbox: what a tick says is done, its cursor comes back."""

    def __init__(self, folder: Path, instance: dg.DagsterInstance) -> None:
        self.instance, self.folder, self.cursor = instance, folder / "inbox", ""
        self.folder.mkdir()
        self.study = study_over(folder, {}, inbox=self.folder)
        self.keys: list[str] = []

    def drop(self, name: str, content: bytes | None = None) -> Path:
        """A file that was written a while ago: good scores where nothing is said."""
        path = self.folder / name
        path.write_bytes(content) if content is not None else write_scores(path)
        settled(path)
        return path

    def asked(self) -> list[dg.RunRequest]:
        """The runs that one tick asks for."""
        found = tick(self.study, self.instance, self.cursor)
        self.cursor = found.cursor or ""
        take_effect(found, self.instance)
        requests = list(found.run_requests or [])
        self.keys += [one.run_key or "" for one in requests]
        assert len(set(self.keys)) == len(self.keys), "Dagster starts one run for a key ever"
        return requests

    def follow(self) -> list[tuple[str | None, str | None, bool]]:
        """The runs that one tick asks for, each with its end."""
        return [(one.job_name, one.partition_key, self.run(one)) for one in self.asked()]

    def run(self, request: dg.RunRequest) -> bool:
        job = definitions_of(self.study).resolve_job_def(request.job_name or "")
        ran = job.execute_in_process(
            run_config=QUIET,
            instance=self.instance,
            partition_key=request.partition_key,
            tags={RUN_KEY: request.run_key or ""},
            raise_on_error=False,
        )
        for event in ran.get_step_failure_events():
            print(event.step_key, event.step_failure_data.error)
        return ran.success

    def a_day_passes(self) -> None:
        """What was asked for today was asked for yesterday."""
        self.cursor = self.cursor.replace(str(today()), str(today() - timedelta(days=1)))

    @contextmanager
    def in_the_way_of(self, table: str) -> Iterator[None]:
        """While this lasts, the table cannot be written: a folder lies in its place."""
        place = Path(str(self.study.home.tables)) / "evaluation" / table
        place.unlink(missing_ok=True)
        (place / "in the way").mkdir(parents=True)
        yield
        shutil.rmtree(place)

    def summarised(self) -> set[str]:
        """The data sets in the summary."""
        return set(stored(self.study, "evaluation_summary")["dataset"])


ONE, ALL = "evaluation", "evaluation_overview"


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[Inbox]:
    with dg.DagsterInstance.ephemeral() as instance, without_drawing():
        yield Inbox(tmp_path, instance)


def test_a_data_set_that_was_away_comes_back_without_being_evaluated_again(inbox: Inbox) -> None:
    inbox.drop("stays.csv")
    content = inbox.drop("comes.csv").read_bytes()
    assert inbox.follow() == [(ONE, "comes", True), (ONE, "stays", True)]
    assert inbox.follow() == [(ALL, None, True)]
    assert inbox.follow() == []
    (inbox.folder / "comes.csv").unlink()
    assert inbox.follow() == [(ALL, None, True)]
    assert inbox.summarised() == {"stays"}
    inbox.drop("comes.csv", content)
    assert inbox.follow() == [(ALL, None, True)]
    assert inbox.summarised() >= {"comes", "stays"}
    assert inbox.follow() == []
    for name in ("comes.csv", "stays.csv"):
        (inbox.folder / name).unlink()
    assert inbox.follow() == [(ALL, None, True)]
    assert inbox.summarised() == set()
    assert inbox.follow() == []


def test_a_run_that_a_full_disk_ended_goes_on_the_next_day(inbox: Inbox) -> None:
    inbox.drop("pictures.csv")
    with inbox.in_the_way_of("correlation/pictures.parquet"):
        assert inbox.follow() == [(ONE, "pictures", False)]
        # The tables over all read the one that cannot be read.
        assert inbox.follow() == [(ALL, None, False)]
        assert inbox.follow() == []
    inbox.a_day_passes()
    assert inbox.follow() == [(ONE, "pictures", True)]
    with inbox.in_the_way_of("metric_comparison.parquet"):
        assert inbox.follow() == [(ALL, None, False)]
        assert inbox.follow() == []
    inbox.a_day_passes()
    assert inbox.follow() == [(ALL, None, True)]
    assert inbox.follow() == []


def test_a_removed_data_set_leaves_the_summary_whatever_else_happens(inbox: Inbox) -> None:
    for name in ("stays.csv", "goes.csv"):
        inbox.drop(name)
    assert len(inbox.follow()) == 2
    assert inbox.follow() == [(ALL, None, True)]
    (inbox.folder / "goes.csv").unlink()
    inbox.drop("bad.csv", b"nothing,known\n1,2\n")
    assert inbox.follow() == [(ONE, "bad", False)]
    assert inbox.follow() == [(ALL, None, True)]
    assert inbox.summarised() == {"stays"}


def test_an_overview_that_the_refresh_rule_made_is_not_asked_for_again(tmp_path: Path) -> None:
    study = study_over(tmp_path, {"one": Dataset(file=write_scores(tmp_path / "one.csv"))})
    settled(tmp_path / "one.csv")
    with dg.DagsterInstance.ephemeral() as instance:
        assert evaluate(study, instance).succeeded
        definitions = definitions_of(study)
        for job, table, partition in (
            ("evaluation", "correlation", "one"),
            ("evaluation_overview", "evaluation_summary", None),
            ("evaluation_overview", "evaluation_trust_verdict", None),
            ("evaluation_overview", "evaluation_report", None),
        ):
            made = definitions.resolve_job_def(job).execute_in_process(
                instance=instance, run_config=QUIET, partition_key=partition, asset_selection=[dg.AssetKey(table)]
            )
            assert made.success
        # `metric_comparison` is older than `correlation`, which it is not made from.
        assert not tick(study, instance).run_requests


def test_what_is_set_for_one_data_set_evaluates_that_one_again(tmp_path: Path) -> None:
    def study(**first: Any) -> Study:
        files = {name: write_scores(tmp_path / f"{name}.csv") for name in ("one", "two")}
        for file in files.values():
            settled(file)
        return study_over(tmp_path, {"one": Dataset(file=files["one"], **first), "two": Dataset(file=files["two"])})

    with dg.DagsterInstance.ephemeral() as instance, without_drawing():
        assert evaluate(study(), instance).succeeded
        assert not tick(study(), instance).run_requests
        changed = study(mapping="cubic", gates=EvaluationGates(min_srcc=0.5))
        first = tick(changed, instance)
        assert [one.partition_key for one in first.run_requests or []] == ["one"]
        assert not tick(changed, instance, first.cursor).run_requests, "asked for once"
        assert evaluate(changed, instance, "one").succeeded
        assert not tick(changed, instance).run_requests


def test_a_corrected_configuration_evaluates_what_failed_for_it_and_a_bad_file_is_tried_once(inbox: Inbox) -> None:
    inbox.drop("pictures.csv", b"sample_id,guess,mos\na,1,2\nb,2,3\nc,3,5\n")
    assert inbox.follow() == [(ONE, "pictures", False)]
    for _ in range(3):
        inbox.a_day_passes()
        assert inbox.follow() == []
    inbox.study = study_over(inbox.folder.parent, {}, inbox=inbox.folder, defaults=Dataset(prediction="guess"))
    assert inbox.follow() == [(ONE, "pictures", True)]
