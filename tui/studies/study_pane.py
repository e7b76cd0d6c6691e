"""Draws what a study found: its map with a cursor, the cell under it, and how it was got."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len

from core.contract.view import Role
from core.layout.heatmap import Cell, HeatMap, legend
from core.layout.heatmap_drawing import Pointing, draw_panel, frame
from core.layout.rows import Ink, Row, Span, pad, paragraph
from core.studies.cell_report import interval_text, p_text
from core.studies.plan import Study
from core.studies.report import CurvePlot, StudyReport
from core.studies.traced_pairs import group_name
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.widgets.rows_view import RowsView

_FIGURE = 8
"""Cells of a figure in the list of items."""


class StudyPane(RowsView):
    """The map of a study and, when asked for, the items behind a cell of it."""

    def __init__(self, study: Study, report: StudyReport) -> None:
        super().__init__(id="study")
        self.study = study
        self.report = report
        self.cell: Cell = (0, 0)
        """The cell under the cursor: row and column."""
        self.group: int | None = None
        """The index of the group of pairs that is shown; None for all valid ones."""
        self.listing = False
        """Whether the items behind the cell are listed in the place of the map."""

    @property
    def heat(self) -> HeatMap | None:
        """The map that is shown; None for a study that is drawn as curves."""
        if self.group is not None:
            return self.report.groups[self.group][1]
        return self.report.picture if isinstance(self.report.picture, HeatMap) else None

    @property
    def item(self) -> str:
        """The item under the cursor, where items are listed."""
        return self.cursor.removeprefix("item/") if self.cursor.startswith("item/") else ""

    def move_cell(self, rows: int, columns: int) -> bool:
        """Move the cursor over the map; False where it cannot go further, or there is no map."""
        heat = self.heat
        if heat is None or self.listing or not heat.rows:
            return False
        row = min(len(heat.rows) - 1, max(0, self.cell[0] + rows))
        column = min(len(heat.columns) - 1, max(0, self.cell[1] + columns))
        moved, self.cell = (row, column) != self.cell, (row, column)
        self.redraw()
        return moved

    def next_group(self) -> None:
        """Show the next group of pairs; after the last, all valid ones."""
        following = 0 if self.group is None else self.group + 1
        self.group = following if following < len(self.report.groups) else None
        self.redraw()

    def list_items(self, listing: bool) -> None:
        """List the items behind the cell, or show the map again."""
        self.listing = listing
        self.cursor = ""
        self.redraw()
        self.scroll_home(animate=False)

    def draw(self, width: int) -> list[Row]:
        """The items behind the cell, or the finding, the map, the cell, and the method."""
        self.pinned = 0
        heat = self.heat
        if heat is not None and self.listing:
            return self._items(heat, width)
        rows: list[Row] = []
        for number, finding in enumerate(self.report.findings):
            rows += paragraph(finding, Role.PLAIN if number else Ink.HEADING, width, cell_len)
        rows.append(())
        if heat is not None:
            if self.group is not None:
                name = self.report.groups[self.group][0]
                text = _("Only pairs of one group: {group}.", group=name)
                rows += paragraph(text, Role.CHANGED, width, cell_len)
            rows += [*self._cell(heat, width), ()]
            shown = frame(heat, width, cell_len, cursor=self.cell)
            rows += [*draw_panel(heat, shown, cell_len, pointing=Pointing(self.cell)), ()]
            rows += paragraph(legend(heat), Ink.GLOSS, width, cell_len)
        elif isinstance(self.report.picture, CurvePlot):
            rows += self._table(width)
        rows.append(())
        for sentence in self.report.method:
            rows += paragraph(sentence, Ink.GLOSS, width, cell_len)
        # The map has a cursor of its own, so the rows only scroll.
        return [tuple(Span(span.text, span.ink) for span in row) for row in rows]

    def _cell(self, heat: HeatMap, width: int) -> list[Row]:
        """The figures of the cell under the cursor."""
        result, (row, column) = self._figures, self.cell
        name = f"{heat.rows[row].label} · {heat.across} {heat.columns[column]}"
        effect = result["effect"][row][column]
        if effect is None:
            text = _("{cell}: no figure: no item has one, or it is the readout itself.", cell=name)
            return paragraph(text, Role.MUTED, width, cell_len)
        if self.group is not None:
            text = _(
                "{cell}: {effect:+.3f} nats{interval}",
                cell=name,
                effect=effect,
                interval=interval_text(result["interval"][row][column]),
            )
            return paragraph(text, Role.PLAIN, width, cell_len)
        control = result["control"][row][column]
        text = _(
            "{cell}: {effect:+.3f} nats{interval} · control {control} (n {n_control}) · "
            "adjusted p {p}",
            cell=name,
            effect=effect,
            interval=interval_text(result["interval"][row][column]),
            control="–" if control is None else f"{control:+.3f}",
            n_control=result["n_control"][row],
            p=p_text(result["p"][row][column]),
        )
        return paragraph(text, Role.PLAIN, width, cell_len)

    def _items(self, heat: HeatMap, width: int) -> list[Row]:
        """The items behind the cell's figure, the largest effect first."""
        row, column = self.cell
        key = self._row_keys[row]
        name = f"{heat.rows[row].label} · {heat.across} {heat.columns[column]}"
        measured = []
        for item in self._result["items"]:
            values = item["effects"].get(key)
            if not self._shown(item) or values is None or values[column] is None:
                continue
            control = (item["control"] or {}).get(key)
            measured.append((values[column], None if control is None else control[column], item))
        measured.sort(key=lambda item: -item[0])
        head = _("{cell}: {n} items, effect and control in nats", cell=name, n=len(measured))
        rows: list[Row] = [*paragraph(head, Ink.HEADING, width, cell_len), ()]
        for effect, control, item in measured:
            ref = f"item/{item['item']}"
            figures = f"{effect:+{_FIGURE}.2f}" + (
                f"{'–':>{_FIGURE}}" if control is None else f"{control:+{_FIGURE}.2f}"
            )
            name = pad(escape_control_characters(item["item"], limit=80), 24, cell_len)
            note = escape_control_characters(group_name(item["group"]))
            rows.append(
                (
                    Span(figures, Ink.NUMBER, ref),
                    Span(f"  {name}", Role.PLAIN, ref),
                    Span(f"  {note}", Role.MUTED, ref),
                )
            )
        return rows

    def _table(self, width: int) -> list[Row]:
        """The figures as a table, for a study that is drawn as curves."""
        table = self.report.table
        texts = [list(table.columns)]
        texts += [["" if cell is None else _short(cell) for cell in row] for row in table.rows]
        wide = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
        rows: list[Row] = []
        for number, line in enumerate(texts):
            ink: Role | Ink = Role.PLAIN if number else Ink.HEADING
            cells = (pad(text, size, cell_len) for text, size in zip(line, wide, strict=True))
            rows.append((Span(" " + "  ".join(cells), ink),))
        return rows

    def _shown(self, item: dict[str, Any]) -> bool:
        """Whether an item is in the figures that are shown."""
        if self.group is None:
            return bool(item["valid"])
        return bool(item["group"] == self._figures["group"])

    @property
    def _figures(self) -> dict[str, Any]:
        """The figures of the map that is shown."""
        if self.group is None:
            return self._result
        group: dict[str, Any] = self._result["split"][self.group]
        return group

    @property
    def _result(self) -> dict[str, Any]:
        return self.study.result or {}

    @property
    def _row_keys(self) -> list[str]:
        """The names that the items' figures have for the rows of the map."""
        names = self._result.get("roles", self._result.get("blocks", []))
        return [str(name) for name in names]


def _short(cell: str | int | float | bool) -> str:
    return f"{cell:.3f}" if isinstance(cell, float) else escape_control_characters(str(cell))
