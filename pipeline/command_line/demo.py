"""`touchstone demo`: the sample inputs, the studies on them, and what they found."""

import time
from typing import Annotated

import typer

from pipeline.command_line.run_study import run_and_show
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
    console.rule("Study A: fidelity", align="left")
    run_and_show(console, "fidelity", (), in_short=not verbose)
    console.rule("Study B: pairwise", align="left")
    run_and_show(console, "pairwise", (), in_short=not verbose)
    console.rule("Study C: evaluation", align="left")
    run_and_show(console, "evaluation", (), in_short=not verbose)
    console.rule("Study D: reliability", align="left")
    with console.status("Loading"):
        from pipeline.command_line.demo_reliability import show_both_samples
    show_both_samples(home, console, in_short=not verbose)
    if not verbose:
        console.print(f"All that was seen: `touchstone demo -v`, or the reports in {home.outputs}.", soft_wrap=True)
    console.print(f"Done in {time.monotonic() - started:.0f} s. Look at it: `make dev`, then http://127.0.0.1:3000")
