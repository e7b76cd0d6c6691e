"""The pane about the model's blocks that a step of a lesson opens."""

from __future__ import annotations

from core.lessons.lesson import Pane
from tui.browse.feature import PaneFeature
from tui.browse.item_screen import ItemScreen

_NAMES = {Pane.BLOCKS: "xray", Pane.TRACE: "trace"}
TRACE = _NAMES[Pane.TRACE]


class StepBlocks:
    """Opens and closes the panes about the model's blocks."""

    def __init__(self, host: ItemScreen) -> None:
        self._host = host

    @property
    def open_name(self) -> str:
        """The name of the open pane; empty where none is open."""
        feature = self._host.feature(PaneFeature)
        return feature.open_name if feature is not None else ""

    def show(self, pane: Pane | None) -> None:
        """Open a pane, or close it."""
        feature, wanted = self._host.feature(PaneFeature), _NAMES[pane] if pane is not None else ""
        if feature is not None and wanted != self.open_name:
            feature.toggle_pane(wanted or self.open_name)
