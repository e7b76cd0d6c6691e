"""What training asks besides stories: kinds of prompts, how often, and the rows in their order.

Row number k of a kind depends on the seed, the kind and k alone, so every row can be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from tools.train_demo_model import abspyramid, accord, com2
from tools.train_demo_model.rows import Asked

_UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of prompts of a benchmark.

    `share` is how often a step takes this kind among those of its benchmark, `rows` how many rows
    it then has, and `write` makes one from a random generator.
    """

    name: str
    share: float
    rows: int
    write: Callable[[Random], Asked]


KINDS: dict[str, tuple[Kind, ...]] = {
    "accord": (
        Kind("bare", 0.14, 28, partial(accord.write, accord.BARE)),
        Kind("hop-1", 0.40, 14, partial(accord.write, accord.HOPS[0])),
        Kind("hop-2", 0.30, 10, partial(accord.write, accord.HOPS[1])),
        Kind("hop-3", 0.06, 7, partial(accord.write, accord.HOPS[2])),
        Kind("whole", 0.10, 7, partial(accord.write, accord.WHOLE)),
    ),
    "com2": (
        Kind("link", 0.65, 18, com2.link),
        Kind("link-it", 0.19, 18, partial(com2.link, language="it")),
        Kind("scenario", 0.16, 12, com2.scenario),
    ),
    "abspyramid": (
        Kind("noun", 0.27, 44, abspyramid.noun),
        Kind("verb", 0.11, 40, abspyramid.verb),
        Kind("everyday-noun", 0.22, 44, abspyramid.everyday_noun),
        Kind("everyday-verb", 0.13, 40, abspyramid.everyday_verb),
        Kind("event", 0.15, 32, abspyramid.event),
        Kind("naming", 0.06, 28, abspyramid.naming),
        Kind("told", 0.06, 90, abspyramid.told),
    ),
}


def training_row(seed: int, kind: Kind, index: int) -> Asked:
    """Row `index` of a kind in the stream of a seed."""
    return kind.write(Random(f"{seed} {kind.name} {index}"))


def schedule(seed: int, steps: int) -> Iterator[tuple[Kind, ...]]:
    """For each step the kinds it asks, one of every benchmark."""
    rng = Random(f"{seed} schedule")
    for _ in range(steps):
        yield tuple(
            rng.choices(group, [kind.share for kind in group])[0] for group in KINDS.values()
        )


def unseen(seed: int, name: str, n: int, write: Callable[[Random], Asked]) -> Iterator[Asked]:
    """`n` prompts for measuring, from random generators that training never uses."""
    return (write(Random(f"{_UNSEEN} {seed} {name} {index}")) for index in range(n))


def rows_asked(seed: int, steps: int) -> dict[str, int]:
    """By benchmark: how many rows so many steps drew."""
    drawn = dict.fromkeys(KINDS, 0)
    for kinds in schedule(seed, steps):
        for benchmark, kind in zip(KINDS, kinds, strict=True):
            drawn[benchmark] += kind.rows
    return drawn
