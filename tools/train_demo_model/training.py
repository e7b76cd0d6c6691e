"""Train the decoder on the story stream for a fixed number of steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor
from torch.nn import functional

from tools.train_demo_model.examples import (
    ATTRIBUTES,
    CONFLICT,
    NO_LINK,
    Batch,
    Row,
    collate,
    prefix_tokens,
    rows_of,
)
from tools.train_demo_model.model import (
    Cache,
    Decoder,
    SentenceHeads,
    attention_loss,
    gather,
)
from tools.train_demo_model.prompts import LAYERS, Layer, prompt, target
from tools.train_demo_model.shape import Shape
from tools.train_demo_model.stream import training_story
from tools.train_demo_model.tokenizer import Tokenizer, pieces

# Batches are drawn together and sorted by length, which saves padding.
_POOL = 12
_ANSWER_LOSS = 3.0
_WORD_LOSS = 0.05
_HEAD_LOSS = {
    "effects": 5.0,
    "subject": 0.2,
    "points": 0.5,
    "verdict": 1.0,
    "state": 0.3,
    "back": 0.5,
    "up": 0.3,
}
_VOCABULARY_STORIES = 20_000
_RARE = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """A training run. `stories` is the number of stories in one step (two rows each on average)."""

    seed: int
    steps: int
    stories: int = 32
    rate: float = 2e-3
    warm_up: int = 150
    decay: float = 0.02

    def rate_at(self, step: int) -> float:
        """Linear warm-up, then half a cosine down to a fiftieth."""
        ramp = min(1.0, step / self.warm_up)
        cosine = 0.5 * (1 + math.cos(math.pi * step / self.steps))
        return self.rate * ramp * (0.02 + 0.98 * cosine)


def build_tokenizer(seed: int, blocked: frozenset[str]) -> Tokenizer:
    """Vocabulary of the pieces seen at least three times in the first stories, and the prompts."""
    counts: dict[str, int] = {}
    for index in range(_VOCABULARY_STORIES):
        story = training_story(seed, index, blocked)
        if story is None:
            continue
        layers = LAYERS if not story.plausible else LAYERS[:1]
        for layer in layers:
            for piece in pieces(f"{prompt(layer, story.sentences).rstrip(' ')}"):
                counts[piece] = counts.get(piece, 0) + 1
            ending = prompt(layer, ()).endswith(" ")
            for piece in pieces(" " * ending + " " + target(layer, story)):
                counts[piece] = counts.get(piece, 0) + 1
    return Tokenizer.from_pieces(piece for piece, count in counts.items() if count >= _RARE)


class StoryFeed:
    """Training batches in a fixed order: one dictionary of layer batches per step."""

    def __init__(self, plan: Plan, tokenizer: Tokenizer, blocked: frozenset[str]) -> None:
        self._plan = plan
        self._tokenizer = tokenizer
        self._blocked = blocked
        self._rng = Random(plan.seed)
        self._next = 0
        self._pool: list[dict[Layer, Batch]] = []

    def step(self) -> dict[Layer, Batch]:
        if not self._pool:
            self._refill()
        return self._pool.pop()

    def _refill(self) -> None:
        rows: dict[Layer, list[Row]] = {layer: [] for layer in LAYERS}
        for index in range(self._next, self._next + _POOL * self._plan.stories):
            story = training_story(self._plan.seed, index, self._blocked)
            if story is not None:
                for layer, row in rows_of(self._tokenizer, story, self._rng):
                    if layer != "physical_state" or index % 4 == 1:
                        rows[layer].append(row)
        self._next += _POOL * self._plan.stories
        for group in rows.values():
            group.sort(key=lambda row: len(row.tokens))
        for number in range(_POOL):
            batches: dict[Layer, Batch] = {}
            for layer, group in rows.items():
                # Layer 3 has the longest prompt and is learned first: every second step will do.
                every = 2 if layer == "physical_state" else 1
                if number % every == 0:
                    part, parts = number // every, _POOL // every
                    share = group[part * len(group) // parts : (part + 1) * len(group) // parts]
                    batches[layer] = collate(layer, share, self._tokenizer)
            self._pool.append(batches)
        self._rng.shuffle(self._pool)


# Blocks (counted from 0) after which the heads read, and whose first attention head is guided.
_EARLY, _MIDDLE, _LATE = 1, 2, 3
_LOOK_BACK, _LOOK_UP = 2, 4


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean losses of one batch. Heads: effects, subject, points, verdict, state, attention."""

    answer: Tensor
    words: Tensor
    heads: dict[str, Tensor]

    @property
    def total(self) -> Tensor:
        weighted = [_HEAD_LOSS[name] * loss for name, loss in self.heads.items()]
        return _ANSWER_LOSS * self.answer + _WORD_LOSS * self.words + sum(weighted)


