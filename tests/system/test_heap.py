"""What was freed is given back to the system, although something near the end is in use."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

_FREED = """
import re
from pathlib import Path
from core.system.heap import give_back

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

pieces = [bytes(2000) for _ in range(50_000)]
kept = pieces[-1]
pieces.clear()
before = resident()
give_back()
print(before - resident())
"""


_THREADS = """
import ctypes, re, sys, threading
from pathlib import Path
from tui.shell.thread_pool import THREADS, ThreadPool

meet = threading.Barrier(THREADS)

def work():
    meet.wait()
    return len([bytes(2000) for _ in range(1000)])

pool = ThreadPool()
assert sum(job.result() for job in [pool.submit(work) for _ in range(THREADS)]) == 1000 * THREADS
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
told = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, told)
libc.fclose(told)
print(len(re.findall("<heap nr=", Path(sys.argv[1]).read_text())))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_the_threads_of_the_program_share_one_heap(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _THREADS, tmp_path / "heaps.xml"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_freed_memory_goes_back_although_the_end_of_the_heap_is_in_use() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FREED], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) > 50
