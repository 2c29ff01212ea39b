"""What the web UI, the daemon and their runs write, without the lines of an idle hour."""

import re
import sys
import threading
from contextlib import suppress
from subprocess import Popen
from typing import Final

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
# As Dagster's loggers write a line: time, logger, level, words.
_LINE: Final = re.compile(r"\d{4}-\d\d-\d\d \S+ \S+ - (?P<logger>[\w.-]+) - (?P<level>[A-Z]+) - (?P<words>.*)")
_LAUNCH: Final = re.compile(r"\b(creating|launch|launched|launching)\b.* run", re.IGNORECASE)
_RUN: Final = re.compile(r" - RUN_\w+ - ")
# The daemon starts its code server anew once a minute, and the old one ends with this warning.
_REPLACED: Final = "No heartbeat received in"


def is_shown(line: str) -> bool:
    """Whether a line belongs into a log that people read.

    Warnings, errors, whatever has another form, and each run's beginning and end do; a tick that starts no run, the
    steps of a run and the end of a code server that was replaced do not.
    """
    found = _LINE.match(_COLOUR.sub("", line))
    if found is None:
        return True
    logger, level, words = found.groups()
    if level == "DEBUG":
        return _RUN.search(words) is not None
    if level == "INFO" and logger.startswith("dagster.daemon"):
        return _LAUNCH.search(words) is not None
    return not (logger == "dagster.code_server" and words.startswith(_REPLACED))


def pass_on(process: Popen[bytes]) -> threading.Thread:
    """Copy what a process writes to this one's standard output, line by line, until it ends or all that it started."""

    def copy() -> None:
        for line in process.stdout or ():
            # Once nothing reads this output any more, as after `| head`, the process must not wait for it.
            with suppress(BrokenPipeError):
                if is_shown(line.decode(errors="replace")):
                    sys.stdout.buffer.write(line)
                    sys.stdout.buffer.flush()

    thread = threading.Thread(target=copy, name="log", daemon=True)
    thread.start()
    return thread
