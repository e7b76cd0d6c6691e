"""Recognises abstraction tuples by their folders or their first row."""

from __future__ import annotations

from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.dataset_files import Task
from core.files.regular_file import open_regular_file
from core.files.rows import BOM
from core.text.errors import DataError

_HEAD = 2**16
"""Number of bytes in which the first row must end."""


def is_released(path: Path) -> bool:
    """Whether a path is a folder in the released layout, or a file that begins with such a row.

    Only the fields of the first row are checked; nothing is raised.
    """
    if path.is_dir():
        return any((path / task.value.title()).is_dir() for task in Task)
    try:
        with open_regular_file(path, DataError) as handle:
            first = handle.read(_HEAD).removeprefix(BOM).lstrip().partition(b"\n")[0]
        fields = msgspec.json.decode(first, type=dict[str, msgspec.Raw])
    except (OSError, DataError, ValueError, RecursionError):
        return False
    return {"event", "concept"} <= set(fields)
