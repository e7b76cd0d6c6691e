"""What is exported: an item in its current setting, with the states to compare it with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.contract.benchmark import Benchmark
from core.contract.collection import About, Item
from core.contract.setting import Choice, Dial, Number, Setting, Switch
from core.contract.view import Grid, Note, View
from core.layout.heatmap import HeatMap
from core.text.errors import CommonsenseError
from core.text.language import N_, _, translated

_SLIDING = (Dial.SIZE, Dial.NOISE, Dial.STEP)
"""Numbers that change what an item is, other than those of random draws."""
_MOST_VALUES = 24


class ExportError(CommonsenseError):
    """A view cannot be written in a format, or a file cannot be written."""

    title = N_("This cannot be exported")


class FileExistsAlreadyError(ExportError):
    """The file already exists, and the person did not ask to overwrite it."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One state of an item."""

    label: str
    """Its name among the other states ("plausible", "do: the rain does not fall")."""
    setting: tuple[tuple[str, str], ...]
    """The switches that were changed: the label of each and its value in words."""
    view: View


@dataclass(frozen=True, slots=True)
class Slider:
    """A switch that is a number, with the state for each value that looks different."""

    label: str
    values: tuple[str, ...]
    sheets: tuple[Sheet, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """An item to export; the requested state comes first."""

    benchmark: str
    """The benchmark's title."""
    item: str
    about: About
    sheets: tuple[Sheet, ...]
    readings: tuple[HeatMap, ...] = ()
    """Heat maps of the model's blocks for the requested state."""
    sliders: tuple[Slider, ...] = ()
    """States beside the requested one, which a page shows as a number is moved."""

    @property
    def first(self) -> Sheet:
        """The requested state."""
        return self.sheets[0]


def document_of(
    benchmark: Benchmark,
    item: Item,
    setting: Setting,
    about: About,
    readings: tuple[HeatMap, ...] = (),
    drawn: Callable[[View], View] | None = None,
    answers: Callable[[Setting], Grid | None] | None = None,
    *,
    sliders: bool = True,
) -> Document:
    """Collect an item in a setting, its contrasts where the benchmark has some, and its sliders.

    It is told in the language of the program.

    Args:
        benchmark: that of the item.
        item: what is exported.
        setting: the requested state.
        about: where the item is from.
        readings: heat maps for that state.
        drawn: adds to its view, for example attention links.
        answers: a model's answers in each state as a table; None where it was not asked.
        sliders: whether states are added that only a slider shows.
    """
    switches = benchmark.switches(item)
    views: dict[Setting, View] = {}
    sheets: dict[Setting, Sheet] = {}

    def add(label: str, state: Setting) -> Sheet:
        view = views[state]
        if drawn is not None and state == setting:
            view = drawn(view)
        table = answers(state) if answers is not None else None
        if table is not None:
            view = replace(view, sections=(*view.sections, table))
        return sheets.setdefault(
            state, Sheet(translated(label), setting_words(switches, state), view)
        )

    others = benchmark.contrasts(item, setting)
    labels = {state: label for label, state in reversed(others)}
    own = labels.pop(setting, N_("as set") if setting else N_("as it is"))
    for label, state in [
        (own, setting),
        *((labels[state], state) for _label, state in others if state in labels),
    ]:
        views[state] = benchmark.view(item, state)
        add(label, state)
    compared = tuple(sheets.values())
    sliding = []
    for number in switches if sliders else ():
        if isinstance(number, Number) and number.dial in _SLIDING:
            values = _values(number, benchmark, item, setting, views)
            if len(values) > 1:
                label = translated(number.label)
                shown = [sheets.get(s) or add(f"{label}: {v}", s) for v, s in values.items()]
                sliding.append(Slider(label, tuple(values), tuple(shown)))
    return Document(benchmark.title, item.id, about, compared, readings, tuple(sliding))


def _values(
    number: Number, benchmark: Benchmark, item: Item, setting: Setting, views: dict[Setting, View]
) -> dict[str, Setting]:
    """The values of a number that look different, each with its state; adds to the known views.

    From some value on nothing changes any more, or the number goes round. The present value is
    among them.
    """
    values = {}
    seen = {views[setting]}
    for value in range(number.low, min(number.high, number.low + _MOST_VALUES - 1) + 1):
        state = setting.with_value(number, str(value))
        try:
            view = views.get(state) or views.setdefault(state, benchmark.view(item, state))
        except CommonsenseError:
            continue
        if state == setting or view not in seen:
            seen.add(view)
            values[str(value)] = state
    return values if setting in values.values() else {}


def setting_words(switches: Sequence[Switch], setting: Setting) -> tuple[tuple[str, str], ...]:
    """The label and the value, in words, of each switch that was changed."""
    words = []
    for switch in switches:
        if switch.key in setting:
            value = setting[switch.key]
            name = translated(switch.name(value)) if isinstance(switch, Choice) else value
            words.append((translated(switch.label), name))
    return tuple(words)


def setting_line(sheet: Sheet) -> str:
    """The setting of a sheet in one line."""
    if not sheet.setting:
        return _("Nothing was toggled.")
    return "; ".join(f"{label}: {value}" for label, value in sheet.setting) + "."


def notes_above(view: View) -> tuple[Note, ...]:
    """The notes at the top of a view, which explain what is drawn below them."""
    notes = []
    for section in view.sections:
        if not isinstance(section, Note):
            break
        notes.append(section)
    return tuple(notes)


def source_lines(about: About) -> tuple[tuple[str, str], ...]:
    """The source of the collection as names and values; unknown parts are left out."""
    shown = about.shown
    lines = [
        (_("Collection"), shown.title),
        (_("Origin"), shown.origin),
        (_("Licence"), shown.licence),
        *((_("Please cite"), line) for line in shown.citation),
        (_("Note"), shown.note),
    ]
    return tuple((name, value) for name, value in lines if value)
