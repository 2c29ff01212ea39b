"""How many pixels threads decode at once: many small pictures, or few large ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class PixelsAtOnce:
    """Lets threads decode as many pixels at once as fit; a larger picture is decoded alone."""

    def __init__(self, most: int) -> None:
        """None is decoded yet."""
        self._most, self._now = most, 0
        self._changed = Condition()

    @contextmanager
    def decoding(self, n_pixels: int) -> Iterator[None]:
        """Begins once the pixels fit."""
        with self._changed:
            self._changed.wait_for(lambda: not self._now or self._now + n_pixels <= self._most)
            self._now += n_pixels
        try:
            yield
        finally:
            with self._changed:
                self._now -= n_pixels
                self._changed.notify_all()
