"""Draws a summary: every figure as a bar with its interval, its count and its baselines.

Accuracy       .610 [.558, .659]  217/356  ███████████▓░░╎
                                           ╎ always false .669
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.contract.summary import Figure, Summary
from core.contract.view import Role
from core.layout.rows import Ink, Measure, Row, Span, indented, pad, paragraph
from core.layout.sections import draw_section
from core.text.language import _, translated

_BASELINE_SIGNS = "╎◇┊□△▽☆"
_MIN_BAR_WIDTH = 8
_NAME_WIDTH = 22
"""Most cells of a figure's name beside its value, where a third of the width is less."""
_SEVERAL = "◈"
"""Sign for several trivial answers that fall into the same cell."""


def draw_summary(summary: Summary, width: int, measure: Measure) -> list[Row]:
    """The main figures, then tables, then detailed figures, then the notes on how to read them."""
    rows: list[Row] = []
    longest = max((measure(translated(figure.name)) for figure in summary.figures), default=0)
    names = min(max(_NAME_WIDTH, width // 3), longest)
    signs = _signs(summary)
    if any(_room(figure, names, width, measure) >= _MIN_BAR_WIDTH for figure in summary.figures):
        rows.extend(_legend(summary, signs, width, measure))
    for figure in summary.figures:
        if not figure.detail:
            rows.extend(_draw_figure(figure, signs, names, width, measure))
    for table in summary.tables:
        rows += [(), *draw_section(table, width, measure)]
    details = [figure for figure in summary.figures if figure.detail]
    if details:
        rows.append(())
    for figure in details:
        rows.extend(_draw_figure(figure, signs, names, width, measure))
    rows += _trivial_answers(summary, width, measure)
    for note in summary.notes:
        rows += [(), *paragraph(note, Ink.GLOSS, width, measure)]
    return rows


def _trivial_answers(summary: Summary, width: int, measure: Measure) -> list[Row]:
    """What each baseline answers, a paragraph each."""
    rows: list[Row] = [()] if summary.trivial_answers else []
    for (name, answers), figures in summary.trivial_answers.items():
        words = _(
            "{baseline} ({figures}): {answers}.",
            baseline=_(name),
            figures=named_figures(figures),
            answers=answers,
        )
        rows += paragraph(words, Ink.GLOSS, width, measure)
    return rows


def named_figures(names: Sequence[str]) -> str:
    """The first of some figures and how many more there are: "Accuracy and 3 more"."""
    if len(names) == 1:
        return translated(names[0])
    return _("{figure} and {others} more", figure=translated(names[0]), others=len(names) - 1)


def _signs(summary: Summary) -> dict[str, str]:
    """The sign of each baseline by its name: the same in the rows of all figures.

    Baselines beyond the last sign have none; their values are only said.
    """
    names = dict.fromkeys(name for figure in summary.figures for name in figure.baselines)
    return dict(zip(names, _BASELINE_SIGNS, strict=False))


def _legend(summary: Summary, signs: Mapping[str, str], width: int, measure: Measure) -> list[Row]:
    """The legend of the bars."""
    words = _("█ the figure   ▓░ its 95 % interval")
    if signs:
        trivial = _("{signs} what trivial answers reach", signs=" ".join(signs.values()))
        words += f"   {trivial}"
        if any(len(figure.baselines) > 1 for figure in summary.figures):
            words += ", " + _("{sign} several of them", sign=_SEVERAL)
    return paragraph(words, Ink.GLOSS, width, measure)


def _draw_figure(
    figure: Figure, signs: Mapping[str, str], names: int, width: int, measure: Measure
) -> list[Row]:
    words = translated(figure.name)
    above: list[Row] = []
    if measure(words) > names:
        # Cut names of parts would read the same.
        above = indented(words, Ink.HEADING, width, measure, by=1, ref=figure.name)
        words = ""
    name = Span(f" {pad(words, names, measure)} ", Ink.HEADING, figure.name)
    if figure.value is None:
        text = _("unknown of {n}", n=figure.n)
        text += f": {figure.note}" if figure.note else ""
        rows = indented(text, Role.MUTED, width, measure, by=names + 2, ref=figure.name)
        return [*above, (name, *rows[0][1:]), *rows[1:]]
    head = (name, *_numbers(figure, figure.value))
    room = _room(figure, names, width, measure)
    rows = [*above, head if room < _MIN_BAR_WIDTH else (*head, *_bar(figure, signs, min(room, 50)))]
    trivial = "   ".join(
        f"{signs.get(name, '')} {_(name)} {proportion(of.value)}".lstrip()
        for name, of in figure.baselines.items()
    )
    why = _("no interval: {why}", why=_(figure.withheld)) if figure.withheld else ""
    for text in (trivial, why, figure.note):
        rows += indented(text, Ink.GLOSS, width, measure, by=names + 2, ref=figure.name)
    return rows


def _numbers(figure: Figure, value: float) -> tuple[Span, Span, Span]:
    """The value of a figure, its interval and its count."""
    interval = figure.interval
    if interval:
        span = f"[{proportion(interval[0])}, {proportion(interval[1])}]"
    else:
        span = _("no interval") if figure.n else f"[ {_('no items')} ]"
    return (
        Span(f"{proportion(value)} ", Role.PLAIN, figure.name),
        Span(f"{span:<12} ", Role.MUTED, figure.name),
        Span(f"{figure.counted:>9}  ", Role.PLAIN, figure.name),
    )


def _room(figure: Figure, names: int, width: int, measure: Measure) -> int:
    """The cells left for the bar of a figure; 0 where it has no value."""
    if figure.value is None:
        return 0
    numbers = _numbers(figure, figure.value)
    return width - names - 2 - sum(measure(part.text) for part in numbers) - 1


def _bar(figure: Figure, signs: Mapping[str, str], width: int) -> Sequence[Span]:
    """A bar from 0 to 1 in `width` cells: full up to the interval, which is shaded.

    The shade is darker up to the value and lighter above it.
    """
    value = figure.value or 0.0
    low, high = figure.interval or (value, value)
    marks: dict[int, str] = {}
    for name, baseline in figure.baselines.items():
        if name not in signs:
            continue
        cell = min(width - 1, int(baseline.value * width))
        marks[cell] = _SEVERAL if cell in marks else signs[name]
    spans = []
    for cell in range(width):
        middle = (cell + 0.5) / width
        if cell in marks:
            spans.append(Span(marks[cell], Role.CHANGED, figure.name))
        elif middle <= min(value, low):
            spans.append(Span("█", Ink.LINK, figure.name))
        elif middle <= value:
            spans.append(Span("▓", Ink.LINK, figure.name))
        elif middle <= high:
            spans.append(Span("░", Ink.LINK, figure.name))
        else:
            spans.append(Span("·", Ink.TRACK, figure.name))
    return spans


def p_text(p: float | None) -> str:
    """A p-value in a few characters."""
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else proportion(p)


def proportion(value: float) -> str:
    """A proportion in four characters: .610, 1.00."""
    return "1.00" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")
