"""The whole curation of section 4: events, cleaned, with instances, their candidates, tuples.

What is collected for one instance depends on nothing else that was collected, and every line is
written as it comes: killed at any moment, a curation is gone on with.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.curation.candidates import Candidates, Collector, shortfall
from core.benchmarks.abspyramid.curation.cleaner import Cleaned, Rule, clean
from core.benchmarks.abspyramid.curation.files import (
    CANDIDATES,
    CLEANED,
    INSTANCES,
    MANIFEST,
    TUPLES,
    Manifest,
    cleaned_lines,
    instance_lines,
    read_candidates,
    read_manifest,
    tuple_lines,
    unwritable,
    write,
    write_manifest,
)
from core.benchmarks.abspyramid.curation.instances import Instance, instances
from core.benchmarks.abspyramid.curation.parse import Parse, squeezed
from core.benchmarks.abspyramid.tuples import Relation
from core.files.atomic import make_private
from core.files.regular_file import read_regular
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

LIMIT = 200_000_000
"""Most bytes of a file of events."""
LONGEST = 1_000
"""Most characters of an event."""


@dataclass(frozen=True)
class Curation:
    """Events to curate, and where their candidates come from."""

    events: tuple[str, ...]
    parses: Mapping[str, Parse]
    """By squeezed event."""
    again: Mapping[str, Parse] | None
    """The events parsed anew; None leaves the rule about them out."""
    collector: Collector
    wordnet: str = ""
    """What is known of the collector's WordNet: equal names give equal hypernyms."""

    @cached_property
    def cleaned(self) -> list[Cleaned]:
        """What becomes of each event."""
        return clean(self.events, self.parses, self.again)

    @cached_property
    def instances(self) -> list[tuple[str, Instance]]:
        """What is abstracted, with the text of its head event."""
        heads = [one.head for one in self.cleaned if one.head is not None]
        return [(head.text, one) for head in heads for one in instances(head)]

    @property
    def manifest(self) -> Manifest:
        """What the curation is made of."""
        collector = self.collector
        model = collector.model.info if collector.model is not None else None
        return Manifest(
            _digest(self.events, self.parses, self.again),
            len(self.instances),
            f"{model.fingerprint} {model.name}".strip() if model else "",
            collector.form.value,
            collector.wordings.digest,
            self.wordnet,
            collector.negatives,
            collector.seed,
            collector.shots,
        )


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a curation."""

    events: int
    dropped: Mapping[Rule, int]
    """Every rule that was tried, with how many events it dropped."""
    instances: Mapping[Relation, int]
    concepts: Mapping[Relation, int]
    negatives: int
    missing: int
    """How many of the ten concepts and ten negatives of nouns and events could not be had."""
    senses: Mapping[str, int]
    """How the verbs' senses were chosen; "unknown" where WordNet has none."""
    refused: Mapping[str, int]
    """Concepts that were not taken, by reason."""
    unread: int
    """Answers that are no list."""

    @property
    def kept(self) -> int:
        """Head events."""
        return self.events - sum(self.dropped.values())

    @property
    def tuples(self) -> int:
        """Unlabelled tuples."""
        return sum(self.concepts.values()) + self.negatives


def read_events(path: Path) -> tuple[str, ...]:
    """The events of a text file, one a line; blank lines do not count. Raises `DataError`."""
    where = escape_control_characters(str(path))
    try:
        raw = read_regular(path, LIMIT, DataError)
        text = raw.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DataError("There is no such file.", where=where) from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError("The file is not UTF-8.", where=f"{where}:{line}") from error
    found = []
    for number, row in enumerate(text.split("\n"), 1):
        event = row.strip()
        if len(event) > LONGEST:
            raise DataError(
                f"An event has at most {LONGEST:,} characters.", where=f"{where}:{number}"
            )
        if event:
            found.append(event)
    if not found:
        raise DataError("There is no event in this file.", where=where)
    return tuple(found)


def by_event(parses: Iterable[Parse]) -> dict[str, Parse]:
    """Parses by what events are matched with; of several of one event the first counts."""
    found: dict[str, Parse] = {}
    for parse in parses:
        found.setdefault(squeezed("".join(word.form for word in parse.words)), parse)
    return found


def verbs_digest(wordnet: Path) -> str:
    """SHA-256 of the verbs in a WordNet's folder; raises `DataError`."""
    try:
        return hashlib.sha256(read_regular(wordnet / "data.verb", LIMIT, DataError)).hexdigest()
    except FileNotFoundError as error:
        raise DataError("The verbs of WordNet are missing.", where=str(wordnet)) from error


