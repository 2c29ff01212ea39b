"""What several processes of tests share: who compiles which file, and which files stay with one of them."""

import importlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

HERE = Path(__file__).parent
# Files that load torch and the libraries on top of it: seconds, and half a gigabyte, for each worker that has one.
OF_MODELS = (
    "tests/assets/pairwise/test_image_features.py",
    "tests/assets/shared/test_refused_early.py",
    "tests/benchmarks/",
    "tests/pipeline/command_line/test_doctor.py",
    "tests/pipeline/command_line/test_estimate.py",
    "tests/pipeline/command_line/test_import_pairwise.py",
    "tests/pipeline/command_line/test_pairwise_nothing.py",
    "tests/resources/judges/relevance/test_embedding.py",
    "tests/resources/photos/features/",
    "tests/resources/photos/test_weights.py",
    "tests/resources/test_gpu.py",
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Load a share of the test files first: what one worker has compiled, the others read.

    A fresh checkout has nothing compiled, and workers that all began with the first file would each compile all.
    """
    worker: dict[str, Any] | None = getattr(session.config, "workerinput", None)
    if worker is None or [Path(place).name for place in session.config.args] != [HERE.name]:
        return
    number = int(worker["workerid"].removeprefix("gw"))
    for path in sorted(HERE.rglob("test_*.py"))[number :: worker["workercount"]]:
        # Collecting says what is wrong with a file.
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(HERE.parent).with_suffix("").parts))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> "LoadFileScheduling | None":
    """Files go to workers as wholes, those of models to one of them."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return "of models" if file.startswith(OF_MODELS) else file

    return ByFile(config, log)
