"""`touchstone run`: a study through Dagster, in this process, with progress and a summary."""

from typing import Annotated, Literal

import typer
from rich.console import Console

from pipeline.command_line.summary import show_outcome, show_summary
from pipeline.instance import open_instance
from pipeline.samples.prepare import prepare_samples
from resources.errors import UserError
from resources.home import Home, touchstone_home
from resources.progress import BarProgress


def run(
    study: Annotated[Literal["fidelity"], typer.Argument(help="Which study.")],
    setting: Annotated[
        list[str] | None, typer.Option(help="Only this setting, such as t0.2_p0.95; repeatable.")
    ] = None,
) -> None:
    """Run a study: what is answered already is not asked again."""
    console = Console()
    home = touchstone_home()
    prepare_samples(home, console)
    run_and_show(home, console, tuple(setting or ()))


def run_and_show(home: Home, console: Console, settings: tuple[str, ...]) -> None:
    """Run the fidelity study and print its summary.

    Raises:
        UserError: A user's file or a blocking gate stopped the study.
    """
    with console.status("Loading"):
        from pipeline.definitions import touchstone
        from pipeline.runs import run_study

        definitions = touchstone()
    with open_instance(home) as instance:
        outcome = run_study(definitions, "fidelity", instance, settings, {"progress": BarProgress(console)})
    show_outcome(outcome, console)
    if outcome.user_errors:
        raise UserError("\n".join(dict.fromkeys(outcome.user_errors)))
    if outcome.other_errors:
        raise RuntimeError("\n".join(dict.fromkeys(outcome.other_errors)))
    if not outcome.succeeded:
        raise UserError("A blocking gate stopped the study; the line marked STOP above says which and why.")
    show_summary(home, console)
