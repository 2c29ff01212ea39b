"""The declared reads of each table are those that it makes: every read of the configuration is listened to."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path

import dagster as dg
import pytest

from assets.shared.partitions import METHODS
from pipeline.automation import partitions_between
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.configuration.evaluation import Dataset
from resources.configuration.fidelity import Anchor, LocalJudge, RubricWeights
from resources.configuration.section import Section
from resources.study import Study
from resources.tables.all_tables import TABLES
from tests.pipeline.reads import listening
from tests.small_datasets import study_over, write_answers, write_scores
from tests.small_relevance import AGREED, OPPOSED, relevance_study, validate, vote_on
from tests.small_series import series_study
from tests.small_study import KEYS, OBJECTS, WATCH, changed, fault, write_study

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pages")]
# Where inputs lie: their content is observed, wherever that is.
INPUTS = {"human_scores", "catalogue", "selected_objects", "pairs_csv", "queries", "inbox", "datasets", "baseline"}
# What is set for one data set: its table tells what it was made with, and `new_datasets` compares.
OF_ONE_DATASET = ("datasets.", "defaults.")
# Who judges, and under which prompt: a change of it is one of the tables that ask, and the others follow these.
JUDGES = {"judge.kind", "judge.path", "judge.scale", "judges", "prompt_version"}
# They change no number.
WITHOUT_EFFECT = {"workers", "engine", "decoding_threads", "shard_size", "device", "batch_size"}
# Read to no effect on that table: the order in which a judge is asked, what a copy of the section fixes, and where the
# inputs are whose hashes a report states.
WITHOUT_EFFECT_ON = {
    "judge_calls": {"seed"},
    "golden_scores": {"seed"},
    "retried_calls": {"match_by"},
    "fidelity_report": {"references", "candidates"},
    "pairwise_report": {"image_root"},
}
# The fact about the judge stands for all that is set of it.
AS_JUDGE = {"judge.image_side_px", "judge.workers", "rubric_weights.*"}
AS_JUDGE |= {f"rubric_weights.{name}" for name in RubricWeights.model_fields}
# It follows `golden_scores`, whose fact about the judge stands for these.
FOLLOWED = {"subscore_sensitivity": ("judge", "rubric_weights")}
# Whether a table can be written at all, looked at before hours of photos.
WRITABLE = {"output_dir"}
# The stages that methods need stand for the methods themselves.
AS_STAGES = {"composites", "dl_methods", "own_methods", "rule_based_methods"}
# The files of users' methods stand for their names and places.
AS_FILES = {"own_methods"}
BY_TABLE = {name: table.reads for name, table in TABLES.items()}


def undeclared(heard: set[str], declared: tuple[str, ...]) -> set[str]:
    """Reads that no declared key, or section above it, covers."""
    covered = set(declared)
    free = INPUTS | JUDGES | WITHOUT_EFFECT | WRITABLE
    free |= AS_JUDGE if "@judge" in covered else set()
    free |= AS_STAGES if "@stages" in covered else set()
    free |= AS_FILES if "@own_methods" in covered else set()
    known = {read.removesuffix(".*") for read in heard - free if not read.startswith(OF_ONE_DATASET)}
    if "*" in covered:
        return set()
    return {one for one in known if not any(one == name or one.startswith(f"{name}.") for name in covered)}


def heard_of_each(
    study: Study,
    section: Section,
    instance: dg.DagsterInstance,
    runs: Mapping[str, Mapping[str, str]],
    only: Collection[str] = BY_TABLE,
) -> dict[str, set[str]]:
    """What is read while each table of these jobs and its checks are made, the first time, when the most is read."""
    found: dict[str, set[str]] = {}
    definitions = definitions_of(study)
    for name, tags in runs.items():
        job = definitions.resolve_job_def(name)
        tables = {key.path[-1] for key in job.asset_layer.selected_asset_keys}
        with listening(section) as listener:
            result = job.execute_in_process(run_config=QUIET, instance=instance, tags=tags, raise_on_error=False)
        assert result.success, name
        assert {*listener.heard} - {""} <= tables
        found |= {table: listener.heard[table] for table in tables & set(only)}
    return found


def assert_declared(found: Mapping[str, set[str]]) -> None:
    assert any(found.values())
    counting = {table: heard - WITHOUT_EFFECT_ON.get(table, set()) for table, heard in found.items()}
    as_declared = {name: (*reads, *FOLLOWED.get(name, ())) for name, reads in BY_TABLE.items()}
    wrong = {table: undeclared(heard, as_declared[table]) for table, heard in counting.items()}
    assert not {table: sorted(reads) for table, reads in wrong.items() if reads}


def test_tables_of_study_a_read_what_is_declared(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = write_study(tmp_path)
    ask_one_call_twice(tmp_path / "calls.jsonl")
    assert_declared(heard_of_each(study, study.fidelity, instance, {"fidelity": partitions_between(*KEYS[:2])}))


def ask_one_call_twice(recording: Path) -> None:
    """The first repeat of one object timed out at first, at every setting."""
    calls = [json.loads(line) for line in recording.read_text().splitlines()]
    retried = [call for call in calls if call["object"] == OBJECTS[0][2] and call["repeat"] == 1]
    calls += [{**call, "attempt": 2} for call in retried]
    for call in retried:
        call |= fault()
    recording.write_text("".join(json.dumps(call) + "\n" for call in calls))


def test_tables_of_study_a_that_no_recording_reaches_read_what_is_declared(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    study = changed(
        write_study(tmp_path), judge=LocalJudge(image_side_px=64), anchor=Anchor(setting=KEYS[0]), repeats=3
    )
    jobs = {"fidelity": partitions_between(KEYS[0], KEYS[0]), "watch_drift": {}}
    altered = {"golden_scores", "sensitivity", "dose_response", "fidelity_trust_verdict", "judge_comparison"}
    altered |= {"subscore_sensitivity", "fidelity_report"}
    assert_declared(heard_of_each(study, study.fidelity, instance, jobs, altered | set(WATCH)))


def test_tables_of_study_b_read_what_is_declared(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = series_study(tmp_path)
    assert_declared(
        heard_of_each(
            study, study.pairwise, instance, {"pairwise": partitions_between(*METHODS.get_partition_keys()[7:9])}
        )
    )


def test_tables_of_study_c_read_what_is_declared(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    scores = Dataset(file=write_scores(tmp_path / "scores.csv"), group_by=(("kind",),), cluster="reference")
    answers = Dataset(file=write_answers(tmp_path / "answers.jsonl"))
    study = study_over(tmp_path, {"scores": scores, "answers": answers})
    instance.add_dynamic_partitions("evaluation_datasets", ["scores", "answers"])
    for name in ("scores", "answers"):
        runs = {"evaluation": {"dagster/partition": name}}
        assert_declared(heard_of_each(study, study.evaluation, instance, runs))
    assert_declared(heard_of_each(study, study.evaluation, instance, {"evaluation_overview": {}}))


def test_tables_of_study_d_read_what_is_declared(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    study = relevance_study(tmp_path, [AGREED] * 5 + [OPPOSED] * 10)
    validate(study, instance)
    vote_on(study)
    jobs: dict[str, dict[str, str]] = {"reliability": {}, "write_ground_truth": {}}
    assert_declared(heard_of_each(study, study.reliability, instance, jobs))
    study.engine.dispose()
