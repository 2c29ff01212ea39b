"""What takes long to build is built once for all tests and all workers of a session."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest


class Built(Protocol):
    """Makes a folder that all tests of a session share, under its name, unless it is there."""

    def __call__(self, name: str, build: Callable[[Path], object]) -> Path: ...


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Folders that are built once for all tests: they read them and leave them as they are, or work on a copy."""
    base = tmp_path_factory.getbasetemp()
    # Under pytest-xdist every worker is a session of its own: they share one folder, and one of them builds.
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def folder_of(name: str, build: Callable[[Path], object]) -> Path:
        folder, whole = shared / name, shared / f"{name}.built"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not whole.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                build(folder)
                whole.touch()
        return folder

    return folder_of
