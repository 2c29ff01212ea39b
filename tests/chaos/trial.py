"""One fault tried on one study: disturbed some times, then run to its end and compared with an undisturbed twin."""

import random
import time
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import pandas as pd

from tests.chaos.faults import Moment
from tests.chaos.stored import differing
from tests.chaos.world import STUDIES, World

# It may say whether it came in time; else a study whose tables are not those of its twin was stopped by it.
Fault = Callable[[World, Moment], bool | None]


class Undisturbed(NamedTuple):
    """What a study's tables hold when nothing happens, how long that took in s, and its calls."""

    tables: Mapping[str, pd.DataFrame]
    run_s: float
    calls: frozenset[str]


class Trial(NamedTuple):
    """What came of it.

    `n_stopped` of `n_times` the study was not done when the fault came; `lost` names tables and columns that are not
    those of the twin, calls that the ledger lost, and files that are not what tables say of them; `n_repeated` are
    calls made again though their answer was recorded, `n_in_flight` those whose answer was not. `refused` says what
    did not allow the fault here.
    """

    fault: str
    study: str
    n_times: int
    n_stopped: int
    lost: list[str]
    n_repeated: int = 0
    n_in_flight: int = 0
    refused: str = ""

    @property
    def harmed(self) -> bool:
        """Something was lost or done twice."""
        return bool(self.lost or self.n_repeated)

    @property
    def holds(self) -> bool:
        """The fault came while there was something to lose, and nothing was lost and nothing done twice."""
        return self.n_stopped > 0 and not self.harmed


def undisturbed(world: World, studies: Collection[str] = STUDIES) -> dict[str, Undisturbed]:
    """Each of these studies run once."""
    found = {}
    for study in studies:
        world.make_ready(study)
        asked, began = len(world.asked()), time.monotonic()
        world.must_run(study)
        run_s = time.monotonic() - began
        if wrong := world.lost_files(study):
            raise RuntimeError(f"{study}, undisturbed: {wrong}")
        found[study] = Undisturbed(world.tables(study), run_s, frozenset(world.asked(asked)))
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
    world.make_ready(study)
    for time_of in range(n_times + 1):
        world.finished_calls()
        recorded, known = frozenset(world.recorded), set(world.asked())
        since = len(world.asked())
        if time_of == n_times:
            if exit_code := world.run(study):
                lost.append(f"exit code {exit_code}, not 0: see {study}.log")
        else:
            in_time = fault(world, Moment(study, twin.run_s, chance))
            n_stopped += bool(in_time or differing(world.tables(study), twin.tables))
        again = world.asked(since)
        n_repeated += sum(one in recorded for one in again)
        n_in_flight += sum(one in known - recorded for one in again)
        lost += [f"recorded call {one}" for one in world.recorded - world.finished_calls()]
    lost += [*differing(world.tables(study), twin.tables), *world.lost_files(study)]
    if not twin.calls <= world.finished_calls():
        lost.append(f"{len(twin.calls - world.finished_calls())} calls of the undisturbed run")
    return Trial(name, study, n_times, n_stopped, lost, n_repeated, n_in_flight)
