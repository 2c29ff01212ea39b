"""What the UI says of every asset, check, job, schedule and sensor of the four studies before anything runs."""

import re
from pathlib import Path

import dagster as dg
import pytest

from pipeline.definitions import ASKS_JUDGE, STUDIES, definitions_of, touchstone
from resources.configuration.openai_judge import OpenAIJudge
from resources.runtime.dagster_tags import study_of_group
from resources.tables.all_tables import BY_GROUP, TABLES
from resources.tables.column_schema import COPIED
from tests.small_study import changed, write_study

PARTS = ("inputs", "judging", "repeatability", "people", "agreement", "sensitivity", "verdict")

SCHEMA, LINEAGE = "dagster/column_schema", "dagster/column_lineage"


@pytest.fixture(scope="module")
def definitions() -> dg.Definitions:
    return touchstone()


@pytest.fixture(scope="module")
def specs(definitions: dg.Definitions) -> dict[str, dg.AssetSpec]:
    return {spec.key.path[-1]: spec for spec in definitions.resolve_all_asset_specs()}


def is_sentence(text: str | None) -> bool:
    """A line that begins like a sentence, ends like one, and has the length of one."""
    first = (text or "").split("\n")[0]
    return len(first) > 20 and (first[0].isupper() or first[0] == "`") and first[-1] in ".?:"


def test_every_asset_and_input_has_a_group_an_owner_kinds_and_a_sentence(specs: dict[str, dg.AssetSpec]) -> None:
    assert set(specs) > set(TABLES)
    for name, spec in specs.items():
        assert study_of_group(spec.group_name) in STUDIES, name
        assert spec.group_name in {f"{study}_{part}" for study in STUDIES for part in PARTS}, name
        assert spec.owners, name
        assert spec.kinds, name
        assert is_sentence(spec.description), f"{name}: {spec.description}"


def test_every_table_says_that_it_is_parquet_and_what_its_rows_and_columns_are(specs: dict[str, dg.AssetSpec]) -> None:
    for name, table in TABLES.items():
        assert "parquet" in specs[name].kinds, name
        assert (specs[name].description or "").lower().count("one row per") == 1, name
        columns = specs[name].metadata[SCHEMA].columns
        assert [column.name for column in columns] == [column.name for column in table.columns], name
        assert all(is_sentence(column.description) or len(column.description) > 3 for column in columns), name


def test_every_check_job_schedule_and_sensor_says_what_it_is_for(definitions: dg.Definitions) -> None:
    graph = definitions.resolve_asset_graph()
    for key in graph.asset_check_keys:
        assert is_sentence(graph.get_check_spec(key).description), key
    named = [*(definitions.jobs or []), *(definitions.schedules or []), *(definitions.sensors or [])]
    assert len(named) > 10
    for one in named:
        assert is_sentence(getattr(one, "description", None)), one.name


def test_every_copied_column_is_one_of_both_tables_and_the_one_is_made_from_the_other(
    specs: dict[str, dg.AssetSpec],
) -> None:
    for table, sources in COPIED.items():
        made_from = {dep.asset_key.path[-1] for dep in specs[table].deps}
        for source, copied in sources.items():
            assert source in made_from, f"{table} is not made from {source}"
            for one in (table, source):
                assert set(copied) <= {column.name for column in TABLES[one].columns}, (one, copied)


def test_lineage_names_the_column_and_the_schema_shows_it(specs: dict[str, dg.AssetSpec]) -> None:
    [dep] = specs["stability"].metadata[LINEAGE].deps_by_column["n_valid"]
    assert (dep.asset_key, dep.column_name) == (dg.AssetKey("score_matrix"), "n_valid")
    [column] = [one for one in specs["stability"].metadata[SCHEMA].columns if one.name == "n_valid"]
    assert "copied from score_matrix" in column.constraints.other
    assert LINEAGE not in specs["human_scores"].metadata  # it comes from a file, which has no columns here


def test_tables_that_ask_a_judge_say_whether_it_costs_money(tmp_path: Path, specs: dict[str, dg.AssetSpec]) -> None:
    asking = {name for name, spec in specs.items() if ASKS_JUDGE in spec.tags}
    assert asking == {"judge_calls", "golden_scores", "anchor_scores", "judgments"}
    free = write_study(tmp_path)
    for judge, word in ((free.fidelity.judge, "free"), (OpenAIJudge(kind="openai", model="m"), "paid")):
        tags = {
            spec.key.path[-1]: spec.tags
            for spec in definitions_of(changed(free, judge=judge)).resolve_all_asset_specs()
        }
        assert tags["judge_calls"][ASKS_JUDGE] == word


def test_the_names_in_a_study_are_words_without_a_number_or_an_abbreviation() -> None:
    for name in (name for tables in BY_GROUP.values() for name in tables):
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name), name
