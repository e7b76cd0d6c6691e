"""The physical world of a story: what each sentence needs and changes, and where that fails.

A sentence that needs a state is also evidence for it. So "took the milk", "opened the fridge" is a
conflict of sentences 0 and 1: the first shows that the fridge was open, the second needs it closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Fact = tuple[str, str, str]
"""Entity, attribute, value. The value "!v" means any value but v."""


@dataclass(frozen=True, slots=True)
class Effects:
    """What one sentence needs before (`pre`) and what holds after it (`post`)."""

    pre: tuple[Fact, ...] = ()
    post: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """Sentence `later` needs a state about which sentences `sources` said something.

    `holds` tells whether they agree; a link that does not hold is a conflict.
    """

    sources: tuple[int, ...]
    later: int
    attribute: str
    holds: bool


def agree(known: str, needed: str) -> bool:
    """Whether a known value satisfies a needed one."""
    if known.startswith("!"):
        return needed.startswith("!") or known[1:] != needed
    if needed.startswith("!"):
        return known != needed[1:]
    return known == needed


def links(story: Sequence[Effects]) -> list[Link]:
    """All links of a story in order of their later sentence (0-based positions)."""
    known: dict[tuple[str, str], tuple[str, tuple[int, ...]]] = {}
    found: list[Link] = []
    for position, effects in enumerate(story):
        for entity, attribute, needed in effects.pre:
            key = (entity, attribute)
            if key in known:
                value, sources = known[key]
                holds = agree(value, needed)
                found.append(Link(sources, position, attribute, holds))
                if needed.startswith("!"):
                    continue
                if value == needed:
                    known[key] = (value, (*sources, position))
                    continue
            if not needed.startswith("!"):
                known[key] = (needed, (position,))
        for entity, attribute, value in effects.post:
            known[(entity, attribute)] = (value, (position,))
    return found
