"""Draws a trace in a given height: its result, the cells, and the cell under the cursor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from rich.cells import cell_len

from core.blocks.alignment import PromptPair
from core.blocks.heatmaps import about_model, noted, trace_map
from core.blocks.sentences import (
    cell_sentence,
    changed_sentence,
    contrast_sentence,
    margins_sentence,
    memory_sentence,
    option_names,
    peak_sentence,
    span_sentence,
)
from core.blocks.spans import SpanKind
from core.blocks.trace import TraceTable
from core.contract.view import Role
from core.layout.heatmap import Cell, HeatMap
from core.layout.heatmap_drawing import Pointing, draw_panel, frame
from core.layout.ladder import PATCHED
from core.layout.rows import Ink, Row, Span, pad
from core.models.blocks import Action, Part
from core.text.escaping import escape_control_characters
from core.text.language import _
from tui.blocks.block_pane import clipped
from tui.blocks.comparison_model import ComparisonModel
from tui.blocks.control_trace import ControlTrace
from tui.blocks.trace_controller import REPLACEMENTS, Applied, Stage, Tracing

_MIN_SPANS = 4
"""Spans that stay in sight whatever else is drawn."""
_MOST = "▸"
_MARKED = "•"
_BAR = 16
"""Cells of the progress bar."""
_TWO_MAPS = 90
"""From this width on, two maps are side by side."""


def map_of(tracing: Tracing, table: TraceTable) -> HeatMap:
    """A trace as a heat map with its notes."""
    subject, pair = tracing.subject, tracing.pair
    changed = "" if pair is None else pair.changed
    heat = trace_map(table, subject.model.info, tracing.tokens, subject.form, changed)
    return heat if tracing.access is None else noted(heat, tracing.access)


@dataclass(frozen=True, slots=True)
class Picture:
    """The parts of a drawing that do not depend on the cursor, kept until more cells are known."""

    heat: HeatMap
    peak: Cell | None
    """The cell that restores most; None without contrast."""
    finding: str
    """What restores most, or why nothing can be said."""

    @classmethod
    def of(cls, tracing: Tracing) -> Picture | None:
        """The picture of a trace; None before its contrast prompt is known."""
        table = tracing.table
        if table is None:
            return None
        peak = table.peak()
        return cls(
            _aligned(map_of(tracing, table)),
            None if peak is None else (peak[0], peak[1]),
            peak_sentence(table),
        )


def _aligned(heat: HeatMap) -> HeatMap:
    """With the spans' numbers flush right, so that their words begin under each other."""
    most = len(str(len(heat.rows) - 1))
    rows = (replace(row, label=" " * (most - len(row.ref)) + row.label) for row in heat.rows)
    return replace(heat, rows=tuple(rows))


@dataclass(frozen=True, slots=True)
class Shown:
    """A trace with its cursor, and a second model's trace where there is one."""

    tracing: Tracing
    picture: Picture | None
    at: Cell
    marked: Cell | None
    focused: bool
    comparison: ComparisonModel | ControlTrace | None = None
    comparison_picture: Picture | None = None


def draw_trace(shown: Shown, width: int, height: int) -> list[Row]:
    """At most `height` rows, the less important sentences left out; more only for an error."""
    tracing, table, picture = shown.tracing, shown.tracing.table, shown.picture
    status = clipped(*_status(tracing, "" if picture is None else picture.finding), width, 6)
    if table is None or picture is None:
        return status
    least, all_spans = _map_height(shown, len(table.rows.spans), width)
    room = height - len(status) - least
    above: list[Row] = []
    below: list[Row] = []
    sentences: tuple[tuple[list[Row], str, Role | Ink], ...] = (
        (above, _patch_sentence(table, tracing.applied), Role.FORCED),
        (below, cell_sentence(table, *shown.at), Ink.HEADING),
        (below, _comparison_sentence(shown), Ink.LINK),
        (below, _marked_sentence(table, shown), Role.CHANGED),
        (below, _enter_hint(shown), Ink.KEY),
        (above, _contrast_sentence(table, tracing.pair), Role.PLAIN),
        (above, margins_sentence(table), Role.MUTED),
        (below, span_sentence(table, shown.at[0]), Role.PLAIN),
        (below, f"\n{_legend(tracing)}", Ink.GLOSS),
        (below, _about(tracing), Ink.GLOSS),
    )
    # The sentences after this one are drawn only where every span is in sight.
    before_all_spans = 7 if shown.comparison_picture is None else 5
    for number, (target, text, ink) in enumerate(sentences):
        if number == before_all_spans:
            room -= min(room, all_spans - least)
        rows = clipped(text, ink, width)
        if text.startswith("\n"):
            rows.insert(0, ())
        if len(rows) <= room:
            target.extend(rows)
            room -= len(rows)
    map_height = height - len(status) - len(above) - len(below)
    return [*status, *above, *_maps(shown, picture, width, map_height), *below]


