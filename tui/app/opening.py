"""Opens each of the programs: the browser, a lesson, its speaker's view, an annotation.

An app is imported only once it is known that there is a terminal to show it on.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.files import config
from core.models.llama.compilation import compilation
from core.text.errors import NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import _, spoken
from tui.shell.environment import DRIVER
from tui.shell.interrupts import ended_by_interrupt
from tui.shell.language_choice import speak

if TYPE_CHECKING:
    from textual.app import App

    from core.annotation.session import AnnotationSession
    from core.lessons.bound_lesson import BoundLesson
    from tui.app.app import CommonsenseApp


_TERMINALS_WITHOUT_SCREEN = frozenset({"dumb", "unknown"})
"""Values of TERM for terminals that cannot place anything on their screen."""


def open_program(
    path: Path | None = None,
    benchmark: str | None = None,
    model: str | None = None,
    language: str | None = None,
) -> int:
    """Open the program on a collection; return its exit code.

    Raises `CommonsenseError` for what cannot be opened.
    """
    need_terminal("Use a command that prints: commonsense-tui --help lists them.")
    with ended_by_interrupt():
        app = make_program(path, benchmark, model, language)
    return _run(app)


def open_lesson(
    lesson: BoundLesson,
    language: str | None,
    model: str | None = None,
    *,
    presenting: bool = False,
    step: int | None = None,
) -> int:
    """Open a lesson, in the configured language where none is named; return the exit code.

    It begins at a step, counted from 1, or where it was left. Raises `CommonsenseError`.
    """
    need_terminal("commonsense-tui lesson check checks the lesson without a screen.")
    with ended_by_interrupt():
        from tui.app.lesson_app import LessonApp

        chosen = config.read()
        problems = speak(language, chosen)
        app = LessonApp(
            lesson,
            spoken(),
            config=chosen,
            model=model,
            presenting=presenting,
            step=step,
            problems=problems,
        )
    return _run(app)


def open_follower(name: str = "", language: str | None = None) -> int:
    """Follow the running lesson of a name, or any if the name is empty; return the exit code.

    Raises `CommonsenseError`.
    """
    need_terminal("Open a second terminal beside the one in which the lesson runs.")
    with ended_by_interrupt():
        from tui.app.one_screen_app import OneScreenApp
        from tui.lessons.follow_screen import FollowScreen

        chosen = config.read()
        problems = speak(language, chosen)
        app = OneScreenApp(FollowScreen(name), chosen, problems=problems)
    return _run(app)


def open_annotator(
    session: AnnotationSession, title: str, guide: str, language: str | None = None
) -> int:
    """Open an annotation session; `title` and `guide` are English; return the exit code."""
    from tui.annotation.screen import AnnotatingScreen
    from tui.app.one_screen_app import OneScreenApp

    chosen, problems = config.read_or_defaults()
    wrong = speak(language, chosen)
    screen = AnnotatingScreen(session, _(title), guide)
    return _run(OneScreenApp(screen, chosen, problems=(*problems, *wrong)))


def need_terminal(hint: str) -> None:
    """Raise `NotFoundError`, with what to do instead, where no screen can be shown."""
    # Served in a web browser the program has no terminal of its own.
    if DRIVER in os.environ:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NotFoundError("The program needs a terminal, and this is none.", hint=hint)
    if os.environ.get("TERM") in _TERMINALS_WITHOUT_SCREEN:
        raise NotFoundError(
            "This terminal says that it shows lines and no screens.", where="TERM", hint=hint
        )


def make_program(
    path: Path | None, benchmark: str | None, model: str | None, language: str | None = None
) -> CommonsenseApp:
    """Make the app, with the collection that it opens on; raises `CommonsenseError`."""
    # Nothing that is made before the first paint is garbage; looking for some would only delay it.
    gc.disable()
    chosen, problems = config.read_or_defaults()
    problems = (*problems, *speak(language, chosen))
    collection = None
    if path is not None and benchmark is None:
        # Only a path without a benchmark needs every installed benchmark.
        from tui.app.recognition import recognise, recognised

        known = recognised(path)
        if known is None:
            # Only trying shows whether any benchmark can read it, and that must be known before
            # the screen is taken. What is recognised may be large: it is opened in the background.
            known, collection = recognise(path, _warn)
        benchmark = known.name
    from tui.app.app import CommonsenseApp

    return CommonsenseApp(
        benchmark=benchmark,
        path=path,
        collection=collection,
        config=chosen,
        model=model,
        problems=problems,
    )


def _warn(message: str) -> None:
    print(escape_control_characters(message, lines=True), file=sys.stderr, flush=True)


def _run(app: App[Any]) -> int:
    app.run()
    waited = compilation()
    if waited is not None and waited.running:
        _warn(
            f"In the background {waited.state}. `kill {waited.pid}` stops that, and `make demo` "
            "goes on where it was."
        )
    elif waited is not None:
        _warn(f"{waited.state}. {waited.error}".strip())
    return app.return_code or 0
