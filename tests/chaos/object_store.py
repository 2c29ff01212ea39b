"""Tables in a store that is reached over the network, and the network lost while a study runs."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from resources.runtime.home import CHECKOUT, touchstone_home
from tests.chaos.faults import EARLIEST, LATEST, Moment
from tests.chaos.world import World, kill
from tests.deploy.test_postgres import free_ports, listens, until
from tests.openai_server import OpenAIServer

# A program that does not notice that its store is gone would wait for ever.
NOTICED_WITHIN_S = 60


class Store:
    """A server of files in a process of its own, which can be killed and started again on its port."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.port = folder, free_ports()[0]

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [sys.executable, "-m", "tests.chaos.hdfs_server", str(self._folder), str(self.port)]
        self._process = subprocess.Popen(command, cwd=CHECKOUT, start_new_session=True)
        until(lambda: listens(self.port), "the store's start")

    def kill(self) -> None:
        """SIGKILL: connections break, and nobody takes new ones."""
        kill(self._process)


@contextmanager
def stored_world(folder: Path, server: OpenAIServer, kind: type[World] = World) -> Iterator[tuple[World, Store]]:
    """A world whose tables lie in a store on loopback; what needs a disk is removed at the end."""
    folder = folder / f"stored_{uuid4().hex}"
    world, store = kind(folder, server), Store(folder)
    # The store's folder is the world's, so that the tables lie where they are looked for.
    world.variables |= {
        "TOUCHSTONE_HOME": f"webhdfs:///{world.home.name}/{folder.name}",
        "TOUCHSTONE_CONFIG": str(world.home / "touchstone.yaml"),
        "TOUCHSTONE_DATABASE_URL": f"sqlite:///{world.home / 'touchstone.db'}",
        "FSSPEC_WEBHDFS": json.dumps({"host": "127.0.0.1", "port": store.port}),
    }
    (world.home / folder.name).mkdir()
    (world.home / "tables").symlink_to(world.home / folder.name / "tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_HOME", world.variables["TOUCHSTONE_HOME"])
        local = touchstone_home().local
    world.outputs = local / "outputs"
    try:
        store.start()
        yield world, store
    finally:
        store.kill()
        shutil.rmtree(local, ignore_errors=True)


def network_lost(store: Store) -> Callable[[World, Moment], None]:
    """The store is gone while the study runs, and comes back after the program has ended."""

    def disturb(world: World, moment: Moment) -> None:
        program = world.start(moment.study)
        try:
            time.sleep(moment.chance.uniform(EARLIEST, LATEST) * moment.run_s)
            store.kill()
            program.wait(NOTICED_WITHIN_S)
        finally:
            kill(program)
            store.start()

    return disturb
