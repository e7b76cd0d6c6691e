"""Train the decoder on stories and on the prompts of the other benchmarks.

The batches of a step run in two threads of one core each, and their gradients are added. A step
depends on the plan, its number and the weights alone, so a training that was stopped goes on from
its checkpoint as if it had not been.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial, reduce
from pathlib import Path

import torch
from torch import Tensor, nn

from tools.train_demo_model import gguf_file
from tools.train_demo_model.examples import ATTRIBUTES, prefix_tokens
from tools.train_demo_model.model import Decoder, SentenceHeads
from tools.train_demo_model.prompts import LAYERS
from tools.train_demo_model.shape import Shape
from tools.train_demo_model.story_feed import StoryFeed
from tools.train_demo_model.story_losses import Losses, batch_losses
from tools.train_demo_model.task_feed import TaskFeed
from tools.train_demo_model.task_losses import TaskHeads, TaskLosses, task_losses
from tools.train_demo_model.tokenizer import Tokenizer

Found = Losses | TaskLosses


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
    warm_up: int = 100
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


class Run:
    """A training in progress: the weights, the optimiser's state and the number of steps done."""

    def __init__(self, plan: Plan, shape: Shape, tokenizer: Tokenizer) -> None:
        torch.manual_seed(plan.seed)
        self.plan = plan
        self.model = decoder(shape, tokenizer)
        self.heads = SentenceHeads(shape, len(ATTRIBUTES))
        self.task_heads = TaskHeads(shape)
        self.step = 0
        self.seconds = 0.0
        self.optimiser = torch.optim.AdamW(
            self.parameters, lr=plan.rate, betas=(0.9, 0.98), weight_decay=plan.decay, fused=True
        )

    @property
    def parameters(self) -> list[nn.Parameter]:
        return [part for module in self._parts.values() for part in module.parameters()]

    @property
    def _parts(self) -> dict[str, nn.Module]:
        return {"model": self.model, "heads": self.heads, "task_heads": self.task_heads}

    def save(self, path: Path) -> None:
        """Write a checkpoint through a temporary file."""
        parts = {name: module.state_dict() for name, module in self._parts.items()}
        part = path.with_suffix(".part")
        kept = {
            "plan": asdict(self.plan),
            "step": self.step,
            "seconds": self.seconds,
            "optimiser": self.optimiser.state_dict(),
            **parts,
        }
        torch.save(kept, part)
        part.replace(path)

    def load(self, path: Path) -> None:
        """Go on from a checkpoint.

        Raises:
            ValueError: it belongs to another plan.
        """
        kept = torch.load(path, weights_only=True)
        if kept["plan"] != asdict(self.plan):
            raise ValueError(f"{path} is of another training: {kept['plan']}")
        for name, module in self._parts.items():
            module.load_state_dict(kept[name])
        self.optimiser.load_state_dict(kept["optimiser"])
        self.step, self.seconds = kept["step"], kept["seconds"]


def train(
    plan: Plan,
    shape: Shape,
    tokenizer: Tokenizer,
    blocked: frozenset[str],
    report: Callable[[Progress], None],
    export: Callable[[Decoder, Progress], None],
    checkpoint: Path | None = None,
    report_every: int = 50,
    export_every: int = 500,
    stop: int | None = None,
    begin: Path | None = None,
    forgotten: frozenset[str] = frozenset(),
) -> Decoder:
    """Train and return the model; `export(model, progress)` is called on the way and at the end.

    With `checkpoint` the training goes on from that file, if it is there, and keeps it up to date.
    The result depends on the plan, the shape, the blocked sentences and the platform's arithmetic,
    not on where the training was interrupted. `stop` is the step to interrupt it at, `begin` the
    file of an earlier model to begin with, `forgotten` the tokens of which nothing is kept of it.
    """
    run = Run(plan, shape, tokenizer)
    if begin is not None:
        begin_with(run.model, tokenizer, begin, forgotten)
    if checkpoint is not None and checkpoint.exists():
        run.load(checkpoint)
    story_feed = StoryFeed(plan.seed, plan.stories, tokenizer, blocked)
    task_feed = TaskFeed(plan.seed, tokenizer, continued=begin is not None)
    prefixes = {layer: prefix_tokens(tokenizer, layer) for layer in LAYERS}
    started = time.monotonic() - run.seconds
    recent = Averages()

    def jobs(number: int) -> dict[str, Callable[[], Found]]:
        stories, tasks = story_feed.step(number), task_feed.step(number)
        return {
            **{
                layer: partial(batch_losses, run.model, run.heads, batch, prefixes[layer])
                for layer, batch in stories.items()
            },
            **{
                name: partial(task_losses, run.model, run.task_heads, batch)
                for name, batch in tasks.items()
            },
        }

    with ThreadPoolExecutor(2) as workers:
        while run.step < min(plan.steps, stop or plan.steps):
            rate = plan.rate_at(run.step + 1)
            for group in run.optimiser.param_groups:
                group["lr"] = rate
            with run.model.leaf_table() as table:
                leaves = [*run.parameters, table]
                batches = jobs(run.step)
                done = list(workers.map(partial(_gradients, leaves=leaves), batches.values()))
                _put(leaves, [gradients for _, gradients in done])
            torch.nn.utils.clip_grad_norm_(run.parameters, 1.0)
            run.optimiser.step()
            run.step += 1
            run.seconds = time.monotonic() - started
            recent.add(dict(zip(batches, (losses for losses, _ in done), strict=True)))
            if run.step % report_every == 0:
                report(Progress(run.step, run.seconds, recent.taken()))
                if checkpoint is not None:
                    run.save(checkpoint)
            if run.step % export_every == 0 or run.step == plan.steps:
                export(run.model, Progress(run.step, run.seconds, {}))
    return run.model


