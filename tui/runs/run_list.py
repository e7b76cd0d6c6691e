"""The table of recorded runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from rich.cells import cell_len
from textual.message import Message

from core.contract.view import Role
from core.layout.rows import Ink, Row, Span, pad, paragraph
from core.runs.listing import COLUMNS, ListedRun, fitting
from core.runs.records import RunState
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.widgets.rows_view import RowsView

_IMPORTANT = (
    "model", "right", "layer", "unread", "benchmark", "date", "state", "shots", "limit",
    "run", "scoring", "form", "setting", "repeat", "collection", "time",
)  # fmt: skip
"""The columns, the last to leave a narrow screen first."""
_MARKS = 3
"""Cells for the sign of a state and the letter of a marked run."""
_LONGEST = 200
"""Most characters of a cell."""
_STATES = {
    RunState.RUNNING: ("▶", Role.CHANGED),
    RunState.PAUSED: ("‖", Role.EVIDENCE),
    RunState.CANCELLED: ("‖", Role.EVIDENCE),
    RunState.DONE: ("✓", Role.GOOD),
    RunState.IMPORTED: ("↓", Role.MUTED),
}


class RunList(RowsView):
    """A row for each run, and in front of the marked ones the letters that a comparison has."""

    class Picked(Message):
        """The run under the cursor was clicked a second time."""

    def __init__(self) -> None:
        super().__init__(id="runs")
        self.runs: Sequence[ListedRun] = ()
        self.marked: Sequence[str] = ()
        self.sorted_by = ""
        self.columns: Mapping[str, int] = {}
        """The columns that fit, with their widths."""
        self._note: tuple[str, Role] = ("", Role.MUTED)

    def show(
        self,
        runs: Sequence[ListedRun],
        marked: Sequence[str],
        sorted_by: str,
        note: tuple[str, Role] = ("", Role.MUTED),
    ) -> None:
        """Show runs in this order; a note stands where there are none."""
        self.runs, self.marked, self.sorted_by, self._note = runs, marked, sorted_by, note
        self.redraw()

    @property
    def listed(self) -> ListedRun | None:
        """The run under the cursor."""
        return next((each for each in self.runs if each.run.id == self.cursor), None)

    def copy_text(self) -> tuple[str, str]:
        """The id of the run under the cursor."""
        return N_("run"), self.cursor

    def draw(self, width: int) -> list[Row]:
        """The heading, which does not scroll, and a row for each run."""
        self.pinned = int(bool(self.runs))
        if not self.runs:
            text, role = self._note
            return [(), *paragraph(text, role, width, cell_len)]
        # One layer is named in the heading of its figures.
        layers = {each.headline.name for each in self.runs if each.headline}
        named = layers.pop() if len(layers) == 1 else ""
        texts = {
            name: [
                self._heading(name, named),
                *(
                    escape_control_characters(column.text(each), limit=_LONGEST)
                    for each in self.runs
                ),
            ]
            for name, column in COLUMNS.items()
            if not (named and name == "layer")
        }
        self.columns = fitting(texts, _IMPORTANT, width - _MARKS, cell_len)
        rows: list[Row] = [(Span(" " * _MARKS), *self._cells(texts, 0, Ink.HEADING, ""))]
        for number, each in enumerate(self.runs, 1):
            ink = Role.MUTED if each.run.plan.demo else Role.PLAIN
            rows.append((*self._marks(each), *self._cells(texts, number, ink, each.run.id)))
        return rows

    def _heading(self, name: str, layer: str) -> str:
        heading = _(COLUMNS[name].heading)
        if name == "right" and layer:
            heading = _("{layer} [95 % interval]", layer=layer)
        if name != self.sorted_by:
            return heading
        return f"{heading} {'▼' if COLUMNS[name].descending else '▲'}"

    def _marks(self, listed: ListedRun) -> tuple[Span, ...]:
        run_id = listed.run.id
        letter = ""
        if run_id in self.marked:
            at = self.marked.index(run_id)
            letter = ascii_uppercase[at] if at < len(ascii_uppercase) else "+"
        sign, role = _STATES[listed.run.state]
        return Span(sign, role, run_id), Span(f"{letter:1} ", Ink.KEY, run_id)

    def _cells(
        self, texts: Mapping[str, Sequence[str]], number: int, ink: Role | Ink, ref: str
    ) -> list[Span]:
        cells = []
        for name, width in self.columns.items():
            right = name in {"unread", "shots", "limit", "items"}
            text = pad(texts[name][number], width, cell_len, right=right)
            cells.append(Span(f"{text}  ", ink, ref))
        return cells

    def clicked_again(self) -> None:
        """Open the run under the cursor."""
        self.post_message(self.Picked())
