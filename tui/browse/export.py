"""Exporting the open item of a screen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual import work
from textual.screen import Screen

from core.contract.view import View
from core.files import paths
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import in_english
from tui.browse.asking import Asking
from tui.browse.state import BrowseState

if TYPE_CHECKING:
    from core.layout.heatmap import HeatMap


@runtime_checkable
class Readable(Protocol):
    """A pane that shows what goes on between a model's blocks, which an export takes along."""

    def readings(self) -> tuple[HeatMap, ...]:
        """What it shows; nothing as long as there is nothing to show."""
        ...

    def with_attention(self, view: View) -> View:
        """The item's view with what the pane draws on it."""
        ...


class Exporting(Screen[None]):
    """A screen from which the open item can be exported."""

    state: BrowseState | None
    asking: Asking

    def readings(self) -> tuple[HeatMap, ...]:
        """What the panes in sight show of what goes on between a model's blocks."""
        with in_english():
            return tuple(heat for pane in self._readable() for heat in pane.readings())

    def _drawn(self, view: View) -> View:
        """A view of the item with what panes in sight draw on it, and what a model answered."""
        from core.exchange.exporters.answer_words import answers_table

        for pane in self._readable():
            view = pane.with_attention(view)
        state = self.state
        table = answers_table(state.rungs(), self.asking.source()) if state is not None else None
        return replace(view, sections=(*view.sections, table)) if table is not None else view

    def _readable(self) -> Iterator[Readable]:
        return (pane for pane in self.query("*") if isinstance(pane, Readable) and pane.display)

    @work(group="dialogue", exit_on_error=False)
    async def action_export(self) -> None:
        """Write the item as it is shown to a file."""
        state = self.state
        if state is None or not state.is_open:
            return
        # The formats are not needed for the first picture.
        from core.exchange.exporters.document import document_of
        from core.exchange.exporters.files import file_name
        from tui.browse.export_dialogue import ExportScreen

        benchmark = state.benchmark
        try:
            about = state.collection.about
            document = document_of(
                benchmark, state.item, state.history.now, about, self.readings(), self._drawn
            )
        except CommonsenseError as error:
            self.notify(escape_control_characters(str(error)), severity="warning", markup=False)
            return

        def start(suffix: str) -> Path:
            return folder() / file_name(benchmark.name, state.item.id, suffix)

        await self.app.push_screen_wait(ExportScreen(document, start))


def folder() -> Path:
    """Where exports go unless the person says otherwise: here, or else the data folder."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        # The folder was removed while the program was open.
        return paths.data() / "exports"
    return here if os.access(here, os.W_OK) else paths.data() / "exports"
