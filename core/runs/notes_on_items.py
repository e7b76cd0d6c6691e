"""What a run notes of its items when it is begun."""

from __future__ import annotations

from pathlib import PurePath

from core.contract.collection import Collection
from core.files.unreadable import count_errors
from core.text.escaping import escape_control_characters
from core.text.quantities import counted

_MOST_CHARACTERS = 300
"""Of the first error: it may repeat a part of the file."""


def notes_on_items(collection: Collection) -> list[str]:
    """A note that some items of a file could not be read, which no figure of the run shows.

    The file is named without its folder, which may say more than a person wants to publish.
    """
    if not collection.errors:
        return []
    first = collection.errors[0]
    said = ": ".join(filter(None, (PurePath(first.where).name, first.what)))
    said = escape_control_characters(said)
    if len(said) > _MOST_CHARACTERS:
        said = f"{said[: _MOST_CHARACTERS - 1]}…"
    n = count_errors(collection.errors)
    were = "was" if n == 1 else "were"
    count = counted(n, "item")
    return [f"{count} of the file could not be read and {were} not asked; the first: {said}"]
