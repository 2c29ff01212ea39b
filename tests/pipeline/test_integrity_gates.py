"""For each integrity gate: from bad data nothing downstream is made, at once, by the rule later, or by hand."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets.shared.gate import Kind
from pipeline.definitions import definitions_of
from pipeline.gate_list import downstream_of, gates, whole_graph
from pipeline.runs import QUIET
from resources.study import Study
from tests.pipeline.gate_form import tells_all_four
from tests.pipeline.spoiled_studies import SPOILED, Spoiled
from tests.small_study import errors

pytestmark = pytest.mark.slow
Made = dict[str, int]  # table to the storage id of its newest materialization


@cache
def below(table: str) -> set[str]:
    return {key.path[-1] for key in downstream_of(whole_graph(), dg.AssetKey(table))}


def made(study: Study, instance: dg.DagsterInstance) -> Made:
    keys = definitions_of(study).resolve_asset_graph().materializable_asset_keys
    records = {key.path[-1]: instance.fetch_materializations(key, limit=1).records for key in keys}
    return {name: found[0].storage_id for name, found in records.items() if found}


def newly(before: Made, after: Made) -> set[str]:
    return {name for name, place in after.items() if before.get(name) != place}


def run(one: Spoiled, instance: dg.DagsterInstance, *tables: str) -> dg.ExecuteInProcessResult:
    """The study's job, or these tables as a person launches them."""
    definitions = definitions_of(one.study)
    graph = definitions.resolve_asset_graph()
    job = definitions.resolve_implicit_global_asset_job_def() if tables else definitions.resolve_job_def(one.job)
    partitioned = not tables or any(graph.get(dg.AssetKey(name)).partitions_def for name in tables)
    return job.execute_in_process(
        run_config=QUIET,
        instance=instance,
        tags=one.tags if partitioned else {},
        asset_selection=[dg.AssetKey(name) for name in tables] or None,
        raise_on_error=False,
    )


def tick(one: Spoiled, instance: dg.DagsterInstance, cursor: Any) -> tuple[set[str], Any]:
    """What the refresh rule asks for."""
    definitions = definitions_of(one.study)
    result = dg.evaluate_automation_conditions(definitions, instance, cursor=cursor)
    keys = definitions.resolve_asset_graph().materializable_asset_keys
    return {key.path[-1] for key in keys if result.get_num_requested(key)}, result.cursor


def above(study: Study, *tables: str) -> list[str]:
    """These tables and those that they are made from."""
    graph = definitions_of(study).resolve_asset_graph()
    found, ahead = set(), [dg.AssetKey(table) for table in tables]
    while ahead:
        key = ahead.pop()
        if key in graph.materializable_asset_keys and key not in found:
            found.add(key)
            ahead += graph.get(key).parent_keys
    return [key.path[-1] for key in found]


def launches(study: Study, tables: Sequence[str]) -> list[list[str]]:
    """These tables in few launches: none of a launch is made from another of it, for that would only be skipped."""
    graph = definitions_of(study).resolve_asset_graph()
    made_from = {table: {key.path[-1] for key in graph.get(dg.AssetKey(table)).parent_keys} for table in tables}
    found: list[list[str]] = []
    for table in tables:
        for others in found:
            if not any(table in made_from[other] or other in made_from[table] for other in others):
                others.append(table)
                break
        else:
            found.append([table])
    return found


@pytest.mark.parametrize(("table", "gate"), SPOILED)
def test_from_bad_data_nothing_downstream_is_made(
    table: str, gate: str, tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    one = SPOILED[table, gate](tmp_path / "study")
    # A launch by hand must find all that it is made from, or it would fail for want of that.
    first = above(one.study, table, *one.by_hand, *one.follows)
    assert run(one, instance, *first).success, "the study is good at first"
    before = made(one.study, instance)
    assert table in before
    _, cursor = tick(one, instance, None)
    one.spoil()
    with one.meanwhile():
        result = run(one, instance)
    failed = [check for check in result.get_asset_check_evaluations() if not check.passed and check.blocking]
    assert {(check.asset_key.path[-1], check.check_name) for check in failed} == {(table, gate)}
    for check in failed:
        tells_all_four(check)
    after = made(one.study, instance)
    assert table in newly(before, after)
    assert not newly(before, after) & below(table)
    for _ in range(2):
        asked, cursor = tick(one, instance, cursor)
        assert not asked & below(table)
    for names in launches(one.study, one.by_hand):
        said = errors(run(one, instance, *names))
        assert set(said) == set(names)
        for name in names:
            assert all((check.description or "nothing") in said[name] for check in failed), name
    assert made(one.study, instance) == after
    # Once the data are good, the same launch or the same rule goes on: it was the gate that held them back.
    one.mend()
    run(one, instance, *above(one.study, table))
    asked, _ = tick(one, instance, cursor)
    assert asked >= set(one.follows)
    for name in one.by_hand[:1]:
        assert run(one, instance, name).success
        assert name in newly(after, made(one.study, instance))
    one.study.engine.dispose()


def test_every_integrity_gate_has_such_a_proof() -> None:
    assert set(SPOILED) == {(one.table, one.name) for one in gates() if one.kind == Kind.INTEGRITY}
