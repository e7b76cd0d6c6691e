"""Draws what a study found: its map with a cursor, the cell under it, and how it was got."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from rich.cells import cell_len

from core.contract.view import Role
from core.layout.figures import p_text
from core.layout.heatmap import Cell, HeatMap, legend
from core.layout.heatmap_drawing import Pointing, draw_panel, frame
from core.layout.rows import Ink, Row, Span, columns_that_fit, pad, paragraph
from core.studies.cell_report import interval_text
from core.studies.head_attribution import ATTRIBUTION
from core.studies.items_behind import ItemsBehind, Place
from core.studies.kinds import items_behind
from core.studies.plan import Study
from core.studies.report import CurvePlot, StudyReport, StudyTable, cell_text
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import _, translated
from core.text.shown_number import ShownNumber
from tui.widgets.rows_view import RowsView

_FIGURE = 8
"""Fewest cells of a figure in the list of items."""
_NAME = 24
"""Most cells of an item's name there."""
_ROW, _ITEM = "row/", "item/"
"""What a row of the table, and a listed item, are called by the cursor; a number follows."""


class StudyPane(RowsView):
    """The map or table of a study and, when asked for, the items behind a figure of it."""

    def __init__(self, study: Study, report: StudyReport) -> None:
        super().__init__(id="study")
        self.study = study
        self.report = report
        self.cell: Cell = (0, 0)
        """The cell of the map under the cursor, row and column; of a table the row that is listed.
        """
        self.group: int | None = None
        """The index of the group of pairs that is shown; None for all valid ones."""
        self.listing = False
        """Whether the items behind the figure are listed in the place of the map or table."""
        self._behind = ItemsBehind("")
        """These items."""

    @property
    def heat(self) -> HeatMap | None:
        """The map that is shown; None for a study that is drawn as curves."""
        if self.group is not None:
            return self.report.groups[self.group][1]
        return self.report.picture if isinstance(self.report.picture, HeatMap) else None

    @property
    def item(self) -> str:
        """The item under the cursor, where items are listed."""
        if not self.listing or not self.cursor.startswith(_ITEM):
            return ""
        return self._behind.items[int(self.cursor.removeprefix(_ITEM))].item

    @property
    def head(self) -> tuple[int, int] | None:
        """The block and the head that items are listed for; None where the figure is of no head."""
        if "heads" not in self._result or not self.listing:
            return None
        row, column = self.cell
        return self._result["blocks"][row], self._result["heads"][column]

    @property
    def benchmark(self) -> str:
        """The benchmark of the items that are listed."""
        return self._behind.benchmark or self.study.plan.benchmark

    def move_cell(self, rows: int, columns: int) -> bool:
        """Move the cursor over the map or the rows of the table; False where it can't go on."""
        heat = self.heat
        if heat is None and not self.listing:
            before = self.cursor
            self.move_cursor(rows)
            return self.cursor != before
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
        """List the items behind the figure under the cursor, or show the map or table again."""
        if self.heat is not None and not self.heat.rows:
            return
        if listing and self.cursor.startswith(_ROW):
            self.cell = (int(self.cursor.removeprefix(_ROW)), 0)
        self.listing, self._behind = listing, ItemsBehind("")
        self.cursor = ""
        self.redraw()
        self.scroll_home(animate=False)
        if not listing and self.heat is None:
            self.cursor = f"{_ROW}{self.cell[0]}"

    def draw(self, width: int) -> list[Row]:
        """The items behind a figure, or the finding, the map or table, and the method."""
        self.pinned = 0
        if self.listing:
            return self._items(width)
        heat = self.heat
        rows: list[Row] = []
        for number, finding in enumerate(self.report.findings):
            rows += paragraph(finding, Role.PLAIN if number else Ink.HEADING, width, cell_len)
        rows.append(())
        if heat is not None and heat.rows:
            if self.group is not None:
                name = self.report.groups[self.group][0]
                text = _("Only pairs of one group: {group}.", group=name)
                rows += paragraph(text, Role.CHANGED, width, cell_len)
            rows += [*self._cell(heat, width), ()]
            shown = frame(heat, width, cell_len, cursor=self.cell)
            rows += [*draw_panel(heat, shown, cell_len, pointing=Pointing(self.cell)), ()]
            rows += paragraph(legend(heat), Ink.GLOSS, width, cell_len)
        elif isinstance(self.report.picture, CurvePlot):
            rows += _table(self.report.table, 0, width)
            if self.report.side_effects is not None:
                rows.append(())
                rows += _table(self.report.side_effects, len(self.report.table.rows), width)
        rows.append(())
        for sentence in self.report.method:
            rows += paragraph(sentence, Ink.GLOSS, width, cell_len)
        if heat is None:
            return rows
        # The cursor of the map is its own; the rows scroll.
        return [tuple(Span(span.text, span.ink) for span in row) for row in rows]

    def _cell(self, heat: HeatMap, width: int) -> list[Row]:
        """The figures of the cell under the cursor."""
        result, (row, column) = self._figures, self.cell
        name = f"{heat.rows[row].label} · {heat.across} {heat.columns[column]}"
        effect = result["effect"][row][column]
        if effect is None:
            text = _("{cell}: no figure: no item has one, or the answer is read there.", cell=name)
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
            control="–" if control is None else f"{ShownNumber(control):+.3f}",
            n_control=result["n_control"][row],
            p=p_text(result["p"][row][column]),
        )
        own = result.get(ATTRIBUTION)
        if own and own[row][column] is not None:
            text += _(
                " · adds {attribution:+.3f} logits{interval} by itself",
                attribution=own[row][column],
                interval=interval_text(result["attribution_interval"][row][column]),
            )
        return paragraph(text, Role.PLAIN, width, cell_len)

    def _items(self, width: int) -> list[Row]:
        """The items behind the figure under the cursor, below a heading that does not scroll."""
        try:
            behind = items_behind(self.study, self.report, self._place)
        except CommonsenseError as error:
            return paragraph(str(error), Role.BAD, width, cell_len)
        rows = paragraph(behind.title, Ink.HEADING, width, cell_len)
        rows += [*paragraph(behind.note, Role.MUTED, width, cell_len), ()]
        if not behind.items:
            return rows
        names = [escape_control_characters(item.item, limit=80) for item in behind.items]
        wide = min(_NAME, max(map(cell_len, [_("item"), *names])))
        figure = max(_FIGURE, *(cell_len(column) + 2 for column in behind.columns))
        heads = "".join(f"{column:>{figure}}" for column in behind.columns)
        rows.append((Span(f"{heads}  {_('item')}", Ink.HEADING),))
        self.pinned = len(rows)
        for number, (item, name) in enumerate(zip(behind.items, names, strict=True)):
            ref = f"{_ITEM}{number}"
            figures = "".join(
                f"{'–':>{figure}}" if value is None else f"{ShownNumber(value):+{figure}.2f}"
                for value in item.figures
            )
            rows.append(
                (
                    Span(figures, Ink.NUMBER, ref),
                    Span(f"  {pad(name, wide, cell_len)}", Role.PLAIN, ref),
                    Span(f"  {escape_control_characters(item.note)}", Role.MUTED, ref),
                )
            )
        self._behind = behind
        return rows

    @property
    def _place(self) -> Place:
        return Place(*self.cell, self.group)

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


