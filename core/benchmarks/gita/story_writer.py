"""Adds stories to a file and leaves the stories in it byte for byte as they are."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from core.benchmarks.gita.collection import open_stories
from core.files.atomic import make_folder_of
from core.files.json_scanner import SPLITS
from core.files.lock_file import held
from core.files.regular_file import open_own
from core.files.row_file import LINE_SUFFIXES, shape
from core.files.rows import BOM
from core.text.errors import DataError
from core.text.language import _

_PATIENCE = 10
"""Seconds to wait for another program that adds stories to the same file."""


def add(make: Callable[[int], Sequence[dict[str, Any]]], path: Path) -> Sequence[dict[str, Any]]:
    """Append the stories of a family to a JSON or JSON-lines file; return them.

    A missing file is created.

    Args:
        make: creates the documents of the family for the next free `story_id`.
        path: the file, with symbolic links resolved.

    Raises:
        DataError: for a file that holds anything but readable stories, cannot be written, or is
            being written by another program for long.
        UnicodeEncodeError: for documents that hold half a surrogate pair.
    """
    try:
        private = make_folder_of(path)
        # Two programs that read the same stories would each leave out what the other adds.
        with held(path.with_name(f".{path.name}.lock"), patience=_PATIENCE):
            number, before = _next_id(path)
            documents = make(number)
            _replace(path, _appended(path, documents), before + len(documents), private=private)
    except BlockingIOError as error:
        raise DataError(
            _("Another program is just writing this file."), where=path, hint=_("Try again.")
        ) from error
    except OSError as error:
        raise DataError(
            _("This file cannot be written: {why}.", why=error.strerror), where=path
        ) from error
    return documents


def _next_id(path: Path) -> tuple[int, int]:
    """The next free `story_id` of a file, and how many stories it holds."""
    if path.is_dir():
        raise DataError(
            _("This is a folder."),
            where=path,
            hint=_("Name the file that stories are added to."),
        )
    if not path.exists():
        return 0, 0
    collection = open_stories(path)
    if collection.errors or collection.from_samples:
        raise DataError(
            _("Stories are added only to a file of stories in which every one can be read."),
            where=collection.errors[0].where if collection.errors else str(path),
            hint=_("Choose another file."),
        )
    stories = (collection.item(i).story for i in range(len(collection)))
    used = (max(story.story_id, int(story.raw["story_id"])) for story in stories)
    return max(used) + 1, len(collection)


def _appended(path: Path, documents: Sequence[Mapping[str, Any]]) -> bytes:
    """The bytes of the file with the new stories appended."""
    lines = "".join(f"{json.dumps(document, ensure_ascii=False)}\n" for document in documents)
    if not path.exists():
        if path.suffix in LINE_SUFFIXES:
            return lines.encode()
        body = {document["example_id"]: document for document in documents}
        return f"{json.dumps(body, ensure_ascii=False, indent=2)}\n".encode()
    data = path.read_bytes()
    with path.open("rb") as handle:
        file_shape = shape(handle, str(path))
    if file_shape.lines:
        return data + (b"" if data.endswith(b"\n") else b"\n") + lines.encode()
    if file_shape.opening == "{" and SPLITS.intersection(
        msgspec.json.decode(data.removeprefix(BOM), type=dict[str, msgspec.Raw])
    ):
        raise _unsupported(path)
    text = data.rstrip()
    inside = text[:-1].rstrip().removesuffix(b",")
    if file_shape.opening == "[":
        parts = [json.dumps(document, ensure_ascii=False, indent=2) for document in documents]
    else:
        parts = [
            f"{json.dumps(d['example_id'])}: {json.dumps(d, ensure_ascii=False, indent=2)}"
            for d in documents
        ]
    return inside + (",\n" + ",\n".join(parts) + "\n").encode() + text[-1:] + b"\n"


def _unsupported(path: Path) -> DataError:
    return DataError(
        _("Stories cannot be added to a file of this shape."),
        where=path,
        hint=_("Choose a JSON object of stories by key, a JSON list, or JSON lines."),
    )


def _is_readable(path: Path, expected: int) -> bool:
    """Whether a file holds exactly this number of stories, all readable."""
    try:
        written = open_stories(path)
    except DataError:
        return False
    return len(written) == expected and not written.errors


def _replace(path: Path, data: bytes, expected: int, *, private: bool) -> None:
    """Replace the file by `data`, after reading that back as `expected` stories.

    Raises `DataError`, and `OSError`.
    """
    # Nobody can guess the name, and put a link there.
    temporary = path.with_name(f".{path.stem}-{secrets.token_hex(8)}{path.suffix}")
    try:
        with open_own(temporary, private=private) as draft:
            draft.write(data)
            draft.flush()
            os.fsync(draft.fileno())
        if not _is_readable(temporary, expected):
            raise _unsupported(path)
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
