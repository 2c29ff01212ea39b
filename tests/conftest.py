"""Fixtures that every part of the tests shares."""

import gc
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from resources.runtime.network import CERTIFICATES, PROXIES
from tests.unsynced import without_syncing
from tests.workers import OF_MODELS

if TYPE_CHECKING:
    from pipeline.samples.fidelity import FidelitySamples
    from tests.built import Built

# A developer's own study and network must neither steer the tests nor be written to by them; no test makes this folder.
# Certificates take 25 ms for each judge of a test, once more for each variable that names them.
for name in ("TOUCHSTONE_CONFIG", "TOUCHSTONE_DATABASE_URL", *PROXIES, *map(str.lower, PROXIES), *CERTIFICATES):
    os.environ.pop(name, None)
os.environ["TOUCHSTONE_HOME"] = str(Path(tempfile.gettempdir()) / "touchstone-home-of-no-test")

without_syncing()

# Before numpy is loaded: the matrices of tests are small, and threads that wait for work take half of the processor.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# How long an example takes is no fault: a busy machine would fail tests that hold.
settings.register_profile("touchstone", deadline=None, max_examples=50)
settings.register_profile("fast", deadline=None, max_examples=5)
settings.load_profile("touchstone")

pytest_plugins = [
    "tests.built",
    "tests.chromium",
    "tests.drawings",
    "tests.migrated",
    "tests.postgres",
    "tests.stored_tables",
    "tests.workers",
]

# Rooms whose tests are about SQL: these run on both databases in the fast lane too.
SQL_ROOMS = ("tests/resources/database/",)
SLOW_ROOMS = ("tests/chaos/", "tests/deploy/")
# Minutes each, on one worker, in this order: begun last they would be all that runs at the end. The first three wait
# for other processes half of their time, so that others run meanwhile.
LONGEST = (
    "tests/pipeline/test_week.py",
    "tests/chaos/test_faults.py",
    "tests/resources/photos/features/test_on_ray.py",
    "tests/pipeline/test_integrity_gates.py",
    "tests/deploy/test_backup.py",
    "tests/review/test_keys_in_a_browser.py",
    "tests/pipeline/test_base_install.py",
    "tests/pipeline/command_line/test_reliability.py",
    "tests/deploy/test_postgres.py",
    "tests/pipeline/test_other_processors.py",
)

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SHARED_INPUTS = SHARED_DATA.parent / "findings" / "inputs"


def pytest_configure(config: pytest.Config) -> None:
    """A tenth of the examples of a property in the fast lane, unless the property has a number of its own."""
    from tests.migrated import migrated_by_copy
    from tests.quick_dagster import quick_dagster

    gc.disable()  # until everything is loaded
    migrated_by_copy()
    quick_dagster()
    if "not slow" in config.option.markexpr:
        settings.load_profile("fast")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to the slow lane, by kind, what needs a browser, a second database or a service; `fast` keeps a test."""
    for item in items:
        if _is_slow(item) and item.get_closest_marker("fast") is None:
            item.add_marker(pytest.mark.slow)
    # The longest files first, then what stays together, then those with slow tests: they are dealt out one by one.
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    places = {item.path: _place(item) for item in items}
    items.sort(key=lambda item: (places[item.path], not item.nodeid.startswith(OF_MODELS), item.path not in slow))


def pytest_collection_finish() -> None:
    """What is loaded by now stays: a million objects that no garbage collection need look at again."""
    from resources.runtime.memory import COLLECTED_AT

    gc.freeze()
    gc.set_threshold(*COLLECTED_AT)
    gc.enable()


def _place(item: pytest.Item) -> int:
    """Of its file among the longest; after all of them for every other."""
    file = item.path.relative_to(item.config.rootpath).as_posix()
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


def _is_slow(item: pytest.Item) -> bool:
    place = item.path.relative_to(item.config.rootpath).as_posix()
    second_database = "postgres" in item.name and not place.startswith(SQL_ROOMS)
    return place.startswith(SLOW_ROOMS) or second_database or "browser" in getattr(item, "fixturenames", ())


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """What a command under test made of Ctrl+C and of being ended is over with the test: programs inherit it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)  # Ctrl+C that was put off would end a later test, or a run in it
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the real files, which are no part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the real files (../shared/data) are not next to this checkout")
    return SHARED_DATA


@pytest.fixture(scope="session")
def shared_inputs() -> Path:
    """The folder with files and servers that once led to wrong results, which are no part of the project."""
    if not SHARED_INPUTS.is_dir():
        pytest.skip("the inputs that once failed (../shared/findings/inputs) are not next to this checkout")
    return SHARED_INPUTS


@pytest.fixture(scope="session")
def fidelity_samples(built: "Built") -> "FidelitySamples":
    """The fidelity study's sample inputs."""
    from pipeline.samples.fidelity import write_fidelity_samples

    return write_fidelity_samples(built("fidelity_samples", write_fidelity_samples))
