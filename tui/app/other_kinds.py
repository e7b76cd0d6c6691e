"""Recognises, by how they begin, files that are not collections but belong to another command."""

from __future__ import annotations

import re
import shlex
import zlib
from pathlib import Path

from core.files.regular_file import open_regular_file
from core.text.errors import DataError
from core.text.language import N_, _

_HEAD = 4096
_PROGRAM = "commonsense-tui"
_KINDS = (
    (rb"GGUF", N_("This is a model."), "browse --model {path}"),
    (rb"SQLite format 3\0", N_("This is a store of runs."), "runs list --store {path}"),
    (rb"ACCORDKB", N_("This is a compiled knowledge base."), "accord kb info {path}"),
    (
        rb"/a/\[/r/[^\t]*\t/r/",
        N_("This is a ConceptNet dump."),
        "accord kb build {path} --out FILE",
    ),
    (rb"(?ms)(?=.*^benchmark:)(?=.*^steps:)", N_("This is a lesson."), "lesson run {path}"),
)
"""A pattern that the beginning matches, what the file is, and the command that takes it."""


def other_kind(path: Path) -> DataError | None:
    """What a file is, with the command that takes it; None for what is not known here."""
    head = _head(path)
    for pattern, what, command in _KINDS:
        if re.match(pattern, head):
            words = command.format(path=shlex.quote(str(path)))
            return DataError(_(what), where=path, hint=f"{_PROGRAM} {words}")
    return None


def _head(path: Path) -> bytes:
    """The beginning of a file, unpacked; empty where it cannot be read."""
    try:
        with open_regular_file(path, DataError) as file:
            head = file.read(_HEAD)
        if head.startswith(b"\x1f\x8b"):
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
    except (OSError, DataError, zlib.error):
        return b""
    return head
