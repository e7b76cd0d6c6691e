"""What the program remembers for its own convenience, each in one small file of JSON.

Such a file may be deleted, and one that is missing, damaged or something else counts as none.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import msgspec

from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.system.typed_values import ready
from core.text.errors import DataError

_T = TypeVar("_T")


def read_state(path: Path, limit: int, kind: type[_T]) -> _T | None:
    """What a file of at most `limit` bytes holds; None where that is nothing of this kind."""
    try:
        return msgspec.json.decode(read_regular(path, limit, DataError), type=ready(kind))
    except (OSError, DataError, ValueError, RecursionError):
        return None


def write_state(path: Path, value: object) -> None:
    """Replace what a file holds; only its owner may read it. Raises `OSError`."""
    atomic_write(path, json.dumps(msgspec.to_builtins(value, str_keys=True)), private=True)
