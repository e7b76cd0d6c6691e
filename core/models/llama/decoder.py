"""Runs llama.cpp's forward pass: prompts in chunks, and their continuations in one batch."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import numpy as np
from llama_cpp import llama_cpp as c
from numpy.typing import NDArray

from core.models.llama.chunks import CHUNK, boundary_after, boundary_at
from core.models.llama.messages import Interrupted
from core.models.llama.prefixes import Prefixes
from core.models.llama.threads import SMALL
from core.models.memory import OPTION_ROOM, PREFIX_ROOM
from core.text.errors import ModelError
from core.text.language import _

BRANCHES = 32
"""Most options in one batch."""

Row = NDArray[np.float32]


class Entry(NamedTuple):
    """A token of a batch."""

    token: int
    position: int
    sequence: int
    wanted: bool
    """Whether the logits after it are wanted."""


class Decoder:
    """A context of a model. Sequence 0 holds the prompt; 1 to `BRANCHES` hold its continuations."""

    def __init__(
        self, model: Any, context: int, settings: Any, cancelled: Callable[[], bool]
    ) -> None:
        """Create a context for prompts of up to `context` tokens; see `context_parameters`.

        Once `cancelled()` is true, the running evaluation raises `Interrupted`. Raises
        `ModelError` when llama.cpp cannot create the context.
        """
        self.context = context
        self.tokens = int(c.llama_vocab_n_tokens(c.llama_model_get_vocab(model)))
        self._cancelled = cancelled
        # Referenced here because C code calls it for as long as we live.
        self._on_abort = c.ggml_abort_callback(lambda _: cancelled())
        if c.llama_model_n_params(model) >= SMALL:
            # Asked at every node of a graph; batches of small models have ended before it matters.
            settings.abort_callback = self._on_abort
        self._context = c.llama_init_from_model(model, settings)
        if not self._context:
            raise ModelError(
                _("llama.cpp could not make a context for this model."),
                hint=_("Close other programs to free memory, or choose a smaller model."),
            )
        self._branches = 1 if _has_state(model) else BRANCHES
        """Most options in one batch: of models with a state llama.cpp splits batches otherwise, and
        what belongs to which token cannot be told."""
        self._cells = int(c.llama_n_ctx(self._context))
        self._memory = c.llama_get_memory(self._context)
        self._batch = _Batch()
        self._kept: list[int] = []
        self._window = int(c.llama_model_n_swa(model))
        """How many tokens back the layers with a sliding window look; 0 where there are none."""
        self._reached = 0
        """How many tokens of sequence 0 were evaluated since the KV cache was empty."""
        self._cut = 0
        self.prefixes: Prefixes | None = None
        """The first tokens that are kept; None where none are, or once one came back changed."""
        self._prefixes_proved = False

    @contextmanager
    def request(self) -> Iterator[None]:
        """Evaluate one request inside; on leaving, the KV cache keeps only whole chunks."""
        try:
            yield
        finally:
            self._trim()

    def read(self, tokens: Sequence[int], first: int) -> dict[int, Row]:
        """Evaluate a prompt; returns the logits by position, from `first` on.

        Chunks in the KV cache that the prompt also begins with are reused, unless their logits are
        wanted.
        """
        shared = 0
        while shared < min(len(self._kept), len(tokens)) and self._kept[shared] == tokens[shared]:
            shared += 1
        del self._kept[self._boundary_at(max(0, min(shared, first))) :]
        self._trim()
        if not self._restore(tokens, first) or self._prefixes_proved:
            return self._evaluate(tokens, first)
        restored = self._evaluate(tokens, first)
        self.forget(0)
        rows = self._evaluate(tokens, first)
        self._prefixes_proved = all(np.array_equal(rows[place], restored[place]) for place in rows)
        if not self._prefixes_proved:
            self.prefixes = None
        return rows

    def keep_prefixes(self, room: int = PREFIX_ROOM) -> None:
        """Keep the states of first tokens in at most `room` bytes from now on, where that is exact.

        The first prompt that begins like an earlier one is evaluated both ways. Where a bit of its
        logits differs, nothing is kept any more.
        """
        self.prefixes = Prefixes(self._context, room)

    def _restore(self, tokens: Sequence[int], first: int) -> bool:
        """Put the longest kept prefix into the KV cache; False where that holds as much already."""
        if self.prefixes is None:
            return False
        for length, prefix in reversed(self.prefixes.of(tokens, first).items()):
            if length <= len(self._kept):
                return False
            if prefix in self.prefixes:
                c.llama_memory_clear(self._memory, False)
                restored = self.prefixes.restore(prefix)
                self._kept = list(tokens[:length]) if restored else []
                self._reached = len(self._kept)
                return restored
        return False

    def _evaluate(self, tokens: Sequence[int], first: int) -> dict[int, Row]:
        """Evaluate what the KV cache does not hold of a prompt; returns what `read` does."""
        prefixes = self.prefixes.of(tokens, first) if self.prefixes else {}
        rows: dict[int, Row] = {}
        start = len(self._kept)
        while start < len(tokens):
            stop = min(boundary_after(start), len(tokens))
            positions = range(start, stop)
            wanted = [position >= first for position in positions]
            self._decode(tokens[start:stop], positions, [0] * len(positions), wanted)
            for position in positions:
                if position >= first:
                    rows[position] = self._row(position - start).copy()
            self._kept.extend(tokens[start : self._boundary_at(stop)])
            if self.prefixes is not None and stop in prefixes:
                self.prefixes.keep(prefixes[stop])
            start = stop
        return rows

    def forget(self, position: int) -> None:
        """Drop the KV cache from a position on, so that those tokens are evaluated again."""
        del self._kept[self._boundary_at(position) :]
        self._trim()

    def evaluated_from(self, position: int) -> int:
        """The first token that may be evaluated again where nothing before a position changes.

        Models with a sliding window may have dropped all that they had.
        """
        return 0 if self._window else boundary_at(position)

    @property
    def kept(self) -> int:
        """How many tokens of the last prompt the KV cache still holds."""
        return len(self._kept)

    def cut_at(self, position: int) -> None:
        """From now on also keep the partial chunk that ends at a position; 0 for whole chunks only.

        Tokens after the cut are then evaluated in a batch of another shape. Whether that rounds
        the same depends on the model and the processor, so the caller has to check.
        """
        self._cut = position
        self.forget(len(self._kept))

    def extend(self, token: int, position: int) -> Row:
        """Append a token to the prompt; returns its logits, valid until the next call."""
        self._decode([token], [position], [0], [True])
        return self._row(0)

    def branch(
        self, shared: int, tails: Sequence[Sequence[int]], first: int
    ) -> Iterator[tuple[int, int, Row]]:
        """Continue the prompt's first `shared` tokens with several tails in the same batches.

        Yields the index of the tail, the position (from `first` on) and the logits there; a row is
        valid until the next one is requested.
        """
        waiting = list(enumerate(tails))
        while waiting:
            group = [waiting.pop(0)]
            room = self._cells - shared - len(group[0][1])
            while waiting and len(group) < self._branches and len(waiting[0][1]) <= room:
                room -= len(waiting[0][1])
                group.append(waiting.pop(0))
            yield from self._branch_group(shared, group, first)

    def _branch_group(
        self, shared: int, group: Sequence[tuple[int, Sequence[int]]], first: int
    ) -> Iterator[tuple[int, int, Row]]:
        entries = []
        for sequence, (_start, tokens) in enumerate(group, start=1):
            if shared:
                self.copy(0, sequence)
            entries += [
                Entry(token, position, sequence, position >= first)
                for position, token in enumerate(tokens, shared)
            ]
        for entry, row in self.evaluate(entries):
            yield group[entry.sequence - 1][0], entry.position, row
        c.llama_memory_seq_keep(self._memory, 0)

    @property
    def cells(self) -> int:
        """How many tokens the KV cache holds, of all sequences together."""
        return self._cells

    def copy(self, source: int, target: int) -> None:
        """Let a sequence begin with all tokens of another; they take no room of their own."""
        c.llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def drop(self, sequence: int) -> None:
        """Forget the tokens of a sequence."""
        c.llama_memory_seq_rm(self._memory, sequence, -1, -1)

    def evaluate(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, Row]]:
        """Evaluate tokens of any sequences in as few batches as they take.

        Yields those whose logits are wanted, with the logits, valid until the next is requested.
        """
        for start in range(0, len(entries), CHUNK):
            batch = entries[start : start + CHUNK]
            self._decode(*zip(*batch, strict=True))
            for index, entry in enumerate(batch):
                if entry.wanted:
                    yield entry, self._row(index)

    def _decode(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        sequences: Sequence[int],
        wanted: Sequence[bool],
    ) -> None:
        if self._cancelled():
            raise Interrupted
        self._batch.fill(tokens, positions, sequences, wanted)
        own = (index for index, sequence in zip(positions, sequences, strict=True) if not sequence)
        self._reached = max(self._reached, 1 + max(own, default=-1))
        code = c.llama_decode(self._context, self._batch.struct)
        if code == 2 or (code and self._cancelled()):
            raise Interrupted
        if code:
            reason = {1: "no room in its context", -2: "no memory"}.get(code, f"code {code}")
            raise ModelError(_("llama.cpp could not evaluate the prompt: {reason}.", reason=reason))

    def _row(self, index: int) -> Row:
        pointer = c.llama_get_logits_ith(self._context, index)
        return np.ctypeslib.as_array(pointer, (self.tokens,))

    def _boundary_at(self, position: int) -> int:
        """The last chunk boundary (or cut) at or before a position."""
        whole = boundary_at(position)
        return self._cut if whole < self._cut <= position else whole

    def _trim(self) -> None:
        """Drop all but the kept chunks; models that cannot drop a part drop everything.

        So do those with a sliding window once a prompt was longer than it: llama.cpp has then put
        tokens in the place of such as no later one looks at, but one that follows here would.
        """
        c.llama_memory_seq_keep(self._memory, 0)
        overwritten = 0 < self._window < self._reached and len(self._kept) < self._reached
        if overwritten or not c.llama_memory_seq_rm(self._memory, 0, len(self._kept), -1):
            self._kept.clear()
        if self._kept:
            self._reached = len(self._kept)
        else:
            c.llama_memory_clear(self._memory, False)
            self._reached = 0


def _has_state(model: Any) -> bool:
    """Whether a model keeps a state in the place of, or beside, keys and values."""
    return bool(c.llama_model_is_recurrent(model) or c.llama_model_is_hybrid(model))


def context_parameters(
    context: int, threads: int, gpu_layers: int = 0, *, exact: bool = False
) -> Any:
    """The settings of every context.

    Keys and values are kept as 32-bit numbers where `exact`, else as 16-bit numbers.

    A unified KV cache keeps batches in order. Flash attention is off so that attention weights
    exist as a tensor, and so that results are the same with any number of threads.
    """
    settings = c.llama_context_default_params()
    settings.n_ctx = context + OPTION_ROOM
    settings.n_batch = settings.n_ubatch = settings.n_outputs_max = CHUNK
    settings.n_seq_max = BRANCHES + 1
    settings.kv_unified = True
    settings.flash_attn_type = c.LLAMA_FLASH_ATTN_TYPE_DISABLED
    # Without this an accelerator would compute long prompts even where it has no layers.
    settings.offload_kqv = settings.op_offload = gpu_layers > 0
    settings.n_threads = settings.n_threads_batch = threads
    if exact:
        settings.type_k = settings.type_v = c.GGML_TYPE_F32
    return settings


class _Batch:
    """llama.cpp's batch over NumPy arrays, so that it is filled without a loop."""

    def __init__(self) -> None:
        self._tokens = np.zeros(CHUNK, np.int32)
        self._positions = np.zeros(CHUNK, np.int32)
        self._counts = np.ones(CHUNK, np.int32)
        self._sequences = np.zeros(CHUNK, np.int32)
        self._wanted = np.zeros(CHUNK, np.int8)
        int_pointer = ctypes.POINTER(ctypes.c_int32)
        start, step = self._sequences.ctypes.data, self._sequences.itemsize
        self._sequence_pointers = (int_pointer * CHUNK)(
            *(ctypes.cast(start + step * position, int_pointer) for position in range(CHUNK))
        )
        self.struct = cast(Any, c.llama_batch())
        self.struct.token = self._tokens.ctypes.data_as(int_pointer)
        self.struct.pos = self._positions.ctypes.data_as(int_pointer)
        self.struct.n_seq_id = self._counts.ctypes.data_as(int_pointer)
        self.struct.seq_id = self._sequence_pointers
        self.struct.logits = self._wanted.ctypes.data_as(ctypes.POINTER(ctypes.c_int8))

    def fill(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        sequences: Sequence[int],
        wanted: Sequence[bool],
    ) -> None:
        """Fill in up to `CHUNK` tokens: positions, sequence ids, and whether logits are wanted."""
        count = len(tokens)
        self._tokens[:count] = tokens
        self._positions[:count] = positions
        self._sequences[:count] = sequences
        self._wanted[:count] = wanted
        self.struct.n_tokens = count
