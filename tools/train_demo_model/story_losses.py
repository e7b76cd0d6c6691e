"""The losses of one batch of stories: answers, their own words, and the training-only heads."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from tools.train_demo_model.examples import CONFLICT, NO_LINK, UNKNOWN, Batch
from tools.train_demo_model.model import Cache, Decoder, SentenceHeads, attention_loss, gather

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

# Residual streams that the heads read (k is what block k reads), and the blocks whose first
# attention head is guided.
_EARLY, _MIDDLE, _LATE = 2, 3, 4
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

    def named(self) -> dict[str, Tensor]:
        """Every loss by name."""
        return {"answer": self.answer, "words": self.words, **self.heads}

    def detached(self) -> Losses:
        """The same figures without their history."""
        heads = {name: loss.detach() for name, loss in self.heads.items()}
        return Losses(self.answer.detach(), self.words.detach(), heads)


def batch_losses(model: Decoder, heads: SentenceHeads, batch: Batch, prefix: Tensor) -> Losses:
    """Mean losses of one layer's batch. The prefix runs once for all rows, with its gradient."""
    _, past = model.hidden(prefix)
    states, cache = model.hidden(batch.tokens, past)
    asked = batch.answers >= 0
    answer = functional.cross_entropy(model.logits(states[-1][asked]).float(), batch.answers[asked])
    # Predicting the story's own words needs the whole vocabulary: an eighth of the rows will do.
    few = slice(0, None, 8)
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
        known = targets.flatten()
        total = functional.cross_entropy(logits.float().flatten(0, 1), known, reduction="sum")
        return total / (known >= 0).sum().clamp(min=1)

    effects, subject = heads.early(gather(states[_EARLY], batch.ends), model.table())
    points = heads.points(gather(states[_MIDDLE], batch.ends))
    verdict, state = heads.late(gather(states[_LATE], batch.ends))
    return {
        "effects": _effects_loss(effects.float(), batch.effects),
        "subject": flat(subject, batch.subjects),
        "points": flat(points, batch.points),
        "verdict": flat(verdict, batch.verdict),
        "state": flat(state, batch.state),
        "back": attention_loss(model, _LOOK_BACK, 0, states, *caches, _look_back(batch)),
        "up": attention_loss(model, _LOOK_UP, 0, states, *caches, _look_up(batch)),
    }


def _effects_loss(effects: Tensor, targets: Tensor) -> Tensor:
    known = (targets != UNKNOWN).float()
    losses = functional.binary_cross_entropy_with_logits(
        effects, targets.clamp(min=0), weight=known, reduction="sum"
    )
    return losses / known.sum().clamp(min=1)


def _look_back(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """From the end of a sentence to the end of the one it depends on."""
    rows, later = (batch.verdict > NO_LINK).nonzero(as_tuple=True)
    return rows, batch.ends[rows, later], batch.ends[rows, batch.points[rows, later]]


def _look_up(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """From every position that predicts a part of the answer to the end of the failing sentence."""
    broken = batch.verdict == CONFLICT
    rows, positions = ((batch.answers >= 0) & broken.any(1, keepdim=True)).nonzero(as_tuple=True)
    failing = broken.int().argmax(1)
    return rows, positions, batch.ends[rows, failing[rows]]
