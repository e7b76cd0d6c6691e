"""Score answer options with llama.cpp's own interface, the way the published GITA runs scored.

The score of an option is the sum of the log-likelihoods of its tokens after the prompt; the first
highest option is the answer (lm-evaluation-harness, multiple_choice). One thread, no logging.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

# Spinning worker threads would fight over the cores with everything else that runs.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
from llama_cpp import llama_cpp as C
from numpy.typing import NDArray

_LOG_NOTHING = C.llama_log_callback(lambda level, text, data: None)
_FLOAT32 = 0
# Bytes of a token.
_LONGEST = 256


class Scorer:
    """A loaded GGUF model; use it as a context manager.

    `exact` keeps keys and values in 32 bits, for comparing logits with the trainer's own.
    """

    def __init__(self, path: Path, positions: int = 2048, exact: bool = False) -> None:
        C.llama_log_set(_LOG_NOTHING, None)
        C.llama_backend_init()
        options = C.llama_model_default_params()
        # Repacked weights crash this release on processors with AMX; a small model loses nothing.
        options.use_extra_bufts = False
        self._model = C.llama_model_load_from_file(str(path).encode(), options)
        if not self._model:
            raise OSError(f"{path} is not a model that llama.cpp can load")
        self._vocab = C.llama_model_get_vocab(self._model)
        self.vocabulary: int = C.llama_vocab_n_tokens(self._vocab)
        self.trained_context: int = C.llama_model_n_ctx_train(self._model)
        params = C.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = positions
        params.n_threads = params.n_threads_batch = 1
        # Flash attention rounds to 16 bits.
        params.flash_attn_type = C.LLAMA_FLASH_ATTN_TYPE_DISABLED
        if exact:
            params.type_k = params.type_v = _FLOAT32
        self._context = C.llama_init_from_model(self._model, params)
        self._memory = C.llama_get_memory(self._context)
        self._batch = C.llama_batch_init(positions, 0, 1)
        self._held: list[int] = []

    def __enter__(self) -> Scorer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        C.llama_batch_free(self._batch)
        C.llama_free(self._context)
        C.llama_model_free(self._model)

    def tokens(self, text: str) -> list[int]:
        """Token ids with BOS; special tokens in the text are plain text."""
        data = text.encode("utf-8")
        room = len(data) + 8
        ids = (C.llama_token * room)()
        count = C.llama_tokenize(self._vocab, data, len(data), ids, room, True, False)
        return list(ids[:count])

    def logits(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Logits after every token, shape (tokens, vocabulary)."""
        self._forget(0)
        return self._decode(tokens, range(len(tokens)))

    def text(self, tokens: Sequence[int]) -> str:
        """What tokens stand for; special tokens are left out.

        Piece by piece, as generated text comes: `llama_detokenize` would tidy up blanks.
        """
        buffer = ctypes.create_string_buffer(_LONGEST)
        said = b""
        for token in tokens:
            size = C.llama_token_to_piece(self._vocab, token, buffer, _LONGEST, 0, False)
            if size < 0:
                raise OSError(f"token {token} has more than {_LONGEST} bytes")
            said += buffer.raw[:size]
        return said.decode("utf-8", "replace")

    def write(self, prompt: str, most: int) -> str:
        """The likeliest continuation, token by token, up to the end or `most` tokens."""
        row = self._after(self.tokens(prompt))
        written: list[int] = []
        while len(written) < most:
            token = int(np.argmax(row))
            if C.llama_vocab_is_eog(self._vocab, token):
                break
            written.append(token)
            row = self._decode([token], [0])[0]
        return self.text(written) if written else ""

    def choose(self, prompt: str, choices: Sequence[str], lead: str = " ") -> int:
        """Index of the option with the highest log-likelihood of `lead + option`."""
        return int(np.argmax(self.log_likelihoods(prompt, choices, lead)))

    def log_likelihoods(self, prompt: str, choices: Sequence[str], lead: str = " ") -> list[float]:
        """Sums of token log-likelihoods of `lead + choice`, in order.

        Spaces that end the prompt are counted with the continuation, as the harness does it.
        """
        context = self.tokens(prompt.rstrip(" "))
        after = self._log_probabilities(self._after(context))
        scores = []
        for choice in choices:
            whole = self.tokens(f"{prompt}{lead}{choice}")
            option = whole[len(context) :]
            if whole[: len(context)] != context:
                raise ValueError(f"the option {choice!r} changes the tokens of the prompt")
            score = float(after[option[0]])
            if len(option) > 1:
                self._forget(len(context))
                rows = self._decode(option[:-1], range(len(option) - 1))
                follow = self._log_probabilities(rows)
                score += float(follow[range(len(option) - 1), option[1:]].sum())
            scores.append(score)
        return scores

    def _after(self, context: list[int]) -> NDArray[np.float32]:
        """Logits after the context, reusing what it shares with the one before."""
        shared = 0
        limit = min(len(context), len(self._held)) - 1
        while shared < limit and context[shared] == self._held[shared]:
            shared += 1
        self._forget(shared)
        rest = context[shared:]
        row: NDArray[np.float32] = self._decode(rest, [len(rest) - 1])[0]
        return row

    def _forget(self, position: int) -> None:
        """Drop everything from `position` on."""
        C.llama_memory_seq_rm(self._memory, 0, position, -1)
        del self._held[position:]

    def _decode(self, tokens: Sequence[int], wanted: Sequence[int]) -> NDArray[np.float32]:
        batch, start = self._batch, len(self._held)
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = start + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = 0
            batch.logits[index] = index in wanted
        code = C.llama_decode(self._context, batch)
        if code:
            raise OSError(f"llama.cpp could not decode {len(tokens)} tokens (code {code})")
        self._held.extend(tokens)
        rows = [
            np.ctypeslib.as_array(
                ctypes.cast(
                    C.llama_get_logits_ith(self._context, index), ctypes.POINTER(ctypes.c_float)
                ),
                (self.vocabulary,),
            ).copy()
            for index in wanted
        ]
        return np.stack(rows)

    @staticmethod
    def _log_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float64]:
        wide = logits.astype(np.float64)
        wide -= wide.max(axis=-1, keepdims=True)
        wide -= np.log(np.exp(wide).sum(axis=-1, keepdims=True))
        return wide
