"""What was freed is given back to the system, although something near the end is in use."""

from __future__ import annotations

import platform
import subprocess
import sys

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


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_freed_memory_goes_back_although_the_end_of_the_heap_is_in_use() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FREED], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) > 50
