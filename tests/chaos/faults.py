"""Faults: each disturbs a study of a world at a moment that chance gives, and puts right what it took away."""

import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.chaos.world import World, kill
from tests.postgres import PostgresServer

# Of an undisturbed run's time: before that the program is only being loaded.
EARLIEST, LATEST = 0.2, 1.0
NOTICED_WITHIN_S = 10
# What is left on the small file system when the study starts; a whole run writes about as much.
ROOM_KB = (200, 2000)


class NotPossible(Exception):
    """This machine does not allow the fault; the text says what it would need."""


class Moment(NamedTuple):
    """What a fault needs: the study, how long an undisturbed run of it takes in s, and chance."""

    study: str
    run_s: float
    chance: random.Random


def worker_killed(world: World, moment: Moment) -> None:
    """SIGKILL to the program that runs the study, with all that it started."""
    program = world.start(moment.study)
    try:
        time.sleep(moment.chance.uniform(EARLIEST, LATEST) * moment.run_s)
    finally:
        kill(program)


def disk_full(world: World, moment: Moment) -> None:
    """The home lies on a small file system, which fills up while the study runs."""
    kept = world.folder / "kept"
    shutil.copytree(world.home, kept, dirs_exist_ok=True)
    used_kb = sum(-(-path.stat().st_size // 4096) * 4 for path in world.home.rglob("*") if path.is_file())
    with mounted(world.home, "-t", "tmpfs", "-o", f"size={used_kb + moment.chance.randint(*ROOM_KB)}k", "tmpfs"):
        shutil.copytree(kept, world.home, dirs_exist_ok=True)
        world.run(moment.study)
        shutil.rmtree(kept)
        shutil.copytree(world.home, kept)
    shutil.rmtree(world.home)
    kept.rename(world.home)


def tables_read_only(world: World, moment: Moment) -> None:
    """The tables' folder lets nothing be written while the study runs."""
    tables = world.home / "tables"
    tables.mkdir(exist_ok=True)
    with mounted(tables, "--bind", str(tables)):
        called("mount", "-o", "remount,ro,bind", str(tables))
        world.run(moment.study)


def database_killed(server: PostgresServer) -> Callable[[World, Moment], None]:
    """SIGKILL to the Postgres that has ledger, votes and runs, while the study runs; then it starts again."""

    def disturb(world: World, moment: Moment) -> None:
        program = world.start(moment.study)
        try:
            time.sleep(moment.chance.uniform(EARLIEST, LATEST) * moment.run_s)
            # What is recorded by now has to be there afterwards.
            world.finished_calls()
            server.kill()
            with suppress(subprocess.TimeoutExpired):
                program.wait(NOTICED_WITHIN_S)
        finally:
            kill(program)
        server.start()

    return disturb


@contextmanager
def mounted(place: Path, *arguments: str) -> Iterator[None]:
    """Something mounted at a folder.

    Raises:
        NotPossible: This account may not mount.
        subprocess.CalledProcessError: It stays mounted.
    """
    called("mount", *arguments, str(place))
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


def called(*command: str) -> None:
    """A system program.

    Raises:
        NotPossible: It is missing, or refuses this account.
    """
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", "") or str(error)
        raise NotPossible(f"`{' '.join(command[:3])}` is refused: {' '.join(said.split())}") from error
