"""Statistics of abstraction tuples, as in Tables 1, 2 and 3 of the paper (sections 5.1 and 5.2).

Where the paper leaves a definition open:

* Vocabulary: the distinct words of head events and concepts together, without case; tokens of
  mteval-v13a that contain a letter or a digit.
* Unique concepts: BLEU-1 is the unigram precision times the brevity penalty against the shortest
  reference, without case. The references of a concept are all other concepts of the same head
  event and instance, valid or not. A concept without references is unique.
* Social share: of distinct head events, not of tuples. In Table 2 the share of all relations
  (32.19) is not the mean of theirs weighted by tuples (29.9), but it can be over head events that
  have tuples of several relations. A Person variable is PersonX or PeopleX with any last letter.
* Files outside of a folder named after a task: labelled tuples are for detection, others for
  generation.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.benchmarks.abspyramid.bleu import tokenise_13a
from core.benchmarks.abspyramid.dataset_files import Task, TupleSource
from core.benchmarks.abspyramid.tuple_store import TupleStore
from core.benchmarks.abspyramid.tuples import ALL, AbstractTuple, Relation

NO_SPLIT = "no split"
"""Tuples of a file that is not named after a split."""
SOFT_UNIQUENESS = 0.5
"""Largest BLEU-1 of a unique concept (section 5.1)."""
_PERSON = re.compile(r"\b(?:Person|People)[A-Z]\b")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a total."""

    count: int
    total: int

    @property
    def rate(self) -> float | None:
        """The share from 0 to 1; None if the total is 0."""
        return self.count / self.total if self.total else None


@dataclass(slots=True)
class DetectionStatistics:
    """A line of Tables 1 and 2."""

    by_split: Counter[str] = field(default_factory=Counter)
    labels: Counter[bool | None] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)
    concepts: int = 0
    unique_concepts: int = 0
    heads: int = 0
    social_heads: int = 0

    @property
    def tuples(self) -> int:
        """Number of tuples."""
        return self.labels.total()

    @property
    def positive(self) -> Share:
        """Valid tuples among those with a label."""
        return Share(self.labels[True], self.labels[True] + self.labels[False])

    @property
    def vocabulary(self) -> int:
        """Number of distinct words."""
        return len(self.words)

    @property
    def unique(self) -> Share:
        """Unique concepts among all concepts."""
        return Share(self.unique_concepts, self.concepts)

    @property
    def social(self) -> Share:
        """Head events with a Person variable among distinct head events."""
        return Share(self.social_heads, self.heads)

    def add_head(self, head: str, tuples: Sequence[tuple[TupleSource, AbstractTuple]]) -> None:
        """Count the tuples of one head event."""
        self.heads += 1
        self.social_heads += _PERSON.search(head) is not None
        self.words.update(_words(head))
        by_span: dict[Span, list[tuple[str, ...]]] = {}
        for source, each in tuples:
            self.by_split[source.split or NO_SPLIT] += 1
            self.labels[each.label] += 1
            for concept in each.concepts:
                self.words.update(_words(concept))
                by_span.setdefault((each.start, each.end), []).append(_tokens(concept))
        for concepts in by_span.values():
            self.concepts += len(concepts)
            self.unique_concepts += sum(
                bleu_1(concept, concepts[:i] + concepts[i + 1 :]) <= SOFT_UNIQUENESS
                for i, concept in enumerate(concepts)
            )


@dataclass(slots=True)
class GenerationStatistics:
    """A line of Table 3, where a tuple is one reference of an instance."""

    by_split: Counter[str] = field(default_factory=Counter)
    instances: int = 0
    """Distinct instances of distinct head events."""

    @property
    def references(self) -> int:
        """Number of references."""
        return self.by_split.total()

    @property
    def average_references(self) -> float | None:
        """References per instance; None without an instance."""
        return self.references / self.instances if self.instances else None

    def add_head(self, tuples: Sequence[tuple[TupleSource, AbstractTuple]]) -> None:
        """Count the tuples of one head event."""
        self.instances += len({each.component for _, each in tuples})
        for source, each in tuples:
            self.by_split[source.split or NO_SPLIT] += len(each.concepts)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Table lines by relation, `ALL` first, for relations with tuples of the task."""

    detection: Mapping[str, DetectionStatistics]
    generation: Mapping[str, GenerationStatistics]


def statistics(store: TupleStore) -> Statistics:
    """The statistics of all tuples of a store; raises `DataError` if a file changed."""
    names = (ALL, *Relation)
    detected = {name: DetectionStatistics() for name in names}
    generated = {name: GenerationStatistics() for name in names}
    for i in range(len(store)):
        by_task: dict[Task, list[tuple[TupleSource, AbstractTuple]]] = {}
        for source, each in store.of_head(i):
            by_task.setdefault(_task(source, each), []).append((source, each))
        for name in names:
            for task, tuples in by_task.items():
                of_relation = [pair for pair in tuples if name in (ALL, pair[1].relation)]
                if not of_relation:
                    continue
                if task is Task.DETECTION:
                    detected[name].add_head(store.head(i), of_relation)
                else:
                    generated[name].add_head(of_relation)
    return Statistics(
        {name: line for name, line in detected.items() if line.heads},
        {name: line for name, line in generated.items() if line.instances},
    )


def bleu_1(concept: Sequence[str], others: Iterable[Sequence[str]]) -> float:
    """BLEU-1 of a tokenised concept against tokenised references; 0 without a reference."""
    references = list(others)
    if not references or not concept:
        return 0.0
    matches = sum(
        min(count, max(reference.count(token) for reference in references))
        for token, count in Counter(concept).items()
    )
    shortest = min(map(len, references))
    penalty = math.exp(min(0.0, 1 - shortest / len(concept)))
    return penalty * matches / len(concept)


def _task(source: TupleSource, each: AbstractTuple) -> Task:
    if source.task is not None:
        return source.task
    return Task.GENERATION if each.label is None else Task.DETECTION


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    return frozenset(token for token in _tokens(text) if any(map(str.isalnum, token)))


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[str, ...]:
    """Tokens of a text; cached because each text is counted several times."""
    return tuple(tokenise_13a(text.casefold()))
