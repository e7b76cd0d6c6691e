"""The collections that were opened lately, the newest first, in one small file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from core.files import paths
from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.text.errors import DataError
from core.text.language import _

MOST = 12
"""Most collections that are remembered."""
_LIMIT = 200_000
"""Most bytes of the file."""
_DAY = len("2026-01-31")


@dataclass(frozen=True, slots=True)
class Recent:
    """A collection that was opened."""

    benchmark: str
    path: Path
    day: str = field(default="", compare=False)
    """When it was opened last (ISO 8601, UTC); empty where that is not known."""


def place() -> Path:
    """The file; it need not exist."""
    return paths.state() / "recent.json"


def read() -> list[Recent]:
    """The recent collections; none where the file is missing or damaged."""
    try:
        rows = json.loads(read_regular(place(), _LIMIT, DataError))
    except (FileNotFoundError, DataError, ValueError, RecursionError):
        return []
    if not isinstance(rows, list):
        return []
    return [
        Recent(row["benchmark"], Path(row["path"]), str(row.get("day", ""))[:_DAY])
        for row in rows[:MOST]
        if isinstance(row, dict)
        and isinstance(row.get("benchmark"), str)
        and isinstance(row.get("path"), str)
        and row["path"]
    ]


def remember(benchmark: str, path: Path) -> None:
    """Put a collection first; raises `DataError` where that cannot be stored."""
    opened = Recent(benchmark, path.absolute(), datetime.now(UTC).date().isoformat())
    kept = [opened, *(other for other in read() if other != opened)][:MOST]
    rows = [{"benchmark": each.benchmark, "path": str(each.path), "day": each.day} for each in kept]
    try:
        atomic_write(place(), json.dumps(rows, indent=1), private=True)
    except OSError as error:
        raise DataError(
            _("What was opened cannot be remembered: {why}.", why=error.strerror),
            where=place(),
        ) from error
