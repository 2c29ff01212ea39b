"""`touchstone backup` and `touchstone restore`: a study as one folder, and back."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.command_line.terminal import terminal
from resources.runtime.home import touchstone_home

MEGABYTE = 1_000_000


def backup(folder: Annotated[Path, typer.Argument(help="A new folder, best on another disk.")]) -> None:
    """Copy the home, its databases and Dagster's state into a folder; runs may go on."""
    from resources.backup.home_backup import back_up
    from resources.configuration.load import load_configuration

    console = terminal(soft_wrap=True, highlight=False)
    home = touchstone_home()
    made = back_up(home, load_configuration(home).study, folder)
    console.print(
        f"Study {made.study}: {len(made.files)} files, {made.bytes / MEGABYTE:.1f} MB in {folder}.", markup=False
    )
    for place in filter(None, (made.tables, made.configuration)):
        console.print(f"Not in it, keep it yourself: {place}", markup=False)
    console.print("Nor are the inputs that the configuration names outside the home, and no secret is.")


def restore(folder: Annotated[Path, typer.Argument(help="A folder that `touchstone backup` made.")]) -> None:
    """Put a back-up into an empty TOUCHSTONE_HOME, and an empty Postgres database where it holds a dump."""
    import dagster as dg

    from pipeline.instance import end_unfinished_backfills, end_unfinished_runs, prepare_instance
    from resources.backup.home_backup import restore as put_back

    console = terminal(soft_wrap=True, highlight=False)
    home = touchstone_home()
    restored = put_back(folder, home)
    console.print(f"Study {restored.study} as of {restored.made_at} is in {home.base}.", markup=False)
    if not home.dagster.exists():
        return
    prepare_instance(home)
    with dg.DagsterInstance.get() as instance:
        canceled = end_unfinished_backfills(instance)
        ended = end_unfinished_runs(instance, "It was under way when the back-up was made. Run again.")
    if ended:
        console.print(f"{ended} runs were under way or queued then and count as ended: run the study again.")
    if canceled:
        console.print(f"{canceled} backfills were not over then and are canceled: launch what you still want.")
