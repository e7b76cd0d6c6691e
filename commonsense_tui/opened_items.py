"""Collections and their items, as they are looked at and asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import About, Collection, Item
from core.contract.question import Question
from core.contract.setting import Setting, Switch
from core.contract.view import Graph, Role, View
from core.files import paths
from core.text.errors import NotFoundError, SettingError
from core.text.quantities import counted
from core.text.suggestions import suggestion

_WIDTH = 100
"""Characters of a line."""


def open(benchmark: str, path: str | Path | None = None) -> OpenedCollection:  # noqa: A001
    """Open a file or folder of a benchmark, or the bundled collection if none is named.

    Raises `NotFoundError` for an unknown benchmark, and `DataError` when nothing can be read.
    """
    loaded = registry.load(benchmark)
    opened = loaded.samples() if path is None else paths.expanded(path)
    return OpenedCollection(loaded, registry.open_collection(loaded, opened), opened)


@dataclass(frozen=True, slots=True)
class OpenedCollection:
    """The items of a collection, by position or id."""

    benchmark: Benchmark
    collection: Collection
    """As the benchmark reads it: its origin, its repairs, and errors of items left out."""
    path: Path

    def __len__(self) -> int:
        return len(self.collection)

    def __getitem__(self, key: int | str) -> OpenedItem:
        """An item.

        Raises `NotFoundError` naming the nearest ids, `IndexError`, and `SettingError` for what is
        no position and no id, such as a slice.
        """
        if isinstance(key, str):
            position = self.collection.find(key)
        else:
            try:
                position = range(len(self))[index(key)]
            except TypeError as error:
                raise SettingError(
                    f"An item is named by its position or its id, not by {key!r}.",
                    hint="For several write [items[n] for n in range(2)].",
                ) from error
        item = self.collection.item(position)
        return OpenedItem(self.benchmark, item, Setting(), self.collection.about)

    def __iter__(self) -> Iterator[OpenedItem]:
        return (self[position] for position in range(len(self)))

    def __repr__(self) -> str:
        return f"<{self.benchmark.title}: {counted(len(self), 'item')} of {self.path.name}>"


@dataclass(frozen=True, slots=True)
class OpenedItem:
    """An item under a setting. A notebook draws it."""

    benchmark: Benchmark
    item: Item
    """As the benchmark reads it."""
    setting: Setting
    about: About
    """Origin and licence of its collection."""

    @property
    def id(self) -> str:
        """The item's id."""
        return self.item.id

    @property
    def switches(self) -> tuple[Switch, ...]:
        """What may be toggled."""
        return self.benchmark.switches(self.item)

    @property
    def view(self) -> View:
        """What it looks like, as data."""
        return self.benchmark.view(self.item, self.setting)

    def with_setting(self, values: Mapping[str, str]) -> OpenedItem:
        """The item with other values of switches, by their keys; raises `SettingError`."""
        changed = Setting.of(self.switches, {**self.setting, **values})
        return replace(self, setting=changed)

    def questions(self) -> list[Question]:
        """The questions of the task layers that have something to ask, zero-shot."""
        asked = (
            self.benchmark.question(self.item, self.setting, layer.id)
            for layer in self.benchmark.layers
        )
        return [question for question in asked if question is not None]

    def question(self, layer: str) -> Question:
        """The question of a task layer.

        Raises `NotFoundError` for an unknown layer, `SettingError` where it has nothing to ask.
        """
        known = [each.id for each in self.benchmark.layers]
        if layer not in known:
            raise NotFoundError(
                f"There is no task layer “{layer}”.",
                where=f"benchmark {self.benchmark.name}",
                hint=suggestion("Layers", known, layer),
            )
        question = self.benchmark.question(self.item, self.setting, layer)
        if question is None:
            why = self.benchmark.skip_reason(self.item, self.setting, layer)
            raise SettingError(
                f"Layer {layer} has nothing to ask here.", where=f"item {self.id}", hint=why
            )
        return question

    def export(self, name: str) -> str:
        """The item in a format of the command `export`, such as "svg", "html" or "graphml".

        Raises `NotFoundError` for an unknown format, and `ExportError` for a view that the format
        cannot hold.
        """
        from core.exchange.exporters.document import document_of
        from core.exchange.exporters.formats import export

        document = document_of(self.benchmark, self.item, self.setting, self.about)
        return export(name, document).decode("utf-8")

    def __str__(self) -> str:
        from core.layout.plain_text import view_text

        return view_text(self.view, _WIDTH)

    def __repr__(self) -> str:
        values = "".join(f", {key}={value}" for key, value in self.setting.items())
        return f"<{self.benchmark.name} {self.id}{values}>"

    def _repr_html_(self) -> str:
        """The view in words, and over them its picture if it has graphs."""
        from core.exchange.exporters.document import ExportError
        from core.exchange.exporters.rows_html import rows_html
        from core.layout.plain_text import cells
        from core.layout.rows import Ink, paragraph
        from core.layout.sections import draw_view

        view = self.view
        head = paragraph(view.title, Ink.HEADING, _WIDTH, cells)
        about = " · ".join([view.subtitle, *(badge.text for badge in view.badges)])
        head += paragraph(about.removeprefix(" · "), Role.MUTED, _WIDTH, cells)
        picture = ""
        if any(isinstance(section, Graph) for section in view.sections):
            # A graph that is too large for a picture is in the words all the same.
            with suppress(ExportError):
                picture = self.export("svg")
        rows = [*head, (), *draw_view(view, _WIDTH, cells)]
        return rows_html(rows, picture, f"{self.benchmark.title}, {self.id}")
