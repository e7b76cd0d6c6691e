"""Training batches of the prompts of every benchmark but GITA, in a fixed order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor

from tools.train_demo_model.rows import Row, encode
from tools.train_demo_model.tasks import Kind, kinds_of_step, rows_of_step
from tools.train_demo_model.tokenizer import Tokenizer

_IGNORED = -100
_ROUND = 8


@dataclass(frozen=True, slots=True)
class TaskBatch:
    """Padded rows that share one instruction; shapes are (rows, positions) or (n,) indices."""

    prefix: Tensor
    tokens: Tensor
    answers: Tensor
    looks: dict[str, tuple[Tensor, Tensor, Tensor]]
    labels: dict[str, tuple[Tensor, Tensor, Tensor]]
    plain: bool


def collate(tokenizer: Tokenizer, instruction: str, rows: Sequence[Row]) -> TaskBatch:
    """Pad rows to one length; `answers[:, t]` is the token to predict at position t."""
    length = 1 + _ROUND * -(-(max(len(row.tokens) for row in rows) - 1) // _ROUND)
    tokens = torch.full((len(rows), length), tokenizer.pad)
    answers = torch.full((len(rows), length), _IGNORED)
    for number, row in enumerate(rows):
        tokens[number, : len(row.tokens)] = torch.tensor(row.tokens)
        answers[number, row.answer_at - 1 : len(row.tokens) - 1] = torch.tensor(
            row.tokens[row.answer_at :]
        )
    looks: dict[str, list[tuple[int, int, int]]] = {}
    labels: dict[str, list[tuple[int, int, int]]] = {}
    for number, row in enumerate(rows):
        for head, start, stop in row.looks:
            looks.setdefault(head, []).append((number, start, stop))
        for head, place, value in row.labels:
            labels.setdefault(head, []).append((number, place, value))
    return TaskBatch(
        prefix=torch.tensor([[tokenizer.bos, *tokenizer.encode(instruction)]]),
        tokens=tokens[:, :-1],
        answers=answers[:, :-1],
        looks={head: _columns(triples) for head, triples in looks.items()},
        labels={head: _columns(triples) for head, triples in labels.items()},
        plain=rows[0].answer_at == 1,
    )


def _columns(triples: Sequence[tuple[int, int, int]]) -> tuple[Tensor, Tensor, Tensor]:
    table = torch.tensor(triples, dtype=torch.long).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


class TaskFeed:
    """Training batches, one of every benchmark per step; they depend on seed and step alone.

    Rows of a kind with different instructions are put into batches of their own; the first
    instruction of the drawn rows decides.
    """

    def __init__(self, seed: int, tokenizer: Tokenizer, continued: bool = False) -> None:
        self._seed = seed
        self._continued = continued
        self._tokenizer = tokenizer

    def step(self, number: int) -> dict[str, TaskBatch]:
        """The batches of step `number`, counted from 0, by kind."""
        kinds = kinds_of_step(self._seed, number, self._continued)
        return {kind.name: self._batch(kind, number) for kind in kinds}

    def _batch(self, kind: Kind, number: int) -> TaskBatch:
        asked = list(rows_of_step(self._seed, number, kind))
        same = [row for row in asked if row.instruction == asked[0].instruction]
        rng = Random(f"{self._seed} {kind.name} {number} spelled")
        rows = [encode(self._tokenizer, row, rng) for row in same]
        return collate(self._tokenizer, asked[0].instruction, rows)
