"""How much a refresh does: after one changed score file exactly what depends on it, and 500 data sets in one run."""

from collections import Counter
from pathlib import Path

import dagster as dg
import pytest

from assets.datasets import DATASETS
from pipeline.automation import all_settings, settings_between
from pipeline.definitions import definitions_of
from pipeline.runs import QUIET
from resources.configuration.evaluation import Dataset
from resources.study import Study
from tests.pipeline.watch import Watch, quiet
from tests.small_datasets import study_over, write_scores
from tests.small_study import KEYS, errors, launched, write_study

pytestmark = pytest.mark.usefixtures("undrawn")
N_DATASETS = 500
# What people say enters the study here; calls, their repeatability and convergence know nothing of it.
OF_SCORES_BY_SETTING = ("matched_scores", "human_agreement", "annotator_test", "few_labels")


def counted(instance: dg.DagsterInstance, after: int) -> Counter[str]:
    """Materializations by table since an event, counted in the event log."""
    found: Counter[str] = Counter()
    for key in instance.all_asset_keys():
        later = dg.AssetRecordsFilter(key, after_storage_id=after)
        found[key.path[-1]] += len(instance.fetch_materializations(later, limit=10_000).records)
    return +found


def last_event(instance: dg.DagsterInstance) -> int:
    return instance.event_log_storage.get_maximum_record_id() or 0


def other_scores(study: Study) -> None:
    path = study.fidelity.human_scores
    path.write_text(path.read_text(encoding="utf-8-sig").replace("0.190", "0.195"), encoding="utf-8-sig")
    quiet(path.parent)


def test_one_changed_score_file_makes_what_depends_on_it_once_and_nothing_else(
    tmp_path: Path, sqlite_instance: dg.DagsterInstance
) -> None:
    study = write_study(tmp_path, bootstrap_resamples=100)
    quiet(tmp_path)
    assert not errors(launched(study, sqlite_instance, all_settings()))
    watch = Watch(study, sqlite_instance)
    assert not watch.look().run_requests
    other_scores(study)
    before = last_event(sqlite_instance)
    [request] = watch.look().run_requests or []
    watch.run(request)
    graph = watch.definitions.resolve_asset_graph()
    below = {dg.AssetKey("human_scores")}
    for key in graph.toposorted_asset_keys:
        if graph.get(key).parent_keys & below:
            below.add(key)
    job = watch.definitions.resolve_job_def("fidelity")
    due = {key for key in below if key in job.asset_layer.selected_asset_keys}
    expected = {key.path[-1]: len(KEYS) if graph.get(key).partitions_def else 1 for key in due}
    assert counted(sqlite_instance, before) == expected
    assert set(OF_SCORES_BY_SETTING) < set(expected)
    assert not watch.look().run_requests


def test_500_data_sets_are_made_by_one_run(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    names = [f"d{number:03d}" for number in range(N_DATASETS)]
    study = study_over(tmp_path, {name: Dataset(file=write_scores(tmp_path / f"{name}.csv")) for name in names})
    instance.add_dynamic_partitions(DATASETS.name or "", names)
    definitions = definitions_of(study)
    # A backfill asks for one run where every table has this policy, with these tags; the first table stands for all.
    job, graph = definitions.resolve_job_def("evaluation"), definitions.resolve_asset_graph()
    policies = {graph.get(key).backfill_policy for key in job.asset_layer.executable_asset_keys}
    assert policies == {dg.BackfillPolicy.single_run()}
    result = job.execute_in_process(
        run_config=QUIET,
        instance=instance,
        tags=settings_between(names[0], names[-1]),
        asset_selection=[dg.AssetKey("evaluation_samples")],
    )
    assert result.success
    assert instance.get_runs_count() == 1
    assert counted(instance, 0) == {"evaluation_samples": N_DATASETS}
    assert instance.get_materialized_partitions(dg.AssetKey("evaluation_samples")) == set(names)
