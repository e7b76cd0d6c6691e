"""Finds the collection, the item and the store that were named on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from core.contract import registry
from core.files import paths
from core.files.unreadable import count_errors
from core.text.errors import DataError, NotFoundError, SettingError
from core.text.quantities import counted
from core.text.suggestions import suggestion
from tui.cli.output import say

if TYPE_CHECKING:
    from core.contract.benchmark import Benchmark
    from core.contract.collection import Collection, Item, ItemT
    from core.contract.setting import Setting
    from core.runs.store import Store


def named_benchmark(name: str, data: Path | None) -> tuple[Benchmark, Path | None]:
    """The benchmark of a name, or the one that can read the file or folder named in its place.

    Beside it where its items are: that file, else `data`. Raises `NotFoundError`, `SettingError`,
    and `DataError` where no benchmark can read the file.
    """
    if not name.strip():
        raise NotFoundError(
            "No benchmark is named.",
            where="BENCH",
            hint=suggestion("Benchmarks", registry.names(), name),
        )
    path = Path(name)
    if name in registry.names():
        return registry.load(name), data
    if not exists(path):
        if path.suffix or len(path.parts) > 1:
            raise NotFoundError("There is no such file or folder.", where=name)
        return registry.load(name), data
    if data is not None:
        raise SettingError(
            "The items are named twice.",
            where=f"{name} and --data {data}",
            hint="Leave --data out, or name a benchmark in the place of the file.",
        )
    # Most commands name a benchmark, and need no other.
    from tui.app.recognition import recognise, recognised

    return recognised(path) or recognise(path, say)[0], path


def open_collection(
    benchmark: Benchmark[ItemT], data: Path | None
) -> tuple[Path, Collection[ItemT]]:
    """Open the bundled collection or the one at `data`; say on stderr what is defective in it.

    Raises `DataError`, which names the benchmark that the data look like where that is another.
    """
    path = data or benchmark.samples()
    try:
        collection = registry.open_collection(benchmark, path)
    except DataError as error:
        from tui.app.recognition import recognised

        other = recognised(path)
        if other is None or other.name == benchmark.name:
            raise
        raise DataError(
            error.what,
            where=error.where,
            hint=f"It looks like {other.title}: name {other.name} as the benchmark.",
        ) from error
    if collection.errors:
        count = counted(count_errors(collection.errors), "item")
        say(f"{count} could not be read; the first: {collection.errors[0]}")
    if collection.repairs:
        count = counted(len(collection.repairs), "defect")
        say(f"Repaired in {path}: {count}; b in the program lists what.")
    return path, collection


class OpenedItem(NamedTuple):
    """An item of a collection, under a setting."""

    benchmark: Benchmark
    collection: Collection
    item: Item
    setting: Setting


def open_item(
    benchmark: str, item_id: str, data: Path | None, settings: Sequence[str] | None
) -> OpenedItem:
    """Find the item that was named, and read its setting.

    Raises `NotFoundError`, `DataError`, `SettingError`.
    """
    from core.contract.setting import Setting

    loaded, data = named_benchmark(benchmark, data)
    collection, item = find_item(loaded, item_id, data)
    setting = Setting.from_words(loaded.switches(item), words(settings))
    return OpenedItem(loaded, collection, item, setting)


def find_item(
    benchmark: Benchmark[ItemT], item_id: str, data: Path | None
) -> tuple[Collection[ItemT], ItemT]:
    """Find the item with an id, or the only item of the file of that name; and its collection."""
    _, collection = open_collection(benchmark, data)
    try:
        return collection, collection.item(collection.find(item_id))
    except NotFoundError as error:
        path = Path(item_id)
        if data is not None or not item_id.strip() or not exists(path):
            listing = f"commonsense-tui show {benchmark.name}"
            if data is not None:
                listing += f" --data {shlex.quote(str(data))}"
            hint = f"{error.hint} All are listed by: {listing}".lstrip()
            raise NotFoundError(error.what, where=error.where, hint=hint) from error
    _, single = open_collection(benchmark, path)
    if len(single) != 1:
        raise DataError(
            f"This file holds {len(single)} items, so it names none of them.",
            where=path,
            hint=f"Name one: {single.entry(0).id} --data {path}",
        )
    return single, single.item(0)


def check_choice(word: str, choices: Iterable[str], what: str, where: str) -> None:
    """Raise `NotFoundError`, which lists the choices, for a word that is none of them."""
    names = [str(choice) for choice in choices]
    if word not in names:
        raise NotFoundError(
            f"There is no {what} “{word}”.",
            where=where,
            hint=suggestion("Choose from", names, word),
        )


def check_named_once(runs: Sequence[str]) -> None:
    """Raise typer's `BadParameter` for a run that is named twice."""
    if twice := [name for name in runs if runs.count(name) > 1]:
        raise typer.BadParameter(f"{twice[0]} is named twice.", param_hint="RUN")


def open_store(path: Path | None, *, create: bool) -> Store:
    """Open the store of runs at `path`, or the person's own."""
    from core.runs.store import Store

    return Store(path or paths.runs(), create=create)


def words(values: Sequence[str] | None) -> tuple[str, ...]:
    """The values of a repeatable option, which typer gives as None if there are none."""
    return tuple(values or ())


def exists(path: Path) -> bool:
    """Whether there is a file or folder of this name."""
    try:
        return path.exists()
    except OSError:  # The name is longer than the file system allows.
        return False
