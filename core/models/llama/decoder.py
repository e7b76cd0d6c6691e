"""Evaluates tokens with llama.cpp: prompts in chunks, and continuations of them side by side."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from llama_cpp import llama_cpp as c
from numpy.typing import NDArray

from core.models.llama.messages import Interrupted
from core.models.memory import OPTION_ROOM
from core.text.errors import ModelError

CHUNK = 128
"""Tokens that are evaluated at once, and most rows of logits at once.

Prompts are cut at multiples of it, and what is kept between requests is whole chunks. So every
token is always evaluated in a batch of the same shape, whatever was asked before, and a score is
a function of the request alone: llama.cpp rounds differently in batches of other shapes.
"""
BRANCHES = 32
"""Most options that continue a prompt at once."""
_SMALL = 50_000_000
"""Parameters below which one thread is faster than several that wait for each other."""

Row = NDArray[np.float32]


class Decoder:
    """A context of a model. Sequence 0 holds the prompt; 1 to `BRANCHES` hold its continuations."""

    def __init__(
        self, model: Any, context: int, wanted: Any, cancelled: Callable[[], bool]
    ) -> None:
        """Make a context for prompts of up to `context` tokens, as `context_parameters` says.

        Once `cancelled` says so, whatever is being done raises `Interrupted`. Raises
        `ModelError` when llama.cpp cannot make one.
        """
        self.context = context
        self.tokens = int(c.llama_vocab_n_tokens(c.llama_model_get_vocab(model)))
        self._cancelled = cancelled
        # Referenced here because C code calls it for as long as we live.
        self._on_abort = c.ggml_abort_callback(lambda _: cancelled())
        wanted.abort_callback = self._on_abort
        self._context = c.llama_init_from_model(model, wanted)
        if not self._context:
            raise ModelError(
                "llama.cpp could not make a context for this model.",
                hint="Close other programs to free memory, or choose a smaller model.",
            )
        self._cells = int(c.llama_n_ctx(self._context))
        self._memory = c.llama_get_memory(self._context)
        self._batch = _Batch()
        self._kept: list[int] = []
        self._cut = 0

    @contextmanager
    def request(self) -> Iterator[None]:
        """Surrounds the evaluations of one request; afterwards only whole chunks are kept."""
        try:
            yield
        finally:
            self._trim()

    def read(self, tokens: Sequence[int], first: int) -> dict[int, Row]:
        """Evaluate a prompt; returns the logits at positions from `first` on.

        Chunks that the previous request also began with are not evaluated again, unless their
        logits are wanted.
        """
        same = 0
        while same < min(len(self._kept), len(tokens)) and self._kept[same] == tokens[same]:
            same += 1
        del self._kept[self._edge(max(0, min(same, first))) :]
        self._trim()
        rows: dict[int, Row] = {}
        start = len(self._kept)
        while start < len(tokens):
            stop = min(start // CHUNK * CHUNK + CHUNK, len(tokens))
            places = range(start, stop)
            wanted = [place >= first for place in places]
            self._decode(tokens[start:stop], places, [0] * len(places), wanted)
            for place in places:
                if place >= first:
                    rows[place] = self._row(place - start).copy()
            self._kept.extend(tokens[start : self._edge(stop)])
            start = stop
        return rows

    def forget(self, place: int) -> None:
        """Evaluate what stands from a position on again, even if it was kept."""
        del self._kept[self._edge(place) :]
        self._trim()

    @property
    def kept(self) -> int:
        """How many tokens of the last prompt need not be evaluated again."""
        return len(self._kept)

    def cut_at(self, place: int) -> None:
        """From now on keep what stands before a position too, although it is no whole chunk.

        What is evaluated behind it is then in a batch of another shape than without the cut.
        Whether that is rounded alike depends on the model and the processor, so whoever cuts has
        to try. 0 for no cut.
        """
        self._cut = place
        self.forget(len(self._kept))

    def extend(self, token: int, place: int) -> Row:
        """Append a token to the prompt; returns the logits after it, valid until the next call."""
        self._decode([token], [place], [0], [True])
        return self._row(0)

    def branch(
        self, shared: int, tails: Sequence[Sequence[int]], first: int
    ) -> Iterator[tuple[int, int, Row]]:
        """Continue the prompt's first `shared` tokens with several texts in the same batches.

        Yields which tail, at which position from `first` on, and the logits there; a row is
        valid until the next is asked for.
        """
        waiting = list(enumerate(tails))
        while waiting:
            group = [waiting.pop(0)]
            room = self._cells - shared - len(group[0][1])
            while waiting and len(group) < BRANCHES and len(waiting[0][1]) <= room:
                room -= len(waiting[0][1])
                group.append(waiting.pop(0))
            yield from self._branch_group(shared, group, first)

    def _branch_group(
        self, shared: int, group: Sequence[tuple[int, Sequence[int]]], first: int
    ) -> Iterator[tuple[int, int, Row]]:
        entries = []
        for sequence, (tail, tokens) in enumerate(group, start=1):
            if shared:
                c.llama_memory_seq_cp(self._memory, 0, sequence, -1, -1)
            entries += [
                (token, shared + place, sequence, tail) for place, token in enumerate(tokens)
            ]
        for start in range(0, len(entries), CHUNK):
            part = entries[start : start + CHUNK]
            tokens, places, sequences, _ = zip(*part, strict=True)
            self._decode(tokens, places, sequences, [place >= first for place in places])
            for index, (_, place, _, tail) in enumerate(part):
                if place >= first:
                    yield tail, place, self._row(index)
        c.llama_memory_seq_keep(self._memory, 0)

    def _decode(
        self,
        tokens: Sequence[int],
        places: Sequence[int],
        sequences: Sequence[int],
        wanted: Sequence[bool],
    ) -> None:
        if self._cancelled():
            raise Interrupted
        self._batch.fill(tokens, places, sequences, wanted)
        code = c.llama_decode(self._context, self._batch.struct)
        if code == 2 or (code and self._cancelled()):
            raise Interrupted
        if code:
            why = {1: "no room in its context", -2: "no memory"}.get(code, f"code {code}")
            raise ModelError(f"llama.cpp could not evaluate the prompt: {why}.")

    def _row(self, index: int) -> Row:
        pointer = c.llama_get_logits_ith(self._context, index)
        return np.ctypeslib.as_array(pointer, (self.tokens,))

    def _edge(self, place: int) -> int:
        """The last position up to this one at which what is kept may end."""
        whole = place // CHUNK * CHUNK
        return self._cut if whole < self._cut <= place else whole

    def _trim(self) -> None:
        """Forget all but the kept chunks; models that cannot forget a part forget everything."""
        c.llama_memory_seq_keep(self._memory, 0)
        if not c.llama_memory_seq_rm(self._memory, 0, len(self._kept), -1) or not self._kept:
            c.llama_memory_clear(self._memory, False)
            self._kept.clear()


def context_parameters(context: int, parameters: int) -> Any:
    """How contexts are made, in one place.

    One unified cache keeps batches in their order. Flash attention is off so that what a block
    attends to exists as numbers, and so that results are the same with any number of threads.
    """
    wanted = c.llama_context_default_params()
    wanted.n_ctx = context + OPTION_ROOM
    wanted.n_batch = wanted.n_ubatch = wanted.n_outputs_max = CHUNK
    wanted.n_seq_max = BRANCHES + 1
    wanted.kv_unified = True
    wanted.flash_attn_type = c.LLAMA_FLASH_ATTN_TYPE_DISABLED
    wanted.n_threads = wanted.n_threads_batch = threads_for(parameters)
    return wanted


def threads_for(parameters: int) -> int:
    """How many threads a model of so many parameters is run with."""
    if parameters < _SMALL:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Batch:
    """llama.cpp's batch over arrays of ours, so that it is filled without a loop."""

    def __init__(self) -> None:
        self._tokens = np.zeros(CHUNK, np.int32)
        self._places = np.zeros(CHUNK, np.int32)
        self._counts = np.ones(CHUNK, np.int32)
        self._sequences = np.zeros(CHUNK, np.int32)
        self._wanted = np.zeros(CHUNK, np.int8)
        one = ctypes.POINTER(ctypes.c_int32)
        start, step = self._sequences.ctypes.data, self._sequences.itemsize
        self._each = (one * CHUNK)(
            *(ctypes.cast(start + step * place, one) for place in range(CHUNK))
        )
        self.struct = cast(Any, c.llama_batch())
        self.struct.token = self._tokens.ctypes.data_as(one)
        self.struct.pos = self._places.ctypes.data_as(one)
        self.struct.n_seq_id = self._counts.ctypes.data_as(one)
        self.struct.seq_id = self._each
        self.struct.logits = self._wanted.ctypes.data_as(ctypes.POINTER(ctypes.c_int8))

    def fill(
        self,
        tokens: Sequence[int],
        places: Sequence[int],
        sequences: Sequence[int],
        wanted: Sequence[bool],
    ) -> None:
        """Take up to `CHUNK` tokens with their positions, sequences and wishes for logits."""
        count = len(tokens)
        self._tokens[:count] = tokens
        self._places[:count] = places
        self._sequences[:count] = sequences
        self._wanted[:count] = wanted
        self.struct.n_tokens = count
