"""What the worker must know of the processor, without asking llama.cpp."""

from __future__ import annotations

from pathlib import Path


def has_matrix_tiles() -> bool:
    """Whether the processor has AMX, for which this llama.cpp's kernels crash on Q8_0 weights."""
    try:
        return "amx_tile" in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