def _map_height(shown: Shown, spans: int, width: int) -> tuple[int, int]:
    """Rows that the maps take: at least, and with every span in sight."""
    if shown.comparison_picture is None:
        return 1 + min(spans, _MIN_SPANS), 1 + spans
    if width >= _TWO_MAPS:
        return 2 + min(spans, _MIN_SPANS), 2 + spans
    return 2 * (2 + min(spans, 2)), 2 * (2 + spans)


def _status(tracing: Tracing, peak: str, *, stoppable: bool = True) -> tuple[str, Role | Ink]:
    """The progress of a trace, and the key that stops it if `stoppable`; `peak` when it is done."""
    table = tracing.table
    done = 0 if table is None else table.done
    match tracing.stage:
        case Stage.FAILED:
            return _("No trace: {error}", error=tracing.error), Role.BAD
        case Stage.EMPTY:
            message = _(
                "{error} Another layer may have a contrast prompt: j and k in the ladder.",
                error=tracing.error,
            )
            return message, Ink.GLOSS
        case Stage.WAITING:
            return _("Waiting until the ladder has been asked…"), Role.CHANGED
        case Stage.FINDING if tracing.access is None and tracing.needs is not None:
            return memory_sentence(tracing.needs), Role.CHANGED
        case Stage.READY | Stage.FINDING:
            looking = _("Looking for a contrast prompt: the same question about a changed item…")
            return looking, Role.CHANGED
        case Stage.TRACING:
            full = done * _BAR // max(1, tracing.cells)
            bar = "━" * full + "─" * (_BAR - full)
            count = _("{done} of {cells} cells", done=done, cells=tracing.cells)
            key = " · " + _("esc stops") if stoppable else ""
            return f"{bar} {count}{key}", Role.CHANGED
        case Stage.STOPPED:
            stopped = _("Stopped at {done} of {cells} cells; X twice goes on.")
            if peak:
                stopped = _("Stopped at {done} of {cells} cells; X twice goes on. So far: {peak}")
            return stopped.format(done=done, cells=tracing.cells, peak=peak), Role.CHANGED
    if table is not None and not table.pairing.differing:
        incomparable = _(
            "What differs has other tokens in the contrast prompt, so it cannot be compared. V "
            "chooses another."
        )
        return incomparable, Role.CHANGED
    return peak, Ink.HEADING


def _contrast_sentence(table: TraceTable, pair: PromptPair | None) -> str:
    contrast = contrast_sentence(table.contrast, table.rows)
    changed = changed_sentence(pair.changed if pair is not None else "")
    return f"{changed} {contrast}" if changed else contrast


def _patch_sentence(table: TraceTable, applied: Applied | None) -> str:
    if applied is None:
        return ""
    change = applied.answer.change
    if applied.margins is None or table.options is None:
        return _("{sign} Patched: {change}. esc takes it back.", sign=PATCHED, change=change)
    option, other = (option_names(table.question)[index] for index in table.options)
    here, there = applied.margins
    return _(
        "{sign} Patched: {change}. “{option}” over “{other}”: {here:+.3f} → {there:+.3f} nats. esc "
        "takes it back.",
        sign=PATCHED,
        change=change,
        option=option,
        other=other,
        here=here,
        there=there,
    )


def _marked_sentence(table: TraceTable, shown: Shown) -> str:
    if shown.marked is None or shown.marked == shown.at:
        return ""
    there, here = table.effect(*shown.marked), table.effect(*shown.at)
    span, block = shown.marked
    marked = _("{sign} Marked: span {span} at block {block}", sign=_MARKED, span=span, block=block)
    if there is None:
        return _("{marked}: no figure.", marked=marked)
    if here is None:
        return _("{marked}: {there:+.3f} nats.", marked=marked, there=there)
    return _(
        "{marked}: {there:+.3f} nats; here {here:+.3f}, {difference:+.3f}.",
        marked=marked,
        there=there,
        here=here,
        difference=here - there,
    )


def _enter_hint(shown: Shown) -> str:
    tracing, table = shown.tracing, shown.tracing.table
    if not shown.focused or table is None:
        return ""
    copies = tracing.replaced_by is Action.COPY
    rows, span = table.rows, shown.at[0]
    if (rows.contrast[span] is None and copies) or rows.spans[span].kind is SpanKind.BEGINNING:
        return ""
    applied = tracing.applied
    if applied is not None and (applied.span, applied.block) == shown.at:
        return ""
    if copies:
        return _("enter patches: asks the ladder with this cell as it is in the contrast run")
    return _(
        "enter patches: asks the ladder with {what} in the place of this cell",
        what=_(REPLACEMENTS[tracing.replaced_by]),
    )


