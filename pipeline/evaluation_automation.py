"""When data sets are evaluated: the jobs, and the sensor that sees a new or changed file."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import dagster as dg

from assets.evaluation.evaluation_summary import RESULTS
from assets.shared.observed_inputs import observation, version_of
from assets.shared.partitions import DATASETS
from pipeline.asked_runs import (
    Asked,
    asked_now,
    graph_of,
    how_made,
    is_under_way,
    last_run,
    remembered,
    to_remember,
    why_not_again,
)
from pipeline.automation import tables_of
from pipeline.staleness import latest, latest_of_each
from resources.configuration.evaluation import Dataset
from resources.errors import listing
from resources.inputs.evaluation.known_datasets import configured_as, known_datasets
from resources.inputs.input_versions import ABSENT, QUIET_S, InputVersion, InputVersions, NotYet
from resources.runtime.dagster_tags import DATA_VERSION
from resources.runtime.file_hash import digest_of
from resources.study import Study

FILES = dg.AssetKey("dataset_files")
SAMPLES = dg.AssetKey("evaluation_samples")
TABLES = (SAMPLES, *(dg.AssetKey(name) for name in RESULTS))
OVERVIEW_TABLES = tuple(
    map(dg.AssetKey, ("evaluation_summary", "metric_comparison", "evaluation_trust_verdict", "evaluation_report"))
)
OVERVIEW = dg.AssetSelection.assets(*OVERVIEW_TABLES)
OVER_ALL: Final = ""  # the run over all data sets, among those of each: no data set has this name


class Made(NamedTuple):
    """The content and the configuration that a data set's table was made from, and where that event stands."""

    version: str | None
    configuration: str | None
    storage_id: int


evaluation = dg.define_asset_job(
    "evaluation",
    # Not its files: observing goes partition by partition, and would take one run over many data sets apart.
    selection=tables_of("evaluation") - OVERVIEW,
    description="Study C for one data set: correlations or confusion, groups, comparison with a paper.",
)

evaluation_overview = dg.define_asset_job(
    "evaluation_overview",
    selection=OVERVIEW,
    description="All data sets at a glance, metrics against each other, and the report.",
)


@dg.sensor(
    jobs=[evaluation, evaluation_overview],
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="A file that is new in the inbox, or whose content or configuration changed, becomes a data set and is "
    "evaluated, once for each change, and again a day later where no gate and no bad file ended that run.",
)
def new_datasets(context: dg.SensorEvaluationContext, study: dg.ResourceParam[Study]) -> dg.SensorResult:
    """One run per data set and content; when their runs are over, one run for the tables over all of them."""
    asked, known = remembered(context.cursor), known_datasets(study.evaluation)
    versions, notes = versions_of(study)
    made = made_from(context.instance, known)
    there = set(context.instance.get_dynamic_partitions(DATASETS.name or ""))
    # One that comes back as it was is no news to its own tables, but to those over all of them.
    come, gone = sorted(versions.keys() - there), sorted(there - known.keys())
    changes = [DATASETS.build_add_request(come)] if come else []
    requests, waiting = dataset_runs(context, study, versions, made, asked)
    if not requests and not is_under_way(context.instance, evaluation.name):
        overview = overview_run(context, sorted((there | set(come)) & known.keys() & made.keys()), asked)
        requests += [overview] if isinstance(overview, dg.RunRequest) else []
        waiting += [overview] if isinstance(overview, str) else []
    nothing = "No data set is new or changed, or one is being evaluated."
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None if requests else " ".join([*notes, *waiting, nothing]),
        dynamic_partitions_requests=[*changes, *([DATASETS.build_delete_request(gone)] if gone else [])],
        cursor=to_remember(asked),
        asset_events=changed_observations(context.instance, study, versions),
    )


def dataset_runs(
    context: dg.SensorEvaluationContext,
    study: Study,
    versions: Mapping[str, InputVersion],
    made: Mapping[str, Made],
    asked: dict[str, Asked],
) -> tuple[list[dg.RunRequest], list[str]]:
    """A run for each data set that needs one, and why others that do get none.

    Args:
        context: Of the sensor.
        study: The running study.
        versions: Of each data set's file.
        made: What their tables were made from.
        asked: By data set, the run that was asked for and has not made all tables; brought up to date.
    """
    instance, graph, known = context.instance, graph_of(context), known_datasets(study.evaluation)
    changed = changed_datasets(known, versions, made) | (versions.keys() & broken_off(instance, made, asked))
    made_or_removed = (versions.keys() - changed) | (asked.keys() - known.keys() - {OVER_ALL})
    for name in asked.keys() & made_or_removed:
        del asked[name]
    how, last = how_made(graph, TABLES), last_run(instance, evaluation.name)
    requests, waiting = [], {}
    for name in sorted(changed):
        content = digest_of([versions[name].version, configured_as(known[name]), how])
        if (reason := why_not_again(instance, graph, asked.get(name), content)) is not None:
            waiting[name] = reason
            continue
        asked[name] = asked_now(name, content, last)
        requests.append(dg.RunRequest(run_key=asked[name].run_key, job_name=evaluation.name, partition_key=name))
    by_reason = groupby(sorted(waiting, key=waiting.__getitem__), key=waiting.__getitem__)
    return requests, [f"{listing(names)}: {reason}" for reason, names in by_reason]


