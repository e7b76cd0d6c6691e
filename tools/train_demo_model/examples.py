"""Stories as padded token batches with the answers and what the training-only heads should say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor

from tools.train_demo_model.prompts import Layer, body_parts, prefix, target
from tools.train_demo_model.stories import LENGTH, STATES, Story
from tools.train_demo_model.tokenizer import Tokenizer, pieces

# The lexicon's attribute names in the order of GITA's states ("in pieces" is "pieces").
ATTRIBUTES = tuple("pieces" if state == "in pieces" else state for state in STATES)
NO_LINK, HOLDS, CONFLICT = range(3)
UNKNOWN = -1.0
_IGNORED = -100
# Share of rows in which one word is spelled byte by byte, so that unknown words are not strange.
_SPELLED_SHARE = 0.1
_ROUND = 8


@dataclass(frozen=True, slots=True)
class SentenceLabels:
    """Targets of `model.SentenceHeads` for one story.

    effects: per sentence 4 x 14 zeros and ones (needs no, needs yes, sets no, sets yes), or UNKNOWN
        of a story written by hand, of which points, verdict and state are also known (not -100)
        of the conflict only.
    subjects: per sentence the last word of the object it is about, empty for none or the actor.
    points: per sentence the earlier sentence it depends on, 5 for none.
    verdict: per sentence NO_LINK, HOLDS or CONFLICT. state: its attribute, -100 for none.
    """

    effects: list[list[float]]
    subjects: list[str]
    points: list[int]
    verdict: list[int]
    state: list[int]

    @classmethod
    def of(cls, story: Story) -> SentenceLabels:
        effects = [_effect_bits(story, position) for position in range(LENGTH)]
        points = [LENGTH if story.effects else _IGNORED] * LENGTH
        verdict = [NO_LINK if story.effects else _IGNORED] * LENGTH
        state = [_IGNORED] * LENGTH
        subjects = [_subject(story, position) for position in range(LENGTH)]
        # A conflict outranks links that hold. That an acting person was awake before says nothing.
        for link in sorted(story.links, key=lambda item: not item.holds):
            if link.holds and link.attribute == "conscious":
                continue
            points[link.later] = link.sources[-1]
            verdict[link.later] = HOLDS if link.holds else CONFLICT
            state[link.later] = ATTRIBUTES.index(link.attribute)
        return cls(effects, subjects, points, verdict, state)


def _subject(story: Story, position: int) -> str:
    if not story.effects:
        return ""
    effects = story.effects[position]
    for entity, _, _ in effects.pre + effects.post:
        if " " in entity or "'" in entity:
            return pieces(f" {entity}")[-1]
    return ""


def _effect_bits(story: Story, position: int) -> list[float]:
    if not story.effects:
        return [UNKNOWN] * (4 * len(ATTRIBUTES))
    bits = [0.0] * (4 * len(ATTRIBUTES))
    effects = story.effects[position]
    for column, facts in ((0, effects.pre), (2, effects.post)):
        for _, attribute, value in facts:
            positive = value not in ("no", "cold") and not value.startswith("!")
            bits[(column + positive) * len(ATTRIBUTES) + ATTRIBUTES.index(attribute)] = 1.0
    return bits


@dataclass(frozen=True, slots=True)
class Row:
    """One prompt body with its answer: `answer_at` is where the answer's tokens start."""

    tokens: list[int]
    answer_at: int
    ends: list[int]
    labels: SentenceLabels


def encode_row(
    tokenizer: Tokenizer, layer: Layer, story: Story, labels: SentenceLabels, spelled: str = ""
) -> Row:
    """Tokens of everything after the layer's constant prefix, answer and EOS included."""
    *parts, question = body_parts(layer, story.sentences)
    answer = " " + target(layer, story)
    body = "".join(parts)
    stops, length = [], 0
    for part in parts:
        length += len(part)
        stops.append(length)
    tokens: list[int] = []
    ends: list[int] = []
    position = 0
    prompt_pieces = pieces(body + question.rstrip(" "))
    for piece in prompt_pieces:
        tokens.extend(tokenizer.encode_piece(piece, spelled))
        position += len(piece)
        while len(ends) < len(stops) and stops[len(ends)] <= position:
            ends.append(len(tokens) - 1)
    answer_at = len(tokens)
    # The prompt's own trailing space belongs to the continuation, as in the published runs.
    trailing = question[len(question.rstrip(" ")) :]
    tokens.extend(tokenizer.encode(trailing + answer))
    tokens.append(tokenizer.eos)
    return Row(tokens, answer_at, ends, labels)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one layer, padded. `answers` holds -100 where nothing is to be predicted."""

    layer: Layer
    tokens: Tensor
    answers: Tensor
    ends: Tensor
    effects: Tensor
    subjects: Tensor
    points: Tensor
    verdict: Tensor
    state: Tensor
    real: Tensor


def collate(layer: Layer, rows: Sequence[Row], tokenizer: Tokenizer) -> Batch:
    """Pad rows to one length. `answers[:, t]` is the token to predict at position t."""
    # Few different lengths: 16-bit kernels are built anew for each.
    length = 1 + _ROUND * -(-(max(len(row.tokens) for row in rows) - 1) // _ROUND)
    tokens = torch.full((len(rows), length), tokenizer.pad)
    answers = torch.full((len(rows), length), _IGNORED)
    for number, row in enumerate(rows):
        tokens[number, : len(row.tokens)] = torch.tensor(row.tokens)
        first, last = row.answer_at - 1, len(row.tokens) - 1
        answers[number, first:last] = torch.tensor(row.tokens[row.answer_at :])
    labels = [row.labels for row in rows]
    return Batch(
        layer=layer,
        tokens=tokens[:, :-1],
        answers=answers[:, :-1],
        ends=torch.tensor([row.ends for row in rows]),
        effects=torch.tensor([label.effects for label in labels]),
        subjects=torch.tensor(
            [[tokenizer.id_of(word, _IGNORED) for word in label.subjects] for label in labels]
        ),
        points=torch.tensor([label.points for label in labels]),
        verdict=torch.tensor([label.verdict for label in labels]),
        state=torch.tensor([label.state for label in labels]),
        real=tokens[:, 1:] != tokenizer.pad,
    )


def rows_of(tokenizer: Tokenizer, story: Story, rng: Random) -> Iterator[tuple[Layer, Row]]:
    """A story's rows: layer 1 always, layers 2 and 3 when it is implausible."""
    labels = SentenceLabels.of(story)
    layers: tuple[Layer, ...] = ("story_class",)
    if not story.plausible:
        layers = ("story_class", "conflict_detec", "physical_state")
    for layer in layers:
        spelled = ""
        if rng.random() < _SPELLED_SHARE:
            words = rng.choice(story.sentences).rstrip(".").split()
            spelled = rng.choice(words).rpartition("'")[2].casefold()
        yield layer, encode_row(tokenizer, layer, story, labels, spelled)


def prefix_tokens(tokenizer: Tokenizer, layer: Layer) -> Tensor:
    """The constant prefix with BOS, shape (1, positions)."""
    return torch.tensor([[tokenizer.bos, *tokenizer.encode(prefix(layer))]])