def batch_losses(model: Decoder, heads: SentenceHeads, batch: Batch, prefix: Tensor) -> Losses:
    """Mean losses of one layer's batch. The prefix runs once for all rows, with its gradient."""
    _, past = model.hidden(prefix)
    states, cache = model.hidden(batch.tokens, past)
    asked = batch.answers >= 0
    answer = functional.cross_entropy(model.logits(states[-1][asked]).float(), batch.answers[asked])
    # Predicting the story's own words needs the whole vocabulary: a quarter of the rows will do.
    few = slice(0, None, 4)
    words = model.logits(states[-1][few, :-1]).float()
    real = batch.real[few, :-1]
    word_loss = functional.cross_entropy(words[real], batch.tokens[few, 1:][real])
    return Losses(answer, word_loss, _head_losses(model, heads, batch, states, (cache, past)))


def _head_losses(
    model: Decoder,
    heads: SentenceHeads,
    batch: Batch,
    states: list[Tensor],
    caches: tuple[Cache, Cache],
) -> dict[str, Tensor]:
    def flat(logits: Tensor, targets: Tensor) -> Tensor:
        return functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    effects, subject = heads.early(gather(states[_EARLY], batch.ends), model.token_embd.weight)
    points = heads.points(gather(states[_MIDDLE], batch.ends))
    verdict, state = heads.late(gather(states[_LATE], batch.ends))
    return {
        "effects": functional.binary_cross_entropy_with_logits(effects.float(), batch.effects),
        "subject": flat(subject, batch.subjects),
        "points": flat(points, batch.points),
        "verdict": flat(verdict, batch.verdict),
        "state": flat(state, batch.state),
        "back": attention_loss(model, _LOOK_BACK, states, *caches, _look_back(batch)),
        "up": attention_loss(model, _LOOK_UP, states, *caches, _look_up(batch)),
    }


def _look_back(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """From the end of a sentence to the end of the one it depends on."""
    rows, later = (batch.verdict != NO_LINK).nonzero(as_tuple=True)
    return rows, batch.ends[rows, later], batch.ends[rows, batch.points[rows, later]]


def _look_up(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """From every position that predicts a part of the answer to the end of the failing sentence."""
    broken = batch.verdict == CONFLICT
    rows, positions = ((batch.answers >= 0) & broken.any(1, keepdim=True)).nonzero(as_tuple=True)
    failing = broken.int().argmax(1)
    return rows, positions, batch.ends[rows, failing[rows]]


@dataclass(frozen=True, slots=True)
class Progress:
    """What is reported now and then; losses are of the step itself."""

    step: int
    seconds: float
    answer: dict[Layer, float]
    words: float
    heads: dict[str, float]


def train(
    plan: Plan,
    shape: Shape,
    tokenizer: Tokenizer,
    blocked: frozenset[str],
    report: Callable[[Progress], None],
    export: Callable[[Decoder, int], None],
    report_every: int = 50,
    export_every: int = 500,
) -> Decoder:
    """Train and return the model; `export(model, step)` is called on the way and at the end.

    The result depends on the plan, the shape, the blocked sentences and the platform's arithmetic.
    """
    torch.manual_seed(plan.seed)
    model = Decoder(shape)
    heads = SentenceHeads(shape, len(ATTRIBUTES))
    parameters = [*model.parameters(), *heads.parameters()]
    optimiser = torch.optim.AdamW(
        parameters, lr=plan.rate, betas=(0.9, 0.98), weight_decay=plan.decay
    )
    feed = StoryFeed(plan, tokenizer, blocked)
    prefixes = {layer: prefix_tokens(tokenizer, layer) for layer in LAYERS}
    started = time.monotonic()
    for step in range(1, plan.steps + 1):
        for group in optimiser.param_groups:
            group["lr"] = plan.rate_at(step)
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16):
            found = {
                layer: batch_losses(model, heads, batch, prefixes[layer])
                for layer, batch in feed.step().items()
            }
        torch.autograd.backward([losses.total for losses in found.values()])
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        if step % report_every == 0:
            report(_progress(step, time.monotonic() - started, found))
        if step % export_every == 0 or step == plan.steps:
            export(model, step)
    return model


def _progress(step: int, seconds: float, found: dict[Layer, Losses]) -> Progress:
    count = len(found)
    return Progress(
        step=step,
        seconds=seconds,
        answer={layer: losses.answer.item() for layer, losses in found.items()},
        words=sum(losses.words.item() for losses in found.values()) / count,
        heads={
            name: sum(losses.heads[name].item() for losses in found.values()) / count
            for name in _HEAD_LOSS
        },
    )
