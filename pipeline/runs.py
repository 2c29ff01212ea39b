"""Studies run in this process through the shared Dagster instance, and what came of it in plain words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any

import dagster as dg

from assets.shared.checks import evaluation_of, table_result
from assets.shared.partitions import DATASETS, METHODS
from assets.shared.table_gates import TableGate, table_gate
from pipeline.automation import pairwise, partitions_between, watch_drift
from pipeline.evaluation_automation import evaluation, evaluation_overview
from pipeline.instance import this_process
from pipeline.reliability_automation import reliability, revalidation, write_ground_truth
from pipeline.step_errors import error_chain, users_words
from resources.database.reliability.records import ALLOWS_GROUND_TRUTH
from resources.errors import UserError, did_you_mean
from resources.inputs.evaluation.known_datasets import known_datasets
from resources.runtime.ctrl_c import was_pressed
from resources.runtime.dagster_internals import (
    SINGLETON_REPOSITORY_NAME,
    InMemoryJob,
    RemoteRepositoryOrigin,
    execute_run,
    location_origins_from_yaml_paths,
    wrap_resources_for_execution,
)
from resources.runtime.dagster_tags import PARTITION
from resources.runtime.home import CHECKOUT
from resources.study import Study

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass
class Outcome:
    """What one command's runs did: gates as they are now, tables made, errors in the order in which they came.

    A gate on a table with partitions is one result over all of them, also over those that these runs did not judge.
    `stopped` names the partitions that a blocking gate of their own stopped, while others went on.
    """

    succeeded: bool = True
    stopped: list[str] = field(default_factory=list)
    gates: dict[dg.AssetCheckKey, dg.AssetCheckEvaluation] = field(default_factory=dict)
    by_partition: dict[dg.AssetCheckKey, TableGate] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)
    user_errors: list[str] = field(default_factory=list)
    other_errors: list[str] = field(default_factory=list)

    @property
    def by_setting(self) -> dict[str, TableGate]:
        """The gates that count, no advice, on tables with partitions, by code name."""
        error = dg.AssetCheckSeverity.ERROR
        return {key.name: gate for key, gate in self.by_partition.items() if self.gates[key].severity == error}

    @property
    def checks(self) -> list[dg.AssetCheckEvaluation]:
        """Each gate that was asked, once."""
        return list(self.gates.values())


def run_study(
    definitions: dg.Definitions,
    job_name: str,
    instance: dg.DagsterInstance,
    settings: Sequence[str] = (),
    resources: dict[str, Any] | None = None,
) -> Outcome:
    """Run a study's job in this process, one Dagster run for each unbroken stretch of settings.

    Raises:
        UserError: A setting that the study does not have.
    """
    from assets.shared.partitions import SETTINGS

    known = SETTINGS.get_partition_keys()
    job = _Job(definitions, job_name, instance, resources)
    return _run_stretches(job, known, _stretches(known, settings))


def run_drift(
    definitions: dg.Definitions, instance: dg.DagsterInstance, resources: dict[str, Any] | None = None
) -> Outcome:
    """Judge the anchor in this process, unless it was judged today, and hold the occasion against the pinned one."""
    outcome = Outcome()
    _gather(_run(_Job(definitions, watch_drift.name, instance, resources)), outcome, instance)
    return outcome


def run_pairwise(
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    methods: Sequence[str] = (),
    resources: dict[str, Any] | None = None,
) -> Outcome:
    """Judge every pair in this process, one Dagster run for each unbroken stretch of methods: photos are measured once.

    Raises:
        UserError: A method that the study does not have.
    """
    known = METHODS.get_partition_keys()
    return _run_stretches(
        _Job(definitions, pairwise.name, instance, resources), known, _stretches(known, methods, "method")
    )


def run_reliability(
    definitions: dg.Definitions, instance: dg.DagsterInstance, study: Study, resources: dict[str, Any] | None = None
) -> Outcome:
    """Validate two judges' agreement in this process; then ground truth, where the validation allows it."""
    return _run_validation(reliability.name, definitions, instance, study, resources)


def run_revalidation(definitions: dg.Definitions, instance: dg.DagsterInstance, study: Study) -> Outcome:
    """The same from the judgments that are there, after votes or other thresholds: no judge is asked."""
    return _run_validation(revalidation.name, definitions, instance, study)


def run_evaluation(
    definitions: dg.Definitions, instance: dg.DagsterInstance, study: Study, datasets: Sequence[str] = ()
) -> Outcome:
    """Evaluate data sets in this process, one Dagster run each, then the tables over all of them.

    Raises:
        UserError: There is no data set, or not the one that was asked for.
    """
    known = known_datasets(study.evaluation)
    for name in datasets:
        if name not in known:
            there = ", ".join(known) or "none"
            raise UserError(f"There is no data set '{name}'{did_you_mean(name, known)}. There are {there}.")
    chosen = list(dict.fromkeys(datasets)) or list(known)
    if not chosen:
        raise UserError("There is no data set. Name some under `evaluation: datasets:`, or drop files into the inbox.")
    instance.add_dynamic_partitions(DATASETS.name or "", chosen)
    outcome = Outcome()
    for job, partition in [*((evaluation.name, name) for name in chosen), (evaluation_overview.name, None)]:
        tags = {PARTITION: partition} if partition else {}
        _gather(_run(_Job(definitions, job, instance), tags), outcome, instance)
    return outcome


def _run_validation(
    job_name: str,
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    study: Study,
    resources: dict[str, Any] | None = None,
) -> Outcome:
    outcome = Outcome()

    def run_job(name: str) -> str:
        result = _run(_Job(definitions, name, instance, resources))
        _gather(result, outcome, instance)
        return result.run_id

    run_id = run_job(job_name)
    history = study.validations.validations() if outcome.succeeded else None
    # Without a verdict the run leaves no row, and an older one allows nothing on newer scores.
    if history is not None and (history["status"].isin(ALLOWS_GROUND_TRUTH) & (history["run"] == run_id)).any():
        run_job(write_ground_truth.name)
    return outcome


