"""One fault tried on one study: disturbed some times, then run to its end and compared with an undisturbed twin."""

import random
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from tests.chaos.faults import Moment
from tests.chaos.world import STUDIES, World, differing

Fault = Callable[[World, Moment], None]


class Undisturbed(NamedTuple):
    """What a study's tables hold when nothing happens, how long that took in s, its exit code and calls."""

    tables: Mapping[str, pd.DataFrame]
    run_s: float
    exit_code: int
    calls: frozenset[str]


class Trial(NamedTuple):
    """What came of it.

    `n_stopped` of `n_times` the study was not done when the fault came; `lost` names tables and columns that are not
    those of the twin, and calls that the ledger lost; `n_repeated` are calls made again though their
    answer was recorded, `n_in_flight` those whose answer was not.
    """

    fault: str
    study: str
    n_times: int
    n_stopped: int
    lost: list[str]
    n_repeated: int
    n_in_flight: int

    @property
    def holds(self) -> bool:
        """Nothing was lost and nothing done twice."""
        return not self.lost and not self.n_repeated


def undisturbed(world: World) -> dict[str, Undisturbed]:
    """Every study run once."""
    found = {}
    for study in STUDIES:
        asked, began = len(world.asked()), time.monotonic()
        exit_code = world.run(study)
        if exit_code:
            raise AssertionError((world.folder / f"{study}.log").read_text()[-3000:])
        run_s = time.monotonic() - began
        found[study] = Undisturbed(world.tables(study), run_s, exit_code, frozenset(world.asked(asked)))
    return found


def tried(name: str, fault: Fault, world: World, study: str, twin: Undisturbed, n_times: int, seed: int) -> Trial:
    """Disturb a study some times, run it to its end, compare.

    Args:
        name: Of the fault.
        fault: Disturbs one run.
        world: Whose study it is; nobody else uses it.
        study: Its name.
        twin: The same study undisturbed.
        n_times: How often.
        seed: Of the moments.
    """
    chance = random.Random(seed)
    n_stopped = n_repeated = n_in_flight = 0
    lost: list[str] = []
    recorded: set[str] = set()
    for time_of in range(n_times + 1):
        # What was recorded once counts as recorded, also where the ledger lost it since.
        recorded |= world.finished_calls()
        known = set(world.asked())
        since = len(world.asked())
        if time_of == n_times:
            if (exit_code := world.run(study)) != twin.exit_code:
                lost.append(f"exit code {exit_code}, not {twin.exit_code}: see {study}.log")
        else:
            fault(world, Moment(study, twin.run_s, chance))
            n_stopped += bool(differing(world.tables(study), twin.tables))
        again = world.asked(since)
        n_repeated += sum(one in recorded for one in again)
        n_in_flight += sum(one in known - recorded for one in again)
        lost += [f"recorded call {one}" for one in recorded - world.finished_calls()]
    lost += differing(world.tables(study), twin.tables)
    if twin.calls and not twin.calls <= world.finished_calls():
        lost.append(f"{len(twin.calls - world.finished_calls())} calls of the undisturbed run")
    return Trial(name, study, n_times, n_stopped, lost, n_repeated, n_in_flight)
