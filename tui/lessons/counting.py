"""Counts over the collection: how often what a step reveals of one item holds, and its figures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

from rich.cells import cell_len
from textual.timer import Timer
from textual.widget import Widget

from core.contract.view import Role
from core.layout.counts import count_sentence, draw_counts
from core.layout.rows import Row, paragraph
from core.lessons.claim import Asked
from core.lessons.evidence import Evidence
from core.lessons.lesson import Step
from core.lessons.survey import count
from core.lessons.typicality import count_like, figures_of, revealed_claim
from core.models.protocol import Model
from core.statistics.count import Count
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from tui.widgets.rows_view import RowsView

_MOMENT = 0.2
"""Seconds between two drawings of a count that goes on."""


def counts_by_itself(model: Model) -> bool:
    """Whether a model is asked about the whole collection without another key.

    A model in a file and a recorded one are. A server may charge for every answer, and a person
    would be asked hundreds of questions.
    """
    return bool(model.info.computed_by or model.info.recorded)


class StepCounts:
    """The counts of one step of a lesson."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._like: Asked | None = None
        self._counts: dict[str, Count] = {}
        self._ended: set[str] = set()
        self._error = ""

    @property
    def begun(self) -> bool:
        """Whether anything was counted."""
        return bool(self._counts)

    async def run(self, evidence: Evidence, on_change: Callable[[], None]) -> None:
        """Count everything, and call `on_change` at every change."""
        try:
            claim = await revealed_claim(self._step, evidence)
            if claim is not None:
                self._like = await count_like(self._step, claim, evidence)
            for asked in (*([self._like] if self._like else []), *figures_of(self._step)):
                await self._count(asked, evidence, on_change)
        except CommonsenseError as error:
            self._error = str(error)
        on_change()

    async def _count(self, asked: Asked, evidence: Evidence, on_change: Callable[[], None]) -> None:
        async with aclosing(count(asked, evidence)) as counts:
            async for counted in counts:
                self._counts[asked.text] = counted
                on_change()
        self._ended.add(asked.text)

    def draw(self, language: str, width: int) -> list[Row]:
        """The sentence on items like this one, then the step's figures."""
        rows: list[Row] = []
        counted = self._counts.get(self._like.text) if self._like is not None else None
        if self._like is not None and counted is not None:
            text = count_sentence(counted, ended=self._like.text in self._ended)
            ink = Role.CHANGED if counted.rare else Role.EVIDENCE
            rows += paragraph(text, ink, width, cell_len) if text else []
        figures = self._step.figures
        if figures is not None and self.begun:
            rows += [()] if rows else []
            rows += draw_counts(
                figures.caption.spoken(language),
                [row.spoken(language) for row in figures.rows],
                [column.spoken(language) for column in figures.columns],
                [[self._counts.get(asked.text) for asked in row] for row in figures.cells],
                width,
                cell_len,
            )
        if self._error:
            error = escape_control_characters(self._error)
            rows += [(), *paragraph(error, Role.CHANGED, width, cell_len)]
        return rows


class FittedRows(RowsView, can_focus=False):
    """Rows in a pane that scrolls: as high as they are, and gone where there are none."""

    DEFAULT_CSS = "FittedRows { height: auto; margin: 0 0 1 0; background: transparent; }"

    def redraw(self) -> None:
        """Draw, and fit the height to the rows."""
        super().redraw()
        self.display = bool(self._rows) or not self.size.width
        self.styles.height = max(1, len(self._rows))


class CountsView(FittedRows):
    """Shows the counts of the present step."""

    def __init__(self, follow: Callable[[], None]) -> None:
        """Call `follow` once more is drawn in a pane that stood at its end."""
        super().__init__(id="counts")
        self._follow = follow
        self.counts: StepCounts | None = None
        self.language = ""
        self._timer: Timer | None = None

    def redraw_soon(self) -> None:
        """Draw again, once however often this is called in a moment."""
        if self._timer is None:
            self._timer = self.set_timer(_MOMENT, self._redraw_now)

    def _redraw_now(self) -> None:
        self._timer = None
        pane = self.parent
        at_end = isinstance(pane, Widget) and pane.is_vertical_scroll_end
        self.redraw()
        if at_end:
            self.call_after_refresh(self._follow)

    def draw(self, width: int) -> list[Row]:
        """The rows of the counts."""
        return self.counts.draw(self.language, width) if self.counts is not None else []
