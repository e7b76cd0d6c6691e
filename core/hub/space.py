"""Room on the disk for what is to be fetched."""

from __future__ import annotations

import shutil
from pathlib import Path

from core.text.errors import HubError
from core.text.language import _
from core.text.sizes import human_bytes

_SPARE = 64 * 2**20
"""Bytes that are left free."""


def check_space(folder: Path, needed: int, hint: str) -> None:
    """Raise `HubError` where the disk of a folder, which need not exist, lacks the room.

    `hint` says what to do then.
    """
    there = next((each for each in (folder, *folder.parents) if each.exists()), Path("/"))
    try:
        free = shutil.disk_usage(there).free
    except OSError as error:
        raise HubError(
            _("The disk cannot be asked for its room: {why}.", why=error.strerror), where=there
        ) from error
    if needed + _SPARE > free:
        raise HubError(
            _(
                "This needs {needed} on the disk; {free} are free.",
                needed=human_bytes(needed + _SPARE),
                free=human_bytes(free),
            ),
            where=folder,
            hint=hint,
        )
