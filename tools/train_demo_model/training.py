"""Train the decoder on stories and on the prompts of the other benchmarks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from tools.train_demo_model.examples import ATTRIBUTES, prefix_tokens
from tools.train_demo_model.model import Decoder, SentenceHeads
from tools.train_demo_model.prompts import LAYERS
from tools.train_demo_model.shape import Shape
from tools.train_demo_model.story_feed import StoryFeed
from tools.train_demo_model.story_losses import Losses, batch_losses
from tools.train_demo_model.task_feed import TaskFeed
from tools.train_demo_model.task_losses import TaskHeads, TaskLosses, task_losses
from tools.train_demo_model.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Plan:
    """A training run.

    `stories` is the number of stories in one step (two rows each on average), `schedule` the number
    of steps over which the rate would fall to its lowest; training may stop a little before.
    """

    seed: int
    steps: int
    schedule: int
    stories: int = 32
    rate: float = 2e-3
    warm_up: int = 150
    decay: float = 0.02

    def rate_at(self, step: int) -> float:
        """Linear warm-up, then half a cosine down to a fiftieth."""
        ramp = min(1.0, step / self.warm_up)
        cosine = 0.5 * (1 + math.cos(math.pi * step / self.schedule))
        return self.rate * ramp * (0.02 + 0.98 * cosine)


@dataclass(frozen=True, slots=True)
class Progress:
    """What is reported now and then: mean losses since the last report, by kind and name."""

    step: int
    seconds: float
    losses: dict[str, float]


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
    model = decoder(shape, tokenizer)
    heads = SentenceHeads(shape, len(ATTRIBUTES))
    task_heads = TaskHeads(shape)
    parameters = [*model.parameters(), *heads.parameters(), *task_heads.parameters()]
    optimiser = torch.optim.AdamW(
        parameters, lr=plan.rate, betas=(0.9, 0.98), weight_decay=plan.decay, fused=True
    )
    story_feed = StoryFeed(plan.seed, plan.stories, tokenizer, blocked)
    task_feed = TaskFeed(plan.seed, plan.steps, tokenizer)
    prefixes = {layer: prefix_tokens(tokenizer, layer) for layer in LAYERS}
    started = time.monotonic()
    recent = Averages()
    for step in range(1, plan.steps + 1):
        for group in optimiser.param_groups:
            group["lr"] = plan.rate_at(step)
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16), model.one_table():
            stories = {
                layer: batch_losses(model, heads, batch, prefixes[layer])
                for layer, batch in story_feed.step().items()
            }
            tasks = {
                name: task_losses(model, task_heads, batch)
                for name, batch in task_feed.step().items()
            }
            total = sum(losses.total for losses in (*stories.values(), *tasks.values()))
        torch.autograd.backward(total)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        recent.add(stories)
        recent.add(tasks)
        if step % report_every == 0:
            report(Progress(step, time.monotonic() - started, recent.taken()))
        if step % export_every == 0 or step == plan.steps:
            export(model, step)
    return model


def decoder(shape: Shape, tokenizer: Tokenizer) -> Decoder:
    """An untrained decoder whose embeddings know which tokens are spellings of one word."""
    word, spelling = (torch.tensor(numbers) for numbers in tokenizer.parts())
    return Decoder(shape, word, spelling)


class Averages:
    """Means of what was lost since they were last taken."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def add(self, found: Mapping[str, Losses] | Mapping[str, TaskLosses]) -> None:
        for name, losses in found.items():
            for part, loss in losses.named().items():
                key = f"{name} {part}"
                self._sums[key] = self._sums.get(key, 0.0) + loss.item()
                self._counts[key] = self._counts.get(key, 0) + 1

    def taken(self) -> dict[str, float]:
        """The means by kind of prompt and name of loss; counting begins anew."""
        means = {key: total / self._counts[key] for key, total in self._sums.items()}
        self._sums, self._counts = {}, {}
        return means
