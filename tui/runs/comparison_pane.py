"""The pane of a comparison of runs: tables, then the items that differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from string import ascii_uppercase

from rich.cells import cell_len

from core.contract.benchmark import Benchmark
from core.contract.view import Cell, Grid, Role
from core.layout.figures import proportion
from core.layout.rows import SIGNS, Ink, Row, Span, pad, paragraph
from core.layout.sections import draw_section
from core.runs.comparison import ALL_RIGHT, Comparison, LayerComparison, Pair
from core.runs.figure_comparison import MOST_VERDICTS, FigureComparison
from core.runs.outcomes import Outcome
from core.runs.replay import conditions
from core.runs.summaries import DEMO, benchmark_of
from core.statistics.paired import PairedDifference
from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext
from tui.widgets.rows_view import RowsView

_LONGEST_ANSWER = 24
"""Most cells of an answer in the list of items."""
_Names = Callable[[str], str]


class ComparisonPane(RowsView):
    """Draws comparisons with the same first run, one below the other."""

    def __init__(self) -> None:
        super().__init__(id="comparison")
        self._comparisons: Sequence[Comparison] = ()
        self._note: tuple[str, Role] = ("", Role.MUTED)
        self._flips: dict[str, tuple[Comparison, Pair]] = {}

    def show(self, comparisons: Sequence[Comparison], note: tuple[str, Role]) -> None:
        """Show comparisons, and below them a note on what is to come or went wrong."""
        self._comparisons, self._note = comparisons, note
        self._flips = {
            f"{index}/{place}": (comparison, pair)
            for index, comparison in enumerate(comparisons)
            for place, pair in enumerate(comparison.flips)
        }
        self.redraw()

    @property
    def flip(self) -> tuple[Comparison, Pair] | None:
        """The item under the cursor that one run has right and the other wrong."""
        return self._flips.get(self.cursor)

    def next_part(self) -> None:
        """Put the cursor on the next heading, from the last one on the first."""
        parts = [ref for ref in self._refs if ref not in self._flips]
        later = [ref for ref in parts if self._first_row[ref] > self._first_row[self.cursor]]
        if parts:
            self.cursor = (later or parts)[0]

    def draw(self, width: int) -> list[Row]:
        """Every comparison, then the note."""
        rows: list[Row] = []
        for index, comparison in enumerate(self._comparisons):
            drawing = _Drawing(comparison, index, width)
            rows += [*([()] if rows else []), *drawing.rows()]
        if self._note[0]:
            rows += [(), *paragraph(*self._note, width, cell_len)]
        return rows


class _Drawing:
    """The rows of one comparison."""

    def __init__(self, comparison: Comparison, index: int, width: int) -> None:
        self._comparison = comparison
        self._index = index
        self._width = width
        self._second = ascii_uppercase[(index + 1) % len(ascii_uppercase)]
        benchmark, _trouble = benchmark_of(comparison.first)
        self._names = _titles(benchmark)

    def rows(self) -> list[Row]:
        """The heading, the tables, the list of items."""
        return [
            *self._heading(),
            *self._grid("layers", self._layers()),
            *self._grid("cells", self._cells()),
            *self._figures(),
            *self._grid("first", self._first_wrong()),
            *self._flips(),
        ]

    def _heading(self) -> list[Row]:
        comparison, ref = self._comparison, f"{self._index}/heading"
        rows: list[Row] = []
        for letter, run in (("A", comparison.first), (self._second, comparison.second)):
            words = f"{run.plan.model} · {conditions(run.plan)} · {run.id}"
            lines = paragraph(words, Ink.HEADING, self._width - 3, cell_len)
            rows += [
                (Span(f" {letter} " if not at else "   ", Ink.KEY, ref), *_with_ref(row, ref))
                for at, row in enumerate(lines)
            ]
        if comparison.first.plan.demo or comparison.second.plan.demo:
            rows += self._paragraph(_(DEMO), Role.EVIDENCE)
        for condition in comparison.unlike:
            unlike = _("Unlike in more than the model: {condition}", condition=condition)
            rows += self._paragraph(f"{SIGNS[Role.EVIDENCE]} {unlike}", Role.EVIDENCE)
        if comparison.only_first or comparison.only_second:
            left_out = _(
                "Not compared: {first:,} questions that only A answered, {second:,} that only "
                "{other} answered. A layer that is asked only after a right answer is compared "
                "over the items that both had right before.",
                first=comparison.only_first,
                second=comparison.only_second,
                other=self._second,
            )
            rows += self._paragraph(left_out, Role.MUTED)
        return rows

    def _paragraph(self, text: str, role: Role) -> list[Row]:
        return paragraph(text, role, self._width, cell_len)

    def _grid(self, part: str, grid: Grid) -> list[Row]:
        """A table under a heading that the cursor stands on."""
        heading, *rows = draw_section(grid, self._width, cell_len)
        return [(), _with_ref(heading, f"{self._index}/{part}"), *rows]

    def _layers(self) -> Grid:
        other = self._second
        return Grid(
            _("{other} minus A, over the questions that both answered", other=other),
            (_("layer"), "n", "A", other, f"{other} − A", _("95 % interval")),
            tuple(row for layer in self._comparison.layers for row in self._layer(layer)),
            _("▲ {other} is better, ▼ A is better: the interval leaves 0 out.", other=other),
        )

    def _layer(self, layer: LayerComparison) -> list[tuple[Cell, ...]]:
        name = self._names(layer.layer)
        rows = [(Cell(name), *_difference(layer.difference))]
        if layer.soft is not None:
            rows.append((Cell(_("{layer}, soft score", layer=name)), *_difference(layer.soft)))
        return rows

    def _cells(self) -> Grid:
        layers = self._comparison.layers
        if any(layer.p is None for layer in layers):
            how = _("For p install the extra: pip install 'commonsense-tui[stats]'.")
        else:
            how = _("p: exact McNemar test, questions taken as independent.")
        shown = _("Detectable: the difference that so many questions show with 80 % power.")
        only = _("only {other}", other=self._second)
        return Grid(
            _("Questions by who has them right"),
            (_("layer"), _("both"), _("only A"), only, _("neither"), "p", _("detectable")),
            tuple(row for layer in layers for row in self._counts(layer)),
            f"{how} {shown}",
        )

    def _counts(self, layer: LayerComparison) -> list[tuple[Cell, ...]]:
        name = self._names(layer.layer)
        counts = layer.both_right, layer.first_only, layer.second_only, layer.both_wrong
        detectable = "–" if layer.detectable is None else proportion(layer.detectable)
        rows = [
            (
                Cell(name),
                *(Cell(f"{count:,}") for count in counts),
                Cell(_p(layer.p)),
                Cell(detectable),
            )
        ]
        if layer.soft is not None:
            soft = _("{layer}, soft score", layer=name)
            test = _("{p} by permutation of clusters", p=_p(layer.soft_p))
            rows.append((Cell(soft), *(Cell("") for _count in counts), Cell(test), Cell("")))
        return rows

    def _figures(self) -> list[Row]:
        figures, runs = self._comparison.figures, (self._comparison.first, self._comparison.second)
        if not figures:
            if sum(run.verdicts for run in runs) <= MOST_VERDICTS:
                return []
            text = _(
                "The benchmark's own figures are not compared: the runs have more than {most:,} "
                "answers together.",
                most=MOST_VERDICTS,
            )
            return [(), *self._paragraph(text, Role.MUTED)]
        return self._grid(
            "figures",
            Grid(
                _("The benchmark's own figures, over the items that both answered"),
                (_("figure"), "A", self._second, f"{self._second} − A", _("95 % interval")),
                tuple(map(_figure, figures)),
                _("Intervals: one of 30 groups of clusters left out at a time, Student's t."),
            ),
        )

    def _first_wrong(self) -> Grid:
        failures = self._comparison.first_failures
        met = {layer for pair in failures for layer in pair}
        layers = [layer.layer for layer in self._comparison.layers if layer.layer in met]
        others = sorted(met.difference(layers, {ALL_RIGHT}))
        order = [*layers, *others, ALL_RIGHT]
        titles = [_(ALL_RIGHT) if layer == ALL_RIGHT else self._names(layer) for layer in order]
        return Grid(
            _("Items by first wrong layer: rows A, columns {other}", other=self._second),
            ("", *titles),
            tuple(
                (
                    Cell(title),
                    *(
                        Cell(str(failures.get((row, column), 0)), _ink_of(row, column))
                        for column in order
                    ),
                )
                for title, row in zip(titles, order, strict=True)
            ),
        )

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
        items = [escape_control_characters(pair.first.item, limit=80) for pair in flips]
        layers = [self._names(pair.first.layer) for pair in flips]
        item_width = min(max(map(cell_len, items)), max(8, self._width // 4))
        layer_width = min(max(map(cell_len, layers)), 18)
        room = self._width - item_width - layer_width - 14
        answer_width = max(4, min(_LONGEST_ANSWER, room // 2))
        rows: list[Row] = [(), (Span(f" {title}", Ink.HEADING, ref),)]
        for place, pair in enumerate(flips):
            at = f"{self._index}/{place}"
            rows.append(
                (
                    Span(f" {pad(items[place], item_width, cell_len)}  ", Ink.NUMBER, at),
                    Span(f"{pad(layers[place], layer_width, cell_len)}  ", Role.PLAIN, at),
                    *_answer("A", pair.first, answer_width, at),
                    *_answer(self._second, pair.second, answer_width, at),
                )
            )
        return rows


def _titles(benchmark: Benchmark | None) -> _Names:
    """The titles of task layers, by id; those that several share are followed by the id."""
    layers = benchmark.layers if benchmark is not None else ()
    titles = [layer.shown for layer in layers]
    names = {
        layer.id: layer.shown if titles.count(layer.shown) == 1 else f"{layer.shown} ({layer.id})"
        for layer in layers
    }
    return lambda layer: names.get(layer, escape_control_characters(layer, limit=40))


def _with_ref(row: Row, ref: str) -> Row:
    return tuple(replace(span, ref=ref) for span in row)


def _difference(each: PairedDifference) -> tuple[Cell, ...]:
    return (
        Cell(f"{each.n:,}"),
        Cell(proportion(each.first)),
        Cell(proportion(each.second)),
        *_signed(each.difference, each.interval),
    )


def _figure(figure: FigureComparison) -> tuple[Cell, ...]:
    values = (
        Cell(_("unknown") if value is None else proportion(value))
        for value in (figure.first, figure.second)
    )
    if figure.difference is None:
        return (Cell(figure.name), *values, Cell(""), Cell(""))
    return (Cell(figure.name), *values, *_signed(figure.difference, figure.interval))


def _signed(difference: float, interval: tuple[float, float] | None) -> tuple[Cell, Cell]:
    """A difference with its sign, marked where its interval leaves 0 out, and the interval."""
    if interval is None:
        return Cell(_plus(difference)), Cell(_("no interval"))
    low, high = interval
    text = f"[{_plus(low)}, {_plus(high)}]"
    if low > 0:
        return Cell(f"{_plus(difference)} ▲", Role.GOOD), Cell(text)
    if high < 0:
        return Cell(f"{_plus(difference)} ▼", Role.BAD), Cell(text)
    return Cell(_plus(difference)), Cell(text)


def _plus(value: float) -> str:
    """A difference of proportions with its sign: +.012, −.300."""
    sign = "−" if value < -0.0005 else "+"
    return f"{sign}{proportion(abs(value))}"


def _p(p: float | None) -> str:
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else proportion(p)


def _ink_of(row: str, column: str) -> Role:
    """Items that fail in the same layer, or in none, stand back."""
    return Role.MUTED if row == column else Role.PLAIN


def _answer(letter: str, outcome: Outcome, width: int, ref: str) -> tuple[Span, Span]:
    """Whether an answer is right, and which it was."""
    role = Role.GOOD if outcome.right else Role.BAD
    text = escape_control_characters(_picked(outcome), limit=80)
    return (
        Span(f"{letter} {SIGNS[role]} ", role, ref),
        Span(f"{pad(text, width, cell_len)}  ", Role.MUTED, ref),
    )


def _picked(outcome: Outcome) -> str:
    """The picked options; in words where the answer could not be read."""
    try:
        options = json.loads(outcome.options)
        picks = [str(options[index]) for index in outcome.picks]
    except (ValueError, TypeError, LookupError, RecursionError):
        picks = [str(index) for index in outcome.picks]
    return ", ".join(picks) or _("no answer")
