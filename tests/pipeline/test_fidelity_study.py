"""The whole study through Dagster on SQLite: in one run over all settings, and in one run for each."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import dagster as dg
import pandas as pd
import pyarrow.parquet as pq
import pytest

from pipeline.definitions import definitions_of
from resources.study import Study
from resources.tables.parquet import checked
from tests.small_study import (
    KEYS,
    OBJECTS,
    TABLES,
    UNPARTITIONED,
    errors,
    ledger_rows,
    made,
    partitioned,
    run,
    run_one,
    sqlite_instance_in,
    stored,
    stored_path,
    study_calls,
    without_drawing,
    write_study,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pages")]

ONE_BY_ONE = [KEYS[3], KEYS[0], KEYS[-1]]
# What such a run makes of its own setting, and of all settings that are there.
OF_ONE = ["human_scores", "study_objects", *partitioned(), "setting_summary"]
# What no two runs have in common: when a call was made, and how long it took.
OF_THE_MOMENT = ["started_at", "latency_ms"]


class Ran(NamedTuple):
    study: Study
    instance: dg.DagsterInstance
    results: list[dg.ExecuteInProcessResult]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """All settings in one run."""
    folder = tmp_path_factory.mktemp("whole")
    study = write_study(folder)
    with sqlite_instance_in(folder / "dagster") as instance:
        with without_drawing():
            result = run(study, instance)
        yield Ran(study, instance, [result])


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """Some settings, each in a run of its own, in another order than the configuration's; the last one with plots."""
    study = write_study(tmp_path_factory.mktemp("one_by_one"))
    with dg.DagsterInstance.ephemeral() as instance:
        with without_drawing():
            results = [run_one(study, instance, key, OF_ONE) for key in ONE_BY_ONE[:-1]]
        yield Ran(study, instance, [*results, run_one(study, instance, ONE_BY_ONE[-1], OF_ONE)])


def metadata_of(ran: Ran, table: str, setting: str | None = None) -> dict[str, dg.MetadataValue]:
    wanted = dg.AssetRecordsFilter(dg.AssetKey(table), asset_partitions=None if setting is None else [setting])
    [record] = ran.instance.fetch_materializations(wanted, limit=1).records
    assert record.asset_materialization is not None
    return dict(record.asset_materialization.metadata)


def test_one_run_makes_every_table(whole: Ran) -> None:
    assert not errors(whole.results[0])
    assert made(whole.results[0]) == set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_every_stored_table_keeps_to_its_declaration(whole: Ran, name: str) -> None:
    for key in [None] if name in UNPARTITIONED else KEYS:
        frame = stored(whole.study, name, key)
        assert len(frame), key
        assert len(checked(TABLES[name], frame)) == len(frame)
        schema = pq.read_schema(stored_path(whole.study, name, key))
        declared = {column.name: column for column in TABLES[name].columns if not column.pattern}
        for field in schema:
            if field.name in declared:
                assert field.metadata[b"unit"].decode() == declared[field.name].unit


@pytest.mark.parametrize("name", TABLES)
def test_every_table_shows_its_rows_its_columns_and_its_place_in_the_ui(whole: Ran, name: str) -> None:
    key = None if name in UNPARTITIONED else KEYS[1]
    metadata = metadata_of(whole, name, key)
    assert metadata["dagster/row_count"].value == len(stored(whole.study, name, key))
    assert metadata["path"].value == str(stored_path(whole.study, name, key))
    spec = next(spec for spec in definitions_of(whole.study).resolve_all_asset_specs() if spec.key.path[-1] == name)
    shown = spec.metadata["dagster/column_schema"]
    assert isinstance(shown, dg.TableSchema)
    assert [column.name for column in shown.columns] == [column.name for column in TABLES[name].columns]


@pytest.mark.parametrize(
    "name",
    [
        "human_scores",
        "study_objects",
        "score_matrix",
        "stability",
        "convergence_summary",
        "matched_scores",
        "human_agreement",
        "setting_summary",
    ],
)
def test_tables_that_one_would_rather_look_at_have_a_plot(one_by_one: Ran, name: str) -> None:
    plot = metadata_of(one_by_one, name, None if name in UNPARTITIONED else ONE_BY_ONE[-1])["plot"].value
    assert str(plot).startswith("![plot](data:image/webp;base64,UklGR")