def changed_datasets(
    known: Mapping[str, Dataset], versions: Mapping[str, InputVersion], made: Mapping[str, Made]
) -> set[str]:
    """Data sets whose file or configuration is not the one that their table was made from."""
    now = {name: (versions[name].version, configured_as(known[name])) for name in versions.keys() & known.keys()}
    return {name for name in now if name not in made or made[name][:2] != now[name]}


def broken_off(instance: dg.DagsterInstance, made: Mapping[str, Made], asked: Collection[str]) -> set[str]:
    """Data sets for which a run was asked that made their samples, and not all that is made from these."""
    names = made.keys() & set(asked)
    if not names:
        return set()
    event = dg.DagsterEventType.ASSET_MATERIALIZATION
    ids = [
        instance.get_latest_storage_id_by_partition(dg.AssetKey(table), event, partitions=names) for table in RESULTS
    ]
    return {name for name in names if any(of_one.get(name, -1) < made[name].storage_id for of_one in ids)}


def overview_run(
    context: dg.SensorEvaluationContext, names: Sequence[str], asked: dict[str, Asked]
) -> dg.RunRequest | str | None:
    """The run over all data sets, or why it waits; null where its tables are of these data sets as they are now.

    Args:
        context: Of the sensor.
        names: The data sets that are there and read, in order.
        asked: The run that was asked for and has not made its tables; brought up to date.
    """
    instance, graph = context.instance, graph_of(context)
    made = latest(instance, [*TABLES, *OVERVIEW_TABLES])
    newest = {
        key: max((made[one].storage_id for one in graph.get(key).parent_keys if one in made), default=-1)
        for key in OVERVIEW_TABLES
    }
    overviews = {key: made[key] for key in OVERVIEW_TABLES if key in made}
    nothing_is_there = not overviews and not names
    if (nothing_is_there or len(overviews) == len(OVERVIEW_TABLES)) and all(
        one.storage_id > newest[key] and data_sets_of(one) == list(names) for key, one in overviews.items()
    ):
        asked.pop(OVER_ALL, None)
        return None
    # Not their own: a run that breaks off makes some of these tables, and must not look like new content.
    inputs = {one for key in OVERVIEW_TABLES for one in graph.get(key).parent_keys} - set(OVERVIEW_TABLES)
    newest_input = max((made[one].storage_id for one in inputs if one in made), default=-1)
    content = digest_of([names, newest_input, how_made(graph, OVERVIEW_TABLES)])
    if (reason := why_not_again(instance, graph, asked.get(OVER_ALL), content)) is not None:
        return f"The tables over all data sets: {reason}"
    if is_under_way(instance, evaluation_overview.name):
        return "The tables over all data sets are being made."
    asked[OVER_ALL] = asked_now("all", content, last_run(instance, evaluation_overview.name))
    return dg.RunRequest(run_key=asked[OVER_ALL].run_key, job_name=evaluation_overview.name)


def data_sets_of(record: dg.EventLogRecord) -> object:
    """The data sets that a table over all of them was made from; null where it does not say."""
    names = record.asset_materialization.metadata.get("data_sets") if record.asset_materialization else None
    return names.value if names else None


def versions_of(study: Study) -> tuple[dict[str, InputVersion], list[str]]:
    """What each data set's file holds, and why others are left alone for now."""
    versions, notes = {}, []
    with InputVersions(study.home.local).opened() as looked:
        for name, dataset in known_datasets(study.evaluation).items():
            try:
                found = version_of(study, dataset.file, looked=looked, quiet_s=QUIET_S)
            except (NotYet, OSError) as reason:
                notes.append(f"{name} is left alone: {reason}.")
                continue
            if found.version != ABSENT:
                versions[name] = found
    return versions, notes


def made_from(instance: dg.DagsterInstance, names: Collection[str]) -> dict[str, Made]:
    """What each data set's table was made from, where it was made; all of them in a few queries."""
    made = {}
    records = latest_of_each(instance, {SAMPLES: names}, dg.DagsterEventType.ASSET_MATERIALIZATION)
    for name, record in records[SAMPLES].items():
        event = record.asset_materialization
        digests = [event.metadata.get(label) if event else None for label in ("source_sha256", "configuration_sha256")]
        version, configuration = (None if one is None else str(one.value) for one in digests)
        made[name or ""] = Made(version, configuration, record.storage_id)
    return made


def changed_observations(
    instance: dg.DagsterInstance, study: Study, versions: Mapping[str, InputVersion]
) -> list[dg.AssetObservation]:
    """An observation of each data set whose file has another version than at the last one."""
    tags = instance.event_log_storage.get_latest_tags_by_partition(
        FILES, dg.DagsterEventType.ASSET_OBSERVATION, [DATA_VERSION]
    )
    known = known_datasets(study.evaluation)
    return [
        observation(FILES, known[name].file, found, name)
        for name, found in versions.items()
        if tags.get(name, {}).get(DATA_VERSION) != found.version
    ]
