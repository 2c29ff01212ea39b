"""The declared reads of each table are those that it makes: every read of the configuration is listened to."""

from collections.abc import Mapping
from pathlib import Path

import dagster as dg
import pytest

from assets.method_partitions import METHODS
from pipeline.automation import settings_between
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from pipeline.table_reads import READS
from resources.configuration.evaluation import Dataset
from resources.configuration.section import Section
from resources.study import Study
from resources.tables.all_tables import BY_GROUP
from tests.pipeline.reads import listening
from tests.small_datasets import study_over, write_answers, write_scores
from tests.small_relevance import AGREED, OPPOSED, relevance_study
from tests.small_series import series_study
from tests.small_study import KEYS, write_study

pytestmark = pytest.mark.usefixtures("undrawn")
# Where inputs lie: their content is observed, wherever that is.
INPUTS = {
    *("human_scores", "catalogue", "selected_objects", "pairs_csv", "queries", "inbox", "datasets", "datasets.file"),
    *("defaults.file", "baseline"),
}
# Who judges, and under which prompt: a change of it is one of the tables that ask, and the others follow these.
JUDGES = {"judge.kind", "judge.path", "judges", "prompt_version"}
# They change no number.
WITHOUT_EFFECT = {"workers", "engine", "decoding_threads", "shard_size", "device", "batch_size"}
# Whether a table can be written at all, looked at before hours of photos.
WRITABLE = {"output_dir"}
# The stages that methods need stand for the methods themselves.
AS_STAGES = {"composites", "dl_methods", "own_methods", "rule_based_methods"}
# The files of users' methods stand for their names and places.
AS_FILES = {"own_methods"}


def undeclared(heard: set[str], declared: tuple[str, ...]) -> set[str]:
    """Reads that no declared key, or section above it, covers."""
    covered = {one.replace("defaults.", "datasets.") for one in declared}
    free = INPUTS | JUDGES | WITHOUT_EFFECT | WRITABLE
    free |= AS_STAGES if "@stages" in covered else set()
    free |= AS_FILES if "@own_methods" in covered else set()
    known = {read.replace("defaults.", "datasets.").removesuffix(".*") for read in heard - free}
    if "*" in covered:
        return set()
    return {one for one in known if not any(one == name or one.startswith(f"{name}.") for name in covered)}


def heard_of_each(
    study: Study, section: Section, instance: dg.DagsterInstance, runs: Mapping[str, Mapping[str, str]]
) -> dict[str, set[str]]:
    """What is read while each table of these jobs is made again, alone with its checks; everything is made before."""
    found: dict[str, set[str]] = {}
    definitions = definitions_of(study)
    for name, tags in runs.items():
        job = definitions.resolve_job_def(name)
        assert job.execute_in_process(run_config=QUIET, instance=instance, tags=tags).success
        for key in job.asset_layer.selected_asset_keys & set(map(dg.AssetKey, READS_OF_ALL)):
            with listening(section) as listener:
                again = job.execute_in_process(
                    run_config=QUIET, instance=instance, tags=tags, asset_selection=[key], raise_on_error=False
                )
            assert again.success, key
            found[key.path[-1]] = listener.heard
    return found


READS_OF_ALL = {table: reads for tables in READS.values() for table, reads in tables.items()}


def assert_declared(found: Mapping[str, set[str]]) -> None:
    assert any(found.values())
    wrong = {table: undeclared(heard, READS_OF_ALL[table]) for table, heard in found.items()}
    assert not {table: sorted(reads) for table, reads in wrong.items() if reads}


def test_every_table_is_declared_once() -> None:
    assert {group: set(tables) for group, tables in READS.items()} == {
        group: set(tables) for group, tables in BY_GROUP.items()
    }


def test_tables_of_study_a_read_what_is_declared(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = write_study(tmp_path)
    assert_declared(heard_of_each(study, study.fidelity, instance, {"fidelity": settings_between(*KEYS[:2])}))


def test_tables_of_study_b_read_what_is_declared(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = series_study(tmp_path)
    assert_declared(
        heard_of_each(
            study, study.pairwise, instance, {"pairwise": settings_between(*METHODS.get_partition_keys()[7:9])}
        )
    )


def test_tables_of_study_c_read_what_is_declared(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    scores = Dataset(file=write_scores(tmp_path / "scores.csv"), group_by=(("kind",),), cluster="reference")
    study = study_over(tmp_path, {"scores": scores, "answers": Dataset(file=write_answers(tmp_path / "answers.jsonl"))})
    instance.add_dynamic_partitions("evaluation_datasets", ["scores", "answers"])
    for name in ("scores", "answers"):
        runs = {"evaluation": {"dagster/partition": name}}
        assert_declared(heard_of_each(study, study.evaluation, instance, runs))
    assert_declared(heard_of_each(study, study.evaluation, instance, {"evaluation_overview": {}}))


def test_tables_of_study_d_read_what_is_declared(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, [AGREED] * 5 + [OPPOSED] * 10)
    assert_declared(heard_of_each(study, study.reliability, instance, {"reliability": {}}))
    study.engine.dispose()
