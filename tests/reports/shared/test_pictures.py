"""Small pictures inside a page: what is made at once."""

import threading
import time

import pytest

from reports.shared import pictures


def test_large_pictures_are_made_small_two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lock, under_way, most = threading.Lock(), [], []

    def made(path: str, _side_px: int) -> tuple[str, int, int]:
        with lock:
            under_way.append(path)
            most.append(len(under_way))
        time.sleep(0.01)
        with lock:
            under_way.remove(path)
        return path, 96, 96

    monkeypatch.setattr(pictures, "thumbnail", made)
    paths = {f"picture {n}": f"{n}.png" for n in range(12)}
    assert [*pictures.pictures_in_rows(paths)] == [*paths]
    # Of 80 million pixels each takes 0.6 GB: eight took 4.3 GB, two take 1.3.
    assert max(most) <= 2
