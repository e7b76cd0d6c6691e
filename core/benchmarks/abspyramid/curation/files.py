"""The files of a curation: what it is made of, and a line for each thing at each stage.

curation.json     what was curated and how, so that it can be gone on with
cleaned.jsonl     each event, the rule that dropped it, or its head event with people replaced
instances.jsonl   the head events' nouns, verbs and themselves
candidates.jsonl  what was collected for each instance, appended one by one
tuples.jsonl      the unlabelled tuples, in the released format, once all is collected
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.curation.candidates import Candidates
from core.benchmarks.abspyramid.curation.cleaner import Cleaned
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
    """What a curation is made of. Equal manifests with one model make equal curations."""

    events: str
    """SHA-256 of the events, their parses, and those that were parsed anew."""
    instances: int
    model: str
    """Fingerprint and name; empty where none is asked."""
    form: str
    prompts: str
    """SHA-256 of the texts."""
    wordnet: str
    """SHA-256 of its verbs; empty where there is none."""
    negatives: bool
    seed: int
    shots: int
    format: int = FORMAT


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put the manifest into a folder; raises `DataError`."""
    write(folder / MANIFEST, [msgspec.json.encode(manifest)])


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; raises `DataError`, and `FileNotFoundError` where there is none."""
    path = folder / MANIFEST
    raw = read_regular(path, _LIMIT, DataError)
    try:
        return msgspec.json.decode(raw, type=Manifest, strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        what = escape_control_characters(" ".join(str(error).split()), limit=200)
        raise DataError(
            f"What this curation is made of cannot be read: {what}.",
            where=escape_control_characters(str(path)),
        ) from error


def cleaned_lines(cleaned: Iterable[Cleaned]) -> Iterator[bytes]:
    """A line for each event."""
    for number, one in enumerate(cleaned, 1):
        yield msgspec.json.encode(
            {
                "number": number,
                "event": one.event,
                "dropped": one.dropped.value if one.dropped else None,
                "head": one.head.text if one.head else None,
            }
        )


def instance_lines(instances: Iterable[tuple[str, Instance]]) -> Iterator[bytes]:
    """A line for each instance, marked in its head event."""
    for head, one in instances:
        yield msgspec.json.encode(
            {
                "event": _marked(head, one.start, one.end, one.relation),
                "type": one.relation.value,
                "lemma": one.lemma,
                "particle": one.particle,
            }
        )


def tuple_lines(candidates: Iterable[Candidates]) -> Iterator[bytes]:
    """A line for each concept and each negative, without a label: nobody has judged them yet.

    `source` says where the concept comes from; `meaning` is the gloss of a verb's sense, which the
    paper's annotators are shown.
    """
    for one in candidates:
        event = _marked(one.head, one.start, one.end, one.relation)
        source = "wordnet" if one.relation is Relation.VERB else "model"
        rows = [(text, source) for text in one.concepts]
        rows += [(text, "negative") for text in one.negatives]
        for concept, where_from in rows:
            row = {"event": event, "concept": concept, "type": one.relation.value}
            row["source"] = where_from
            if one.sense is not None:
                row["meaning"] = one.sense.gloss
            yield msgspec.json.encode(row)


def read_candidates(
    path: Path, instances: Sequence[tuple[str, Instance]]
) -> Iterator[tuple[int, Candidates]]:
    """The whole lines of a file of candidates, each with where the next line begins.

    Raises `DataError` with the line that cannot be read or is of another instance. A last line
    that a kill cut short is passed over. There is nothing where there is no file.
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
                one = msgspec.json.decode(line, type=Candidates, strict=True)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                what = escape_control_characters(" ".join(str(error).split()), limit=200)
                raise DataError(f"These are no candidates: {what}.", where=where) from error
            head, instance = instances[number - 1] if number <= len(instances) else ("", None)
            if instance is None or (one.head, one.start, one.end, one.relation) != (
                head,
                instance.start,
                instance.end,
                instance.relation,
            ):
                raise DataError("These are the candidates of another instance.", where=where)
            end += len(line)
            yield end, one


def write(path: Path, lines: Iterable[bytes]) -> None:
    """Write JSON lines whole or not at all; raises `DataError`."""
    body = "".join(_ascii(line.decode()) + "\n" for line in lines)
    try:
        atomic_write(path, body)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> DataError:
    """What to tell of a file that cannot be written."""
    return DataError(
        f"This cannot be written: {error.strerror}.",
        where=escape_control_characters(str(path)),
        hint="Is there room, and may you write there? What was written is kept.",
    )


def _ascii(line: str) -> str:
    """The line with escapes for what is not ASCII, which in JSON stands in texts only."""
    if line.isascii():
        return line
    units = line.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(chr(code) if code < 0x80 else f"\\u{code:04x}" for code in codes)


def _marked(head: str, start: int, end: int, relation: Relation) -> str:
    return AbstractTuple(head, start, end, relation, (), None, "").marked