def _widths(heads: list[list[str]], rows: list[list[str]]) -> list[int]:
    """The cells that each column takes."""
    columns = zip(*rows, strict=True) if rows else [()] * len(heads)
    return [
        max(map(cell_len, [*head, *column])) for head, column in zip(heads, columns, strict=True)
    ]


def _line(texts: Sequence[str], widths: Sequence[int], columns: Sequence[int]) -> str:
    cells = (pad(texts[column], widths[column], cell_len) for column in columns)
    return " " + "  ".join(cells)


def _table(table: StudyTable, first: int, width: int) -> list[Row]:
    """A table of a study that is drawn as curves; `first` is the number of its first row.

    Columns that do not fit follow below, beside the first column again.
    """
    texts = [[escape_control_characters(cell_text(cell)) for cell in row] for row in table.rows]
    names = [translated(column) for column in table.columns]
    heads = [[name] for name in names]
    wide = _widths(heads, texts)
    if sum(wide) + 2 * len(wide) > width:
        wide = _widths([name.split() for name in names], texts)
        heads = [wrap(name, cells) for name, cells in zip(names, wide, strict=True)]
    high = max(map(len, heads))
    above = list(zip(*([""] * (high - len(head)) + head for head in heads), strict=True))
    rows = paragraph(table.title, Ink.HEADING, width, cell_len)
    # Behind the last column there is no gap, and a blank before the first.
    for part in columns_that_fit(wide, width + 1):
        rows += [(Span(_line(line, wide, part), Ink.HEADING),) for line in above]
        rows += [
            (Span(_line(line, wide, part), Role.PLAIN, f"{_ROW}{number}"),)
            for number, line in enumerate(texts, first)
        ]
    return rows
