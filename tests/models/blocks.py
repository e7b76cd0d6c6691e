"""A model whose blocks are read in this process, and small files of several architectures."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from llama_cpp import llama_cpp as c
from numpy.typing import NDArray

from core.models.blocks import BlockAccess, Edit
from core.models.llama.completion import score_options
from core.models.llama.engine import Engine
from core.models.llama.inspection import Inspection
from core.models.llama.log import Log
from core.models.llama.patcher import score_patched
from core.models.llama.template_client import Renderer
from core.models.llama.tokenizer import Prompting
from tests.gguf_files import BENCH_20_BLOCKS, Tiny, write

ARCHITECTURES = ("llama", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "phi2")
SEQUENTIAL = ARCHITECTURES[:6]
"""Attention first, then feed-forward; the others have both beside each other."""
BESIDE = ("gptneox", "falcon", "command-r", "stablelm")
"""More that have both beside each other."""
STORY = "the cup was open. the cup was closed. perché il cibo?\n"
CONTRAST = "the cup was open. the cup was open. perché il cibo?\n"
OPTIONS = (" yes", " no")

_QUIET = Log(lambda line: None)

Change = Callable[[str, NDArray[np.float32]], NDArray[np.float32]]


def spec_of(architecture: str, blocks: int = 3) -> Tiny:
    """A file with fewer key-value heads than heads, where the architecture allows that."""
    if architecture == "20 blocks":
        return BENCH_20_BLOCKS
    shared = 0 if architecture in ("phi2", "gptneox", "stablelm") else 2
    return Tiny(blocks=blocks, architecture=architecture, key_value_heads=shared)


def changed(path: Path, spec: Tiny, names: Sequence[str], change: Change) -> Path:
    """The same file with some tensors changed."""

    def only(name: str, drawn: NDArray[np.float32]) -> NDArray[np.float32]:
        return change(name, drawn) if name in names else drawn

    return write(path, spec, change=only)


def quantised(path: Path, precision: str) -> Path:
    """A random model whose weights llama.cpp itself brought to a precision ("Q4_K_M")."""
    whole = write(
        path.with_name("whole.gguf"),
        Tiny(blocks=3, width=256, hidden=512, heads=4, key_value_heads=2),
    )
    wanted = c.llama_model_quantize_default_params()
    wanted.ftype = getattr(c, f"LLAMA_FTYPE_MOSTLY_{precision}")
    code = c.llama_model_quantize(bytes(whole), bytes(path), ctypes.byref(wanted))
    assert code == 0
    return path


class Opened:
    """A model with both of its contexts."""

    architecture = ""

    def __init__(self, path: Path, *, exact: bool = False) -> None:
        self.engine = Engine(
            str(path),
            2048,
            extra_buffers=False,
            progress=lambda _: None,
            cancelled=lambda: False,
            exact=exact,
        )
        self.inspection = Inspection(self.engine, lambda: False)
        self.prompting = Prompting(self.engine, Renderer(lambda: False))
        self.access: BlockAccess = self.inspection.check(self.engine)

    def pairs(self, prompt: str, options: Sequence[str] = OPTIONS) -> tuple[int, list[list[int]]]:
        return self.prompting.encode_options(self.prompting.prepare(prompt), options)

    def tokens(self, prompt: str) -> int:
        return self.pairs(prompt)[0]

    def plain(self, prompt: str, options: Sequence[str] = OPTIONS) -> list[tuple[float, int]]:
        """Scores of the context that has no callback."""
        return score_options(self.engine, *self.pairs(prompt, options))

    def patched(
        self,
        prompt: str,
        edits: Sequence[Edit],
        contrast: str = "",
        options: Sequence[str] = OPTIONS,
    ) -> list[tuple[float, int]]:
        """Scores with edits; those without must be the plain ones."""
        other = self.pairs(contrast, options) if contrast else None
        without, found, _ = score_patched(
            self.inspection, *self.pairs(prompt, options), edits, other
        )
        assert without == self.plain(prompt, options)
        return found
