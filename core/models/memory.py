"""Estimates a model's memory, the available memory, and the longest context that fits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.models.gguf_header import Header
from core.text.errors import ModelError
from core.text.language import _
from core.text.sizes import human_bytes

LONGEST_CONTEXT = 8_192
"""Most tokens of a context unless a person asks for more: four times the longest prompts of the
benchmarks."""
SHORTEST_CONTEXT = 256
"""Fewest tokens of a context with which a model is loaded."""
OPTION_ROOM = 512
"""Cells beside the context, so that many options can continue one prompt at once."""
PREFIX_ROOM = 64 * 2**20
"""Bytes of first tokens of prompts that are kept."""
_KEY_OR_VALUE = 2
"""Bytes of one number of the key-value cache (F16)."""
_ENGINE = 64 * 2**20
"""Python, llama.cpp itself and small buffers."""
_ROWS = 2 * 128
"""Rows of logits held at once: the graph's and the ones read out."""
_UNKNOWN_VOCABULARY = 32_000


@dataclass(frozen=True, slots=True)
class Needs:
    """Memory that a model file takes, in bytes."""

    weights: int
    token: int
    """Per token of the context (KV cache)."""
    fixed: int

    def total(self, context: int) -> int:
        """Total for a context of this many tokens."""
        return self.weights + self.fixed + self.token * (context + OPTION_ROOM)


def needs_of(header: Header, weights: int, *, exact: bool = False) -> Needs:
    """An estimate, from the header and the bytes of all of the model's files.

    Where `exact`, the key-value cache holds 32-bit numbers.

    The cache is what llama.cpp allocates for ordinary attention: a key and a value for every
    block and every key-value head. Recurrent models need less.
    """
    number = header.of_architecture
    heads = max(number("attention.head_count"), 1)
    width = number("embedding_length")
    per_head = width // heads
    keys = number("attention.key_length", per_head) + number("attention.value_length", per_head)
    cached = number("attention.head_count_kv", heads) * keys * number("block_count") * _KEY_OR_VALUE
    cached *= 2 if exact else 1
    vocabulary = number("vocab_size", _UNKNOWN_VOCABULARY)
    return Needs(weights, cached, _ENGINE + PREFIX_ROOM + 4 * vocabulary * _ROWS)


def on_accelerator(memory: int, layers: int, blocks: int) -> int:
    """The part of a model's memory that so many of its layers take on an accelerator.

    All blocks and the output are one layer more than there are blocks.
    """
    return memory * min(layers, blocks + 1) // (blocks + 1)


def context_for(header: Header, needs: Needs, available: int | None, most: int = 0) -> int:
    """Most tokens of a prompt with its continuation: what it was trained for, if that fits.

    It is `most` tokens at most, 0 for `LONGEST_CONTEXT`. Raises `ModelError` when not even a short
    context fits beside the weights.
    """
    trained = header.of_architecture("context_length", LONGEST_CONTEXT)
    context = max(1, min(trained, most or LONGEST_CONTEXT))
    if available is None or needs.total(context) <= available:
        return context
    least = min(context, SHORTEST_CONTEXT)
    if needs.total(least) > available:
        raise ModelError(
            _(
                "This model needs about {total} of memory; {available} are free.",
                total=human_bytes(needs.total(least)),
                available=human_bytes(available),
            ),
            hint=_("Close other programs, or choose a smaller model or a stronger quantisation."),
        )
    room = available - needs.weights - needs.fixed
    return min(context, room // needs.token - OPTION_ROOM)


def available_memory() -> int | None:
    """Bytes that a new process can have; None where the system does not tell.

    Linux: what the kernel counts as available, or what the control group still allows if that
    is less. Elsewhere: all of the machine's memory, which only refuses what can never fit.
    """
    free = _linux_available()
    if free is not None:
        allowed = allowance_of(Path("/sys/fs/cgroup"))
        return free if allowed is None else min(free, allowed)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _linux_available() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def allowance_of(group: Path) -> int | None:
    """Bytes that a control group (version 2) still allows; None where it has no limit.

    `memory.current` counts cached files in. What of them is inactive is freed when it is needed
    (kernel's cgroup-v2.rst, `memory.stat`).
    """
    try:
        limit = (group / "memory.max").read_text(encoding="ascii").strip()
        used = int((group / "memory.current").read_text(encoding="ascii"))
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
        cached = next(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
    except (OSError, ValueError, StopIteration):
        return None
    return max(0, int(limit) - max(0, used - cached)) if limit.isdecimal() else None
