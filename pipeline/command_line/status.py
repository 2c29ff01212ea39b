"""`touchstone status`, `gates` and `end-run`: where each study is, what its gates ask, and the end of a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.home import touchstone_home

if TYPE_CHECKING:
    from resources.study import Study

WANTS_A_PERSON = 1


def status(
    study: Annotated[
        list[str] | None, typer.Option(help="Only this study, with every table of it; may be given several times.")
    ] = None,
) -> None:
    """Of each study: tables made, missing and out of date, the last run, failed gates, numbers, what comes next.

    Exit code: 0 if nothing stands still; 1 if the last run of a study failed or an integrity gate (STOP) does not
    hold, so that a person has to look; 2 if the state cannot be read. A missed threshold (FAIL) is a result, not a
    standstill.
    """
    from pipeline.instance import open_instance

    console = terminal()
    home = touchstone_home()
    from pipeline.command_line.status_shown import show_study
    from pipeline.command_line.study_state import STOP, StudyState, failed, gate_states, last_run
    from pipeline.command_line.study_verdict import verdict_lines
    from pipeline.definitions import STUDIES, definitions_of
    from pipeline.staleness import table_states
    from resources.runtime.dagster_tags import study_of_group
    from resources.study import study_from_environment

    ours = study_from_environment()
    chosen = _studies_to_show(ours, study or [], list(STUDIES))
    graph = definitions_of(ours).resolve_asset_graph()
    stands_still = False
    with open_instance(home) as instance:
        states = table_states(instance, graph)
        for name in chosen:
            tables = {key: state for key, state in states.items() if study_of_group(graph.get(key).group_name) == name}
            gates = gate_states(instance, graph, tables)
            jobs = {job.name for job in STUDIES[name].jobs}
            run = last_run(instance, jobs, tables)
            state = StudyState(name, tables, gates, run, *_due(ours, name))
            state = state._replace(verdicts=verdict_lines(home, name, failed(state.every_gate, STOP)))
            show_study(console, state, every_table=bool(study))
            stands_still |= state.stands_still
    console.print(f"Tables in {home.tables}", soft_wrap=True, highlight=False)
    if not study:
        console.print("`touchstone status --study NAME` lists a study's tables.", highlight=False, markup=False)
    if stands_still:
        raise typer.Exit(WANTS_A_PERSON)


def _studies_to_show(study: Study, asked: list[str], known: list[str]) -> list[str]:
    """The studies to show, in their order.

    Raises:
        UserError: One that there is not, or that is not configured.
    """
    there = [name for name in known if getattr(study, f"{name}_section") is not None]
    for name in asked:
        if name not in there:
            raise UserError(f"There is no study '{name}' in this home. There are {', '.join(there)}.")
    return [name for name in there if name in asked or not asked]


def _due(study: Study, name: str) -> tuple[str, str]:
    """The step of study D in words and as a command, where it was validated."""
    from assets.reliability.logic.contingency_state import due, next_command

    if name != "reliability" or study.validations.validations().empty:
        return "", ""
    step: Any = due(study)
    return step.sentence, next_command(study, step)


def end_run(run: Annotated[str, typer.Argument(help="The run's id or its beginning, as the UI shows it.")]) -> None:
    """Mark a run as failed whose machine, container or code server is gone; its places in pools are free again.

    A run whose process lives on this machine is refused. One that lives elsewhere goes on unseen: make sure first.
    """
    from pipeline.instance import open_instance
    from pipeline.pool_waits import end_named_run

    with open_instance(touchstone_home()) as instance:
        words = end_named_run(instance, run)
    terminal().print(words, soft_wrap=True, highlight=False, markup=False)


def gates() -> None:
    """Print every gate: what it asks, what to do where it fails, what is withheld then (docs/gates.md)."""
    from pipeline.gate_list import page

    sys.stdout.write(page())
