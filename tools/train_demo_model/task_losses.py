"""The losses of one batch of a benchmark other than GITA, and the training-only heads."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.train_demo_model.causes import how_many_events
from tools.train_demo_model.concepts import inventory
from tools.train_demo_model.model import Decoder, attention_loss
from tools.train_demo_model.shape import Shape
from tools.train_demo_model.task_feed import TaskBatch

GUIDED: dict[str, tuple[int, int]] = {
    # What a bracket or the end of a choice closes, what negates a statement, a choice's letter.
    "word": (0, 1),
    "not": (0, 2),
    "letter": (0, 3),
    # From the second term of a statement to the first.
    "near": (1, 1),
    # From a choice to the statement about it, and from there towards the pairing term.
    "match-1": (2, 1),
    "match-2": (3, 1),
    "match-3": (4, 1),
    # From an effect to its cause and to what is set or imagined; from a concept's noun to the
    # concept.
    "pair": (2, 2),
    "premise": (2, 3),
    # From what is abstracted to a concept that holds, from a choice to the term it is true of;
    # otherwise to a word that says nothing.
    "is-1": (3, 2),
    "is-2": (4, 2),
    "has-1": (3, 3),
    "has-2": (4, 3),
    "answer": (5, 1),
}
"""Block and head by the name of a look; head 0 is guided by the stories."""
_READ = {"event": 2, "concept": 2, "kinds": 2, "holds": 5}
"""Which residual stream the training-only heads read: what the block of this number reads."""
_SHARED = {"kinds": "concept"}
"""Which heads share their weights, so that a word and what it is a kind of look alike."""
_ANSWER, _LOOK, _LABEL, _PLAIN = 3.0, 0.5, 0.5, 0.3


class TaskHeads(nn.Module):
    """What training reads in the residual stream.

    Which event is told there, which concept is named, of what kinds a word is, does a choice hold.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        own = [name for name in _READ if name not in _SHARED]
        self.norms = nn.ModuleDict({name: nn.RMSNorm(shape.width) for name in own})
        self.outputs = nn.ModuleDict(
            {
                "event": nn.Linear(shape.width, how_many_events()),
                "concept": nn.Linear(shape.width, len(inventory())),
                "holds": nn.Linear(shape.width, 2),
            }
        )

    def forward(self, name: str, state: Tensor) -> Tensor:
        """state (n, width) -> logits (n, classes)."""
        name = _SHARED.get(name, name)
        out: Tensor = self.outputs[name](self.norms[name](state))
        return out


@dataclass(frozen=True, slots=True)
class TaskLosses:
    """Mean losses of one batch."""

    answer: Tensor
    looks: dict[str, Tensor]
    labels: dict[str, Tensor]
    plain: bool = False

    @property
    def total(self) -> Tensor:
        total = (_PLAIN if self.plain else _ANSWER) * self.answer
        for loss in self.looks.values():
            total = total + _LOOK * loss
        for loss in self.labels.values():
            total = total + _LABEL * loss
        return total

    def named(self) -> dict[str, Tensor]:
        """Every loss by name."""
        looks = {f"look-{name}": loss for name, loss in self.looks.items()}
        return {"answer": self.answer, **looks, **self.labels}

    def detached(self) -> TaskLosses:
        """The same figures without their history."""
        looks = {name: loss.detach() for name, loss in self.looks.items()}
        labels = {name: loss.detach() for name, loss in self.labels.items()}
        return TaskLosses(self.answer.detach(), looks, labels, self.plain)


def task_losses(model: Decoder, heads: TaskHeads, batch: TaskBatch) -> TaskLosses:
    """Mean losses of a batch. The instruction runs once for all rows, with its gradient."""
    _, past = model.hidden(batch.prefix)
    states, cache = model.hidden(batch.tokens, past)
    asked = batch.answers >= 0
    logits = model.logits(states[-1][asked]).float()
    answer = functional.cross_entropy(logits, batch.answers[asked])
    looks = {
        name: attention_loss(model, *GUIDED[name], states, cache, past, where)
        for name, where in batch.looks.items()
    }
    labels: dict[str, Tensor] = {}
    for name, (rows, places, values) in batch.labels.items():
        # The number of labels differs every time; 16-bit kernels would be built anew for each.
        with torch.autocast("cpu", enabled=False):
            read = heads(name, states[_READ[name]][rows, places].float())
            labels[name] = functional.cross_entropy(read, values)
    return TaskLosses(answer, looks, labels, batch.plain)
