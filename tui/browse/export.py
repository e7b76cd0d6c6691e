"""Exporting the open item as it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from core.contract.setting import Setting
from core.contract.view import Grid, View
from core.text.errors import CommonsenseError
from core.text.language import ENGLISH, in_english, spoken
from tui.browse.feature import Feature

if TYPE_CHECKING:
    from core.layout.heatmap import HeatMap


@runtime_checkable
class HasHeatMaps(Protocol):
    """A pane about a model's blocks, whose heat maps are exported with the item."""

    display: bool
    """Whether the pane is in sight."""

    def readings(self) -> tuple[HeatMap, ...]:
        """The heat maps that it shows."""
        ...

    def with_attention(self, view: View) -> View:
        """The item's view with the attention that the pane draws on it."""
        ...


class Export(Feature):
    """Writes the open item to a file."""

    NAME = "export"

    def readings(self) -> tuple[HeatMap, ...]:
        """The heat maps of the panes in sight."""
        return tuple(heat for pane in self._heat_map_panes() for heat in pane.readings())

    def _with_attention(self, view: View) -> View:
        """The item's view with the attention shown by panes in sight."""
        for pane in self._heat_map_panes():
            view = pane.with_attention(view)
        return view

    def _answers(self, setting: Setting) -> Grid | None:
        """The answers in a state of the open item as a table; None where it was not asked."""
        from core.exchange.exporters.answer_words import answers_table

        state = self.host.state
        if state is None:
            return None
        asking = self.host.asking
        source = " ".join(filter(None, (asking.source(), asking.at_chance())))
        return answers_table(state.rungs_under(setting), source)

    def _heat_map_panes(self) -> Iterator[HasHeatMaps]:
        return (
            pane for pane in self.host.query("*") if isinstance(pane, HasHeatMaps) and pane.display
        )

    async def export(self) -> None:
        """Write the item to a file as it is shown."""
        state = self.host.state
        if state is None or not state.is_open:
            return
        from core.exchange.exporters.document import Document, document_of
        from core.exchange.exporters.files import file_name
        from tui.browse.export_dialogue import ExportScreen
        from tui.shell.write_dialogue import export_folder

        benchmark, item, about = state.benchmark, state.item, state.collection.about

        def document() -> Document:
            return document_of(
                benchmark,
                item,
                state.history.now,
                about,
                self.readings(),
                self._with_attention,
                self._answers,
            )

        try:
            here = english = document()
            if spoken() != ENGLISH:
                with in_english():
                    english = document()
        except CommonsenseError as error:
            self.warn(str(error))
            return

        def start(suffix: str) -> Path:
            return export_folder() / file_name(benchmark.name, item.id, suffix)

        await self.host.app.push_screen_wait(ExportScreen(here, english, start))
