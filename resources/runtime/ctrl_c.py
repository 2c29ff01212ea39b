"""Ctrl+C ends a command with one line and no traceback, wherever it is."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, NoReturn

Handler = Callable[[int, FrameType | None], Any]

INTERRUPTED: Final = 130  # as a shell reports a program that Ctrl+C ended
SAID: Final = "Interrupted. What was finished is kept; the same command goes on from there.\n"
AGAIN_S: Final = 0.05
_IMPORTING: Final = "<frozen importlib._bootstrap>"
_SHOW_CURSOR: Final = "\r\x1b[2K\x1b[?25h"
_pressed = _ended = False


def listen() -> None:
    """Take Ctrl+C over, unless it is ignored, as by what a script starts in the background."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    signal.signal(signal.SIGINT, interrupt)
    other, uncaught = sys.unraisablehook, sys.excepthook

    def lost(unraisable: Any) -> None:
        # Raised in a callback of Python's own, where no code can catch it.
        if not _pressed or issubclass(unraisable.exc_type, Exception):
            other(unraisable)
        elif not _ended:
            _again()

    def last(kind: type[BaseException], *problem: Any) -> None:
        if issubclass(kind, KeyboardInterrupt):
            _leave()
        uncaught(kind, *problem)

    sys.unraisablehook, sys.excepthook = lost, last


def interrupt(_number: int, frame: FrameType | None) -> NoReturn:
    """The handler of a command; while modules are loaded it ends the process.

    NumPy, for one, would print the exception and go on. No run of Dagster is on then, which has a handler of its own.
    """
    global _pressed
    _pressed = True
    if _is_importing(frame):
        _leave()
    raise KeyboardInterrupt


def outside_imports(handler: Handler) -> Handler:
    """A handler that is called once no module is being loaded; who presses again meanwhile ends the process."""
    if not callable(handler) or handler is interrupt or hasattr(handler, "waits"):
        return handler

    def handle(number: int, frame: FrameType | None) -> None:
        global _pressed
        again, _pressed = _pressed and number == signal.SIGINT, True
        if not _is_importing(frame):
            handler(number, frame)
        elif again:
            _leave()
        else:
            _again()

    handle.waits = True  # type: ignore[attr-defined]
    return handle


def was_pressed() -> bool:
    """Whether Ctrl+C came, whatever a library made of it."""
    return _pressed


def end() -> None:
    """Nothing is left to interrupt; after Ctrl+C this says so and raises `SystemExit`, whatever came of it."""
    global _ended
    _ended = True
    if _pressed:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stderr.write(SAID)
        sys.exit(INTERRUPTED)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename != _IMPORTING:
        frame = frame.f_back
    return frame is not None


def _again() -> None:
    """Call the handler that Ctrl+C has a moment from now."""

    def ring(number: int, frame: FrameType | None) -> None:
        if callable(handler := signal.getsignal(signal.SIGINT)):
            handler(number, frame)

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, AGAIN_S)


def _leave() -> NoReturn:
    if not _ended:
        os.write(2, f"{_SHOW_CURSOR if os.isatty(2) else ''}{SAID}".encode())
    os._exit(INTERRUPTED)
