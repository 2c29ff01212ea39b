"""`touchstone run`: a study through Dagster, in this process, with progress and a summary."""

import os
from typing import Annotated, Literal

import typer
from rich.console import Console

from resources.errors import UserError
from resources.home import Home, touchstone_home

INTERRUPTED = 130  # as a shell reports a program that Ctrl+C ended
StudyName = Literal["fidelity", "evaluation"]


def run(
    study: Annotated[StudyName, typer.Argument(help="Which study.")],
    setting: Annotated[
        list[str] | None,
        typer.Option(help="fidelity: only this setting, such as t0.2_p0.95; can be given several times."),
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="evaluation: only this data set; can be given several times.")
    ] = None,
) -> None:
    """Run a study: what is answered already is not asked again."""
    from pipeline.samples.prepare import prepare_samples
    from resources.configuration.load import configuration_file

    console = Console()
    home = touchstone_home()
    if (study == "fidelity" and dataset) or (study == "evaluation" and setting):
        raise UserError("`--setting` goes with fidelity, `--dataset` with evaluation.")
    if configuration_file(home) is None and "TOUCHSTONE_HOME" in os.environ and not home.holds_a_study():
        raise UserError(
            f"There is no study in {home.local}: no touchstone.yaml, and the demo was not run there. "
            "`touchstone init` makes one, `touchstone demo` runs the samples."
        )
    if prepare_samples(home, console):
        console.print(f"There is no touchstone.yaml in {home.local}: the built-in sample study runs.", soft_wrap=True)
    run_and_show(home, console, study, tuple(setting or dataset or ()))


def run_and_show(home: Home, console: Console, name: StudyName, partitions: tuple[str, ...]) -> None:
    """Run one study and print its summary.

    Raises:
        UserError: A user's file or a blocking gate stopped the study.
    """
    with console.status("Loading"):
        from pipeline.command_line.evaluation_summary import show_evaluation
        from pipeline.command_line.summary import show_outcome, show_summary
        from pipeline.definitions import definitions_of
        from pipeline.instance import open_instance
        from pipeline.runs import run_evaluation, run_study
        from resources.progress import BarProgress
        from resources.study import study_from_environment

        study = study_from_environment()
        definitions = definitions_of(study)
    getattr(study, name)  # refuses a study that is not configured before anything runs
    try:
        with open_instance(home) as instance:
            if name == "fidelity":
                outcome = run_study(definitions, name, instance, partitions, {"progress": BarProgress(console)})
            else:
                outcome = run_evaluation(definitions, instance, study, partitions)
    except KeyboardInterrupt:
        console.print("Interrupted. What was finished is kept; the same command goes on from there.")
        raise typer.Exit(INTERRUPTED) from None
    show_outcome(outcome, console)
    if name == "evaluation" and "evaluation_summary" in outcome.tables:
        # One bad file does not hide what the good ones gave.
        show_evaluation(home, console)
    if outcome.user_errors:
        raise UserError("\n".join(dict.fromkeys(outcome.user_errors)))
    if outcome.other_errors:
        raise RuntimeError("\n".join(dict.fromkeys(outcome.other_errors)))
    if not outcome.succeeded:
        raise UserError("A blocking gate stopped the study; the line marked STOP above says which and why.")
    if name == "fidelity":
        show_summary(home, console)
