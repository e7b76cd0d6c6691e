"""Worked examples from causal graphs: events for event proposal, chains and questions.

The paper shows k events of CauseNet (Heindorf et al., 2020). Chains and questions of graphs are
added only where they meet every requirement on the model's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from core.benchmarks.com2.graph import Fault
from core.benchmarks.com2.item import Com2Item, Task, letter
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.synthesis.formatting import question_values, written_asked, written_chains
from core.benchmarks.com2.synthesis.prompts import Example
from core.benchmarks.com2.synthesis.reply_values import Asked, Chain, Chains, Choice
from core.benchmarks.com2.synthesis.requirements import (
    LONGEST_EVENT,
    check_asked,
    check_chains,
    check_text,
)
from core.benchmarks.com2.synthesis.stages import CHAIN_NAMES, Make, Stage, stage_wording
from core.benchmarks.generation.normalised_text import normalise
from core.benchmarks.generation.rejection import Rejected
from core.files.regular_file import read_text
from core.files.shipped import samples
from core.text.errors import DataError

_LIMIT = 5_000_000
_WRITTEN = (Make.DIRECT, Make.TRANSITION, Make.COUNTERFACTUAL)
"""The kinds whose bundled items have everything that the model has to write."""


@dataclass(frozen=True, slots=True)
class Shots:
    """A pool of worked examples."""

    events: tuple[str, ...]
    examples: Mapping[Stage, tuple[Example, ...]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of the whole pool."""
        parts = [*self.events]
        for stage, examples in sorted(self.examples.items()):
            parts += [stage, *(text for e in examples for text in (e.given, e.answer))]
        return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def read_shots(path: Path | None, make: Make) -> Shots:
    """Examples from graphs in our form (a file or a folder) or from a text file of events.

    Without a path the bundled graphs are read. Raises `DataError`.
    """
    path = path or samples() / "com2"
    if path.suffix == ".txt":
        lines = read_text(path, _LIMIT, name="The events").splitlines()
        return Shots(_events([line.strip() for line in lines if line.strip()], path))
    items = _items(path)
    texts = [event.text for item in items for event in item.graph.events]
    return Shots(_events(texts, path), worked(items, make))


def worked(items: Sequence[Com2Item], make: Make) -> dict[Stage, tuple[Example, ...]]:
    """The chains and questions of items as worked examples, by the stage that writes such."""
    if make not in _WRITTEN:
        return {}
    stages = (Stage(f"chain-{make}"), Stage(f"question-{make}"))
    examples: dict[Stage, list[Example]] = {stage: [] for stage in stages}
    for item in items:
        task = item.task(make.scenario)
        if task is None:
            continue
        try:
            chains = _chains(item, task, make)
            check_chains(chains, make, chains.chains[0].events[0])
            values = question_values(chains, make)
            examples[stages[0]].append(_example(stages[0], values, written_chains(chains)))
            asked = _asked(item, task)
            check_asked(asked, make, chains)
            examples[stages[1]].append(_example(stages[1], values, written_asked(asked)))
        except Rejected:
            continue
    return {stage: tuple(pool) for stage, pool in examples.items()}


def _example(stage: Stage, values: Mapping[str, str], answer: str) -> Example:
    return Example(stage_wording(stage).about(values), answer)


def _chains(item: Com2Item, task: Task, make: Make) -> Chains:
    """A task's chains in the order in which a model writes them."""
    paths = [task.path, *task.distractors]
    if make is Make.DIRECT:
        paths = paths[:1]
    elif make is Make.COUNTERFACTUAL:
        paths = [*task.distractors[:1], task.path]
    events = {event.id: event.text for event in item.graph.events}
    names = CHAIN_NAMES[make] if len(paths) == len(CHAIN_NAMES[make]) else [""] * len(paths)
    return Chains(
        tuple(
            Chain(name, tuple(events[event] for event in path), _faulty(item, path))
            for name, path in zip(names, paths, strict=True)
        )
    )


def _faulty(item: Com2Item, path: Sequence[str]) -> int:
    for number, (cause, effect) in enumerate(pairwise(path), 1):
        link = item.graph.link(cause, effect)
        if link is not None and link.fault is not Fault.NONE:
            return number
    return 0


def _asked(item: Com2Item, task: Task) -> Asked:
    gold = derive(item, task).gold or frozenset()
    options = tuple(Choice(option.text) for option in task.options)
    return Asked(task.question, options, tuple(letter(i) for i in sorted(gold)))


def _events(texts: Sequence[str], path: Path) -> tuple[str, ...]:
    events: dict[str, str] = {}
    for text in texts:
        try:
            check_text(text, LONGEST_EVENT, "An event")
        except Rejected:
            continue
        events.setdefault(normalise(text), text)
    if not events:
        raise DataError("There are no events here.", where=path)
    return tuple(events.values())


def _items(path: Path) -> list[Com2Item]:
    from core.benchmarks.com2.collection import open_items

    collection = open_items(path)
    items = [collection.item(i) for i in range(len(collection))]
    # With examples in several languages a model mixes them.
    return [item for item in items if item.language == "en"]
