"""The network: a llama-architecture decoder with RMS norms, SwiGLU and interleaved rotation.

Training-only heads read the residual stream at the end of each sentence (see `examples.py`); they
are not part of the exported model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.train_demo_model.shape import Shape

COPYING = ((0, 1), (0, 3), (1, 1), (2, 1), (3, 1), (5, 1))
"""Block and head of those that begin by copying what they look at."""
MATCHING = ((2, 1), (3, 1), (4, 1), (3, 2), (4, 2), (3, 3), (4, 3))
"""Block and head of those that begin by looking at what is like the token that looks."""

Cache = list[tuple[Tensor, Tensor]]
"""Keys and values of a prefix by block, each (1, heads, positions, head size)."""


class Block(nn.Module):
    """Attention and feed-forward with residual connections."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width, hidden = shape.width, shape.hidden
        self.shape = shape
        self.attn_norm = nn.RMSNorm(width, shape.epsilon)
        self.attn_q = nn.Linear(width, width, bias=False)
        self.attn_k = nn.Linear(width, width, bias=False)
        self.attn_v = nn.Linear(width, width, bias=False)
        self.attn_output = nn.Linear(width, width, bias=False)
        self.ffn_norm = nn.RMSNorm(width, shape.epsilon)
        self.ffn_gate = nn.Linear(width, hidden, bias=False)
        self.ffn_up = nn.Linear(width, hidden, bias=False)
        self.ffn_down = nn.Linear(hidden, width, bias=False)

    def forward(
        self, x: Tensor, turn: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """x (rows, positions, width) -> the same shape, and this block's keys and values."""
        rows, positions, width = x.shape
        h = self.attn_norm(x)
        q, k, v = (
            part(h).view(rows, positions, self.shape.heads, self.shape.head).transpose(1, 2)
            for part in (self.attn_q, self.attn_k, self.attn_v)
        )
        # Attention stays in 32 bits: its 16-bit backward pass is several times slower on a CPU.
        q, k, v = rotate(q.float(), turn), rotate(k.float(), turn), v.float()
        own = (k, v)
        visible = None
        if past is not None:
            before = past[0].shape[2]
            k = torch.cat((past[0].expand(rows, -1, -1, -1), k), dim=2)
            v = torch.cat((past[1].expand(rows, -1, -1, -1), v), dim=2)
            visible = torch.ones(positions, before + positions, dtype=torch.bool).tril(before)
        with torch.autocast("cpu", enabled=False):
            mixed = functional.scaled_dot_product_attention(
                q, k, v, attn_mask=visible, is_causal=visible is None
            )
        x = x + self.attn_output(mixed.transpose(1, 2).reshape(rows, positions, width))
        h = self.ffn_norm(x)
        return x + self.ffn_down(functional.silu(self.ffn_gate(h)) * self.ffn_up(h)), own


def rotate(x: Tensor, turn: Tensor) -> Tensor:
    """Rotary positions on neighbouring pairs, llama.cpp's NORM order, so weights export as is.

    x (..., positions, size); turn (positions, size / 2) are complex numbers of length 1.
    """
    pairs = torch.view_as_complex(x.contiguous().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turn).flatten(-2)


class Words(nn.Module):
    """Token embeddings of which the spellings of one word share a part.

    "cup", " cup" and " Cup" are three tokens. Each is the sum of the word's vector, one for the way
    it is spelled, and one of its own; only the sum is exported.
    """

    word: Tensor
    spelling: Tensor

    def __init__(self, shape: Shape, word: Tensor | None, spelling: Tensor | None) -> None:
        """`word` and `spelling` (vocabulary,) are the numbers of each token's parts."""
        super().__init__()
        alone = torch.arange(shape.vocabulary)
        self.register_buffer("word", alone if word is None else word, persistent=False)
        plain = torch.zeros_like(alone) if spelling is None else spelling
        self.register_buffer("spelling", plain, persistent=False)
        self.own = nn.Parameter(0.02 * torch.randn(shape.vocabulary, shape.width))
        self.shared = nn.Parameter(0.05 * torch.randn(int(self.word.max()) + 1, shape.width))
        self.form = nn.Parameter(0.02 * torch.randn(int(plain.max()) + 1, shape.width))

    def forward(self) -> Tensor:
        """The whole table, (vocabulary, width)."""
        return self.own + self.shared[self.word] + self.form[self.spelling]


class Decoder(nn.Module):
    """Token ids to logits; names of the parts follow the tensors of the GGUF file."""

    turns: Tensor

    def __init__(
        self, shape: Shape, word: Tensor | None = None, spelling: Tensor | None = None
    ) -> None:
        super().__init__()
        self.shape = shape
        self.words = Words(shape, word, spelling)
        self._table: Tensor | None = None
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.blocks))
        self.output_norm = nn.RMSNorm(shape.width, shape.epsilon)
        self.output = nn.Linear(shape.width, shape.vocabulary, bias=False)
        rates = shape.rope_base ** (-torch.arange(0, shape.head, 2).float() / shape.head)
        angles = torch.outer(torch.arange(shape.context).float(), rates)
        turns = torch.polar(torch.ones_like(angles), angles)
        self.register_buffer("turns", turns, persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        for name, weight in self.named_parameters():
            if weight.ndim != 2 or name.startswith("words."):
                continue
            if name == "output.weight":
                nn.init.normal_(weight, std=0.05)
                continue
            spread = 0.7 / math.sqrt(weight.shape[1])
            if name.endswith(("attn_output.weight", "ffn_down.weight")):
                spread /= math.sqrt(2 * self.shape.blocks)
            nn.init.normal_(weight, std=spread)
        with torch.no_grad():
            for block, part in self._heads(COPYING):
                block.attn_output.weight[:, part] = block.attn_v.weight[part].T
            for block, part in self._heads(MATCHING):
                block.attn_k.weight[part] = block.attn_q.weight[part]

    def _heads(self, wanted: tuple[tuple[int, int], ...]) -> Iterator[tuple[Block, slice]]:
        """The blocks and rows of these heads, of those that a network of this shape has."""
        shape = self.shape
        for number, head in wanted:
            if number < shape.blocks and head < shape.heads:
                yield self.block(number), slice(head * shape.head, (head + 1) * shape.head)

    def hidden(self, tokens: Tensor, past: Cache | None = None) -> tuple[list[Tensor], Cache]:
        """Residual streams, (rows, positions, width), and the keys and values by block.

        Stream k is what block k reads, the last one what the output reads. `past` is the cache of a
        prefix of one row that every row of `tokens` continues.
        """
        start = past[0][0].shape[2] if past else 0
        stop = start + tokens.shape[1]
        turn = self.turns[start:stop]
        x = functional.embedding(tokens, self.table())
        states = [x]
        cache: Cache = []
        for number, block in enumerate(self.blk):
            x, own = block(x, turn, past[number] if past else None)
            states.append(x)
            cache.append(own)
        return states, cache

    def table(self) -> Tensor:
        """The token embeddings, (vocabulary, width)."""
        return self.words() if self._table is None else self._table

    @contextmanager
    def leaf_table(self) -> Iterator[Tensor]:
        """Work the embeddings out once, apart from their parts.

        What is inside sets the table's own gradient, which is passed on to the parts at the end.
        """
        whole = self.words()
        self._table = whole.detach().requires_grad_()
        try:
            yield self._table
            whole.backward(self._table.grad)
        finally:
            self._table = None

    @contextmanager
    def one_table(self) -> Iterator[None]:
        """Work the embeddings out once for everything inside."""
        self._table = self.words()
        try:
            yield
        finally:
            self._table = None

    def exported(self) -> dict[str, Tensor]:
        """The tensors of the GGUF file by name."""
        tensors = {
            name: value.detach().float()
            for name, value in self.state_dict().items()
            if not name.startswith("words.")
        }
        return {"token_embd.weight": self.words().detach().float(), **tensors}

    def block(self, number: int) -> Block:
        return cast(Block, self.blk[number])

    def logits(self, state: Tensor) -> Tensor:
        """Logits from the last residual stream, (..., width) -> (..., vocabulary)."""
        out: Tensor = self.output(self.output_norm(state))
        return out

    def forward(self, tokens: Tensor) -> Tensor:
        return self.logits(self.hidden(tokens)[0][-1])


class SentenceHeads(nn.Module):
    """What training reads at sentence ends; see `examples.SentenceLabels` for the targets.

    `effects` and `subject` read an early block: which attributes the sentence needs and sets, and
    of which object. `points` reads a middle block: which earlier sentence spoke of the needed state
    (position 5: none). `verdict` and `state` read a later one: does it hold, which attribute.
    """

    def __init__(self, shape: Shape, attributes: int) -> None:
        super().__init__()
        width = shape.width
        self.norms = nn.ModuleList(nn.RMSNorm(width, shape.epsilon) for _ in range(3))
        self.effects = nn.Linear(width, 4 * attributes)
        self.subject = nn.Linear(width, width, bias=False)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.nothing = nn.Linear(width, 1)
        self.verdict = nn.Linear(width, 3)
        self.state = nn.Linear(width, attributes)

    def early(self, state: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """state (rows, 5, width), words (vocabulary, width) -> effects and subject logits."""
        state = self.norms[0](state)
        return self.effects(state), functional.linear(self.subject(state), words)

    def points(self, state: Tensor) -> Tensor:
        """state (rows, 5, width) -> (rows, 5, 6): scores of the earlier sentences, and of none."""
        state = self.norms[1](state)
        scores = self.query(state) @ self.key(state).transpose(1, 2) / math.sqrt(state.shape[-1])
        length = state.shape[1]
        earlier = torch.ones(length, length, dtype=torch.bool).tril(-1)
        scores = scores.float().masked_fill(~earlier, -1e4)
        return torch.cat((scores, self.nothing(state).float()), dim=-1)

    def late(self, state: Tensor) -> tuple[Tensor, Tensor]:
        """state (rows, 5, width) -> verdict and state logits."""
        state = self.norms[2](state)
        return self.verdict(state), self.state(state)


def gather(state: Tensor, positions: Tensor) -> Tensor:
    """state (rows, length, width), positions (rows, n) -> (rows, n, width)."""
    return state.gather(1, positions.unsqueeze(-1).expand(-1, -1, state.shape[-1]))


def attention_loss(
    model: Decoder,
    number: int,
    head: int,
    states: list[Tensor],
    cache: Cache,
    past: Cache,
    where: tuple[Tensor, Tensor, Tensor],
) -> Tensor:
    """Mean negative log of the attention that a head of block `number` pays where it should.

    `where` holds rows, positions and the positions to look at, each (n,). The attention is worked
    out again for these queries only.
    """
    rows, positions, targets = where
    block, size = model.block(number), model.shape.head
    part = slice(head * size, (head + 1) * size)
    before = past[number][0].shape[2]
    # The number of queries differs every time; 16-bit kernels would be built anew for each.
    with torch.autocast("cpu", enabled=False):
        h = block.attn_norm(states[number][rows, positions].float())
        query = functional.linear(h, block.attn_q.weight[part])
        query = rotate(query, model.turns[before + positions]) / math.sqrt(size)
        scores = torch.einsum("nd,ntd->nt", query, cache[number][0][rows, head])
        future = torch.arange(scores.shape[1]) > positions.unsqueeze(1)
        scores = scores.masked_fill(future, float("-inf"))
        scores = torch.cat((query @ past[number][0][0, head].T, scores), dim=1)
        return functional.cross_entropy(scores, before + targets)
