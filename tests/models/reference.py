"""A second, plain way to the same numbers: one text at a time, from scratch, every logit."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
from llama_cpp import llama_cpp as c
from numpy.typing import NDArray


class Reference:
    """llama.cpp with one sequence, no reuse and its own softmax."""

    def __init__(self, path: Path) -> None:
        c.llama_backend_init()
        parameters = c.llama_model_default_params()
        parameters.use_extra_bufts = False
        self.model = c.llama_model_load_from_file(str(path).encode(), parameters)
        assert self.model
        self.vocabulary = c.llama_model_get_vocab(self.model)
        self.size = c.llama_vocab_n_tokens(self.vocabulary)

    def encode(self, text: str, *, special: bool = False, bos: bool = False) -> list[int]:
        data = text.encode()
        found = (c.llama_token * (len(data) + 8))()
        count = c.llama_tokenize(
            self.vocabulary, data, len(data), found, len(data) + 8, bos, special
        )
        assert count >= 0
        return found[:count]

    def logits(self, tokens: list[int]) -> NDArray[np.float64]:
        """Logits after every token, (tokens, vocabulary)."""
        parameters = c.llama_context_default_params()
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = max(256, len(tokens))
        parameters.flash_attn_type = 0
        parameters.n_threads = parameters.n_threads_batch = 1
        context = c.llama_init_from_model(self.model, parameters)
        batch = c.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place], batch.pos[place], batch.n_seq_id[place] = token, place, 1
            batch.seq_id[place][0], batch.logits[place] = 0, 1
        assert c.llama_decode(context, batch) == 0
        rows = [
            np.ctypeslib.as_array(c.llama_get_logits_ith(context, place), (self.size,)).copy()
            for place in range(len(tokens))
        ]
        c.llama_batch_free(batch)
        c.llama_free(context)
        return np.array(rows, np.float64)

    def log_likelihood(self, tokens: list[int], start: int) -> float:
        """Of the tokens after the first `start`."""
        rows = self.logits(tokens)
        total = 0.0
        for place in range(start, len(tokens)):
            row = rows[place - 1]
            total += row[tokens[place]] - np.log(np.sum(np.exp(row - row.max()))) - row.max()
        return total

    def score(self, prompt: str, option: str) -> tuple[float, int]:
        """lm-evaluation-harness' rule, written out for one plain prompt and one option."""
        bare = prompt.rstrip()
        option = prompt[len(bare) :] + option
        start = len(self.encode(bare, bos=True))
        whole = self.encode(bare + option, bos=True)
        return self.log_likelihood(whole, start), len(whole) - start

    def greedy(self, tokens: list[int], count: int) -> list[int]:
        """The next `count` tokens, each the likeliest, or fewer up to one that ends a text."""
        written: list[int] = []
        while len(written) < count:
            token = int(self.logits(tokens + written)[-1].argmax())
            if c.llama_vocab_is_eog(self.vocabulary, token):
                break
            written.append(token)
        return written

    def text(self, tokens: list[int]) -> bytes:
        pieces = b""
        for token in tokens:
            found = ctypes.create_string_buffer(256)
            count = c.llama_token_to_piece(self.vocabulary, token, found, 256, 0, False)
            pieces += found.raw[:count]
        return pieces
