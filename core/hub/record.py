"""What was fetched, in one file: source, revision, licence, sizes and checksums."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path

import msgspec

from core.files import paths
from core.files.atomic import atomic_write, make_private_folder
from core.files.regular_file import read_regular
from core.hub.only_program import only_program
from core.system.typed_values import ready
from core.text.errors import HubError
from core.text.language import _

_LIMIT = 4 * 2**20
"""Most bytes of the file."""
_PATIENCE = 10.0
"""Seconds to wait for another program that records what it fetched."""


class FetchedKind(StrEnum):
    """What was fetched."""

    MODEL = "model"
    DATA = "data"


class FetchedFile(msgspec.Struct, frozen=True):
    """One file."""

    name: str
    """In its repository, or in the folder of its data set."""
    bytes: int
    sha256: str


class Fetched(msgspec.Struct, frozen=True):
    """A model or a data set on this machine."""

    kind: FetchedKind
    name: str
    """As it is asked for: `hf:OWNER/REPO:QUANT`, or the name of a data set."""
    path: str
    """What is opened: a file or a folder."""
    source: str
    """The repository or the address."""
    revision: str
    """The commit; empty where its publisher has no revisions."""
    licence: str
    files: tuple[FetchedFile, ...]
    fetched: str
    """When: ISO 8601, UTC."""

    @property
    def bytes(self) -> int:
        """Of all files."""
        return sum(file.bytes for file in self.files)

    @property
    def is_there(self) -> bool:
        """Whether what is opened still exists."""
        try:
            return Path(self.path).exists()
        except (OSError, ValueError):
            return False


def place() -> Path:
    """The file of the record; it need not exist."""
    return paths.data() / "fetched.json"


def read() -> list[Fetched]:
    """All that was fetched, in the order of its first time; raises `HubError`."""
    try:
        raw = read_regular(place(), _LIMIT, HubError, name="The record of what was fetched")
        return msgspec.json.decode(raw, type=ready(list[Fetched]))
    except FileNotFoundError:
        return []
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise HubError(
            _("The record of what was fetched is damaged."),
            where=place(),
            hint=_("Move the file away, and get again what you need."),
        ) from error


def find(kind: FetchedKind, name: str) -> Fetched | None:
    """What was fetched under a name and is still there; raises `HubError`."""
    same = (each for each in read() if each.kind is kind and each.name == name)
    return next((each for each in same if each.is_there), None)


def remember(fetched: Fetched) -> None:
    """Record something, in the place of what had its name; raises `HubError`."""
    file = place()
    lock = file.with_name(f"{file.name}.lock")
    taken = _("Another program is recording what it fetched.")
    try:
        make_private_folder(file.parent)
        with only_program(lock, taken, where=file, patience=_PATIENCE):
            others = [e for e in read() if (e.kind, e.name) != (fetched.kind, fetched.name)]
            rows = [msgspec.to_builtins(each) for each in (*others, fetched)]
            atomic_write(file, json.dumps(rows, indent=1), private=True)
    except OSError as error:
        raise HubError(
            _("What was fetched cannot be recorded: {why}.", why=error.strerror), where=file
        ) from error
