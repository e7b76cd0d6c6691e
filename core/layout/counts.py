"""Draws for how many items of a collection something holds: a sentence, bars, or a grid."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.view import Role
from core.layout.rows import Ink, Measure, Row, Span, pad, paragraph, wrap
from core.statistics.count import Count
from core.text.escaping import escape_control_characters
from core.text.language import _

_BAR = 14
_CELLS = range(8, 15)
"""Cells of a column of a grid: for an interval such as 80–100 with a blank before it, up to words
that head it."""
_LABEL = 7
"""Cells that the labels of rows take at least."""


def count_sentence(count: Count, *, ended: bool) -> str:
    """What came true of an item, said of all items like it; empty where there are none."""
    if not ended:
        return _("Counting items like this one: {held} of {n} so far…", held=count.held, n=count.n)
    if count.n < 2:
        return ""
    numbers = {"held": count.held, "n": count.n, "share": share_words(count)}
    if count.rare:
        text = _(
            "This item is an exception: the same holds for only {held} of {n} items like it, "
            "{share}."
        )
    else:
        text = _("The same holds for {held} of the {n} items like this one, {share}.")
    sample = "" if count.complete else " " + _("They are a random sample.")
    return text.format(**numbers) + sample


def share_words(count: Count) -> str:
    """The share in percent with its 95 % interval."""
    percent = f"{100 * count.share:.0f} %"
    if count.interval is None:
        return percent
    return _("{percent} (95 % interval {interval})", percent=percent, interval=_interval(count))


def draw_counts(
    caption: str,
    rows: Sequence[str],
    columns: Sequence[str],
    counts: Sequence[Sequence[Count | None]],
    width: int,
    measure: Measure,
) -> list[Row]:
    """Draw figures over a collection, while they are counted too.

    Args:
        caption: what is counted.
        rows: the label of each row.
        columns: the label of each column of a grid; empty for one figure a row.
        counts: for each row its counts, as many as columns or one; None for those to come.
        width: terminal cells of a row.
        measure: terminal cells that a text takes.
    """
    labels = [escape_control_characters(label) for label in rows]
    drawn = paragraph(escape_control_characters(caption), Ink.HEADING, width, measure)
    if columns:
        heads = [escape_control_characters(head) for head in columns]
        drawn += _grid(labels, heads, counts, width, measure)
    else:
        for label, (count,) in zip(labels, counts, strict=True):
            drawn += _bar(label, count, width, measure)
    known = [count.n for row in counts for count in row if count is not None]
    if columns and known:
        few, many = min(known), max(known)
        n = str(many) if few == many else _("{few} to {many}", few=few, many=many)
        below = _("Percent, and below it the 95 % interval; n = {n} a cell.", n=n)
        drawn += paragraph(below, Role.MUTED, width, measure)
    return drawn


def _bar(label: str, count: Count | None, width: int, measure: Measure) -> list[Row]:
    rows: list[Row] = [(Span(f" {line}"),) for line in wrap(label, width - 1, measure)]
    if count is None or not count.n:
        return [*rows, (Span("   …", Role.MUTED),)]
    filled = round(_BAR * count.share)
    figure = f" {100 * count.share:.0f} %"
    held = _("{held} of {n}", held=count.held, n=count.n)
    if count.interval is not None:
        held = f"{_interval(count)}  {held}"
    bar = (Span("   "), Span("█" * filled, Role.EVIDENCE), Span("░" * (_BAR - filled), Ink.TRACK))
    if 3 + _BAR + measure(figure) + 2 + measure(held) <= width:
        return [*rows, (*bar, Span(figure, Ink.NUMBER), Span(f"  {held}", Role.MUTED))]
    return [*rows, (*bar, Span(figure, Ink.NUMBER)), (Span(f"   {held}", Role.MUTED),)]


def _grid(
    labels: Sequence[str],
    heads: Sequence[str],
    counts: Sequence[Sequence[Count | None]],
    width: int,
    measure: Measure,
) -> list[Row]:
    wide = max(map(measure, labels)) + 2
    cell = min(max((width - wide) // len(heads), _CELLS.start), _CELLS.stop - 1)
    room = max(_LABEL, width - 1 - cell * len(heads))
    wrapped = [wrap(head, cell - 1, measure) for head in heads]
    rows: list[Row] = []
    for line in range(max(map(len, wrapped))):
        words = [head[line] if line < len(head) else "" for head in wrapped]
        cells = "".join(pad(word, cell, measure, right=True) for word in words)
        rows.append((Span(pad("", room + 1, measure)), Span(cells, Role.MUTED)))
    for label, row in zip(labels, counts, strict=True):
        lines = wrap(label, room - 1, measure)
        shares = [_figure(count, percent=True) for count in row]
        below = [_figure(count, percent=False) for count in row]
        for index in range(max(2, len(lines))):
            name = pad(f" {lines[index] if index < len(lines) else ''}", room + 1, measure)
            words = (shares, below)[index] if index < 2 else []
            text = "".join(pad(word, cell, measure, right=True) for word in words)
            rows.append((Span(name), Span(text, Ink.NUMBER if index == 0 else Role.MUTED)))
    return rows


def _figure(count: Count | None, *, percent: bool) -> str:
    if count is None or not count.n:
        return "…" if percent else ""
    return f"{100 * count.share:.0f} %" if percent else _interval(count)


def _interval(count: Count) -> str:
    if count.interval is None:
        return ""
    low, high = count.interval
    return f"{100 * low:.0f}–{100 * high:.0f}"
