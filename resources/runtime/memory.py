"""Memory that is freed and still held, and how often Python looks for some."""

import ctypes
import platform
from typing import Final

import pyarrow as pa

# Most of what a command loads stays; at Python's own 700 objects the collector took a fifth of the time of loading, and
# with a look at older objects at every tenth collection, as it has, half of what was left.
COLLECTED_AT: Final = (50_000, 20, 20)


def return_freed_memory() -> None:
    """Give memory that was freed back to the system; a C library other than glibc does so by itself.

    Arrow, which reads and writes tables, keeps what was freed in a pool, and glibc in one for each thread: after
    100,000 photos 0.3 GB, for as long as the process lives.

    Source:
        malloc_trim(3); `pyarrow.MemoryPool.release_unused`.
    """
    pa.default_memory_pool().release_unused()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)
