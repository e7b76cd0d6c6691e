"""Training rows of every benchmark but GITA: a prompt, its answer, and where to look for it.

A row's guidance are looks: pairs of token positions, with the block whose second or later head
should attend from the one to the other. Like the sentence heads they are for training only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from tools.train_demo_model.tokenizer import Tokenizer, pieces

_SPELLED_ROWS, _SPELLED_WORDS = 0.3, 0.12
_LONGER = re.compile(r"[^\W\d_]{5,}")


class Look(NamedTuple):
    """The token that covers the character `start` should attend to the one that covers `stop`."""

    head: str
    start: int
    stop: int


class Label(NamedTuple):
    """What a training-only head should say at the token that covers the character `place`."""

    head: str
    place: int
    value: int


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt with its gold answer.

    Args:
        benchmark: "accord", "com2" or "abspyramid".
        layer: the benchmark's name of the layer.
        instruction: what stands in front of the text and is the same for many rows.
        text: the rest of the prompt.
        answer: the gold continuation, less its lead.
        options: all continuations, the gold one among them; none where the answer is open.
        lead: what stands between prompt and continuation.
        plain: whether every word of the text is to be predicted.
        looks: what guided attention heads should look at, in characters of `text + lead + answer`.
        labels: what training-only heads should say, likewise.
    """

    benchmark: str
    layer: str
    instruction: str
    text: str
    answer: str
    options: tuple[str, ...]
    lead: str = " "
    plain: bool = False
    looks: tuple[Look, ...] = ()
    labels: tuple[Label, ...] = ()

    @property
    def prompt(self) -> str:
        """The whole zero-shot prompt."""
        return self.instruction + self.text


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens after the instruction, answer and EOS included, with positions for characters."""

    tokens: list[int]
    answer_at: int
    looks: tuple[Look, ...]
    labels: tuple[Label, ...]


def encode(tokenizer: Tokenizer, asked: Asked, rng: Random | None = None) -> Row:
    """The tokens of one row. The blank that may end a prompt belongs to the answer.

    With `rng`, some words of some rows are spelled byte by byte, so that unknown ones are not
    strange.
    """
    text = asked.text.rstrip(" ")
    spelled = _spelled(asked, rng) if rng else frozenset()
    tokens: list[int] = []
    holder: list[int] = []
    answer_at = 0
    for part in (text, asked.lead + asked.answer):
        answer_at = len(tokens)
        for piece in pieces(part):
            word = piece.strip(" '").casefold()
            tokens.extend(tokenizer.encode_piece(piece, word if word in spelled else ""))
            # Every character stands for the last token of its piece.
            holder.extend([len(tokens) - 1] * len(piece))
    tokens.append(tokenizer.eos)
    if asked.plain:
        answer_at = 1
    return Row(
        tokens,
        answer_at,
        tuple(Look(head, holder[start], holder[stop]) for head, start, stop in asked.looks),
        tuple(Label(head, holder[place], value) for head, place, value in asked.labels),
    )


def _spelled(asked: Asked, rng: Random) -> frozenset[str]:
    """The words of a row to spell byte by byte: of most rows none."""
    if asked.plain or rng.random() >= _SPELLED_ROWS:
        return frozenset()
    words = sorted(set(_LONGER.findall(asked.text.casefold())))
    return frozenset(word for word in words if rng.random() < _SPELLED_WORDS)
