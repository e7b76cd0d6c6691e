"""What is exported: an item in its current setting, with the states to compare it with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.contract.benchmark import Benchmark
from core.contract.collection import About, Item
from core.contract.setting import Choice, Setting, Switch
from core.contract.view import Note, View
from core.layout.heatmap import HeatMap
from core.text.errors import CommonsenseError
from core.text.language import N_, in_english


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
class Document:
    """An item to export; the requested state comes first."""

    benchmark: str
    """The benchmark's title."""
    item: str
    about: About
    sheets: tuple[Sheet, ...]
    readings: tuple[HeatMap, ...] = ()
    """Heat maps of the model's blocks for the requested state."""

    @property
    def first(self) -> Sheet:
        """The requested state."""
        return self.sheets[0]


@in_english()
def document_of(
    benchmark: Benchmark,
    item: Item,
    setting: Setting,
    about: About,
    readings: tuple[HeatMap, ...] = (),
    drawn: Callable[[View], View] | None = None,
) -> Document:
    """Collect an item in a setting, and its contrasts where the benchmark has some.

    `readings` belong to that setting; `drawn` adds to its view, for example attention links.
    """
    switches = benchmark.switches(item)

    def sheet(label: str, state: Setting) -> Sheet:
        view = benchmark.view(item, state)
        if drawn is not None and state == setting:
            view = drawn(view)
        return Sheet(label, setting_words(switches, state), view)

    others = benchmark.contrasts(item, setting)
    labels = {state: label for label, state in reversed(others)}
    own = labels.pop(setting, "as set" if setting else "as it is")
    sheets = [sheet(own, setting)]
    sheets += [sheet(label, state) for label, state in others if state in labels]
    return Document(benchmark.title, item.id, about, tuple(sheets), readings)


def setting_words(switches: Sequence[Switch], setting: Setting) -> tuple[tuple[str, str], ...]:
    """The label and the value, in words, of each switch that was changed."""
    words = []
    for switch in switches:
        if switch.key in setting:
            value = setting[switch.key]
            words.append(
                (switch.label, switch.name(value) if isinstance(switch, Choice) else value)
            )
    return tuple(words)


def setting_line(sheet: Sheet) -> str:
    """The setting of a sheet in one line."""
    if not sheet.setting:
        return "Nothing was toggled."
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
    lines = [("Collection", about.title), ("Origin", about.origin), ("Licence", about.licence)]
    lines += [("Please cite", line) for line in about.citation]
    lines.append(("Note", about.note))
    return tuple((name, value) for name, value in lines if value)
