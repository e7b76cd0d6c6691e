"""Draws a trace in the height there is: what it comes to, the cells, and the one looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from core.blocks.alignment import PromptPair
from core.blocks.heatmaps import about_model, trace_map
from core.blocks.sentences import (
    cell_sentence,
    changed_sentence,
    contrast_sentence,
    margins_sentence,
    memory_sentence,
    option_names,
    peak_sentence,
)
from core.blocks.trace import TraceTable
from core.contract.view import Role
from core.layout.heatmap import Cell, HeatMap, Pointing, draw_panel, frame
from core.layout.ladder import PATCHED
from core.layout.rows import Ink, Measure, Row, Span, pad, wrap
from core.models.blocks import Part
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.blocks.comparison_model import ComparisonModel
from tui.blocks.trace_controller import Applied, Stage, Tracing

_FEWEST = 4
"""Spans that are in sight whatever else is to be said."""
_MOST = "▸"
_MARKED = "•"
_BAR = 16
_TWO_MAPS = 90
"""Cells from which on two maps are side by side."""


def map_of(tracing: Tracing, table: TraceTable) -> HeatMap:
    """A trace's cells with all that must be known to read them."""
    asked, offer = tracing.subject, tracing.pair
    changed = "" if offer is None else offer.changed
    return trace_map(table, asked.model.info, tracing.tokens, asked.form, changed)


@dataclass(frozen=True, slots=True)
class Picture:
    """What does not depend on the cursor, made once for as many cells as are known."""

    heat: HeatMap
    peak: Cell | None
    """The cell that restores most; None without contrast."""
    said: str
    """What restores most, or why nothing can be said."""

    @classmethod
    def of(cls, tracing: Tracing) -> Picture | None:
        """The picture of a trace; None before its contrast prompt is known."""
        table = tracing.table
        if table is None:
            return None
        peak = table.peak() if table.margins_differ else None
        return cls(
            _aligned(map_of(tracing, table)),
            None if peak is None else (peak[0], peak[1]),
            peak_sentence(table, tracing.part),
        )


def _aligned(heat: HeatMap) -> HeatMap:
    """With the spans' numbers flush right, so that their words begin under each other."""
    most = len(str(len(heat.rows) - 1))
    rows = (replace(row, label=" " * (most - len(row.ref)) + row.label) for row in heat.rows)
    return replace(heat, rows=tuple(rows))


@dataclass(frozen=True, slots=True)
class Shown:
    """A trace as it is looked at."""

    tracing: Tracing
    picture: Picture | None
    at: Cell
    marked: Cell | None
    focused: bool
    comparison: ComparisonModel | None = None
    """A second model, if there is one."""
    comparison_picture: Picture | None = None
    """Of its trace."""


@dataclass(frozen=True, slots=True)
class _Words:
    """Lines above the cells, or below them."""

    rows: list[Row]
    above: bool = False


def draw_trace(shown: Shown, width: int, height: int, measure: Measure) -> list[Row]:
    """At most `height` lines, what matters less left out first; more only for an error."""
    tracing, table, picture = shown.tracing, shown.tracing.table, shown.picture

    def words(text: str, ink: Role | Ink, most: int = 3) -> list[Row]:
        lines = [
            line
            for part in text.splitlines()
            for line in wrap(escape_control_characters(part), max(8, width - 2), measure)
        ]
        if len(lines) > most:
            lines = [*lines[: most - 1], pad(f"{lines[most - 1]} …", max(8, width - 2), measure)]
        return [(Span(f" {line}", ink),) for line in lines if line]

    status = words(*_status(tracing, "" if picture is None else picture.said), most=6)
    if table is None or picture is None:
        return status
    least, all_spans = _lines(shown, len(table.pairing.spans), width)
    room = height - len(status) - least
    wanted = (
        _Words(words(_patch_sentence(table, tracing.applied), Role.FORCED), above=True),
        _Words(words(cell_sentence(table, *shown.at), Ink.HEADING)),
        _Words(words(_comparison_sentence(shown), Ink.LINK)),
        _Words(words(_marked_sentence(table, shown), Role.CHANGED)),
        _Words(words(_contrast_sentence(table, tracing.pair), Role.PLAIN), above=True),
        _Words(words(margins_sentence(table), Role.MUTED), above=True),
        _Words(words(_span_sentence(table, shown.at[0]), Role.PLAIN)),
        _Words(words(_enter_hint(shown), Ink.KEY)),
        _Words([(), *words(_legend(tracing), Ink.GLOSS)]),
        _Words(words(_about(tracing), Ink.GLOSS)),
    )
    above: list[Row] = []
    below: list[Row] = []
    for number, part in enumerate(wanted):
        if number == (_BEFORE_ALL_SPANS if shown.comparison_picture is None else _BEFORE_TWO_MAPS):
            room -= min(room, all_spans - least)
        if part.rows and len(part.rows) <= room:
            (above if part.above else below).extend(part.rows)
            room -= len(part.rows)
    cells = height - len(status) - len(above) - len(below)
    drawn = _maps(shown, picture, width, cells, measure)
    return [*status, *above, *drawn, *below]


