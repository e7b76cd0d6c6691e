"""Estimates and limits of the memory that reading the blocks of a loaded model takes."""

from __future__ import annotations

from llama_cpp import llama_cpp as c

from core.models.blocks import BlockNeeds
from core.models.llama.chunks import CHUNK
from core.models.llama.devices import accelerators, check_room
from core.models.llama.engine import Engine
from core.models.memory import OPTION_ROOM, PREFIX_ROOM, available_memory, on_accelerator
from core.text.errors import ModelError
from core.text.language import _
from core.text.sizes import human_bytes

CAPTURED = 256 * 2**20
"""Most bytes of captured activations that are held at once."""
_GRAPH = 64 * 2**20
"""Estimated bytes of buffers that a second context needs beside its KV cache."""


def check_memory(engine: Engine) -> None:
    """Raise `ModelError` where the machine or an accelerator has too little memory for it."""
    needs = needs_of(engine)
    free = available_memory()
    if free is not None and needs.context + needs.captured > free:
        raise ModelError(
            _(
                "Reading the blocks needs about {needs} of memory beside the model; {free} "
                "are free.",
                needs=human_bytes(needs.context + needs.captured),
                free=human_bytes(free),
            ),
            hint=_("Close other programs, or choose a smaller model."),
        )
    if engine.gpu_layers:
        needed = on_accelerator(needs.context, engine.gpu_layers, engine.blocks)
        check_room(needed, accelerators())


def needs_of(engine: Engine) -> BlockNeeds:
    """Estimated memory that an inspection of a model takes, in bytes.

    The KV cache holds a key and a value (F16, or F32 where exact) for each block and key-value
    head. Their widths come from the header, or are the model's width divided by its heads.
    """
    model = engine.model
    width, heads = int(c.llama_model_n_embd(model)), max(1, int(c.llama_model_n_head(model)))
    key_value_width = sum(
        engine.number(f"attention.{part}_length") or max(1, width // heads)
        for part in ("key", "value")
    )
    key_values = max(1, int(c.llama_model_n_head_kv(model))) * key_value_width
    token_bytes = (4 if engine.exact else 2) * engine.blocks * key_values
    logit_bytes = 2 * 4 * CHUNK * engine.tokens
    cells = token_bytes * (engine.context + OPTION_ROOM)
    return BlockNeeds(cells + logit_bytes + _GRAPH + PREFIX_ROOM, CAPTURED)


def check_captured(rows: int, width: int) -> None:
    """Raise `ModelError` when (rows, width) 32-bit numbers exceed `CAPTURED`."""
    if rows * width * 4 > CAPTURED:
        raise ModelError(
            _(
                "This would hold {rows} of what the blocks compute; at most {captured} are.",
                rows=human_bytes(rows * width * 4),
                captured=human_bytes(CAPTURED),
            ),
            hint=_("Ask for fewer positions, or for shorter options."),
        )
