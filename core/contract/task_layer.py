"""A task layer: one of the dependent sub-questions that a benchmark asks of an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.text.errors import NotFoundError
from core.text.escaping import shortened
from core.text.language import _, translated
from core.text.suggestions import suggestion

MOST_LAYERS = 1_000
"""Of a benchmark, and of a recorded run."""


@dataclass(frozen=True, slots=True)
class TaskLayer:
    """One sub-question that a benchmark asks of an item."""

    id: str
    title: str
    asks: str
    """The sub-question in everyday words ("Is the story plausible?")."""
    gated: bool = False
    """Whether a run asks it only of items that were right in the layer before."""
    optional: bool = False
    """Whether a ladder leaves it out where it has nothing to ask."""
    aside: bool = False
    """Whether it is asked beside the ladder, for comparison: it neither fails nor counts."""
    fault: str = ""
    """What a model does that is wrong in this layer, as the end of a sentence ("says yes where no
    is right"); empty where a wrong answer has no such description."""

    @property
    def shown(self) -> str:
        """The title in the language of the program."""
        return translated(self.title)


def layer_titles(layers: Iterable[TaskLayer]) -> dict[str, str]:
    """Titles of layers by their ids, in their order; those with the same title are numbered."""
    layers = list(layers)
    often, at = Counter(layer.title for layer in layers), Counter[str]()
    titles = {}
    for layer in layers:
        at[layer.title] += 1
        several = often[layer.title] > 1
        titles[layer.id] = f"{layer.shown} {at[layer.title]}" if several else layer.shown
    return titles


def layer_id(ids: Iterable[str], named: str, where: str = "--task-layer") -> str:
    """The id that is named, or that alone begins with what is named.

    Raises `NotFoundError`, which lists the ids and says `where` the name was given.
    """
    known = list(ids)
    matches = [each for each in known if each.startswith(named)]
    if named in known:
        return named
    if not named or len(matches) != 1:
        raise NotFoundError(
            _("There is no task layer “{name}”.", name=shortened(named)),
            where=where,
            hint=suggestion(_("Task layers"), known, named),
        )
    return matches[0]
