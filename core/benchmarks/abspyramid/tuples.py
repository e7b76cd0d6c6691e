"""Abstraction knowledge as the paper's five-element tuples (section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.text.language import N_


class Relation(StrEnum):
    """The paper's relations Noun-, Verb- and Event-Entail."""

    NOUN = N_("noun")
    VERB = N_("verb")
    EVENT = N_("event")


RELATIONS = {
    Relation.NOUN: N_("Noun-Entail"),
    Relation.VERB: N_("Verb-Entail"),
    Relation.EVENT: N_("Event-Entail"),
}
"""Names of the relations in the paper."""
ALL = "all"
"""All relations together, in figures and statistics."""


@dataclass(frozen=True, slots=True)
class AbstractTuple:
    """A head event, an instance in it, and the concepts it may be abstracted to."""

    head: str
    """The head event without brackets: "a cat chased a mouse into its burrow"."""
    start: int
    end: int
    """The instance is `head[start:end]`; the whole sentence for events."""
    relation: Relation
    concepts: tuple[str, ...]
    """The abstract concept of a detection tuple, the references of a generation tuple."""
    label: bool | None
    """Whether the concept is valid; None without a label, as in generation."""
    origin: str
    """`file:line`."""

    @property
    def instance(self) -> str:
        """The text of the instance: "a cat"."""
        return self.head[self.start : self.end]

    @property
    def marked(self) -> str:
        """The head event with its instance in brackets, as in the released format."""
        return marked_event(self.head, self.start, self.end)

    @property
    def component(self) -> tuple[int, int, Relation]:
        """The span of the instance, and the relation."""
        return self.start, self.end, self.relation

    @property
    def tail(self) -> str:
        """The tail event: the head event with its instance abstracted to the first concept."""
        return tail_event(self.head, self.start, self.end, self.relation, self.concepts[0])


def marked_event(head: str, start: int, end: int) -> str:
    """A head event with `head[start:end]` in brackets."""
    return f"{head[:start]}<{head[start:end]}>{head[end:]}"


def released_row(
    abstract_tuple: AbstractTuple, concept: str | list[str], label: bool | None
) -> dict[str, str | list[str] | int]:
    """A row of the released format, without `label` where it is None."""
    row: dict[str, str | list[str] | int] = {
        "event": abstract_tuple.marked,
        "concept": concept,
        "type": abstract_tuple.relation.value,
    }
    return row if label is None else row | {"label": int(label)}


def tail_event(head: str, start: int, end: int, relation: Relation, concept: str) -> str:
    """A head event with `head[start:end]` abstracted to a concept."""
    if relation is Relation.EVENT:
        return concept
    return f"{head[:start]}{concept}{head[end:]}"
