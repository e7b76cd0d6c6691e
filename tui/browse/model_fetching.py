"""Fetches a published model for the list of models."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from core.hub import models
from core.text.errors import HubError
from core.text.language import _
from core.text.sizes import human_bytes
from tui.shell.model_choices import Entry

_NOTE_PERIOD = 0.1
"""Seconds between two notes on the progress, and between two looks whether the list was left."""


class _LeftError(Exception):
    """The list was left while a model was being fetched."""


def fetch_model(
    entry: Entry, note: Callable[[str], None], is_left: Callable[[], bool]
) -> Path | None:
    """Fetch a published model whose licence a person accepted.

    `note` is called with the progress in words. None where the list was left meanwhile. Raises
    `HubError` and `NotFoundError`.
    """
    came: SimpleQueue[Path | Exception] = SimpleQueue()

    def work() -> None:
        try:
            came.put(_fetch(entry, note, is_left))
        except Exception as error:
            came.put(error)

    # The end of the program waits for a worker's thread. This one ends with the program, even while
    # a server lets it wait for the next bytes.
    Thread(target=copy_context().run, args=(work,), name="model-fetching", daemon=True).start()
    while not is_left():
        try:
            result = came.get(timeout=_NOTE_PERIOD)
        except Empty:
            continue
        if isinstance(result, Exception):
            raise result
        return result
    return None


def _fetch(entry: Entry, note: Callable[[str], None], is_left: Callable[[], bool]) -> Path:
    """Fetch a published model; raises `_LeftError` where the list was left."""
    next_note = 0.0

    def show(done: int) -> None:
        nonlocal next_note
        if is_left():
            raise _LeftError
        if time.monotonic() >= next_note:
            next_note = time.monotonic() + _NOTE_PERIOD
            note(
                _(
                    "Fetching {model}: {done} of {whole}",
                    model=entry.name,
                    done=human_bytes(done),
                    whole=human_bytes(offer.bytes),
                )
            )

    note(_("Asking the server …"))
    offer = models.look_up(entry.source)
    if offer.listing.licence.casefold() != entry.licence.casefold():
        raise HubError(
            _("Its licence is now {licence}.", licence=offer.listing.licence or "?"),
            where=entry.source,
            hint=models.command_for(entry.source),
        )
    if is_left():
        raise _LeftError
    return Path(models.get(offer, show).path)