@dataclass(frozen=True)
class _Job:
    """A job that runs in this process; `resources` are in place of those of the definitions."""

    definitions: dg.Definitions
    name: str
    instance: dg.DagsterInstance
    resources: dict[str, Any] | None = None


def _run_stretches(job: _Job, known: Sequence[str], stretches: Iterator[tuple[str, str]]) -> Outcome:
    """One run for each stretch of partitions, from its first to its last.

    A partition that fails a blocking gate stops itself: what that run left unmade is made for the others, in further
    runs, and then what covers all of them, unless every one of them was stopped.
    """
    outcome = Outcome()
    layer = job.definitions.resolve_job_def(job.name).asset_layer

    def run(first: str, last: str, only: frozenset[dg.AssetKey]) -> list[str]:
        """Make these tables of a stretch; which of its partitions got through, in further runs without the others."""
        result = _run(job, partitions_between(first, last), only)
        _gather(result, outcome, job.instance)
        blocked = [check for check in result.get_asset_check_evaluations() if check.blocking and not check.passed]
        stopped = {check.partition for check in blocked if check.partition is not None}
        within = list(known[known.index(first) : known.index(last) + 1])
        going_on = [key for key in within if key not in stopped]
        outcome.stopped += [key for key in within if key in stopped]
        if not stopped or not going_on:
            return going_on
        unmade = only - {key for event in result.all_events if (key := _made(event)) is not None}
        apart = frozenset(key for key in unmade if layer.get(key).partitions_def is not None)
        through = going_on
        if apart:
            through = [key for stretch in _stretches(known, going_on) for key in run(*stretch, apart)]
        if through and unmade - apart:
            run(through[-1], through[-1], unmade - apart)
        return through

    every = frozenset(layer.selected_asset_keys)
    if not [key for first, last in stretches for key in run(first, last, every)]:
        outcome.stopped = []
    return outcome


def _run(
    asked: _Job, tags: Mapping[str, str] | None = None, only: frozenset[dg.AssetKey] | None = None
) -> dg.JobExecutionResult:
    """One run in this process that belongs to the code location, as a run of the UI does; `only` names its tables.

    `execute_in_process` names no code location: the UI shows such a run under *Runs* alone, not with its job.
    """
    # Its steps run here, one after the other, whatever executor the definitions name.
    job = asked.definitions.resolve_job_def(asked.name)
    if only is not None and only < set(job.asset_layer.selected_asset_keys):
        job = job.get_subset(asset_selection=only)
    job = job.as_ephemeral_job(wrap_resources_for_execution(asked.resources), {})
    run = asked.instance.create_run_for_job(
        job,
        run_config=QUIET,
        tags={**job.run_tags, **(tags or {}), **this_process()},
        remote_job_origin=_code_location().get_job_origin(asked.name),
    )
    done = False
    try:
        result = execute_run(InMemoryJob(job), run, asked.instance)
        done = result.success
    finally:
        if was_pressed():
            if not done:
                # Dagster calls it a failure.
                asked.instance.report_run_canceled(run, "Interrupted. Finished calls are kept.")
            raise KeyboardInterrupt
    return result


@cache
def _code_location() -> RemoteRepositoryOrigin:
    """The definitions as the web UI and the daemon name them."""
    [location] = location_origins_from_yaml_paths([str(CHECKOUT / "workspace.yaml")])
    return RemoteRepositoryOrigin(location, SINGLETON_REPOSITORY_NAME)


def _stretches(known: Sequence[str], chosen: Sequence[str], noun: str = "setting") -> Iterator[tuple[str, str]]:
    for key in chosen:
        if key not in known:
            raise UserError(f"The study has no {noun} '{key}'{did_you_mean(key, known)}. It has {', '.join(known)}.")
    places = sorted({known.index(key) for key in chosen}) if chosen else range(len(known))
    for _, stretch in groupby(enumerate(places), key=lambda pair: pair[1] - pair[0]):
        members = [place for _, place in stretch]
        yield known[members[0]], known[members[-1]]


def _gather(result: dg.JobExecutionResult, outcome: Outcome, instance: dg.DagsterInstance) -> None:
    outcome.succeeded &= result.success
    graph = result.job_def.asset_layer.asset_graph
    seen = {check.asset_check_key: check for check in result.get_asset_check_evaluations()}
    judged: dict[dg.AssetCheckKey, set[str]] = {}
    for check in result.get_asset_check_evaluations():
        if check.partition is not None:
            judged.setdefault(check.asset_check_key, set()).add(check.partition)
    outcome.gates |= seen
    for gate, partitions in judged.items():
        before = outcome.by_partition[gate].judged if gate in outcome.by_partition else ()
        spec = graph.get_check_spec(gate)
        outcome.by_partition[gate] = whole = table_gate(instance, spec, {}, {*partitions, *before})
        outcome.gates[gate] = evaluation_of(instance, spec, None, table_result(whole, seen[gate].severity))
    outcome.tables += [key.to_user_string() for event in result.all_events if (key := _made(event)) is not None]
    for event in result.get_step_failure_events():
        chain = list(error_chain(event.step_failure_data.error))
        if any(error.cls_name == "DagsterAssetCheckFailedError" for error in chain):
            continue
        if (said := users_words(chain)) is not None:
            outcome.user_errors.append(said)
        elif chain:
            outcome.other_errors.append(chain[-1].message.strip())


def _made(event: dg.DagsterEvent) -> dg.AssetKey | None:
    return event.asset_key if event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION else None