def test_headline_numbers_are_each_settings_own(whole: Ran) -> None:
    assert metadata_of(whole, "icc_by_setting", KEYS[0])["icc_1k"].value == 1
    found = metadata_of(whole, "icc_by_setting", KEYS[1])
    # Four digits of it.
    assert found["icc_1k"].value == pytest.approx(
        stored(whole.study, "icc_by_setting", KEYS[1])["icc_1k"].iloc[0], abs=5e-5
    )
    assert found["icc_1k"].value != 1


def test_every_call_is_in_the_ledger_once(whole: Ran) -> None:
    rows = study_calls(whole.study)
    assert len(rows) == len(OBJECTS) * len(KEYS) * 5
    assert not rows.duplicated(["setting", "object", "repeat"]).any()
    assert rows["dagster_run_id"].unique().tolist() == [whole.results[0].run_id]


def test_calls_of_all_settings_are_interleaved(whole: Ran) -> None:
    # 600 calls in random order: a tenth of them holds all ten settings unless 60 draws miss one (chance 10 x 0.9^60).
    assert set(ledger_rows(whole.study)["setting"].head(60)) == set(KEYS)


def test_the_summary_has_a_row_for_every_setting_in_the_configurations_order(whole: Ran) -> None:
    summary = stored(whole.study, "setting_summary")
    assert summary["setting"].tolist() == KEYS
    assert summary["n_objects"].unique().tolist() == [12]
    assert summary["n_evaluations"].unique().tolist() == [60]
    assert summary["baseline"].tolist() == [True] + [False] * 9


def test_every_gate_has_a_result_for_every_setting(whole: Ran) -> None:
    graph = definitions_of(whole.study).resolve_asset_graph()
    seen: dict[str, set[str | None]] = {}
    for check in whole.results[0].get_asset_check_evaluations():
        seen.setdefault(check.check_name, set()).add(check.partition)
    checks = [key for key in graph.asset_check_keys if key.asset_key.path[-1] in TABLES]
    assert set(seen) == {key.name for key in checks}
    for key in checks:
        expected = {None, *KEYS} if graph.get_check_spec(key).partitions_def else {None}
        assert seen[key.name] == expected, key.name


@pytest.mark.parametrize("key", ONE_BY_ONE)
@pytest.mark.parametrize("name", partitioned())
def test_a_run_for_one_setting_makes_the_same_table(whole: Ran, one_by_one: Ran, name: str, key: str) -> None:
    together, alone = stored(whole.study, name, key), stored(one_by_one.study, name, key)
    if name == "judge_calls":
        together, alone = together.drop(columns=OF_THE_MOMENT), alone.drop(columns=OF_THE_MOMENT)
    pd.testing.assert_frame_equal(together, alone, check_exact=True)


def test_the_summary_of_single_runs_has_the_same_rows(whole: Ran, one_by_one: Ran) -> None:
    together = stored(whole.study, "setting_summary").set_index("setting")
    alone = stored(one_by_one.study, "setting_summary").set_index("setting")
    assert alone.index.tolist() == [key for key in KEYS if key in ONE_BY_ONE]
    # The spread of scores is divided over the settings that were made, of which these runs have others.
    over_all = [name for name in alone if name.startswith("variance_")]
    together, alone = together.drop(columns=over_all), alone.drop(columns=over_all)
    pd.testing.assert_frame_equal(together.loc[alone.index], alone, check_exact=True)


def test_a_run_for_one_setting_makes_that_setting_only(one_by_one: Ran) -> None:
    assert [errors(result) for result in one_by_one.results] == [{}] * len(ONE_BY_ONE)
    for name in partitioned():
        folder = stored_path(one_by_one.study, name, KEYS[0]).parent
        assert {path.stem for path in folder.iterdir()} == set(ONE_BY_ONE)


def test_checks_of_a_run_for_one_setting_carry_the_setting(one_by_one: Ran) -> None:
    for key, result in zip(ONE_BY_ONE, one_by_one.results, strict=True):
        partitions = {check.check_name: check.partition for check in result.get_asset_check_evaluations()}
        assert partitions["enough_repeats"] == partitions["repeatable"] == partitions["close_to_people"] == key
        assert partitions["images_are_there"] is None


def test_the_home_and_the_tables_are_where_they_were_asked_for(whole: Ran) -> None:
    assert Path(whole.study.home.local, "touchstone.db").is_file()
    assert not list(Path(whole.study.home.tables.path).rglob("*.partial"))
