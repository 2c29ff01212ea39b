"""`touchstone demo`: the sample inputs, the studies on them, and what they found."""

import time
from functools import partial
from typing import Annotated

import typer

from pipeline.command_line.run_study import StudyName, run_and_show
from pipeline.command_line.terminal import terminal
from resources.errors import UserError
from resources.runtime.home import touchstone_home


def demo(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Every gate, table and number, not only the verdicts.")
    ] = False,
) -> None:
    """Make sample inputs, run the studies on them and print what they found."""
    from pipeline.samples.prepare import prepare_samples

    console = terminal()
    home = touchstone_home()
    started = time.monotonic()
    if not prepare_samples(home, console):
        raise UserError(
            "The demo runs the built-in sample study, but a configuration file is used. "
            "Run it with `touchstone run fidelity`, or unset TOUCHSTONE_CONFIG / move touchstone.yaml away."
        )
    with console.status("Loading"):
        # Once for both processes.
        import pipeline.definitions
        import pipeline.runs  # noqa: F401
        from pipeline.command_line.demo_reliability import show_both_samples
        from pipeline.command_line.side_by_side import Part, shown_in_order
        from pipeline.instance import open_instance
        from resources.runtime.dagster_databases import close_connections

        # Dagster fails where two processes make its databases at once.
        with open_instance(home):
            pass
        close_connections()
    names: tuple[StudyName, ...] = ("fidelity", "pairwise", "evaluation")
    studies = [
        Part(f"Study {letter}: {name}", partial(run_and_show, name=name, partitions=(), in_short=not verbose))
        for letter, name in zip("ABC", names, strict=True)
    ]
    samples = partial(show_both_samples, home, in_short=not verbose)
    shown_in_order(console, [*studies, Part("Study D: reliability", samples)])
    if not verbose:
        console.print(f"All that was seen: `touchstone demo -v`, or the reports in {home.outputs}.", soft_wrap=True)
    console.print(f"Done in {time.monotonic() - started:.0f} s. Look at it: `make dev`, then http://127.0.0.1:3000")
