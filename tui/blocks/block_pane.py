"""What the panes about a model's blocks share: their subject, title, workers and copied text."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.worker import Worker

from core.blocks.alignment import Aligner
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Form, Prompt, Question
from core.contract.rungs import RungState
from core.contract.setting import Setting
from core.contract.view import View
from core.layout.rows import Ink, Row, paragraph, plain
from core.models.block_requests import Blocks
from core.models.protocol import Model
from core.runs.asking import prompt_of
from core.text.escaping import escape_control_characters
from tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from core.layout.heatmap import HeatMap
    from tui.browse.feature import ItemHost

_COPIED_WIDTH = 120
"""Cells to a line of copied text."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A question of an item under a setting, and the model that it is put to."""

    model: Model
    blocks: Blocks = field(compare=False)
    """The model's transformer blocks; what was read of them before is known at once."""
    benchmark: Benchmark
    item: Item
    setting: Setting
    question: Question
    form: Form
    collection: Collection = field(compare=False)
    """Where the item is from."""

    def prompt_of(self, question: Question) -> Prompt:
        """A question as the model gets it."""
        return prompt_of(question, self.form, self.model.info)

    @property
    def aligner(self) -> Aligner:
        """Finds the spans of the prompt through the model's tokenizer."""
        return Aligner(
            self.blocks, self.benchmark, self.item, self.setting, self.question, self.prompt_of
        )


class BlockPane(RowsView):
    """Shows something of its subject. Nothing is asked of the model while the pane is closed."""

    NAME: ClassVar[str]
    """The pane's id."""
    COPIED: ClassVar[str]
    """What the copied text is, in a word."""

    def __init__(self, host: ItemHost) -> None:
        super().__init__(id=self.NAME)
        self.host = host
        self._workers: dict[str, Worker[None]] = {}
        self.subject: Subject | None = None
        self.why_not = ""
        """Why there is no subject, and what to press."""
        self._titles = ("", "")
        """What stands in the border."""

    def entitle(self, title: str, subtitle: str) -> None:
        """Write into the border, which paints the whole pane: so only where it changes."""
        if (title, subtitle) != self._titles:
            self._titles = title, subtitle
            self.border_title, self.border_subtitle = (
                Content(title),
                Content(escape_control_characters(subtitle)),
            )

    def show_subject(self, subject: Subject | None, why_not: str = "") -> None:
        """Be about something else; called when the pane opens and whenever what is asked changes.

        The same subject again changes nothing.
        """
        if subject == self.subject and why_not == self.why_not:
            return
        self.subject, self.why_not = subject, why_not
        self.subject_changed()
        self.redraw()

    def subject_changed(self) -> None:
        """Stop what was being read of the former subject, and read the new one."""

    def start(self, work: Awaitable[None], group: str = "") -> None:
        """Do something in the place of what this group does now.

        The worker is the screen's, because the screen reports defects.
        """
        self.stop(group)
        self._workers[group] = self.screen.run_worker(work, group=self.NAME, exit_on_error=False)

    def stop(self, group: str = "") -> None:
        """Cancel what this group does."""
        if (worker := self._workers.pop(group, None)) is not None:
            worker.cancel()

    def go_to(self, ref: str) -> None:
        """Put the cursor on what is drawn under this name."""

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on what was clicked."""
        if isinstance(ref := event.style.meta.get("ref"), str):
            self.go_to(ref)

    def sideways(self, by: int) -> None:
        """Move the cursor to the right, or to the left where `by` is negative."""

    def enter(self) -> None:
        """Do what is under the cursor."""

    def leave(self) -> bool:
        """Take back what `enter` did; False where there is nothing to take back."""
        return False

    def copy_text(self) -> tuple[str, str]:
        """The heat maps as text; before there is one, what is said instead."""
        maps = self.readings()
        if not maps:
            return super().copy_text()
        # Heat maps are not imported before the first picture.
        from core.layout.heatmap import draw_heat_map

        drawn = (plain(draw_heat_map(heat, _COPIED_WIDTH, cell_len)) for heat in maps)
        return self.COPIED, "\n\n".join(drawn)

    def readings(self) -> tuple[HeatMap, ...]:
        """The heat maps that are shown, to be copied or exported."""
        return ()

    def with_attention(self, view: View) -> View:
        """A view of the item, with what a head attends to where that is shown."""
        return view

    def patched(self, rung: RungState) -> RungState:
        """A rung, with what it answers after a patch where there is one."""
        return rung

    def pause(self, paused: bool) -> None:
        """Leave the model to the ladder while that is asked, and go on afterwards."""

    def draw(self, width: int) -> list[Row]:
        """Why there is nothing to show."""
        return paragraph(self.why_not, Ink.GLOSS, width, cell_len)
