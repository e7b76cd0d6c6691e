"""The files of a curation: a manifest, and one JSON Lines file for each stage.

curation.json     the inputs and settings, which a resumed curation must share
cleaned.jsonl     each event with the rule that dropped it, or its head event
instances.jsonl   the nouns, verbs and whole events to abstract
candidates.jsonl  the concepts of each instance, appended one by one
tuples.jsonl      the unlabelled tuples in the released format, written at the end
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.curation.candidates import Candidates
from core.benchmarks.abspyramid.curation.cleaner import CleanedEvent
from core.benchmarks.abspyramid.curation.instances import Instance
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.files.atomic import atomic_write
from core.files.regular_file import open_regular_file, read_regular
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

MANIFEST = "curation.json"
CLEANED = "cleaned.jsonl"
INSTANCES = "instances.jsonl"
CANDIDATES = "candidates.jsonl"
TUPLES = "tuples.jsonl"
FORMAT = 1
_LIMIT = 2**20
_LONGEST_LINE = 2**24


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
    write(folder / MANIFEST, [msgspec.json.encode(manifest)])


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; raises `DataError`, and `FileNotFoundError` if there is none."""
    path = folder / MANIFEST
    raw = read_regular(path, _LIMIT, DataError)
    try:
        return msgspec.json.decode(raw, type=Manifest, strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        what = escape_control_characters(" ".join(str(error).split()), limit=200)
        raise DataError(
            f"What this curation is made of cannot be read: {what}.",
            where=path,
        ) from error


def cleaned_lines(cleaned: Iterable[CleanedEvent]) -> Iterator[bytes]:
    """A JSON line for each event."""
    for number, outcome in enumerate(cleaned, 1):
        yield msgspec.json.encode(
            {
                "number": number,
                "event": outcome.event,
                "dropped": outcome.dropped.value if outcome.dropped else None,
                "head": outcome.head.text if outcome.head else None,
            }
        )


def instance_lines(instances: Iterable[tuple[str, Instance]]) -> Iterator[bytes]:
    """A JSON line for each instance, marked in its head event."""
    for head, instance in instances:
        yield msgspec.json.encode(
            {
                "event": _marked(head, instance.start, instance.end, instance.relation),
                "type": instance.relation.value,
                "lemma": instance.lemma,
                "particle": instance.particle,
            }
        )


def tuple_lines(candidates: Iterable[Candidates]) -> Iterator[bytes]:
    """A JSON line for each concept and hard negative, without a label until they are annotated.

    `source` is "wordnet", "model" or "negative"; `meaning` is the gloss of a verb's sense, as the
    paper's annotators saw it.
    """
    for collected in candidates:
        event = _marked(collected.head, collected.start, collected.end, collected.relation)
        own_source = "wordnet" if collected.relation is Relation.VERB else "model"
        rows = [(text, own_source) for text in collected.concepts]
        rows += [(text, "negative") for text in collected.negatives]
        for concept, source in rows:
            row = {"event": event, "concept": concept, "type": collected.relation.value}
            row["source"] = source
            if collected.sense is not None:
                row["meaning"] = collected.sense.gloss
            yield msgspec.json.encode(row)


def read_candidates(
    path: Path, instances: Sequence[tuple[str, Instance]]
) -> Iterator[tuple[int, Candidates]]:
    """The complete lines of a file of candidates, each with the byte offset of its end.

    An incomplete last line, left by a killed run, is skipped. A missing file yields nothing.
    Raises `DataError` with the line that cannot be read or belongs to another instance.
    """
    try:
        handle = open_regular_file(path, DataError)
    except FileNotFoundError:
        return
    end = 0
    with handle:
        for number, line in enumerate(iter(lambda: handle.readline(_LONGEST_LINE), b""), 1):
            if not line.endswith(b"\n"):
                return
            where = f"{escape_control_characters(str(path))}:{number}"
            try:
                record = msgspec.json.decode(line, type=Candidates, strict=True)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                what = escape_control_characters(" ".join(str(error).split()), limit=200)
                raise DataError(f"These are no candidates: {what}.", where=where) from error
            head, instance = instances[number - 1] if number <= len(instances) else ("", None)
            if instance is None or (record.head, record.start, record.end, record.relation) != (
                head,
                instance.start,
                instance.end,
                instance.relation,
            ):
                raise DataError("These are the candidates of another instance.", where=where)
            end += len(line)
            yield end, record


def write(path: Path, lines: Iterable[bytes]) -> None:
    """Write a file of JSON lines atomically; raises `DataError`."""
    body = "".join(_ascii(line.decode()) + "\n" for line in lines)
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


def _ascii(line: str) -> str:
    """A JSON line with `\\u` escapes for non-ASCII characters, which occur only in its strings."""
    if line.isascii():
        return line
    units = line.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(chr(code) if code < 0x80 else f"\\u{code:04x}" for code in codes)


def _marked(head: str, start: int, end: int, relation: Relation) -> str:
    return AbstractTuple(head, start, end, relation, (), None, "").marked
