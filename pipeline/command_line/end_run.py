"""`touchstone end-run`: a run whose machine or container is gone counts as over, and what it held is free."""

from typing import Annotated

import typer

from pipeline.command_line.terminal import terminal
from resources.runtime.home import touchstone_home


def end_run(run: Annotated[str, typer.Argument(help="The run's id or its beginning, as the UI shows it.")]) -> None:
    """Mark a run as failed whose machine, container or code server is gone; its places in pools are free again.

    A run whose process lives on this machine is refused. One that lives elsewhere goes on unseen: make sure first.
    """
    from pipeline.instance import open_instance
    from pipeline.pool_waits import end_named_run

    with open_instance(touchstone_home()) as instance:
        words = end_named_run(instance, run)
    terminal().print(words, soft_wrap=True, highlight=False, markup=False)
