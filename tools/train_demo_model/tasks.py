"""What training asks besides stories: kinds of prompts, how often, and the rows in their order.

What a step asks depends on the seed and the step alone, so every row can be replayed and a training
go on from any step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from tools.train_demo_model import abspyramid, accord, com2, plain
from tools.train_demo_model.rows import Asked

_UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of prompts of a benchmark.

    `shares` is how often a step takes this kind among those of its benchmark, at first and later,
    `rows` how many rows it then has, and `write` makes one from a random generator.
    """

    name: str
    shares: tuple[float, float]
    rows: int
    write: Callable[[Random], Asked]


def _tree(hops: int, distractors: int) -> Callable[[Random], Asked]:
    return partial(accord.write, accord.Shape(f"hop-{hops}", hops, distractors))


LATER = 1800
"""The step from which on the later shares hold."""
KINDS: dict[str, tuple[Kind, ...]] = {
    "accord": (
        Kind("bare", (0.1, 0.03), 28, partial(accord.write, accord.BARE)),
        # Looking up one statement comes first: without it nothing else can be learned.
        Kind("hop-1", (0.42, 0.06), 16, _tree(1, 0)),
        Kind("hop-1 with 1", (0.06, 0.16), 14, _tree(1, 1)),
        Kind("hop-1 with 2", (0.02, 0.09), 11, _tree(1, 2)),
        Kind("hop-2", (0.32, 0.36), 14, _tree(2, 0)),
        Kind("hop-2 with 1", (0.06, 0.16), 11, partial(accord.write, accord.WHOLE)),
        Kind("hop-3", (0.02, 0.14), 11, _tree(3, 0)),
    ),
    "com2": (
        Kind("link", (0.58, 0.6), 32, com2.link),
        Kind("link-it", (0.33, 0.34), 32, partial(com2.link, language="it")),
        Kind("scenario", (0.09, 0.06), 16, com2.scenario),
    ),
    "abspyramid": (
        Kind("noun", (0.22, 0.14), 44, abspyramid.noun),
        Kind("verb", (0.1, 0.08), 40, abspyramid.verb),
        Kind("everyday-noun", (0.22, 0.22), 44, abspyramid.everyday_noun),
        Kind("everyday-verb", (0.13, 0.15), 40, abspyramid.everyday_verb),
        Kind("event", (0.2, 0.3), 44, abspyramid.event),
        Kind("naming", (0.05, 0.03), 28, abspyramid.naming),
        Kind("told", (0.08, 0.08), 90, abspyramid.told),
    ),
    "plain": (
        Kind("plain-chains", (0.35, 0.35), 14, plain.chain),
        Kind("plain-chains-it", (0.2, 0.2), 14, partial(plain.chain, language="it")),
        Kind("plain-activities", (0.2, 0.2), 24, plain.activity),
        Kind("plain-stories", (0.25, 0.25), 8, plain.story),
    ),
}


def training_row(seed: int, kind: Kind, index: int) -> Asked:
    """Row `index` of a kind in the stream of a seed."""
    return kind.write(Random(f"{seed} {kind.name} {index}"))


def kinds_of_step(seed: int, step: int, continued: bool = False) -> tuple[Kind, ...]:
    """The kinds that a step asks, one of every benchmark and one of plain text.

    A training that is `continued` from an earlier model has the later shares from its first step.
    """
    rng = Random(f"{seed} step {step}")
    later = int(continued or step >= LATER)
    return tuple(
        rng.choices(group, [kind.shares[later] for kind in group])[0] for group in KINDS.values()
    )


def rows_of_step(seed: int, step: int, kind: Kind) -> Iterator[Asked]:
    """What a step asks of a kind."""
    first = step * kind.rows
    return (training_row(seed, kind, first + place) for place in range(kind.rows))


def unseen(seed: int, name: str, n: int, write: Callable[[Random], Asked]) -> Iterator[Asked]:
    """`n` prompts for measuring, from random generators that training never uses."""
    return (write(Random(f"{_UNSEEN} {seed} {name} {index}")) for index in range(n))


def rows_asked(seed: int, steps: int, continued: bool = False) -> dict[str, int]:
    """By benchmark: how many rows so many steps drew."""
    drawn = dict.fromkeys(KINDS, 0)
    for step in range(steps):
        kinds = kinds_of_step(seed, step, continued)
        for benchmark, kind in zip(KINDS, kinds, strict=True):
            drawn[benchmark] += kind.rows
    return drawn
