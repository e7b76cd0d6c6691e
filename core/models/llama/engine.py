"""A model and a context of llama.cpp, through its C interface.

Used only inside the worker: what llama.cpp does with bad input ranges from an error code to the
end of the process. The parts of that interface which abort on misuse (a batch larger than the
context was made for, a token outside the vocabulary) cannot be reached from here with any input.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from llama_cpp import llama_cpp as c

from core.models.llama.decoder import Decoder, context_parameters
from core.models.llama.devices import accelerators, check_room
from core.models.llama.messages import Interrupted
from core.models.llama.threads import fastest, size_of, tried_threads, usual_threads
from core.text.errors import ModelError
from core.text.language import _

_MEASURING_SECONDS = 0.8
"""Time in which numbers of threads are compared."""
_ROUNDS = 5
"""How often each of them is tried, where there is time; the shortest time counts."""
_TIMED_TOKENS = 16
"""Most tokens of the prompt that they read."""
_TIMED_NUMBERS = 8_000_000_000
"""Most parameters times tokens; fewer tokens are read by larger models."""
_PROGRESS_PERIOD = 0.1
"""Seconds between two reports of how much of a file is loaded."""


class Engine(Decoder):
    """A loaded model with a context of its own."""

    def __init__(
        self,
        path: str,
        context: int,
        *,
        extra_buffers: bool,
        progress: Callable[[float], None],
        cancelled: Callable[[], bool],
        gpu_layers: int = 0,
        gpu_bytes: int = 0,
        threads: int = 0,
        known_threads: Mapping[str, int] | None = None,
        exact: bool = False,
    ) -> None:
        """Load a file for prompts of up to `context` tokens.

        `extra_buffers` lets llama.cpp rearrange weights for what the processor is good at.
        `gpu_layers` is how many layers, counted from the last, an accelerator computes, and
        `gpu_bytes` the memory that has to be free there. It computes with `threads` threads; with
        0 as many as `known_threads` has for models of this size, or as usual. Where `exact`, keys
        and values are kept as 32-bit numbers.
        `progress` hears the share that is loaded. Once `cancelled` says so, whatever is being
        done raises `Interrupted`. Raises `ModelError` when llama.cpp refuses the file, and
        when the accelerator has too little memory.
        """
        # Referenced here because C code calls it while it loads.
        self._on_progress = c.llama_progress_callback(_progress_of(progress, cancelled))
        c.llama_backend_init()
        if gpu_layers:
            _check_accelerator(gpu_bytes)
        self.model = _load(path, extra_buffers, gpu_layers, self._on_progress, cancelled)
        self.vocabulary = c.llama_model_get_vocab(self.model)
        _check_usable(self.model, self.vocabulary)
        self.parameters = int(c.llama_model_n_params(self.model))
        self.blocks = int(c.llama_model_n_layer(self.model))
        trained = int(c.llama_model_n_ctx_train(self.model))
        context = min(context, trained) if trained > 0 else context
        self.gpu_layers = min(gpu_layers, self.blocks + 1)
        """How many layers an accelerator computes; all blocks and the output are one more than
        there are blocks."""
        known = (known_threads or {}).get(size_of(self.parameters), 0)
        self.threads = threads or known or usual_threads(self.parameters)
        """How many threads it computes with."""
        self.exact = exact
        """Whether keys and values are kept as 32-bit numbers."""
        wanted = context_parameters(context, self.threads, self.gpu_layers, exact=exact)
        super().__init__(self.model, context, wanted, cancelled)
        self.keep_prefixes()

    def choose_threads(self) -> dict[int, float]:
        """Compute with the fastest of a few numbers of threads from now on.

        Returns the seconds that a short prompt took with each of them. It takes less than a second
        where two tokens do; the usual number is measured first. Raises `Interrupted`.
        """
        count = max(1, min(_TIMED_TOKENS, _TIMED_NUMBERS // self.parameters))
        tokens, positions = list(range(count)), range(count)
        usual, *others = tried_threads()
        ends = time.perf_counter() + _MEASURING_SECONDS
        seconds: dict[int, float] = {}

        def measure(threads: int) -> None:
            self._use_threads(threads)
            started = time.perf_counter()
            self._decode(tokens, positions, [0] * count, [False] * count)
            c.llama_synchronize(self._context)
            elapsed = time.perf_counter() - started
            self.forget(0)
            seconds[threads] = min(elapsed, seconds.get(threads, elapsed))

        self.forget(0)
        measure(usual)  # The first time weights and threads are not ready yet.
        for _round in range(_ROUNDS):
            for threads in (usual, *others):
                expected = seconds.get(threads, seconds[usual] * usual / threads)
                if time.perf_counter() + expected > ends:
                    continue
                measure(threads)
        self._use_threads(fastest(seconds))
        return seconds

    def _use_threads(self, threads: int) -> None:
        self.threads = threads
        c.llama_set_n_threads(self._context, threads, threads)

    # -- text ----------------------------------------------------------------------------------

    @property
    def template(self) -> str:
        """The chat template the file brings; empty if it has none."""
        text = c.llama_model_chat_template(self.model, None)
        return text.decode("utf-8", "replace") if text else ""

    @property
    def bos(self) -> int | None:
        """The BOS token, where the vocabulary adds one; else None."""
        wanted = c.llama_vocab_get_add_bos(self.vocabulary)
        return _token(c.llama_vocab_bos(self.vocabulary)) if wanted else None

    @property
    def boundary(self) -> int | None:
        """BOS, else EOS: the token that starts an empty prompt; None where neither exists."""
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

    def number(self, key: str) -> int | None:
        """A number of the header that the architecture names; None where there is none."""
        room = 64
        buffer = ctypes.create_string_buffer(room)
        c.llama_model_meta_val_str(self.model, b"general.architecture", buffer, room)
        name = b"%s.%s" % (buffer.value, key.encode())
        if c.llama_model_meta_val_str(self.model, name, buffer, room) < 0:
            return None
        return int(buffer.value) if buffer.value.isdigit() else None

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
            tokens = (c.llama_token * room)()
            count = c.llama_tokenize(self.vocabulary, data, len(data), tokens, room, False, False)
            if count >= 0:
                return tokens[:count]
            room = -count

    def piece(self, token: int) -> bytes:
        """The bytes that a token stands for; none for a control token."""
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = c.llama_token_to_piece(self.vocabulary, token, buffer, room, 0, False)
            if count >= 0:
                return buffer.raw[:count]
            room = -count

    def spelled(self, token: int) -> str:
        """A token as shown to a person: its text, or the name of a control token."""
        return self.piece(token).decode("utf-8", "replace") or self.text_of(token)

    def ends(self, token: int) -> bool:
        """Whether the token ends the generation (EOG)."""
        return bool(c.llama_vocab_is_eog(self.vocabulary, token))


def _check_accelerator(needed: int) -> None:
    if not c.llama_supports_gpu_offload():
        raise ModelError(
            _("This llama.cpp was built without an accelerator, or finds none."),
            hint=_(
                "Leave --gpu and gpu_layers out, or build it for yours: see "
                "docs/howto/own-model.md."
            ),
        )
    check_room(needed, accelerators())


def _load(
    path: str,
    extra_buffers: bool,
    gpu_layers: int,
    on_progress: Any,
    cancelled: Callable[[], bool],
) -> Any:
    parameters = c.llama_model_default_params()
    # Read, not mapped: a mapped file that becomes shorter ends the process (SIGBUS).
    parameters.load_mode = c.LLAMA_LOAD_MODE_NONE
    parameters.use_extra_bufts = extra_buffers
    parameters.n_gpu_layers = gpu_layers
    parameters.progress_callback = on_progress
    model = c.llama_model_load_from_file(os.fsencode(path), parameters)
    if cancelled():
        raise Interrupted
    if not model:
        raise ModelError(_("llama.cpp refuses this file."))
    return model


def _progress_of(
    progress: Callable[[float], None], cancelled: Callable[[], bool]
) -> Callable[[float, object], bool]:
    last_shown = time.monotonic()

    def show(share: float, _: object) -> bool:
        nonlocal last_shown
        # Every report redraws a screen, and a small file would send a hundred within a blink.
        if share == 1 or time.monotonic() - last_shown >= _PROGRESS_PERIOD:
            last_shown = time.monotonic()
            progress(share)
        return not cancelled()

    return show


def _check_usable(model: Any, vocabulary: Any) -> None:
    if c.llama_vocab_type(vocabulary) == c.LLAMA_VOCAB_TYPE_NONE:
        raise ModelError(_("This model has no tokenizer."), hint=_("Choose another file."))
    if (
        c.llama_model_has_encoder(model)
        or not c.llama_model_has_decoder(model)
        or c.llama_model_is_diffusion(model)
    ):
        raise ModelError(
            _("This model does not continue a text from left to right."),
            hint=_("Choose a decoder-only language model."),
        )


def _token(number: int) -> int | None:
    return number if number >= 0 else None