async def curate(
    curation: Curation, folder: Path, *, resume: bool = False
) -> AsyncGenerator[int, None]:
    """Curate into a folder; yields how many instances are done, of `len(curation.instances)`.

    Raises:
        DataError: where there is a curation already and it is not to be gone on with, or it is
            made of something else, or the folder cannot be written.
        ModelError: when the model stops; what was written is kept.
    """
    path = folder / CANDIDATES
    done = _begin(curation, folder, resume=resume)
    yield done
    try:
        make_private(path)
        with path.open("ab", buffering=0) as handle:
            for head, instance in islice(curation.instances, done, None):
                made = await curation.collector.collect(head, instance)
                handle.write(msgspec.json.encode(made) + b"\n")
                done += 1
                yield done
            os.fsync(handle.fileno())
    except OSError as error:
        raise unwritable(path, error) from error
    found = (one for _, one in read_candidates(path, curation.instances))
    write(folder / TUPLES, tuple_lines(found))


def report(curation: Curation, folder: Path) -> Report:
    """The figures of what is in a folder; raises `DataError`."""
    dropped = Counter(one.dropped for one in curation.cleaned if one.dropped is not None)
    tried = [rule for rule in Rule if rule is not Rule.CHANGED or curation.again is not None]
    concepts = Counter(dict.fromkeys(Relation, 0))
    senses: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    negatives = missing = unread = 0
    asked = curation.collector.model is not None
    for _, one in read_candidates(folder / CANDIDATES, curation.instances):
        concepts[one.relation] += len(one.concepts)
        negatives += len(one.negatives)
        missing += _missing(one, asked, negatives=curation.collector.negatives)
        refused.update(each.reason for each in one.refused)
        unread += sum(bool(answer.reason) for answer in one.answers)
        if one.relation is Relation.VERB:
            senses[one.sense.how if one.sense else "unknown"] += 1
    return Report(
        len(curation.events),
        {rule: dropped[rule] for rule in tried},
        _counted(instance.relation for _, instance in curation.instances),
        concepts,
        negatives,
        missing,
        senses,
        refused,
        unread,
    )


def _missing(one: Candidates, asked: bool, *, negatives: bool) -> int:
    return shortfall(one, negatives=negatives) if asked else 0


def _begin(curation: Curation, folder: Path, *, resume: bool) -> int:
    """Make the folder ready; how many instances are done in it."""
    manifest, where = curation.manifest, escape_control_characters(str(folder))
    try:
        there = read_manifest(folder)
    except FileNotFoundError:
        files = (CLEANED, INSTANCES, CANDIDATES, TUPLES)
        stray = [name for name in files if (folder / name).exists()]
        if stray:
            raise DataError(
                f"There is a {stray[0]} in this folder that is no curation's.",
                where=where,
                hint="Name another folder.",
            ) from None
        write_manifest(folder, manifest)
    else:
        if not resume:
            raise DataError(
                "There is a curation in this folder already.",
                where=where,
                hint="Go on with it by --resume, or name another folder.",
            )
        if there != manifest:
            raise DataError(
                f"The curation in this folder was begun with {_difference(there, manifest)}.",
                where=escape_control_characters(str(folder / MANIFEST)),
                hint="Give the command as it was, or name another folder.",
            )
    for name, lines in (
        (CLEANED, cleaned_lines(curation.cleaned)),
        (INSTANCES, instance_lines(curation.instances)),
    ):
        if not (folder / name).exists():
            write(folder / name, lines)
    path = folder / CANDIDATES
    ends = [end for end, _ in read_candidates(path, curation.instances)]
    try:
        if path.exists():
            os.truncate(path, ends[-1] if ends else 0)
    except OSError as error:
        raise unwritable(path, error) from error
    return len(ends)


_IN_WORDS = {
    "events": "other events or parses",
    "instances": "other events or parses",
    "model": "another model",
    "form": "another prompt form",
    "prompts": "other prompts",
    "wordnet": "another WordNet",
    "negatives": "another choice of negatives",
    "seed": "another seed",
    "shots": "another number of worked examples",
    "format": "another version of this program",
}


def _difference(there: Manifest, now: Manifest) -> str:
    names = msgspec.structs.fields(Manifest)
    other = (f.name for f in names if getattr(there, f.name) != getattr(now, f.name))
    return " and ".join(dict.fromkeys(_IN_WORDS[name] for name in other))


def _digest(
    events: Iterable[str], parses: Mapping[str, Parse], again: Mapping[str, Parse] | None
) -> str:
    """SHA-256 of events and of those parses that are theirs."""
    content = hashlib.sha256()
    for event in events:
        key = squeezed(event)
        words = [None if of is None or key not in of else of[key].words for of in (parses, again)]
        raw = msgspec.json.encode((event, again is not None, words))
        content.update(len(raw).to_bytes(8, "big") + raw)
    return content.hexdigest()


def _counted(things: Iterable[Relation]) -> dict[Relation, int]:
    counts = Counter(things)
    return {relation: counts[relation] for relation in Relation}
