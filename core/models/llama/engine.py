"""A model and a context of llama.cpp, through its C interface.

Used only inside the worker: what llama.cpp does with bad input ranges from an error code to the
end of the process. The parts of that interface which abort on misuse (a batch larger than the
context was made for, a token outside the vocabulary) cannot be reached from here with any input.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from llama_cpp import llama_cpp as c
from numpy.typing import NDArray

from core.errors import ModelError
from core.models.llama.messages import Interrupted
from core.models.memory import OPTION_ROOM

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


class Engine:
    """A loaded model. Sequence 0 holds the prompt; 1 to `BRANCHES` hold its continuations."""

    def __init__(
        self,
        path: str,
        context: int,
        *,
        extra_buffers: bool,
        progress: Callable[[float], None],
        cancelled: Callable[[], bool],
    ) -> None:
        """Load a file for prompts of up to `context` tokens.

        `extra_buffers` lets llama.cpp rearrange weights for what the processor is good at.
        `progress` hears the share that is loaded. Once `cancelled` says so, whatever is being
        done raises `Interrupted`. Raises `ModelError` when llama.cpp refuses the file.
        """
        self._cancelled = cancelled
        # The callbacks are referenced here because C code calls them for as long as we live.
        self._on_progress = c.llama_progress_callback(_progress_of(progress, cancelled))
        self._on_abort = c.ggml_abort_callback(lambda _: cancelled())
        self._model = _load(path, extra_buffers, self._on_progress, cancelled)
        self.vocabulary = c.llama_model_get_vocab(self._model)
        _check_usable(self._model, self.vocabulary)
        self.tokens = int(c.llama_vocab_n_tokens(self.vocabulary))
        self.parameters = int(c.llama_model_n_params(self._model))
        self.blocks = int(c.llama_model_n_layer(self._model))
        trained = int(c.llama_model_n_ctx_train(self._model))
        self.context = min(context, trained) if trained > 0 else context
        wanted = context_parameters(self.context, self.parameters)
        wanted.abort_callback = self._on_abort
        self._context = c.llama_init_from_model(self._model, wanted)
        if not self._context:
            raise ModelError(
                "llama.cpp could not make a context for this model.",
                hint="Close other programs to free memory, or choose a smaller model.",
            )
        self._cells = int(c.llama_n_ctx(self._context))
        self._memory = c.llama_get_memory(self._context)
        self._batch = _Batch()
        self._kept: list[int] = []

    # -- text ----------------------------------------------------------------------------------

    @property
    def template(self) -> str:
        """The chat template the file brings; empty if it has none."""
        text = c.llama_model_chat_template(self._model, None)
        return text.decode("utf-8", "replace") if text else ""

    @property
    def bos(self) -> int | None:
        """The token that begins a text, where the vocabulary wants one to."""
        wanted = c.llama_vocab_get_add_bos(self.vocabulary)
        return _token(c.llama_vocab_bos(self.vocabulary)) if wanted else None

    @property
    def boundary(self) -> int | None:
        """A token that may stand before a text with nothing before it."""
        bos = _token(c.llama_vocab_bos(self.vocabulary))
        return _token(c.llama_vocab_eos(self.vocabulary)) if bos is None else bos

    def named_tokens(self) -> dict[str, str]:
        """The texts of the special tokens that chat templates refer to."""
        ids = {
            "bos_token": c.llama_vocab_bos(self.vocabulary),
            "eos_token": c.llama_vocab_eos(self.vocabulary),
            "pad_token": c.llama_vocab_pad(self.vocabulary),
        }
        return {name: self.text_of(token) for name, token in ids.items() if token >= 0}

    def text_of(self, token: int) -> str:
        """A token as the vocabulary writes it."""
        text = c.llama_vocab_get_text(self.vocabulary, token)
        return text.decode("utf-8", "replace") if text else ""

    def attributes(self, token: int) -> int:
        """A token's `LLAMA_TOKEN_ATTR_*` bits."""
        return int(c.llama_vocab_get_attr(self.vocabulary, token))

    def encode(self, text: str) -> list[int]:
        """Tokens of plain text: no control token, whatever the text looks like."""
        data = text.encode("utf-8", "replace")
        room = len(data) + 8
        while True:
            found = (c.llama_token * room)()
            count = c.llama_tokenize(self.vocabulary, data, len(data), found, room, False, False)
            if count >= 0:
                return found[:count]
            room = -count

    def piece(self, token: int) -> bytes:
        """The bytes that a token stands for; none for a control token."""
        room = 64
        while True:
            found = ctypes.create_string_buffer(room)
            count = c.llama_token_to_piece(self.vocabulary, token, found, room, 0, False)
            if count >= 0:
                return found.raw[:count]
            room = -count

    def ends(self, token: int) -> bool:
        """Whether a model that writes this token is finished."""
        return bool(c.llama_vocab_is_eog(self.vocabulary, token))

    # -- evaluation ----------------------------------------------------------------------------

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
        del self._kept[max(0, min(same, first)) // CHUNK * CHUNK :]
        self._trim()
        rows: dict[int, Row] = {}
        for start in range(len(self._kept), len(tokens), CHUNK):
            part = tokens[start : start + CHUNK]
            places = range(start, start + len(part))
            self._decode(part, places, [0] * len(part), [place >= first for place in places])
            for place in places:
                if place >= first:
                    rows[place] = self._row(place - start).copy()
            if len(part) == CHUNK:
                self._kept.extend(part)
        return rows

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
    wanted.n_threads = wanted.n_threads_batch = _threads(parameters)
    return wanted


def _load(path: str, extra_buffers: bool, on_progress: Any, cancelled: Callable[[], bool]) -> Any:
    c.llama_backend_init()
    wanted = c.llama_model_default_params()
    # Read, not mapped: a mapped file that becomes shorter ends the process (SIGBUS).
    wanted.load_mode = c.LLAMA_LOAD_MODE_NONE
    wanted.use_extra_bufts = extra_buffers
    wanted.progress_callback = on_progress
    model = c.llama_model_load_from_file(os.fsencode(path), wanted)
    if cancelled():
        raise Interrupted
    if not model:
        raise ModelError("llama.cpp refuses this file.")
    return model


def _progress_of(
    progress: Callable[[float], None], cancelled: Callable[[], bool]
) -> Callable[[float, object], bool]:
    last = -1

    def show(share: float, _: object) -> bool:
        nonlocal last
        if int(share * 100) > last:
            last = int(share * 100)
            progress(share)
        return not cancelled()

    return show


def _check_usable(model: Any, vocabulary: Any) -> None:
    if c.llama_vocab_type(vocabulary) == c.LLAMA_VOCAB_TYPE_NONE:
        raise ModelError("This model has no tokenizer.", hint="Choose another file.")
    if (
        c.llama_model_has_encoder(model)
        or not c.llama_model_has_decoder(model)
        or c.llama_model_is_diffusion(model)
    ):
        raise ModelError(
            "This model does not continue a text from left to right.",
            hint="Choose a decoder-only language model.",
        )


def _threads(parameters: int) -> int:
    if parameters < _SMALL:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _token(number: int) -> int | None:
    return number if number >= 0 else None


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