_BEFORE_ALL_SPANS = 6
"""How many of what is wanted come before seeing every span."""
_BEFORE_TWO_MAPS = 4
"""The same where two maps are drawn."""


def _lines(shown: Shown, spans: int, width: int) -> tuple[int, int]:
    """How many lines the cells take: at least, and for every span to be in sight."""
    if shown.comparison_picture is None:
        return 1 + min(spans, _FEWEST), 1 + spans
    if width >= _TWO_MAPS:
        return 2 + min(spans, _FEWEST), 2 + spans
    return 2 * (2 + min(spans, 2)), 2 * (2 + spans)


def _status(tracing: Tracing, peak: str, *, stoppable: bool = True) -> tuple[str, Role | Ink]:
    """How far it is, and how to stop it where it is `stoppable`, or what it came to."""
    table = tracing.table
    match tracing.stage:
        case Stage.FAILED:
            return _("No trace: {error}", error=tracing.error), Role.BAD
        case Stage.EMPTY:
            other = _("{error} Another layer may have a contrast prompt: j and k in the ladder.")
            return other.format(error=tracing.error), Ink.GLOSS
        case Stage.WAITING:
            return _("Waits while the ladder is asked…"), Role.CHANGED
        case Stage.FINDING if tracing.access is None and tracing.needs is not None:
            return memory_sentence(tracing.needs), Role.CHANGED
        case Stage.READY | Stage.FINDING:
            looking = _(
                "Looking for a contrast prompt: the same question where something else is so…"
            )
            return looking, Role.CHANGED
        case Stage.TRACING:
            done, cells = (0 if table is None else table.done), tracing.cells
            full = done * _BAR // max(1, cells)
            bar = "━" * full + "─" * (_BAR - full)
            going = _("{done} of {cells} cells", done=done, cells=cells)
            stops = " · " + _("esc stops") if stoppable else ""
            return f"{bar} {going}{stops}", Role.CHANGED
        case Stage.STOPPED:
            done = 0 if table is None else table.done
            stopped = _("Stopped at {done} of {cells} cells; X twice goes on.")
            if peak:
                stopped = _("Stopped at {done} of {cells} cells; X twice goes on. So far: {peak}")
            return stopped.format(done=done, cells=tracing.cells, peak=peak), Role.CHANGED
    if table is not None and not table.pairing.differing:
        return (
            _(
                "What differs has other tokens in the contrast prompt, so it cannot be compared. V "
                "chooses another."
            ),
            Role.CHANGED,
        )
    return peak, Ink.HEADING


def _contrast_sentence(table: TraceTable, offer: PromptPair | None) -> str:
    said = contrast_sentence(table.contrast, table.pairing)
    changed = changed_sentence(offer.changed if offer is not None else "")
    return f"{changed} {said}" if changed else said


def _patch_sentence(table: TraceTable, applied: Applied | None) -> str:
    if applied is None:
        return ""
    change = applied.answer.change
    if applied.margins is None or table.options is None:
        said = _("{sign} Patched: {change}. esc takes it back.")
        return said.format(sign=PATCHED, change=change)
    names = option_names(table.question)
    first, comparison_picture = table.options
    here, there = applied.margins
    return _(
        "{sign} Patched: {change}. “{option}” over “{other}”: {here:+.3f} → {there:+.3f} nats. esc "
        "takes it back.",
        sign=PATCHED,
        change=change,
        option=names[first],
        other=names[comparison_picture],
        here=here,
        there=there,
    )


def _marked_sentence(table: TraceTable, shown: Shown) -> str:
    if shown.marked is None or shown.marked == shown.at:
        return ""
    one, other = table.share(*shown.marked), table.share(*shown.at)
    span, block = shown.marked
    said = _("{sign} Marked: span {span} at block {block}")
    said = said.format(sign=_MARKED, span=span, block=block)
    if one is None:
        return _("{marked}: no figure.", marked=said)
    if other is None:
        return f"{said}: {one:.3f}."
    compared = _("{marked}: {there:.3f}; here {here:.3f}, {difference:+.3f}.")
    return compared.format(marked=said, there=one, here=other, difference=other - one)


def _span_sentence(table: TraceTable, span_index: int) -> str:
    """What a span says here and in the contrast prompt, and on which tokens."""
    span, other = table.pairing.spans[span_index], table.pairing.contrast[span_index]
    if span.tokens is None:
        return _("“{text}”, shares a token with its neighbour", text=span.text)
    first, after = span.tokens
    where = _("tokens {first} to {last}", first=first, last=after - 1)
    if other is None or other.text == span.text:
        return _("“{text}”, {tokens}", text=span.text, tokens=where)
    both = _("here “{text}”\ncontrast “{other}”, {tokens}")
    return both.format(text=span.text, other=other.text, tokens=where)


def _enter_hint(shown: Shown) -> str:
    tracing, table = shown.tracing, shown.tracing.table
    if not shown.focused or table is None or table.pairing.contrast[shown.at[0]] is None:
        return ""
    applied = tracing.applied
    if applied is not None and (applied.span, applied.block) == shown.at:
        return ""
    return _("enter patches: the ladder answers with this cell as it is in the contrast run")


