"""How a role looks in a picture: outline, dash and a word, besides its sign and its colour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.contract.view import Graph, Role
from core.text.language import N_, _

Outline = Literal["round", "square", "pill", "hexagon", "cut"]
HEAVIER = 4.5
"""Extra width of the line of a heavy link, in pixels."""


@dataclass(frozen=True, slots=True)
class Look:
    """A role without its colour."""

    word: str
    """The word for the role in the legend."""
    outline: Outline = "round"
    dash: tuple[int, ...] = ()
    """Lengths of strokes and gaps in pixels; empty for a solid line."""
    weight: float = 1.5
    """Width of the line in pixels."""
    double: bool = False
    """Whether a second outline is drawn inside the first."""


LOOKS: Mapping[Role, Look] = {
    Role.PLAIN: Look(N_("plain")),
    Role.MUTED: Look(N_("aside"), dash=(1, 4)),
    Role.CHANGED: Look(N_("changed"), "cut", weight=2.5),
    Role.CAUSE: Look(N_("cause"), "pill", weight=2.5),
    Role.BREAK: Look(N_("breakpoint"), "square", weight=2.5, double=True),
    Role.EVIDENCE: Look(N_("evidence, not gold"), "cut", (8, 4)),
    Role.GOOD: Look(N_("right"), "round", weight=3.5),
    Role.BAD: Look(N_("wrong"), "square", weight=3.5),
    Role.FORCED: Look(N_("set from outside: do"), "hexagon", weight=3.5),
    Role.OBSERVED: Look(N_("observed: see"), "pill", weight=2, double=True),
    Role.IMAGINED: Look(N_("imagined otherwise"), "pill", (7, 5), 2.5),
    Role.ABSENT: Look(N_("does not happen"), "round", (4, 5)),
    Role.CUT: Look(N_("cut: carries nothing"), "square", (2, 7), 2),
    Role.DISTRACTOR: Look(N_("distractor"), "cut", (10, 4, 2, 4), 2),
    Role.HINDERS: Look(N_("hinders"), "hexagon", (12, 4), 2),
}
"""No two roles differ in their colour alone."""


def legend_word(role: Role, graphs: Iterable[Graph]) -> str:
    """The English word for a role in the legend of some graphs: their own, or the usual one."""
    own = (graph.meanings[role] for graph in graphs if role in graph.meanings)
    return next(own, LOOKS[role].word)


def legend_words(graphs: Sequence[Graph]) -> dict[Role, str]:
    """The word for every role in the legend of some graphs, in the language of the program."""
    return {role: _(legend_word(role, graphs)) for role in Role}
