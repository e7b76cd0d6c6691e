"""The curation pipeline of section 4, from events to unlabelled tuples.

Instances are collected independently, and each line is written as soon as it is complete, so a
curation that was killed at any moment can be resumed.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.curation.candidates import Collector, shortfall
from core.benchmarks.abspyramid.curation.cleaner import CleanedEvent, Rule, clean
from core.benchmarks.abspyramid.curation.files import (
    CANDIDATES,
    CLEANED,
    INSTANCES,
    MANIFEST,
    TUPLES,
    Manifest,
    cleaned_rows,
    instance_rows,
    read_candidates,
    read_manifest,
    tuple_rows,
    write,
    write_error,
    write_manifest,
)
from core.benchmarks.abspyramid.curation.instances import Instance, instances
from core.benchmarks.abspyramid.curation.parse import Parse, match_key
from core.benchmarks.abspyramid.tuples import Relation
from core.benchmarks.generation.ordered_work import in_order
from core.files.atomic import make_private_folder
from core.files.folder_lock import lock_folder
from core.files.line_file import append_line, cut_incomplete_line
from core.files.regular_file import open_own, read_regular, read_text
from core.text.errors import DataError

LIMIT = 200_000_000
"""Largest size of a file of events in bytes."""
LONGEST = 1_000
"""Most characters of an event."""


@dataclass(frozen=True)
class Curation:
    """The inputs of a curation: events, parses, and a collector of candidates."""

    events: tuple[str, ...]
    parses: Mapping[str, Parse]
    """First parses by `match_key` of the event."""
    reparsed: Mapping[str, Parse] | None
    """Second parses, or None to skip the rule `CHANGED`."""
    collector: Collector
    wordnet: str = ""
    """Hash of the collector's WordNet, for the manifest; empty without one."""

    @cached_property
    def cleaned(self) -> list[CleanedEvent]:
        """The outcome of cleaning each event."""
        return clean(self.events, self.parses, self.reparsed)

    @cached_property
    def instances(self) -> list[Instance]:
        """Every instance of the head events that were kept."""
        heads = [each.head for each in self.cleaned if each.head is not None]
        return [instance for head in heads for instance in instances(head)]

    @property
    def manifest(self) -> Manifest:
        """The manifest that a resumed curation must share."""
        collector = self.collector
        model = collector.model.info if collector.model is not None else None
        return Manifest(
            _digest(self.events, self.parses, self.reparsed),
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
    """Number of events that each checked rule dropped."""
    instances: Mapping[Relation, int]
    concepts: Mapping[Relation, int]
    negatives: int
    missing: int
    """How many are missing from ten concepts and ten hard negatives per noun or event."""
    senses: Mapping[str, int]
    """Number of verbs by how their sense was chosen; "unknown" if WordNet has none."""
    refused: Mapping[str, int]
    """Number of rejected concepts by reason."""
    unread: int
    """Number of answers that are not a list."""

    @property
    def kept(self) -> int:
        """Number of head events that were kept."""
        return self.events - sum(self.dropped.values())

    @property
    def tuples(self) -> int:
        """Number of unlabelled tuples."""
        return sum(self.concepts.values()) + self.negatives


def read_events(path: Path) -> tuple[str, ...]:
    """The events of a text file, one per line; blank lines are skipped. Raises `DataError`."""
    text = read_text(path, LIMIT)
    events = []
    for number, row in enumerate(text.split("\n"), 1):
        event = row.strip()
        if len(event) > LONGEST:
            raise DataError(
                f"An event has at most {LONGEST:,} characters.", where=f"{path}:{number}"
            )
        if event:
            events.append(event)
    if not events:
        raise DataError("There is no event in this file.", where=path)
    return tuple(events)


def parses_by_event(parses: Iterable[Parse]) -> dict[str, Parse]:
    """Parses by `match_key` of the event; the first of several for one event."""
    parses_by_key: dict[str, Parse] = {}
    for parse in parses:
        parses_by_key.setdefault(match_key("".join(word.form for word in parse.words)), parse)
    return parses_by_key


def verb_file_hash(wordnet: Path) -> str:
    """SHA-256 of the verb file in a WordNet folder; raises `DataError`."""
    try:
        return hashlib.sha256(read_regular(wordnet / "data.verb", LIMIT, DataError)).hexdigest()
    except FileNotFoundError as error:
        raise DataError("The verbs of WordNet are missing.", where=wordnet) from error


async def curate(
    curation: Curation,
    folder: Path,
    *,
    resume: bool = False,
    at_once: Callable[[], int] = lambda: 1,
) -> AsyncGenerator[int, None]:
    """Curate into a folder; yields the number of finished instances.

    Candidates of as many instances as `at_once` says are collected at the same time, and written
    in the order of the instances.

    Raises:
        DataError: if the folder has a curation and `resume` is false or the manifests differ,
            if another program is writing it, or if it cannot be written.
        ModelError: if the model fails; finished instances are kept.
    """
    path = folder / CANDIDATES
    try:
        make_private_folder(folder)
        with lock_folder(folder, "Another program is writing this curation."):
            done = _prepare_folder(curation, folder, resume=resume)
            yield done
            with open_own(path, private=True) as handle:
                cut_incomplete_line(handle.fileno())
                left = islice(curation.instances, done, None)
                collect = curation.collector.collect
                async with aclosing(in_order(collect, left, at_once)) as finished:
                    async for candidates in finished:
                        append_line(handle.fileno(), msgspec.json.encode(candidates))
                        done += 1
                        yield done
                os.fsync(handle.fileno())
            write(folder / TUPLES, tuple_rows(read_candidates(path, curation.instances)))
    except OSError as error:
        raise write_error(path, error) from error


def report(curation: Curation, folder: Path) -> Report:
    """The figures of the curation in a folder; raises `DataError`."""
    dropped = Counter(each.dropped for each in curation.cleaned if each.dropped is not None)
    tried = [rule for rule in Rule if rule is not Rule.CHANGED or curation.reparsed is not None]
    counted = Counter(instance.relation for instance in curation.instances)
    concepts = Counter(dict.fromkeys(Relation, 0))
    senses: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    negatives = missing = unread = 0
    asked = curation.collector.model is not None
    for candidates in read_candidates(folder / CANDIDATES, curation.instances):
        concepts[candidates.relation] += len(candidates.concepts)
        negatives += len(candidates.negatives)
        if asked:
            missing += shortfall(candidates, negatives=curation.collector.negatives)
        refused.update(each.reason for each in candidates.refused)
        unread += sum(bool(answer.reason) for answer in candidates.answers)
        if candidates.relation is Relation.VERB:
            senses[candidates.sense.how if candidates.sense else "unknown"] += 1
    return Report(
        len(curation.events),
        {rule: dropped[rule] for rule in tried},
        {relation: counted[relation] for relation in Relation},
        concepts,
        negatives,
        missing,
        senses,
        refused,
        unread,
    )


def _prepare_folder(curation: Curation, folder: Path, *, resume: bool) -> int:
    """Create or check the files of a curation; returns the number of finished instances."""
    manifest = curation.manifest
    try:
        existing = read_manifest(folder)
    except FileNotFoundError:
        files = (CLEANED, INSTANCES, CANDIDATES, TUPLES)
        stray = [name for name in files if (folder / name).exists()]
        if stray:
            raise DataError(
                f"There is a {stray[0]} in this folder that belongs to no curation.",
                where=folder,
                hint="Name another folder.",
            ) from None
        write_manifest(folder, manifest)
    else:
        if not resume:
            raise DataError(
                "There is a curation in this folder already.",
                where=folder,
                hint="Continue it with --resume, or name another folder.",
            )
        if existing != manifest:
            raise DataError(
                f"The curation in this folder was begun with {_difference(existing, manifest)}.",
                where=folder / MANIFEST,
                hint="Give the command as it was, or name another folder.",
            )
    for name, rows in (
        (CLEANED, cleaned_rows(curation.cleaned)),
        (INSTANCES, instance_rows(curation.instances)),
    ):
        if not (folder / name).exists():
            write(folder / name, rows)
    return sum(1 for _ in read_candidates(folder / CANDIDATES, curation.instances))


_DIFFERENCES = {
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


def _difference(existing: Manifest, manifest: Manifest) -> str:
    names = msgspec.structs.fields(Manifest)
    other = (f.name for f in names if getattr(existing, f.name) != getattr(manifest, f.name))
    return " and ".join(dict.fromkeys(_DIFFERENCES[name] for name in other))


def _digest(
    events: Iterable[str], parses: Mapping[str, Parse], reparsed: Mapping[str, Parse] | None
) -> str:
    """SHA-256 of the events and of their parses."""
    digest = hashlib.sha256()
    for event in events:
        key = match_key(event)
        words = [
            None if known is None or key not in known else known[key].words
            for known in (parses, reparsed)
        ]
        raw = msgspec.json.encode((event, reparsed is not None, words))
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()
