"""One run at a time in a folder of features; another waits, and an object store has no locks."""

import logging
from pathlib import Path
from threading import Event, Thread

from upath import UPath

from resources.photos.features.shards import alone_in
from tests.resources.photos.features.made_photos import Counted

LOG = logging.getLogger(__name__)


def test_a_second_run_waits_until_the_first_is_done(tmp_path: Path) -> None:
    folder, progress, entered = UPath(tmp_path / "features"), Counted(), Event()

    def second() -> None:
        with alone_in(folder, progress, LOG):
            entered.set()

    with alone_in(folder, Counted(), LOG):
        thread = Thread(target=second)
        thread.start()
        assert not entered.wait(0.3)
    assert entered.wait(10)
    thread.join()
    assert progress.totals == {"other runs on these photos waited for": 1}


def test_an_address_is_not_locked() -> None:
    folder = UPath("memory://features")
    with alone_in(folder, Counted(), LOG), alone_in(folder, Counted(), LOG):
        assert not (folder / ".lock").exists()
