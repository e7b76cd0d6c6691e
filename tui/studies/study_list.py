"""The table of recorded studies."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from core.contract.view import Role
from core.layout.rows import Ink, Row, Span, pad, paragraph
from core.runs.records import RunState
from core.studies.kinds import KINDS
from core.studies.plan import Study
from core.studies.report import layer_shown
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.widgets.rows_view import RowsView

_HEADINGS = {
    "what": N_("study"),
    "model": N_("model"),
    "benchmark": N_("benchmark"),
    "layer": N_("layer"),
    "n": N_("pairs"),
    "date": N_("date UTC"),
    "id": N_("id"),
}
_IMPORTANT = ("what", "model", "benchmark", "layer", "n", "date", "id")
"""The columns by importance; a narrow screen drops the last ones."""
_SIGNS = {
    RunState.RUNNING: ("▶", Role.CHANGED),
    RunState.PAUSED: ("‖", Role.EVIDENCE),
    RunState.DONE: ("✓", Role.GOOD),
}


class StudyList(RowsView):
    """A row for each study, the newest first."""

    def __init__(self) -> None:
        super().__init__(id="studies")
        self.studies: Sequence[Study] = ()
        self._note: tuple[str, Role] = ("", Role.MUTED)

    def show(self, studies: Sequence[Study], note: tuple[str, Role]) -> None:
        """Show studies in this order; a note stands where there are none."""
        self.studies, self._note = studies, note
        self.redraw()

    @property
    def study(self) -> Study | None:
        """The study under the cursor."""
        return next((study for study in self.studies if study.id == self.cursor), None)

    def copy_text(self) -> tuple[str, str]:
        """The id of the study under the cursor."""
        return N_("study"), self.cursor

    def draw(self, width: int) -> list[Row]:
        """The heading, which does not scroll, and a row for each study."""
        self.pinned = int(bool(self.studies))
        if not self.studies:
            text, role = self._note
            return [(), *paragraph(text, role, width, cell_len)]
        rows = [_texts(study) for study in self.studies]
        columns = {
            name: [_(heading), *(escape_control_characters(row[name], limit=80) for row in rows)]
            for name, heading in _HEADINGS.items()
        }
        widths = _widths(columns, width - 2)
        drawn: list[Row] = [(Span("  "), *_cells(columns, widths, 0, Ink.HEADING, ""))]
        for number, study in enumerate(self.studies, 1):
            sign, role = _SIGNS.get(study.state, ("‖", Role.EVIDENCE))
            ink = Role.MUTED if study.plan.demo else Role.PLAIN
            cells = _cells(columns, widths, number, ink, study.id)
            drawn.append((Span(f"{sign} ", role, study.id), *cells))
        return drawn


def _widths(columns: dict[str, list[str]], room: int) -> dict[str, int]:
    """The columns that fit, by importance, in their order, each with its width."""
    wanted = {name: max(map(cell_len, texts)) for name, texts in columns.items()}
    shown: list[str] = []
    for name in _IMPORTANT:
        if not shown or sum(wanted[column] + 2 for column in [*shown, name]) <= room:
            shown.append(name)
    return {name: min(wanted[name], room) for name in columns if name in shown}


def _texts(study: Study) -> dict[str, str]:
    plan = study.plan
    kind = KINDS.get(plan.kind)
    options = ", ".join(_(value) for _name, value in plan.options)
    title = plan.kind if kind is None else _(kind.title)
    n = None if study.result is None else study.result.get("n")
    return {
        "what": f"{title}: {options}" if options else title,
        "model": plan.model,
        "benchmark": plan.benchmark,
        "layer": layer_shown(plan.benchmark, plan.layer),
        "n": "" if n is None else str(n),
        "date": study.created[:10],
        "id": study.id,
    }


def _cells(
    columns: dict[str, list[str]], widths: dict[str, int], number: int, ink: Role | Ink, ref: str
) -> list[Span]:
    return [
        Span(f"{pad(columns[name][number], wide, cell_len)}  ", ink, ref)
        for name, wide in widths.items()
    ]
