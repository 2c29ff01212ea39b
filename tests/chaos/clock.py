"""A clock that jumps while a program runs: a library before the system's that adds what a file says."""

import os
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chaos.faults import EARLIEST, LATEST, Moment, NotPossible, called
from tests.chaos.world import PATIENCE_S, World, kill

DAY_S = 86_400
VARIABLE = "CHAOS_CLOCK"
# Only the time of day jumps; the clock that counts from the machine's start does not, as with a real jump.
SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static int64_t offset_s(void) {
  static volatile int64_t *shared;
  if (!shared) {
    int file = open(getenv("CHAOS_CLOCK"), O_RDONLY | O_CLOEXEC);
    shared = mmap(0, sizeof *shared, PROT_READ, MAP_SHARED, file, 0);
  }
  return *shared;
}
int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*true_one)(clockid_t, struct timespec *);
  if (!true_one) true_one = dlsym(RTLD_NEXT, "clock_gettime");
  int done = true_one(clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += offset_s();
  return done;
}
int gettimeofday(struct timeval *now, void *zone) {
  static int (*true_one)(struct timeval *, void *);
  if (!true_one) true_one = dlsym(RTLD_NEXT, "gettimeofday");
  int done = true_one(now, zone);
  now->tv_sec += offset_s();
  return done;
}
time_t time(time_t *now) {
  struct timespec read;
  clock_gettime(CLOCK_REALTIME, &read);
  if (now) *now = read.tv_sec;
  return read.tv_sec;
}
"""


def clock_jumps(world: World, moment: Moment) -> bool:
    """The time of day jumps a day ahead or back while the study runs, where it still does; later runs see the true one.

    A jump stops nothing, so it says itself whether it came in time.
    """
    before = dict(world.variables)
    try:
        with jumping() as (variables, jump):
            world.variables.update(variables)
            program = world.start(moment.study)
            try:
                time.sleep(moment.chance.uniform(EARLIEST, LATEST) * moment.run_s)
                jump(moment.chance.choice((DAY_S, -DAY_S)))
                at_work = program.poll() is None
                program.wait(PATIENCE_S)
            finally:
                kill(program)
            return at_work
    finally:
        world.variables = before


@contextmanager
def jumping() -> Iterator[tuple[dict[str, str], Callable[[int], None]]]:
    """Variables of the programs whose clock it is, and what makes it jump, by seconds from the true time.

    Raises:
        NotPossible: There is no C compiler.
    """
    with tempfile.TemporaryDirectory(prefix="touchstone-clock-") as folder:
        source, library, said = Path(folder) / "clock.c", Path(folder) / "clock.so", Path(folder) / "offset"
        source.write_text(SOURCE)
        called("cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl")
        said.write_bytes(struct.pack("=q", 0))

        def jump(seconds: int) -> None:
            # In place: the programs have this file open.
            with said.open("r+b") as file:
                file.write(struct.pack("=q", seconds))

        variables = {"LD_PRELOAD": str(library), VARIABLE: str(said)}
        told = "import time, sys; sys.stdin.readline(); print(time.time())"
        probe = subprocess.Popen(
            ["python3", "-c", told],
            env=os.environ | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        jump(DAY_S)
        if float(probe.communicate("\n")[0]) < time.time() + DAY_S / 2:
            raise NotPossible("needs programs that ask the C library for the time")
        jump(0)
        yield variables, jump
