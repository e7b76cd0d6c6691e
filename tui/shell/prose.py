"""Markdown of ours, drawn as one text.

Textual's own widget makes one of every cell of a table: a help text of some hundred keys took half
a second and 25 MB.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.style import Style
from rich.table import Table
from rich.theme import Theme

_COLOURS = {
    "h2": "cs-plain",
    "strong": "cs-plain",
    "code": "cs-key",
    "table.header": "cs-muted",
    "table.border": "cs-bar",
}
"""Colours of the theme by what Rich calls the parts of a text."""
_BOLD = frozenset({"h2", "strong", "code"})


class _Table(TableElement):
    """A table without blank lines around it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it."""
        for table in super().__rich_console__(console, options):
            assert isinstance(table, Table)
            table.show_edge = False
            yield table


class Prose(Markdown):
    """A text in the colours of the program's theme."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "table_open": _Table,
    }

    def __init__(self, text: str, variables: Mapping[str, str]) -> None:
        """`variables` are those of the program's theme."""
        super().__init__(text, hyperlinks=False)
        self._theme = Theme(
            {
                f"markdown.{part}": Style(color=variables[colour], bold=part in _BOLD)
                for part, colour in _COLOURS.items()
            }
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it."""
        with console.use_theme(self._theme):
            yield from super().__rich_console__(console, options)
