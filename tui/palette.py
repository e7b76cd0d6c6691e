"""The command palette: every command of the screen in front and of the app, with its keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui.command import APP, Command
from tui.shell import Shell


class CommandsProvider(Provider):
    """Offers the registry's commands."""

    def _offered(self) -> Iterable[tuple[Command, str]]:
        commands = cast(Shell, self.app).commands
        where = getattr(self.screen, "WHERE", APP)
        for command in (*commands(where), *(commands(APP) if where != APP else ())):
            if command.numbered or command.id == "command_palette":
                continue
            scope = "app" if command.where == APP else "screen"
            yield command, f"{scope}.{command.id}"

    def _run(self, action: str) -> Callable[[], Awaitable[bool]]:
        return partial(self.app.run_action, action, self.screen)

    async def discover(self) -> Hits:
        """Every command, before anything is typed."""
        for command, action in self._offered():
            yield DiscoveryHit(_named(command), self._run(action), help=command.help)

    async def search(self, query: str) -> Hits:
        """The commands whose name or explanation matches."""
        matcher = self.matcher(query)
        for command, action in self._offered():
            score = max(matcher.match(command.label), 0.6 * matcher.match(command.help))
            if score > 0:
                yield Hit(
                    score, matcher.highlight(_named(command)), self._run(action), help=command.help
                )


def _named(command: Command) -> str:
    return f"{command.label}  ({command.shown_keys})"
