"""The command palette: every command of the screen in front and of the app, with its keys."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from rich.align import Align
from rich.text import Text
from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.events import Click
from textual.screen import Screen
from textual.widgets.option_list import OptionDoesNotExist

from core.text.language import _
from tui.shell.command import Command, Place
from tui.shell.command_groups import EVERYDAY_WORDS
from tui.shell.dialogue import DismissedOnce
from tui.shell.program import program_of


class _Lines(CommandList, can_focus=False, inherit_css=True):
    """The lines of the palette, which change while one of them is clicked."""

    async def _on_click(self, event: Click) -> None:
        line = event.style.meta.get("option")
        # Textual looks up the line that was clicked, which may be gone.
        if not isinstance(line, int) or line >= self.option_count:
            event.prevent_default().stop()


class Palette(CommandPalette, DismissedOnce[None]):
    """Textual's palette in the language of the program."""

    def __init__(self) -> None:
        super().__init__(placeholder=_("Search for commands…"))

    def compose(self) -> ComposeResult:
        """The parts of Textual's palette, with lines of our own."""
        for part in super().compose():
            yield _Lines() if type(part) is CommandList else part

    def _action_command_list(self, action: str) -> None:
        # Textual looks up the lines of a list, which has none where it has no room.
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)

    def _start_no_matches_countdown(self, search_value: str) -> None:
        """Say in the program's language, after a while, that nothing matches."""
        super()._start_no_matches_countdown(search_value)
        self.set_timer(self._NO_MATCHES_COUNTDOWN, self._translate)

    def _translate(self) -> None:
        with suppress(OptionDoesNotExist):
            message = Text(_("No matches found"), style="not bold")
            commands = self.query_one(CommandList)
            commands.replace_option_prompt(self._NO_MATCHES, Align.center(message))


class CommandsProvider(Provider):
    """Offers the registry's commands."""

    def _run(self, action: str) -> Callable[[], Awaitable[bool]]:
        return partial(self.app.run_action, action, self.screen)

    async def discover(self) -> Hits:
        """Every command, before anything is typed."""
        for command, action in offered(self.screen):
            yield DiscoveryHit(_named(command), self._run(action), help=command.shown_help)

    async def search(self, query: str) -> Hits:
        """The commands whose name, explanation or everyday words match."""
        matcher = self.matcher(query)
        for command, action in offered(self.screen):
            label, explanation = command.shown_label, command.shown_help
            everyday = _(EVERYDAY_WORDS.get(command.name, ""))
            score = max(matcher.match(label), 0.6 * matcher.match(explanation))
            score += sum(
                _WORDS_SCORE
                for text in (label, f"{label} {everyday}", f"{label} {everyday} {explanation}")
                if _has_words(query, text)
            )
            if score > 0:
                shown = matcher.highlight(_named(command))
                yield Hit(score, shown, self._run(action), help=explanation)


def offered(screen: Screen[Any]) -> Iterator[tuple[Command, str]]:
    """The commands of a screen and of the program that can be done by name, with their actions.

    Those that need what the open item does not offer are left out.
    """
    commands = program_of(screen.app).commands
    where = getattr(screen, "WHERE", Place.APP)
    offers: frozenset[str] = getattr(screen, "offers", frozenset())
    for command in (*commands(where), *(commands(Place.APP) if where != Place.APP else ())):
        if command.numbered or command.id in {"command_palette", "menu"}:
            continue
        if command.needs and command.needs not in offers:
            continue
        scope = "app" if command.where == Place.APP else "screen"
        yield command, f"{scope}.{command.action()}"


_WORDS_SCORE = 100.0
"""How much better a match is if every word that was typed begins a word of the command, and not
only its letters follow each other."""


def _has_words(query: str, text: str) -> bool:
    """Whether every word of the query begins a word of the text."""
    words = re.findall(r"\w+", text.casefold())
    wanted = re.findall(r"\w+", query.casefold())
    return bool(wanted) and all(any(word.startswith(w) for word in words) for w in wanted)


def _named(command: Command) -> str:
    return f"{command.shown_label}  ({command.shown_keys})"