def _legend(tracing: Tracing) -> str:
    part = _("residual stream") if tracing.part is Part.RESIDUAL else _(tracing.part)
    sentence = _(
        "· none ░ ▒ ▓ █ 1 nat: what the margin gains when the {part} of that span and block is "
        "copied into the contrast run · △ other words there"
    )
    if tracing.table is not None and tracing.table.valid:
        sentence = _(
            "· none ░ ▒ ▓ █ all: share of the margin that comes back when the {part} of that span "
            "and block is copied into the contrast run · △ other words there · {sign} most · ╱ by "
            "construction"
        )
    return sentence.format(part=part, sign=_MOST)


def _about(tracing: Tracing) -> str:
    return " ".join(about_model(tracing.subject.model.info, tracing.tokens))


def _maps(shown: Shown, picture: Picture, width: int, height: int) -> list[Row]:
    """The map; that of a second model beside it, or below where that is too narrow."""
    pointing, comparison_picture = _pointing(shown, picture), shown.comparison_picture
    if comparison_picture is None or shown.comparison is None:
        return _map(picture, pointing, width, height)
    side_by_side = width >= _TWO_MAPS
    map_width = (width - 1) // 2 if side_by_side else width
    map_height = (height if side_by_side else height // 2) - 1

    def named(name: str, picture: Picture, pointing: Pointing) -> list[Row]:
        heading = pad(f" {escape_control_characters(name)}", map_width, cell_len)
        return [
            (Span(heading, Ink.HEADING),),
            *_map(picture, pointing, map_width, map_height),
        ]

    model = shown.tracing.subject.model.info.name
    ours = named(shown.comparison.heading(model), picture, pointing)
    theirs = named(
        shown.comparison.name,
        comparison_picture,
        _comparison_pointing(shown, picture, comparison_picture),
    )
    if not side_by_side:
        return ours + theirs
    return [
        (*_filled(left, map_width), Span("│", Role.MUTED), *right)
        for left, right in zip_longest(ours, theirs, fillvalue=())
    ]


def cell_ref(span: int, block: int) -> str:
    """The ref of a cell."""
    return f"{span}.{block}"


def _map(picture: Picture, pointing: Pointing, width: int, height: int) -> list[Row]:
    cursor = pointing.cursor or (0, 0)
    shown = frame(picture.heat, width, cell_len, cursor=cursor, height=height)
    return draw_panel(picture.heat, shown, cell_len, cell_ref, pointing)


def _filled(row: Row, width: int) -> Row:
    gap = width - sum(cell_len(span.text) for span in row)
    return (*row, Span(" " * gap)) if gap > 0 else row


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


def _comparison_pointing(shown: Shown, picture: Picture, comparison_picture: Picture) -> Pointing:
    """The cursor and marks in the second model's map: at the same span and block if possible."""
    cell = _comparison_cell(shown, picture, comparison_picture)
    peak = {} if comparison_picture.peak is None else {comparison_picture.peak: _MOST}
    return Pointing(cell or (0, min(shown.at[1], len(comparison_picture.heat.columns) - 1)), peak)


def _comparison_cell(shown: Shown, picture: Picture, comparison_picture: Picture) -> Cell | None:
    """The cell of the second model's map with the span and block under the cursor."""
    rows, (span, block) = comparison_picture.heat.rows, shown.at
    text = _without_number(picture.heat.rows[span].label)
    nearest_first = sorted(range(len(rows)), key=lambda row: abs(row - span))
    row = next((row for row in nearest_first if _without_number(rows[row].label) == text), None)
    if row is None or block >= len(comparison_picture.heat.columns):
        return None
    return row, block


def _without_number(label: str) -> str:
    """The label of a row without the span's number."""
    return label.lstrip().partition(" ")[2]


def _comparison_sentence(shown: Shown) -> str:
    """The second model's progress, or its best cell and the figure of the cell under the cursor."""
    comparison = shown.comparison
    if comparison is None:
        return ""
    if comparison.error:
        return f"{comparison.name}: {comparison.error}"
    if comparison.loading:
        return _(
            "Loading {model} beside: {share:.0%}", model=comparison.name, share=comparison.progress
        )
    tracing, picture, comparison_picture = (
        comparison.tracing,
        shown.picture,
        shown.comparison_picture,
    )
    if tracing is None or comparison_picture is None or tracing.table is None or picture is None:
        return _("{model}: waits for the first model's trace", model=comparison.name)
    status, _ink = _status(tracing, comparison_picture.finding, stoppable=False)
    sentence = f"{comparison.name}: {status}"
    cell = _comparison_cell(shown, picture, comparison_picture)
    table = shown.tracing.table
    share = picture.heat.rows[shown.at[0]].values[shown.at[1]]
    other_share = None if cell is None else comparison_picture.heat.rows[cell[0]].values[cell[1]]
    if (
        share is None
        or other_share is None
        or table is None
        or tracing.table.valid is not table.valid
    ):
        return sentence
    difference = _(
        "At this cell {share:.3f}, a difference of {difference:+.3f}.",
        share=other_share,
        difference=other_share - share,
    )
    return f"{sentence} {difference}"
