"""The files of a curation: a manifest, and one JSON Lines file for each stage.

curation.json     the inputs and settings, which a resumed curation must share
cleaned.jsonl     each event with the rule that dropped it, or its head event
instances.jsonl   the nouns, verbs and whole events to abstract
candidates.jsonl  the concepts of each instance, appended one by one
tuples.jsonl      the unlabelled tuples in the released format, written at the end
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from core.benchmarks.abspyramid.curation.candidates import Candidates
from core.benchmarks.abspyramid.curation.cleaner import CleanedEvent
from core.benchmarks.abspyramid.curation.instances import Instance
from core.benchmarks.abspyramid.tuples import Relation, marked_event
from core.files.atomic import atomic_write
from core.files.regular_file import open_regular_file, read_regular
from core.files.rows import at_line, decoding_problem
from core.system.typed_values import ready
from core.text.errors import DataError

MANIFEST = "curation.json"
CLEANED = "cleaned.jsonl"
INSTANCES = "instances.jsonl"
CANDIDATES = "candidates.jsonl"
TUPLES = "tuples.jsonl"
FORMAT = 1
_LIMIT = 2**20
_LONGEST_LINE = 2**24
JsonRow = Mapping[str, Any]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The inputs and settings of a curation. Equal manifests give equal curations."""

    events: str
    """SHA-256 of the events and their first and second parses."""
    instances: int
    model: str
    """Fingerprint and name; empty without a model."""
    form: str
    prompts: str
    """SHA-256 of the prompt texts."""
    wordnet: str
    """SHA-256 of its verb file; empty without a WordNet."""
    negatives: bool
    seed: int
    shots: int
    format: int = FORMAT


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest into a folder; raises `DataError`."""
    write(folder / MANIFEST, [msgspec.to_builtins(manifest)])


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; raises `DataError`, and `FileNotFoundError` if there is none."""
    path = folder / MANIFEST
    raw = read_regular(path, _LIMIT, DataError)
    try:
        return msgspec.json.decode(raw, type=ready(Manifest))
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"What this curation is made of cannot be read: {decoding_problem(error)}.", where=path
        ) from error


def cleaned_rows(cleaned: Iterable[CleanedEvent]) -> Iterator[JsonRow]:
    """A row for each event."""
    for number, outcome in enumerate(cleaned, 1):
        yield {
            "number": number,
            "event": outcome.event,
            "dropped": outcome.dropped.value if outcome.dropped else None,
            "head": outcome.head.text if outcome.head else None,
        }


def instance_rows(instances: Iterable[Instance]) -> Iterator[JsonRow]:
    """A row for each instance, marked in its head event."""
    for instance in instances:
        yield {
            "event": marked_event(instance.head, instance.start, instance.end),
            "type": instance.relation.value,
            "lemma": instance.lemma,
            "particle": instance.particle,
        }


def tuple_rows(candidates: Iterable[Candidates]) -> Iterator[JsonRow]:
    """A row for each concept and hard negative, without a label until they are annotated.

    `source` is "wordnet", "model" or "negative"; `meaning` is the gloss of a verb's sense, as the
    paper's annotators saw it.
    """
    for collected in candidates:
        event = marked_event(collected.head, collected.start, collected.end)
        own_source = "wordnet" if collected.relation is Relation.VERB else "model"
        concepts = [(text, own_source) for text in collected.concepts]
        concepts += [(text, "negative") for text in collected.negatives]
        meaning = {"meaning": collected.sense.gloss} if collected.sense is not None else {}
        for concept, source in concepts:
            yield {
                "event": event,
                "concept": concept,
                "type": collected.relation.value,
                "source": source,
                **meaning,
            }


def read_candidates(path: Path, instances: Sequence[Instance]) -> Iterator[Candidates]:
    """The complete lines of a file of candidates.

    An incomplete last line, left by a killed run, is skipped. A missing file yields nothing.
    Raises `DataError` with the line that cannot be read or belongs to another instance.
    """
    try:
        handle = open_regular_file(path, DataError)
    except FileNotFoundError:
        return
    with handle:
        for number, line in enumerate(iter(lambda: handle.readline(_LONGEST_LINE), b""), 1):
            where = at_line(path, number)
            if len(line) == _LONGEST_LINE:
                raise DataError("This line is too long.", where=where)
            if not line.endswith(b"\n"):
                return
            try:
                record = msgspec.json.decode(line, type=ready(Candidates))
            except (ValueError, RecursionError) as error:
                what = f"These are no candidates: {decoding_problem(error)}."
                raise DataError(what, where=where) from error
            if number > len(instances) or not record.belongs_to(instances[number - 1]):
                raise DataError("These are the candidates of another instance.", where=where)
            yield record


def write(path: Path, rows: Iterable[JsonRow]) -> None:
    """Write a file of JSON lines atomically; raises `DataError`."""
    body = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    try:
        atomic_write(path, body)
    except OSError as error:
        raise write_error(path, error) from error


def write_error(path: Path, error: OSError) -> DataError:
    """The error for a file that cannot be written."""
    return DataError(
        f"This cannot be written: {error.strerror}.",
        where=path,
        hint="Is there room, and may you write there? What was written is kept.",
    )
