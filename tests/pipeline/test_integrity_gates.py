"""For each integrity gate: from bad data nothing downstream is made, at once, by the rule later, or by hand."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.shared.gate import Kind
from pipeline.definitions import definitions_of
from pipeline.gate_list import downstream_of, gates, whole_graph
from pipeline.runs import QUIET
from pipeline.staleness import latest, made_otherwise
from resources.tables.all_tables import BY_GROUP
from tests.pipeline.gate_form import tells_all_four
from tests.pipeline.spoiled_studies import SPOILED, WRITTEN, Spoiled
from tests.small_series import without_weights
from tests.small_study import errors, sqlite_instance_in

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("weightless")]
Made = dict[str, int]  # table to the storage id of its newest materialization


@cache
def below(table: str) -> set[str]:
    return {key.path[-1] for key in downstream_of(whole_graph(), dg.AssetKey(table))}


def newly(before: Made, after: Made) -> set[str]:
    return {name for name, place in after.items() if before.get(name) != place}


class Loaded:
    """A study as a code location that is loaded now has it, and what was made of it so far."""

    def __init__(self, one: Spoiled, instance: dg.DagsterInstance) -> None:
        self.one, self.instance = one, instance
        self.definitions = definitions_of(one.study)
        self.graph = self.definitions.resolve_asset_graph()

    def made(self) -> Made:
        return {key.path[-1]: found.storage_id for key, found in self.records().items()}

    def records(self) -> dict[dg.AssetKey, dg.EventLogRecord]:
        return latest(self.instance, self.graph.materializable_asset_keys)

    def job(self, around: str) -> dg.ExecuteInProcessResult:
        """The study's job without the tables that this one is neither made from nor read by."""
        job = self.definitions.resolve_job_def(self.one.job)
        kept = {*self.above(around), *below(around), *(key.path[-1] for key in self.graph.observable_asset_keys)}
        keys = job.asset_layer.selected_asset_keys
        return self._run(job, [key for key in keys if key.path[-1] in kept], self.one.tags)

    def launch(self, *tables: str) -> dg.ExecuteInProcessResult:
        """These tables as a person launches them."""
        keys = [dg.AssetKey(name) for name in tables]
        partitioned = any(self.graph.get(key).partitions_def for key in keys)
        job = self.definitions.resolve_implicit_global_asset_job_def()
        return self._run(job, keys, self.one.tags if partitioned else {})

    def _run(
        self, job: dg.JobDefinition, keys: Sequence[dg.AssetKey], tags: Mapping[str, str]
    ) -> dg.ExecuteInProcessResult:
        return job.execute_in_process(
            run_config=QUIET, instance=self.instance, tags=tags, asset_selection=keys, raise_on_error=False
        )

    def tick(self, cursor: Any) -> tuple[set[str], Any]:
        """What the refresh rule asks for."""
        result = dg.evaluate_automation_conditions(self.definitions, self.instance, cursor=cursor)
        keys = self.graph.materializable_asset_keys
        return {key.path[-1] for key in keys if result.get_num_requested(key)}, result.cursor

    def above(self, *tables: str) -> list[str]:
        """These tables and those that they are made from."""
        found, ahead = set(), [dg.AssetKey(table) for table in tables]
        while ahead:
            key = ahead.pop()
            if key in self.graph.materializable_asset_keys and key not in found:
                found.add(key)
                ahead += self.graph.get(key).parent_keys
        return [key.path[-1] for key in found]

    def to_make(self, table: str) -> list[str]:
        """What lacks for launches by hand, and whatever the table is made from where that was made by another plan.

        A launch by hand must find all that it is made from, or it would fail for want of that.
        """
        records = self.records()
        made, other = self.made(), {key.path[-1] for key in made_otherwise(self.graph, records)}
        wanted = [name for name in self.above(table, *self.one.by_hand, *self.one.follows) if name not in made]
        again = self.above(table)
        return wanted + [name for name in again if name in made] if other & {*again} else wanted

    def launches(self, tables: Sequence[str]) -> list[list[str]]:
        """These tables in few launches: none of a launch is made from another of it, for that would only be skipped."""
        made_from = {
            table: {key.path[-1] for key in self.graph.get(dg.AssetKey(table)).parent_keys} for table in tables
        }
        found: list[list[str]] = []
        for table in tables:
            for others in found:
                if not any(table in made_from[other] or other in made_from[table] for other in others):
                    others.append(table)
                    break
            else:
                found.append([table])
        return found


@pytest.fixture(scope="module")
def weightless() -> Iterator[None]:
    """No model has weights: gates are the same without."""
    with without_weights():
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a study of this job as it was when all its tables had been made, once for all tests.

    Tables name files by their address: each test works at the same one, on a copy of what was there.
    """
    base = tmp_path_factory.mktemp("studies")

    def as_made(job: str) -> Path:
        folder, kept = base / job, base / f"{job}.kept"
        shutil.rmtree(folder, ignore_errors=True)
        if job not in WRITTEN:
            return folder
        if not kept.exists():
            write, tags = WRITTEN[job]
            one = Spoiled(write(folder), job, tags)
            with sqlite_instance_in(folder / "dagster") as instance:
                everything = definitions_of(one.study).resolve_job_def(job)
                assert everything.execute_in_process(run_config=QUIET, instance=instance, tags=tags).success
            one.study.engine.dispose()
            folder.rename(kept)
        shutil.copytree(kept, folder)
        return folder

    return as_made


@pytest.mark.parametrize(("table", "gate"), SPOILED)
def test_from_bad_data_nothing_downstream_is_made(table: str, gate: str, place: Callable[[str], Path]) -> None:
    [group] = [group for group, tables in BY_GROUP.items() if table in tables]
    folder = place(group)
    one = SPOILED[table, gate](folder)
    with sqlite_instance_in(folder / "dagster") as instance:
        is_held_back(one, table, gate, instance)
    one.study.engine.dispose()


def is_held_back(one: Spoiled, table: str, gate: str, instance: dg.DagsterInstance) -> None:
    good = Loaded(one, instance)
    if first := good.to_make(table):
        assert good.launch(*first).success, "the study is good at first"
    before = good.made()
    assert {*good.above(table, *one.by_hand, *one.follows)} <= before.keys()
    _, cursor = good.tick(None)
    one.spoil()
    with one.meanwhile():
        result = Loaded(one, instance).job(table)
    failed = [check for check in result.get_asset_check_evaluations() if not check.passed and check.blocking]
    assert {(check.asset_key.path[-1], check.check_name) for check in failed} == {(table, gate)}
    for check in failed:
        tells_all_four(check)
    bad = Loaded(one, instance)
    after = bad.made()
    assert table in newly(before, after)
    assert not newly(before, after) & below(table)
    for _ in range(2):
        asked, cursor = bad.tick(cursor)
        assert not asked & below(table)
    for names in bad.launches(one.by_hand):
        said = errors(bad.launch(*names))
        assert set(said) == set(names)
        for name in names:
            assert all((check.description or "nothing") in said[name] for check in failed), name
    assert bad.made() == after
    # Once the data are good, the same launch or the same rule goes on: it was the gate that held them back.
    one.mend()
    fixed = Loaded(one, instance)
    assert fixed.launch(*fixed.above(table)).success
    asked, _ = fixed.tick(cursor)
    assert asked >= set(one.follows)
    for name in one.by_hand[:1]:
        assert fixed.launch(name).success
        assert name in newly(after, fixed.made())


def test_every_integrity_gate_has_such_a_proof() -> None:
    assert set(SPOILED) == {(one.table, one.name) for one in gates() if one.kind == Kind.INTEGRITY}
