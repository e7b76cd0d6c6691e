"""Opens the program, with or without the command line in front of it."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from core.text.errors import NotFoundError
from tui.shell.interrupts import ended_by_interrupt

if TYPE_CHECKING:
    from tui.app.app import CommonsenseApp


_LINES_ONLY = frozenset({"dumb", "unknown"})
"""Kinds of terminals that cannot place anything on their screen."""


def open_program(
    path: Path | None = None,
    benchmark: str | None = None,
    model: str | None = None,
    language: str | None = None,
) -> int:
    """Open the program on a collection; its exit code when it is left.

    Raises `CommonsenseError` for what cannot be opened.
    """
    need_terminal("Use a command that prints: commonsense-tui --help lists them.")
    with ended_by_interrupt():
        app = _made(path, benchmark, model, language)
    app.run()
    return app.return_code or 0


def need_terminal(hint: str) -> None:
    """Raise `NotFoundError`, with what to do instead, where no screen can be shown."""
    # Served in a web browser the program has no terminal of its own.
    if "TEXTUAL_DRIVER" in os.environ:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NotFoundError("The program needs a terminal, and this is none.", hint=hint)
    if os.environ.get("TERM") in _LINES_ONLY:
        raise NotFoundError(
            "This terminal says that it shows lines and no screens.", where="TERM", hint=hint
        )


def _made(
    path: Path | None, benchmark: str | None, model: str | None, language: str | None = None
) -> CommonsenseApp:
    """The program, with what it opens on; raises `CommonsenseError`."""
    from core.files import config
    from tui.shell.language_choice import speak

    # Everything made until the first picture stays; looking for garbage in it only delays it.
    gc.disable()
    chosen, problems = config.read_or_defaults()
    problems = (*problems, *speak(language, chosen))
    collection = None
    if path is not None and benchmark is None:
        from tui.cli.find import recognise, recognised

        found = recognised(path)
        if found is None:
            # Only trying tells whether anything can read it, which must be known before the
            # screen is taken. What is recognised may be large: it is opened behind the screen.
            found, collection = recognise(path)
        benchmark = found.name
    from tui.app.app import CommonsenseApp

    return CommonsenseApp(
        benchmark=benchmark,
        path=path,
        collection=collection,
        config=chosen,
        model=model,
        problems=problems,
    )
