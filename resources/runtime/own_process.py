"""Whether a process of this machine lives, or another one has its number by now."""

import os
import subprocess
from pathlib import Path

PROC = Path("/proc")
_BOOT, _TABLE = PROC / "sys/kernel/random/boot_id", PROC / "self/ns/pid"
_STATE, _TICKS = 0, 19  # of the fields of /proc/N/stat that follow the name in brackets
_DEAD = ("Z", "X")  # a killed process that its parent did not collect has a number still


def start_of_this_process() -> str:
    """When it began, unlike for any other that had or will have its number; empty where the system does not say.

    On Linux: the boot, the container (its table of processes) and the clock ticks since the boot. Elsewhere: what `ps`
    says, to the second.
    """
    return _start(os.getpid()) or ""


def still_lives(process: int, start: str) -> bool | None:
    """Whether the process that began then lives; null where it is of another container, whose processes are not seen.

    Args:
        process: Its number.
        start: As `start_of_this_process` said there; empty where it was not noted.
    """
    parts, ours = start.split(), start_of_this_process().split()
    if len(parts) == len(ours) == 3 and parts[0] == ours[0] and parts[1] != ours[1]:
        return None
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    now = _start(process)
    if now is None:
        return True  # the system hides when it began
    return now != "" and (not start or now == start)


def _start(process: int) -> str | None:
    """Null where it cannot be read, empty where the process is over."""
    if not PROC.joinpath("self/stat").exists():
        said = subprocess.run(["ps", "-o", "lstart=", "-p", str(process)], capture_output=True, text=True, check=False)
        return said.stdout.strip()
    try:
        fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
        boot, table = _BOOT.read_text().strip(), str(_TABLE.readlink())
    except OSError:
        return None
    return "" if fields[_STATE] in _DEAD else f"{boot} {table} {fields[_TICKS]}"
