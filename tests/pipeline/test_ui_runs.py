"""What the UI shows of every table that is made: first rows, counts, numbers to plot, columns that are copies."""

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import dagster as dg
import pandas as pd
import pytest

from resources.configuration.evaluation import Dataset
from resources.configuration.fidelity import LocalJudge
from resources.study import Study
from resources.tables.all_tables import BY_GROUP, TABLES
from resources.tables.column_schema import COPIED
from tests.small_datasets import evaluate, study_over, write_answers, write_scores
from tests.small_relevance import AGREED, LENIENT, OPPOSED, relevance_study, validate
from tests.small_series import judge_pairs, series_study
from tests.small_study import KEYS, changed, errors, run, without_drawing, write_study

pytestmark = pytest.mark.slow

# Rules alone: other methods have no weights here, and their tables no rows.
METHODS = ("sharpness_only", "contrast_only")


class Made(NamedTuple):
    """All tables of the four studies, with their latest materialization."""

    studies: Mapping[str, Study]
    metadata: Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("ui")
    for name in ("evaluation", "reliability"):
        (folder / name).mkdir()
    with dg.DagsterInstance.ephemeral() as instance, without_drawing():
        studies = {
            "fidelity": fidelity_of(folder / "fidelity", instance),
            "pairwise": pairwise_of(folder / "pairwise", instance),
            "evaluation": evaluation_of(folder / "evaluation", instance),
            "reliability": reliability_of(folder / "reliability", instance),
        }
        yield Made(studies, {name: latest(instance, name) for name in TABLES})


def fidelity_of(folder: Path, instance: dg.DagsterInstance) -> Study:
    study = write_study(folder)
    assert not errors(run(study, instance, (KEYS[1], KEYS[1])))
    # A recorded judge cannot drift.
    watched = changed(study, judge=LocalJudge(kind="local"), mismatched_objects="exclude")
    assert not errors(run(watched, instance, job_name="watch_drift"))
    return study


def pairwise_of(folder: Path, instance: dg.DagsterInstance) -> Study:
    study = series_study(folder)
    assert judge_pairs(study, instance, *METHODS).succeeded
    return study


def evaluation_of(folder: Path, instance: dg.DagsterInstance) -> Study:
    scores = Dataset(file=write_scores(folder / "scores.csv"), group_by=[["kind"]])
    paper = folder / "paper.json"
    paper.write_text(json.dumps([{"dataset": "scores", "metric": "srcc", "value": 0.9}]))
    datasets = {"scores": scores, "answers": Dataset(file=write_answers(folder / "answers.jsonl"))}
    study = study_over(folder, datasets, baseline=paper)
    assert evaluate(study, instance).succeeded
    return study


def reliability_of(folder: Path, instance: dg.DagsterInstance) -> Study:
    study = relevance_study(folder, [*[AGREED] * 6, OPPOSED, LENIENT])
    assert validate(study, instance).succeeded
    return study


def latest(instance: dg.DagsterInstance, table: str) -> dict[str, Any]:
    [record] = instance.fetch_materializations(dg.AssetKey(table), limit=1).records
    assert record.asset_materialization is not None
    return dict(record.asset_materialization.metadata)


def rows_of(study: Study, table: str) -> pd.DataFrame:
    """A table as it lies on disk, all partitions of it."""
    [group] = [group for group, tables in BY_GROUP.items() if table in tables]
    place = Path(study.home.tables.path) / group / table
    paths = sorted(place.glob("*.parquet")) or [place.with_suffix(".parquet")]
    return pd.concat([pd.read_parquet(path) for path in paths])


def values(column: pd.Series) -> set[Any]:
    """What stands in a column, lists taken apart."""
    return set(
        chain.from_iterable(
            one if hasattr(one, "__len__") and not isinstance(one, str) else [one] for one in column.dropna()
        )
    )


def test_every_table_shows_its_first_rows_its_count_its_columns_and_where_it_lies(made: Made) -> None:
    for name, metadata in made.metadata.items():
        assert isinstance(metadata["first_rows"], dg.MarkdownMetadataValue), name
        assert metadata["first_rows"].value.startswith("| "), name
        assert isinstance(metadata["dagster/row_count"], dg.IntMetadataValue), name
        assert isinstance(metadata["dagster/column_schema"], dg.TableSchemaMetadataValue), name
        assert isinstance(metadata["path"], dg.PathMetadataValue), name


def test_every_table_has_a_number_of_its_own_that_the_ui_plots_over_time(made: Made) -> None:
    for name, metadata in made.metadata.items():
        numbers = [
            label
            for label, value in metadata.items()
            if isinstance(value, dg.IntMetadataValue | dg.FloatMetadataValue) and not label.startswith("dagster/")
        ]
        assert numbers, name


@pytest.mark.parametrize("table", COPIED)
def test_a_copied_column_holds_nothing_but_what_its_source_holds(made: Made, table: str) -> None:
    [study] = [made.studies[group] for group, tables in BY_GROUP.items() if table in tables]
    frame = rows_of(study, table)
    assert len(frame), f"{table} has no row to look at"
    for source, columns in COPIED[table].items():
        there = rows_of(study, source)
        for column in columns:
            assert values(frame[column]) <= values(there[column]), f"{table}.{column} is not of {source}"


def test_lineage_is_stored_with_the_table(made: Made) -> None:
    for table, sources in COPIED.items():
        stored = made.metadata[table]["dagster/column_lineage"].value.deps_by_column
        expected: dict[str, set[str]] = {}
        for source, columns in sources.items():
            for column in columns:
                expected.setdefault(column, set()).add(source)
        assert {name: {dep.asset_key.path[-1] for dep in deps} for name, deps in stored.items()} == expected, table
