"""The base of the panes about a model's blocks: subject, title, workers and copied text."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.worker import Worker

from core.blocks.alignment import Aligner, PromptPair
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Form, Prompt, Question, Scoring
from core.contract.rungs import Rung
from core.contract.setting import Setting
from core.contract.view import Role, View
from core.layout.rows import Ink, Row, Span, pad, paragraph, plain, wrap
from core.models.block_requests import Blocks
from core.models.protocol import Model
from core.runs.asking import prompt_of
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.browse.answer_source import conditions_of_run
from tui.widgets.rows_view import RowsView

if TYPE_CHECKING:
    from core.layout.heatmap import HeatMap
    from tui.browse.feature import ItemHost

_COPIED_WIDTH = 120
"""Width of copied text, in cells."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A question of an item under a setting, and the model that answers it."""

    model: Model
    blocks: Blocks = field(compare=False)
    """The model's transformer blocks, with a cache of results."""
    benchmark: Benchmark
    item: Item
    setting: Setting
    question: Question
    form: Form
    collection: Collection = field(compare=False)

    def prompt_of(self, question: Question) -> Prompt:
        """The prompt of a question in the form and for the model of this subject."""
        return prompt_of(question, self.form, self.model.info)

    @property
    def prompt(self) -> tuple[Prompt, tuple[str, ...]]:
        """The prompt of the question, and its options as continuations."""
        return self.prompt_of(self.question), self.question.continuations()

    async def best_pair(self) -> PromptPair:
        """This prompt and the contrast prompt that fits best; see `Aligner.choose_contrast`.

        Raises `SettingError` where there is none, `ModelError`.
        """
        return await self.aligner.best_pair(self.collection, self.model.score)

    @property
    def aligner(self) -> Aligner:
        """Finds the spans of the prompt with the model's tokenizer."""
        return Aligner(
            self.blocks, self.benchmark, self.item, self.setting, self.question, self.prompt_of
        )


def clipped(text: str, ink: Role | Ink, width: int, most: int = 3) -> list[Row]:
    """Text in at most `most` lines; the last one ends in "…" where there are more."""
    room = max(8, width - 2)
    lines = [
        line
        for part in text.split("\n")
        for line in wrap(escape_control_characters(part), room, cell_len)
        if line
    ]
    if len(lines) > most:
        lines = [*lines[: most - 1], pad(" ".join(lines[most - 1 :]) + "…", room, cell_len)]
    return [(Span(f" {line}", ink),) for line in lines]


class BlockPane(RowsView):
    """A pane about one subject. It sends no request to the model while it is closed."""

    NAME: ClassVar[str]
    """The pane's id."""
    COPIED: ClassVar[str]
    """The name of the copied text in the message about it."""

    def __init__(self, host: ItemHost) -> None:
        super().__init__(id=self.NAME)
        self.host = host
        self._workers: dict[str, Worker[None]] = {}
        self.subject: Subject | None = None
        self.why_not = ""
        """Why there is no subject, and which key helps."""
        self._titles = self._drawn_titles = ("", "")

    def entitle(self, title: str, subtitle: str) -> None:
        """Set the border's texts."""
        self._titles = title, subtitle
        self._draw_titles()

    def _draw_titles(self) -> None:
        """Draw the border's texts if they changed: setting them repaints the whole pane.

        The title says so where the ladder shows an answer that was asked for in another way.
        """
        title, subtitle = self._titles
        if self._unlike_ladder():
            title = _("{title} · zero-shot, unlike the ladder", title=title)
        if (title, subtitle) != self._drawn_titles:
            self._drawn_titles = title, subtitle
            self.border_title = Content(title)
            self.border_subtitle = Content(escape_control_characters(subtitle))

    def _unlike_ladder(self) -> bool:
        """Whether the answer on the ladder is of a run that did not ask as this pane does."""
        state, subject = self.host.state, self.subject
        if state is None or subject is None or not state.is_open:
            return False
        rungs = [rung for rung in state.rungs() if rung.question == subject.question]
        scoring = _(Scoring.LOGLIKELIHOOD)
        return bool(conditions_of_run(state, rungs, subject.form, scoring))

    def show_subject(self, subject: Subject | None, why_not: str = "") -> None:
        """Show another subject, or none; the same one again changes no more than the title."""
        if subject == self.subject and why_not == self.why_not:
            self._draw_titles()
            return
        self.subject, self.why_not = subject, why_not
        self.subject_changed()
        self.redraw()

    def subject_changed(self) -> None:
        """Stop reading the former subject, and read the new one."""

    def start(self, work: Callable[[], Coroutine[None, None, None]], group: str = "") -> None:
        """Start work in a group after cancelling what the group does now.

        The work is called when it begins, which it does not if it is cancelled before.
        """
        self.stop(group)
        # The worker is the screen's, because the screen reports defects.
        self._workers[group] = self.screen.run_worker(work, group=self.NAME, exit_on_error=False)

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        """Show a defect where a worker of this pane met it."""
        if worker in self._workers.values():
            self.fail(defect)
            self.redraw()

    def fail(self, error: CommonsenseError) -> None:
        """Show an error in the place of what is being read."""

    def stop(self, group: str = "") -> None:
        """Cancel the work of a group."""
        if (worker := self._workers.pop(group, None)) is not None:
            worker.cancel()

    def go_to(self, ref: str) -> None:
        """Move the cursor to the cell with this ref."""

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked cell."""
        if isinstance(ref := event.style.meta.get("ref"), str):
            self.go_to(ref)

    def sideways(self, by: int) -> None:
        """Move the cursor to the right, or to the left where `by` is negative."""

    def enter(self) -> None:
        """Act on the cell under the cursor."""

    def leave(self) -> bool:
        """Undo what `enter` did; False where there is nothing to undo."""
        return False

    def copy_text(self) -> tuple[str, str]:
        """The heat maps as text; without one, the rows that are drawn."""
        maps = self.readings()
        if not maps:
            return super().copy_text()
        # Imported here because opening a pane should not wait for it.
        from core.layout.heatmap_drawing import draw_heat_map

        texts = (plain(draw_heat_map(heat, _COPIED_WIDTH, cell_len)) for heat in maps)
        return self.COPIED, "\n\n".join(texts)

    def readings(self) -> tuple[HeatMap, ...]:
        """The heat maps that are shown, to be copied or exported."""
        return ()

    def with_attention(self, view: View) -> View:
        """The item's view, with the attention weights of a head if they are shown."""
        return view

    def patched(self, rung: Rung) -> Rung:
        """The rung, with its patched answer if there is one."""
        return rung

    def pause(self, paused: bool) -> None:
        """Stop using the model while the ladder asks it, then continue."""

    def draw(self, width: int) -> list[Row]:
        """Why there is nothing to show."""
        return paragraph(self.why_not, Ink.GLOSS, width, cell_len)
