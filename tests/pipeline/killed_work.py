"""A code location for tests: a table whose first run waits to be killed, and one that refuses what its user gave it."""

import os
import time
from pathlib import Path

import dagster as dg

from resources.errors import UserError

PROCESS = "TOUCHSTONE_TEST_PROCESS_FILE"


@dg.asset
def made_before() -> int:
    """Made by the first run, and not again."""
    return 1


@dg.asset
def waits(made_before: int) -> None:
    """Says in which process it runs, and waits; once that is said, it is done at once."""
    told = Path(os.environ[PROCESS])
    if told.exists():
        return
    beside = told.with_suffix(".new")
    beside.write_text(str(os.getpid()))
    beside.replace(told)
    time.sleep(600)


@dg.asset
def refuses() -> None:
    """The user's to fix: trying again cures nothing."""
    raise UserError("scores.csv, row 3: no number. Fix it.")


definitions = dg.Definitions(
    [made_before, waits, refuses],
    jobs=[dg.define_asset_job("killed", ["made_before", "waits"]), dg.define_asset_job("refused", ["refuses"])],
    executor=dg.in_process_executor,
)
