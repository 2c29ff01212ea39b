"""One study at a glance: its tables, made and current or not, its gates, last run and numbers, and what comes next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pipeline.instance import KILLED
from pipeline.staleness import TableState
from resources.runtime.dagster_tags import PARTITION, partitions_of

if TYPE_CHECKING:
    import dagster as dg

STOP, FAIL, NOTE = "STOP", "FAIL", "note"
# Made by a command, a calendar or a sensor of their own: without them a study is complete.
ON_DEMAND: Final = ("anchor_scores", "drift", "ground_truth")
# By study, the table and those of its numbers that answer the study's question.
HEADLINES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "fidelity": {"recommended_setting": ("recommended", "icc_reported", "spearman_reported", "mad_reported")},
    "pairwise": {"method_metrics": ("best", "accuracy", "accuracy_low", "accuracy_high", "n_methods", "n_unavailable")},
    "evaluation": {"correlation": ("srcc", "plcc"), "mcq_confusion": ("accuracy",)},
    "reliability": {"kappa_validation": ("status", "kappa_macro", "kappa_micro", "total_queries")},
}
SHOWN_PARTITIONS: Final = 5
LOOKED_AT: Final = 100  # runs of a job
IMPLICIT_JOB: Final = "__ASSET_JOB"  # of Dagster: what the refresh rule and a person launch without a job
REPORTS: Final = ("fidelity_report", "pairwise_report", "evaluation_report", "reliability_report")


class GateState(NamedTuple):
    """One gate that was checked: its kind, in how many partitions it fails, what the worst one says and what to do.

    `n_asked` of the `n_seen` partitions are those that it asks something of.
    """

    table: str
    name: str
    kind: str
    n_failed: int
    n_seen: int
    sentence: str
    to_do: str
    n_asked: int


def gate_states(
    instance: dg.DagsterInstance, graph: Any, states: Mapping[dg.AssetKey, TableState]
) -> dict[dg.AssetKey, list[GateState]]:
    """The gates of each table that were ever checked, in the order of their names."""
    from assets.shared.table_gates import existing
    from resources.tables.check_results import results_of_each

    specs = {key: graph.get_check_spec(key) for key in sorted(graph.get_check_keys_for_assets(states.keys()))}
    there = {key: existing(spec.partitions_def, instance) for key, spec in specs.items()}
    found: dict[dg.AssetKey, list[GateState]] = {key: [] for key in states}
    for key, latest in results_of_each(instance, there).items():
        if latest:
            found[key.asset_key].append(_gate(specs[key], latest))
    return found


def failed(gates: Iterable[GateState], *kinds: str) -> list[GateState]:
    """Those of these kinds that do not hold."""
    return [gate for gate in gates if gate.n_failed and gate.kind in kinds]


def _gate(check: dg.AssetCheckSpec, latest: Mapping[str | None, dg.AssetCheckEvaluation]) -> GateState:
    from assets.shared.table_gates import TableGate, gate_of, noun_of

    failing = [one for one in latest.values() if not one.passed]
    gates = {str(partition): gate_of(one) for partition, one in latest.items()}
    whole = TableGate(gates, (), noun_of(check.partitions_def))
    return GateState(
        check.asset_key.path[-1],
        check.name,
        kind_of((failing or list(latest.values()))[0]),
        len(failing),
        len(latest),
        whole.sentence,
        whole.furthest.remedy,
        len(whole.asked),
    )


def kind_of(evaluation: dg.AssetCheckEvaluation) -> str:
    """What a gate is called where it does not hold."""
    import dagster as dg

    if evaluation.severity == dg.AssetCheckSeverity.WARN:
        return NOTE
    return STOP if evaluation.blocking else FAIL


class LastRun(NamedTuple):
    """The run of a study that its state hangs on: seconds since 1970, and how long it took where it is over."""

    job: str
    partition: str | None
    status: str
    started: float | None
    seconds: float | None
    was_killed: bool = False


class StudyState(NamedTuple):
    """What there is to say of one study; ``due`` and ``due_command`` are of study D, empty elsewhere.

    `verdicts` are the lines that come first, as Rich prints them.
    """

    name: str
    tables: Mapping[dg.AssetKey, TableState]
    gates: Mapping[dg.AssetKey, list[GateState]]
    run: LastRun | None
    due: str
    due_command: str
    verdicts: tuple[Any, ...] = ()

    @property
    def every_gate(self) -> list[GateState]:
        """All gates that were checked."""
        return list(chain.from_iterable(self.gates.values()))

    @property
    def expected(self) -> list[TableState]:
        """The tables that a run of the study makes."""
        return [state for key, state in self.tables.items() if key.path[-1] not in ON_DEMAND]

    @property
    def stands_still(self) -> bool:
        """Whether a person has to look: the last run failed, or an integrity gate does not hold."""
        run_failed = self.run is not None and self.run.status == "FAILURE"
        return run_failed or bool(failed(self.every_gate, STOP))

    @property
    def next_step(self) -> str:
        """What to do now, with the command."""
        run = f"touchstone run {self.name}"
        if stopped := failed(self.every_gate, STOP):
            return f"{stopped[0].to_do} Then: {run}"
        if self.run is not None and self.run.status == "FAILURE":
            of = f" of {self.run.partition}" if self.run.partition else ""
            if self.run.was_killed:
                return f"The last run{of} was killed; what it finished is kept. Go on: {run}"
            return f"The last run{of} failed. Fix what it said, then: {run}"
        if all(state.is_missing for state in self.expected):
            return f"Nothing is made yet: {run}"
        if any(state.n_missing or state.outdated for state in self.expected):
            return f"Make what is missing or out of date: {run}"
        if self.due:
            return f"{self.due} {self.due_command}"
        if failed(self.every_gate, FAIL):
            return "Everything is made and up to date. See what to do above; look at it: touchstone dev"
        return "Nothing is due: everything is made and up to date. Look at it: touchstone dev"

    def numbers(self) -> list[str]:
        """The headline numbers, those of a partitioned table by partition."""
        found = []
        for table, labels in HEADLINES[self.name].items():
            [state] = [state for key, state in self.tables.items() if key.path[-1] == table]
            lines = [_line(state.metadata(one), one, labels) for one in state.partitions if one in state.made]
            lines = [line for line in lines if line]
            more = len(lines) - SHOWN_PARTITIONS
            found += [*lines[:SHOWN_PARTITIONS], *([f"and {more} more"] if more > 0 else [])]
        return found

    def report(self) -> str | None:
        """Where the report lies."""
        for key, state in self.tables.items():
            if key.path[-1] in REPORTS and (where := state.metadata().get("report")) is not None:
                return str(where.value)
        return None


def last_run(
    instance: dg.DagsterInstance, jobs: Iterable[str], tables: Mapping[dg.AssetKey, TableState]
) -> LastRun | None:
    """The latest run of these jobs, or of a launch over some of these tables.

    A run of partitions that failed comes before it as long as one of them is not made since.
    """
    import dagster as dg

    def runs(limit: int, statuses: Sequence[dg.DagsterRunStatus] = ()) -> list[dg.RunRecord]:
        filters = [dg.RunsFilter(job_name=job, statuses=statuses) for job in jobs]
        launches = instance.get_run_records(dg.RunsFilter(job_name=IMPLICIT_JOB, statuses=statuses), limit=LOOKED_AT)
        ours = [one for one in launches if tables.keys() & set(one.dagster_run.asset_selection or ())]
        return [*chain.from_iterable(instance.get_run_records(one, limit=limit) for one in filters), *ours]

    standing = [one for one in runs(LOOKED_AT, [dg.DagsterRunStatus.FAILURE]) if _is_standing(one, tables)]
    latest = max(standing or runs(1), key=lambda one: one.storage_id, default=None)
    return None if latest is None else _as_shown(instance, latest)


def _is_standing(failure: dg.RunRecord, tables: Mapping[dg.AssetKey, TableState]) -> bool:
    """Whether a table that a failed run was to make of some partition has not been made since the run began."""
    run = failure.dagster_run
    began = failure.start_time or failure.end_time or 0.0
    wanted = [state for key, state in tables.items() if key in (run.asset_selection or tables)]
    return any(
        partition not in state.made or state.made[partition].timestamp < began
        for state in wanted
        for partition in partitions_of(run.tags, [one for one in state.partitions if one is not None])
    )


def _as_shown(instance: dg.DagsterInstance, record: dg.RunRecord) -> LastRun:
    import dagster as dg

    run = record.dagster_run
    ends = instance.get_records_for_run(run.run_id, of_type=dg.DagsterEventType.RUN_FAILURE).records
    was_killed = any(one.event_log_entry.get_dagster_event().message == KILLED for one in ends)
    seconds = None if record.end_time is None else record.end_time - (record.start_time or record.end_time)
    return LastRun(run.job_name, run.tags.get(PARTITION), run.status.value, record.start_time, seconds, was_killed)


def _line(metadata: Mapping[str, Any], partition: str | None, labels: tuple[str, ...]) -> str:
    words = [
        f"{label} {_shown(metadata[label].value)}"
        for label in labels
        if label in metadata and metadata[label].value is not None
    ]
    return f"{partition}: {', '.join(words)}" if words and partition else ", ".join(words)


def _shown(value: Any) -> str:
    # The digits that metadata has: rounded once more, a number would differ from the one in the report.
    return f"{value:.4f}" if isinstance(value, float) else str(value)