def _legend(tracing: Tracing) -> str:
    part = _("residual stream") if tracing.part is Part.RESIDUAL else _(tracing.part)
    return _(
        "· none ░ ▒ ▓ █ all: share of the margin that comes back when the {part} of that span and "
        "block is copied into the contrast run · △ other words there · {sign} most",
        part=part,
        sign=_MOST,
    )


def _about(tracing: Tracing) -> str:
    return " ".join(about_model(tracing.subject.model.info, tracing.tokens))


def _maps(shown: Shown, picture: Picture, width: int, height: int, measure: Measure) -> list[Row]:
    """The cells; those of a second model beside them, or below where that is too narrow."""
    if shown.comparison_picture is None or shown.comparison is None:
        return _cells(picture, _pointing(shown, picture), width, height, measure)
    side_by_side = width >= _TWO_MAPS
    wide = (width - 1) // 2 if side_by_side else width
    tall = (height if side_by_side else height // 2) - 1
    names = (shown.tracing.subject.model.info.name, shown.comparison.name)
    pointings = (
        _pointing(shown, picture),
        _comparison_pointing(shown, picture, shown.comparison_picture),
    )
    maps = [
        [
            (Span(pad(f" {escape_control_characters(name)}", wide, measure), Ink.HEADING),),
            *_cells(one, pointing, wide, tall, measure),
        ]
        for name, one, pointing in zip(
            names, (picture, shown.comparison_picture), pointings, strict=True
        )
    ]
    if not side_by_side:
        return [*maps[0], *maps[1]]
    return [
        (*_filled(one, wide, measure), Span("│", Role.MUTED), *other)
        for one, other in zip_longest(*maps, fillvalue=())
    ]


def cell_ref(span: int, block: int) -> str:
    """The name of a cell."""
    return f"{span}.{block}"


def _cells(
    picture: Picture, pointing: Pointing, width: int, height: int, measure: Measure
) -> list[Row]:
    at = pointing.cursor or (0, 0)
    shown = frame(picture.heat, width, measure, cursor=at, height=height)
    return draw_panel(picture.heat, shown, measure, cell_ref, pointing)


def _filled(row: Row, width: int, measure: Measure) -> Row:
    gap = width - sum(measure(span.text) for span in row)
    return (*row, Span(" " * gap)) if gap > 0 else row


def _comparison_pointing(shown: Shown, picture: Picture, comparison_picture: Picture) -> Pointing:
    """The same span and block in the second model's map, as far as it has them."""
    at = _comparison_cell(shown, picture, comparison_picture)
    peak = {} if comparison_picture.peak is None else {comparison_picture.peak: _MOST}
    return Pointing(at or (0, min(shown.at[1], len(comparison_picture.heat.columns) - 1)), peak)


def _comparison_cell(shown: Shown, picture: Picture, comparison_picture: Picture) -> Cell | None:
    """Where the second model's map has the span and block under the cursor."""
    rows, place = comparison_picture.heat.rows, shown.at[0]
    label = _words_of(picture.heat.rows[place].label)
    near = sorted(range(len(rows)), key=lambda row: abs(row - place))
    row = next((row for row in near if _words_of(rows[row].label) == label), None)
    if row is None or shown.at[1] >= len(comparison_picture.heat.columns):
        return None
    return row, shown.at[1]


def _words_of(label: str) -> str:
    """A row's label without its number."""
    return label.lstrip().partition(" ")[2]


def _comparison_sentence(shown: Shown) -> str:
    """How far the second model is, what restores most there, and what the same cell does."""
    comparison = shown.comparison
    if comparison is None:
        return ""
    if comparison.error:
        return f"{comparison.name}: {comparison.error}"
    if comparison.loading:
        loading = _("Loading {model} beside: {share:.0%}")
        return loading.format(model=comparison.name, share=comparison.progress)
    tracing, comparison_picture, picture = (
        comparison.tracing,
        shown.comparison_picture,
        shown.picture,
    )
    if tracing is None or comparison_picture is None or tracing.table is None or picture is None:
        return _("{model}: waits for the first model's trace", model=comparison.name)
    said = f"{comparison.name}: {_status(tracing, comparison_picture.said, stoppable=False)[0]}"
    at = _comparison_cell(shown, picture, comparison_picture)
    one = picture.heat.rows[shown.at[0]].values[shown.at[1]]
    other = None if at is None else comparison_picture.heat.rows[at[0]].values[at[1]]
    if one is None or other is None:
        return said
    here = _("At this cell {share:.3f}, a difference of {difference:+.3f}.")
    return f"{said} {here.format(share=other, difference=other - one)}"


def _pointing(shown: Shown, picture: Picture) -> Pointing:
    signs: dict[Cell, str] = {}
    if picture.peak is not None and shown.tracing.stage is not Stage.TRACING:
        signs[picture.peak] = _MOST
    if shown.marked is not None:
        signs[shown.marked] = _MARKED
    applied = shown.tracing.applied
    if applied is not None:
        signs[applied.span, applied.block] = PATCHED
    return Pointing(shown.at, signs)
