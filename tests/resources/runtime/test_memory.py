"""Memory that was freed goes back to the system."""

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

# Many small pieces of C, and one at the end of the heap that keeps the freed ones before it from being given back.
HELD = """
import ctypes, resource
from pathlib import Path
from resources.runtime.memory import return_freed_memory

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]

def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

pieces = [libc.malloc(60_000) for _ in range(2_000)]
for piece in pieces:
    ctypes.memset(piece, 1, 60_000)
last = libc.malloc(60_000)
for piece in pieces:
    libc.free(piece)
held = resident_mb()
return_freed_memory()
print(held - resident_mb())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="this C library gives memory back by itself")
def test_what_was_freed_is_given_back() -> None:
    told = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    # 120 MB were freed.
    assert float(told.stdout) > 100.0
