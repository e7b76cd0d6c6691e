"""Rows of the two data sets that the paper transfers to (section 6.5), as tuples.

AbstractATOMIC (He et al., 2022) marks an instance in a head event from ATOMIC. It comes as
tab-separated `head_event`, `relation`, `tail_event`, where the head event is followed by its
instance ("PersonX mails [a package]. [a package]"), always without a label, and as labelled JSON
with `sent_a` (the head event) and `sent_b` (the instance and the concept, both in brackets).
It knows no relations: a whole sentence in brackets is an event, a part of one an entity.

Levy/Holt (Levy and Dagan, 2016; Holt, 2018) asks whether a premise entails a hypothesis. A line
holds the hypothesis, the premise, and True or False; both sentences are "subject,verb,object".
Where subject and object are the same in both, the verb of the premise is the instance, and that of
the hypothesis the concept. In all others, as in "Norway shows a piedmont" and "a piedmont is
common to Norway", no part of the premise can be replaced; there the whole premise is the instance
and the whole hypothesis the concept.
"""

from __future__ import annotations

from typing import NamedTuple

from core.benchmarks.abspyramid.pyramids import concept_key
from core.benchmarks.abspyramid.tuples import Relation
from core.text.errors import DataError


class Abstraction(NamedTuple):
    """The content of a row."""

    head: str
    start: int
    end: int
    relation: Relation | None
    """None where the row does not state it."""
    concepts: tuple[str, ...]
    label: bool | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the instance is its whole sentence, apart from a full stop at the end."""
        before, after = self.head[: self.start], self.head[self.end :]
        return not before.strip() and not after.strip().strip(".!?")

    @property
    def atomic_relation(self) -> Relation:
        """The relation in AbstractATOMIC: a whole sentence is an event, a part of one an entity."""
        return Relation.EVENT if self.is_whole else Relation.NOUN


def parse_marked_event(event: str, opening: str, closing: str, where: str) -> tuple[str, int, int]:
    """A sentence without its brackets, and the span of the instance in them.

    Raises `DataError` unless there is exactly one pair of brackets with a text in it.
    """
    before, _, rest = event.partition(opening)
    instance, closed, after = rest.partition(closing)
    if not closed or closing in before or opening in rest or closing in after:
        raise _badly_marked(event, opening, closing, where)
    if not instance.strip():
        raise DataError("The instance of this event is empty.", where=where)
    before = before.lstrip()
    start = len(before)
    return before + instance + after.rstrip(), start, start + len(instance)


def from_table_row(columns: list[str], where: str) -> Abstraction | None:
    """The abstraction in a line of a table; None for a line of column names.

    Raises `DataError`.
    """
    if columns[:3] == ["head_event", "relation", "tail_event"]:
        return None
    if len(columns) != 3:
        raise DataError(
            f"This line has {len(columns)} columns.",
            where=where,
            hint="AbstractATOMIC has head_event, relation and tail_event; Levy/Holt has the "
            "hypothesis, the premise and True or False. Tabs stand between them.",
        )
    first, second, third = columns
    if second == "InstanceOf":
        return _generation(first, third, where)
    if third.casefold() in {"true", "false"}:
        return _triples(second, first, where)._replace(label=third.casefold() == "true")
    if "[" in first and "]" in first:
        raise DataError(
            f"“{second}” leads from an event to an inference, which is no abstraction.",
            where=where,
            hint="Only rows with the relation InstanceOf are read.",
        )
    raise DataError("The last column is True or False in Levy/Holt.", where=where)


def from_sentence_pair(sent_a: str, sent_b: str, where: str) -> Abstraction:
    """The abstraction in a labelled row of AbstractATOMIC; raises `DataError`."""
    if "[" not in sent_a:
        raise DataError(
            "This infers something from an abstract event, which is no abstraction.",
            where=where,
            hint="Of AbstractATOMIC the conceptualised events are read, not the triples.",
        )
    head, start, end = parse_marked_event(sent_a, "[", "]", where)
    parts = [part.partition("]")[0].strip() for part in sent_b.split("[")[1:]]
    if len(parts) != 2 or concept_key(parts[0]) != concept_key(head[start:end]) or not parts[1]:
        raise DataError(
            "“sent_b” does not name the instance and its concept.",
            where=where,
            hint="Both stand in brackets there, the instance first.",
        )
    return _of_atomic(head, start, end, parts[1])


def from_premise_and_hypothesis(premise: str, hypothesis: str, where: str) -> Abstraction:
    """The whole premise as an instance of the hypothesis; raises `DataError`."""
    premise, hypothesis = premise.strip(), hypothesis.strip()
    if not premise or not hypothesis:
        raise DataError("The premise or the hypothesis is empty.", where=where)
    return Abstraction(premise, 0, len(premise), Relation.EVENT, (hypothesis,))


def _of_atomic(head: str, start: int, end: int, concept: str) -> Abstraction:
    abstraction = Abstraction(head, start, end, None, (concept,))
    return abstraction._replace(relation=abstraction.atomic_relation)


def _badly_marked(event: str, opening: str, closing: str, where: str) -> DataError:
    openings, closings = event.count(opening), event.count(closing)
    if not openings or not closings:
        what = "No instance is marked in this event."
    elif openings == closings == 1:
        what = f"“{closing}” stands before “{opening}”."
    else:
        what = "There must be one instance in an event, in one pair of brackets."
    hint = f"Write it as {opening}a cat{closing} chased a mouse."
    return DataError(what, where=where, hint=hint)


def _generation(event: str, concept: str, where: str) -> Abstraction:
    """A line of AbstractATOMIC's generation data."""
    sentence, stop, repeated = event.rpartition(". [")
    head, start, end = parse_marked_event(sentence if stop else event, "[", "]", where)
    if not stop or repeated != f"{head[start:end]}]":
        raise DataError(
            "The event is not followed by its instance.",
            where=where,
            hint="Expected is something like “PersonX mails [a package]. [a package]”.",
        )
    if not concept.strip():
        raise DataError("The concept is empty.", where=where)
    return _of_atomic(head, start, end, concept.strip())


def _triples(premise: str, hypothesis: str, where: str) -> Abstraction:
    """A line of Levy/Holt."""
    subject, verb, object_ = parts = _parts(premise, where)
    other_subject, other_verb, other_object = other_parts = _parts(hypothesis, where)
    if (concept_key(subject), concept_key(object_)) != (
        concept_key(other_subject),
        concept_key(other_object),
    ):
        return from_premise_and_hypothesis(" ".join(parts), " ".join(other_parts), where)
    start = len(subject) + 1
    end = start + len(verb)
    return Abstraction(" ".join(parts), start, end, Relation.VERB, (other_verb,))


def _parts(sentence: str, where: str) -> list[str]:
    parts = [part.strip() for part in sentence.split(",")]
    if len(parts) != 3 or not all(parts):
        raise DataError(
            "A sentence of Levy/Holt is a subject, a verb and an object.",
            where=where,
            hint="Write them as in “Gates,founded,Microsoft”, with no other comma.",
        )
    return parts
