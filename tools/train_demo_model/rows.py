"""Training rows of every benchmark but GITA: a prompt, its answer, and where to look for it.

A row's guidance are looks: pairs of token positions, with the block whose second or later head
should attend from the one to the other. Like the sentence heads they are for training only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tools.train_demo_model.tokenizer import Tokenizer, pieces


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


def encode(tokenizer: Tokenizer, asked: Asked) -> Row:
    """The tokens of one row. The blank that may end a prompt belongs to the answer."""
    text = asked.text.rstrip(" ")
    tokens: list[int] = []
    holder: list[int] = []
    answer_at = 0
    for part in (text, asked.lead + asked.answer):
        answer_at = len(tokens)
        for piece in pieces(part):
            tokens.extend(tokenizer.encode_piece(piece))
            # Every character stands for the last token of its piece.
            holder.extend([len(tokens) - 1] * len(piece))
    tokens.append(tokenizer.eos)
    return Row(
        tokens,
        answer_at,
        tuple(Look(head, holder[start], holder[stop]) for head, start, stop in asked.looks),
        tuple(Label(head, holder[place], value) for head, place, value in asked.labels),
    )
