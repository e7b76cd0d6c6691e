"""The centre pane: the item under its setting, as the benchmark's view says."""

from __future__ import annotations

from dataclasses import replace

from rich.cells import cell_len

from core.contract.prompt_parts import without_brackets
from core.contract.view import Graph, Statement, Statements, View
from core.layout.rows import Ink, Row, Span, wrap
from core.layout.sections import draw_view
from core.text.escaping import escape_control_characters
from core.text.language import N_
from tui.widgets.rows_view import RowsView


class ViewPane(RowsView):
    """Draws a view; the cursor steps over its statements."""

    HELP = N_("""
    ## This pane

    The item as it is now, below what is said of the node under the cursor of a graph. The cursor
    steps over the statements. What you change is yours alone and never touches the file.
    """)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.view: View | None = None
        self.glosses = False
        self._graphs = True
        self._aside: tuple[str, ...] = ()

    def explain(self, lines: tuple[str, ...]) -> None:
        """Show lines above the view: of the node under the graph's cursor, or of what is asked."""
        if lines != self._aside:
            self._aside = lines
            self.redraw()
            self.scroll_to(y=0, animate=False)

    def show(self, view: View, *, glosses: bool, graphs: bool = True) -> None:
        """Draw this view.

        Args:
            view: what to draw.
            glosses: whether to draw the translation of its sentences.
            graphs: whether to draw its graphs; another pane may.
        """
        self.view = view
        self.glosses = glosses
        self._graphs = graphs
        self.redraw()

    def draw(self, width: int) -> list[Row]:
        """The view's sections."""
        if self.view is None:
            return []
        view = self.view
        if not self._graphs:
            sections = tuple(section for section in view.sections if not isinstance(section, Graph))
            view = replace(view, sections=sections)
        aside = self._draw_aside(width)
        rows = aside + draw_view(view, width, cell_len, glosses=self.glosses)
        if len(rows) <= self.size.height:
            return rows
        tight = draw_view(view, width, cell_len, glosses=self.glosses, airy=False)
        if aside and tight and tight[0] and tight[0][0].ink is Ink.HEADING:
            # A heading parts it from what is said above it.
            aside = aside[:-1]
        return aside + tight

    def _draw_aside(self, width: int) -> list[Row]:
        rows: list[Row] = []
        for i, line in enumerate(self._aside):
            ink = Ink.GLOSS if i else Ink.HEADING
            rows += [
                (Span(f" {part}", ink),)
                for part in wrap(escape_control_characters(line), width - 2, cell_len)
            ]
        return [*rows, ()] if rows else []

    def statement(self) -> tuple[Statements, Statement] | None:
        """The statement under the cursor, with the section that it stands in."""
        for section in self.view.sections if self.view else ():
            if isinstance(section, Statements):
                for statement in section.statements:
                    if statement.id == self.cursor:
                        return section, statement
        return None

    def statements_in(self, text: str) -> tuple[str, ...]:
        """The ids of the statements that stand in a text."""
        plain_text = without_brackets(text)
        return tuple(
            statement.id
            for section in (self.view.sections if self.view else ())
            if isinstance(section, Statements)
            for statement in section.statements
            if statement.text.strip() and without_brackets(statement.text.strip()) in plain_text
        )

    def copy_text(self) -> tuple[str, str]:
        """The statements as they stand, one a line."""
        lines = [
            statement.text
            for section in (self.view.sections if self.view else ())
            if isinstance(section, Statements)
            for statement in section.statements
        ]
        return N_("item"), "\n".join(lines)
