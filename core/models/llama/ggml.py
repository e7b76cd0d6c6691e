"""The libraries of ggml that came with llama.cpp, for what llama-cpp-python does not pass on."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

from llama_cpp import llama_cpp as c


def ggml_library(name: str) -> Any:
    """A library ("ggml", "ggml-base") in the folder of libllama, which already uses it."""
    folder, suffix = Path(c._lib._name).parent, Path(c._lib._name).suffix
    return ctypes.CDLL(str(next(folder.glob(f"*{name}{suffix}"))))