def _gradients(
    losses: Callable[[], Found], leaves: Sequence[Tensor]
) -> tuple[Found, Sequence[Tensor | None]]:
    """What a batch loses, and the gradients of the sum."""
    # The cache of 16-bit weights is one for all threads: what it holds would be left to chance.
    with torch.autocast("cpu", torch.bfloat16, cache_enabled=False):
        found = losses()
    return found.detached(), torch.autograd.grad(found.total, leaves, allow_unused=True)


def _put(leaves: Sequence[Tensor], batches: Sequence[Sequence[Tensor | None]]) -> None:
    """Add the gradients of the batches, always in the same order."""
    for leaf, *parts in zip(leaves, *batches, strict=True):
        known = [part for part in parts if part is not None]
        leaf.grad = reduce(torch.add, known) if known else None


def begin_with(
    model: Decoder, tokenizer: Tokenizer, path: Path, forgotten: frozenset[str] = frozenset()
) -> None:
    """Put in the weights of an earlier model of the same shape; words that are new to it stay new.

    So do the tokens that are `forgotten`: a word enters the network by its embedding alone, so with
    it goes all that the earlier model was told of that word.

    Raises:
        ValueError: it has another shape.
    """
    tokens, weights = gguf_file.read_weights(path)
    here = [
        number
        for number, token in enumerate(tokens)
        if token in tokenizer.ids and token not in forgotten
    ]
    there = torch.tensor([tokenizer.ids[tokens[number]] for number in here])
    tables = {
        name: torch.from_numpy(weights.pop(f"{name}.weight")[here])
        for name in ("token_embd", "output")
    }
    kept = model.state_dict()
    for name, array in weights.items():
        if kept[name].shape != array.shape:
            raise ValueError(f"{path} has another shape of {name}: {array.shape}")
        kept[name].copy_(torch.from_numpy(array))
    kept["output.weight"][:] = tables["output"].mean(0)
    kept["output.weight"][there] = tables["output"]
    # What the spellings of a word have in common is what new spellings of it begin with.
    word = model.words.word
    count = torch.zeros(len(kept["words.shared"])).index_add_(
        0, word[there], torch.ones(len(there))
    )
    total = torch.zeros_like(kept["words.shared"]).index_add_(0, word[there], tables["token_embd"])
    known = count > 0
    kept["words.form"].zero_()
    # A new word is as loud as the others, so that what copies and compares words takes it in.
    kept["words.shared"] *= tables["token_embd"].std() / kept["words.shared"].std()
    kept["words.shared"][known] = total[known] / count[known, None]
    kept["words.own"][there] = tables["token_embd"] - kept["words.shared"][word[there]]


def decoder(shape: Shape, tokenizer: Tokenizer) -> Decoder:
    """An untrained decoder whose embeddings know which tokens are spellings of one word."""
    word, spelling = (torch.tensor(numbers) for numbers in tokenizer.parts())
    return Decoder(shape, word, spelling)


class Averages:
    """Means of what was lost since they were last taken."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def add(self, found: Mapping[str, Found]) -> None:
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
