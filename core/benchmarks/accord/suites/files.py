"""The files of a generated suite: a manifest of its settings, and the items.

    suite.json    questions, knowledge base and options, so that generating can be resumed
    items.jsonl   one line per item, in the order of `core.benchmarks.accord.suites.plan`

A line is an item (`core.benchmarks.accord.grounding.records`), a bare question under `bare`, or
under `refused` the reason why an item could not be generated. Lines are appended one by one, so
the number of complete lines is the progress of generation.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from core.benchmarks.accord.grounding.records import QuestionRecord, Record, RecordError, decoded
from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.files.rows import decoding_problem
from core.system.typed_values import ready
from core.text.errors import DataError

MANIFEST = "suite.json"
ITEMS = "items.jsonl"
FORMAT = 1
_LIMIT = 2**20
BARE = b'{"bare":'
REFUSED = b'{"refused":'


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The inputs of a suite. Equal manifests give equal suites."""

    questions: str
    """SHA-256 of the questions with their pairing templates."""
    knowledge: str
    """Name of the knowledge base, which includes its checksum."""
    sizes: tuple[int, ...]
    per_cell: int
    seed: int
    rule: str
    relevance: str
    """How candidates were ranked: at random, by distance, or by a model's likelihood."""
    total: int
    """Lines of the finished suite."""
    format: int = FORMAT


class Refused(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item that could not be generated."""

    question: str
    pairing: int
    hops: int
    distractors: int
    draw: int
    anti_factual: bool
    reason: str


class Unusual(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line that is not an item; one of the two is given."""

    bare: QuestionRecord | None = None
    refused: Refused | None = None


def read_line(line: bytes, *, where: str) -> Record | QuestionRecord | Refused:
    """The item, bare question or refusal of a line; raises `RecordError`."""
    if not line.startswith((BARE, REFUSED)):
        return decoded(line, where=where)
    try:
        unusual = msgspec.json.decode(line, type=ready(Unusual), strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        what = f"This line is not as expected: {decoding_problem(error)}."
        raise RecordError(what, where=where) from error
    content = unusual.bare or unusual.refused
    if content is None:
        raise RecordError("This line holds neither a question nor a refusal.", where=where)
    return content


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest into a folder; raises `DataError`."""
    try:
        body = json.dumps(msgspec.to_builtins(manifest), indent=2)
        atomic_write(folder / MANIFEST, f"{body}\n")
    except OSError as error:
        raise DataError(f"The suite cannot be written: {error.strerror}.", where=folder) from error


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; raises `DataError`."""
    path = folder / MANIFEST
    try:
        raw = read_regular(path, _LIMIT, DataError)
    except FileNotFoundError:
        raise DataError(
            "There is no suite in this folder.", where=path, hint="accord generate makes one."
        ) from None
    try:
        manifest = msgspec.json.decode(raw, type=ready(Manifest), strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        what = f"The suite's manifest is damaged: {decoding_problem(error)}."
        raise DataError(what, where=path) from error
    if manifest.format != FORMAT:
        raise DataError(
            f"This suite has format {manifest.format}; this program reads {FORMAT}.", where=path
        )
    return manifest
