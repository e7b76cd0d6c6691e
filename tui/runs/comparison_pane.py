"""The pane of a comparison of runs: tables, then the items that differ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from rich.cells import cell_len

from core.contract import registry
from core.contract.task_layer import layer_titles
from core.contract.view import Grid, Role
from core.layout.rows import SIGNS, Ink, Row, Span, pad, pad_inside, paragraph
from core.layout.sections import draw_section
from core.runs.comparison import Comparison
from core.runs.comparison_tables import (
    about_many_tests,
    conditions_and_left_out,
    counts_table,
    figures_table,
    first_wrong_table,
    layers_table,
)
from core.runs.heat_map import HeatMapRow
from core.runs.pairs import Flip, Outcome
from core.runs.replay import conditions
from core.runs.summaries import DEMO
from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext
from tui.runs.heat_map_drawing import HEAT_MAP, draw_heat_map
from tui.widgets.rows_view import RowsView

_LONGEST_ANSWER = 24
"""Most cells of an answer in the list of items."""
_SIGNS_AND_GAPS = 15
"""Cells of a row of that list that neither the id, the layer nor an answer takes."""


class ComparisonPane(RowsView):
    """Draws comparisons with the same first run, one below the other."""

    def __init__(self) -> None:
        super().__init__(id="comparison")
        self.comparisons: Sequence[Comparison] = ()
        self._letters: Sequence[str] = ()
        self.heat_map: Sequence[HeatMapRow] = ()
        self._note: tuple[str, Role] = ("", Role.MUTED)
        self._flips: dict[str, tuple[Comparison, Flip]] = {}

    def show(
        self,
        comparisons: Sequence[Comparison],
        letters: Sequence[str],
        heat_map: Sequence[HeatMapRow],
        note: tuple[str, Role],
    ) -> None:
        """Show comparisons, items by runs, and a note on what is to come or went wrong.

        `letters` are those of the second runs; the first one is A.
        """
        self.comparisons, self._letters = comparisons, letters
        self.heat_map, self._note = heat_map, note
        self._flips = {
            f"{index}/{place}": (comparison, flip)
            for index, comparison in enumerate(comparisons)
            for place, flip in enumerate(comparison.flips)
        }
        self.redraw()

    @property
    def flip(self) -> tuple[Comparison, Flip] | None:
        """The item under the cursor that one run has right and the other wrong."""
        return self._flips.get(self.cursor)

    @property
    def chosen(self) -> tuple[Comparison, str] | None:
        """The comparison and the item under the cursor, in one of the lists."""
        if self.flip is not None:
            return self.flip[0], self.flip[1].item
        part, _slash, place = self.cursor.partition("/")
        if part == HEAT_MAP and place.isdecimal():
            return self.comparisons[0], self.heat_map[int(place)].item
        return None

    @property
    def letters(self) -> tuple[str, str]:
        """The letters of the two runs in the comparison under the cursor."""
        index = self.cursor.partition("/")[0]
        return "A", self._letters[int(index) if index.isdecimal() else 0]

    def next_part(self) -> None:
        """Put the cursor on the next heading, from the last one on the first."""
        parts = [ref for ref in self._refs if not ref.rpartition("/")[2].isdecimal()]
        later = [ref for ref in parts if self._first_row[ref] > self._first_row[self.cursor]]
        if parts:
            self.cursor = (later or parts)[0]

    def draw(self, width: int) -> list[Row]:
        """Every comparison; before them what went wrong, below them what is to come."""
        text, role = self._note
        rows: list[Row] = []
        if text and role is Role.BAD:
            rows += paragraph(text, role, width, cell_len)
        for index, comparison in enumerate(self.comparisons):
            drawing = _Drawing(comparison, index, self._letters[index], width)
            rows += [*([()] if rows else []), *drawing.rows()]
        if sentence := about_many_tests(self.comparisons):
            rows += [(), *paragraph(sentence, Role.EVIDENCE, width, cell_len)]
        if self.heat_map:
            benchmark = registry.installed(self.comparisons[0].first.plan.benchmark)
            layers = benchmark.layers if benchmark is not None else ()
            rows += [(), *draw_heat_map(self.heat_map, layers, width, ["A", *self._letters])]
        if text and role is not Role.BAD:
            rows += [(), *paragraph(text, role, width, cell_len)]
        return rows


class _Drawing:
    """The rows of one comparison."""

    def __init__(self, comparison: Comparison, index: int, second: str, width: int) -> None:
        self._comparison = comparison
        self._index = index
        self._width = width
        self._second = second
        benchmark = registry.installed(comparison.first.plan.benchmark)
        titles = layer_titles(benchmark.layers) if benchmark is not None else {}
        self._names = partial(_title, titles)

    def rows(self) -> list[Row]:
        """The heading, the tables, the list of items."""
        comparison = self._comparison
        return [
            *self._heading(),
            *self._grid("layers", layers_table(comparison, self._names, self._second)),
            *self._grid("cells", counts_table(comparison, self._names, self._second)),
            *self._figures(),
            *self._grid("first", first_wrong_table(comparison, self._names, self._second)),
            *self._flips(),
        ]

    def _heading(self) -> list[Row]:
        comparison, ref = self._comparison, f"{self._index}/heading"
        rows: list[Row] = []
        for letter, run in (("A", comparison.first), (self._second, comparison.second)):
            words = f"{run.plan.model} · {conditions(run.plan)} · {run.id}"
            words = words if run.ended else f"{words} · {_(run.state)}"
            lines = paragraph(words, Ink.HEADING, self._width - 3, cell_len)
            rows += [
                (Span(f" {letter} " if not at else "   ", Ink.KEY, ref), *_with_ref(row, ref))
                for at, row in enumerate(lines)
            ]
        if comparison.first.plan.demo or comparison.second.plan.demo:
            rows += self._paragraph(_(DEMO), Role.EVIDENCE)
        for text, role in conditions_and_left_out(comparison, self._names, self._second):
            sign = f"{SIGNS[role]} " if role in SIGNS else ""
            rows += self._paragraph(f"{sign}{text}", role)
        return rows

    def _paragraph(self, text: str, role: Role) -> list[Row]:
        return paragraph(text, role, self._width, cell_len)

    def _grid(self, part: str, grid: Grid) -> list[Row]:
        """A table under a heading that the cursor stands on."""
        heading, *rows = draw_section(grid, self._width, cell_len)
        return [(), _with_ref(heading, f"{self._index}/{part}"), *rows]

    def _figures(self) -> list[Row]:
        figures = figures_table(self._comparison, self._second)
        if figures is not None:
            return self._grid("figures", figures)
        why = self._comparison.why_no_figures
        return [(), *self._paragraph(why, Role.MUTED)] if why else []

    def _flips(self) -> list[Row]:
        flips, ref = self._comparison.flips, f"{self._index}/flips"
        if not flips:
            none = _("No question is right in one run and wrong in the other.")
            return [(), *self._paragraph(none, Role.MUTED)]
        title = ngettext(
            "{n:,} question is right in one run and wrong in the other",
            "{n:,} questions are right in one run and wrong in the other",
            len(flips),
            n=len(flips),
        )
        items = [escape_control_characters(flip.item, limit=80) for flip in flips]
        layers = [self._names(flip.layer) for flip in flips]
        answers = [_shown(each) for flip in flips for each in (flip.first, flip.second)]
        longest = min(_LONGEST_ANSWER, max(map(cell_len, answers)))
        layer_width = min(max(map(cell_len, layers)), 18)
        room = self._width - layer_width - _SIGNS_AND_GAPS
        # What answers leave free is for ids, as these may begin alike.
        item_width = min(max(map(cell_len, items)), max(8, self._width // 4, room - 2 * longest))
        answer_width = max(4, min(longest, (room - item_width) // 2))
        rows: list[Row] = [(), (Span(f" {title}", Ink.HEADING, ref),)]
        for place, flip in enumerate(flips):
            at = f"{self._index}/{place}"
            rows.append(
                (
                    Span(f" {pad_inside(items[place], item_width, cell_len)}  ", Ink.NUMBER, at),
                    Span(f"{pad(layers[place], layer_width, cell_len)}  ", Role.PLAIN, at),
                    *_answer("A", flip.first, answer_width, at),
                    *_answer(self._second, flip.second, answer_width, at),
                )
            )
        return rows


def _title(titles: Mapping[str, str], layer: str) -> str:
    return titles.get(layer, escape_control_characters(layer, limit=40))


def _with_ref(row: Row, ref: str) -> Row:
    return tuple(replace(span, ref=ref) for span in row)


def _answer(letter: str, outcome: Outcome, width: int, ref: str) -> tuple[Span, Span]:
    """Whether an answer is right, and which it was."""
    role = Role.GOOD if outcome.right else Role.BAD
    return (
        Span(f"{letter} {SIGNS[role]} ", role, ref),
        Span(f"{pad(_shown(outcome), width, cell_len)}  ", Role.MUTED, ref),
    )


def _shown(outcome: Outcome) -> str:
    return escape_control_characters(_picked(outcome), limit=80)


def _picked(outcome: Outcome) -> str:
    """The picked options, by number where their texts cannot be read; “no answer” for none."""
    try:
        options = json.loads(outcome.options)
        picks = [str(options[index]) for index in outcome.picks]
    except (ValueError, TypeError, LookupError, RecursionError):
        picks = [str(index) for index in outcome.picks]
    return ", ".join(picks) or _("no answer")
