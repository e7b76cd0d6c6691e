"""The collections to choose from: bundled ones, a person's own, those opened lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.files import paths
from core.hub import catalogue, record
from core.hub.record import FetchedKind
from core.text.errors import CommonsenseError, HubError
from core.text.language import _
from core.text.quantities import items_in_words
from tui.shell import recent

_LARGEST = 30_000_000
"""Most bytes of a collection that is opened only to say what it is."""
_MOST_FILES = 10_000
_PREVIEWED = 3


@dataclass(frozen=True, slots=True)
class OfferedCollection:
    """A collection to choose."""

    label: str
    benchmark: Benchmark
    path: Path
    missing: bool = False
    """Whether the file or folder is gone."""
    opened: str = ""
    """The day on which it was opened last; empty where that is not known."""


def offered_collections(known: Sequence[Benchmark]) -> list[OfferedCollection]:
    """The collections to choose from. It looks at files, so a screen calls it in a thread."""
    offered = [OfferedCollection(_bundled(b, path), b, path) for b in known for path in bundled(b)]
    offered += [
        OfferedCollection(_("{benchmark}: your own", benchmark=b.title), b, own)
        for b in known
        for own in (paths.own(b.name), paths.own_folder(b.name))
        if _exists(own)
    ]
    offered += _fetched(known)
    paths_offered = {place.path for place in offered}
    by_name = {benchmark.name: benchmark for benchmark in known}
    for opened in recent.read():
        benchmark = by_name.get(opened.benchmark)
        if benchmark is None or opened.path in paths_offered:
            continue
        missing = not _exists(opened.path)
        label = f"{benchmark.title}: {paths.shortened(opened.path)}"
        if missing:
            label = f"{label}  ({_('missing')})"
        offered.append(OfferedCollection(label, benchmark, opened.path, missing, opened.day))
    return offered


def described(offered: Sequence[OfferedCollection], index: int) -> str:
    """What a collection is, in some lines; of other numbers nothing. It opens the collection."""
    if index >= len(offered):
        return _("Any benchmark: the program recognises which one it is.")
    place = offered[index]
    if place.missing:
        return _("There is nothing any more at {path}.", path=paths.shortened(place.path))
    size = _size(place.path)
    opened = _("opened {day}", day=place.opened) if place.opened else ""
    if size > _LARGEST:
        large = _("{size:,.0f} MB, looked into when it is opened", size=size / 1e6)
        return "\n".join((paths.shortened(place.path), " · ".join(filter(None, (large, opened)))))
    try:
        collection = registry.open_collection(place.benchmark, place.path)
    except CommonsenseError as error:
        return str(error)
    count = len(collection)
    facts = (
        items_in_words(count),
        _("{size:,.0f} kB", size=max(1, size / 1e3)),
        _("licence: {licence}", licence=collection.about.licence),
        opened,
    )
    first = [collection.entry(position) for position in range(min(count, _PREVIEWED))]
    # Some labels begin with the id.
    preview = ", ".join(
        entry.label if entry.label.startswith(entry.id) else f"{entry.id} {entry.label}"
        for entry in first
    )
    title = collection.about.shown.title
    return "\n".join((title, " · ".join(filter(None, facts)), f"{preview}, …"))


def _size(path: Path) -> int:
    """Bytes of a file, or of the files of a folder, as far as they can be read."""
    try:
        files = islice(path.rglob("*"), _MOST_FILES) if path.is_dir() else (path,)
        return sum(file.stat().st_size for file in files if file.is_file())
    except OSError:
        return 0


def _fetched(known: Sequence[Benchmark]) -> list[OfferedCollection]:
    """The published data sets that were fetched; none where their record cannot be read."""
    by_name = {benchmark.name: benchmark for benchmark in known}
    try:
        fetched = [
            each for each in record.read() if each.kind is FetchedKind.DATA and each.is_there
        ]
    except HubError:
        return []
    opened = {data.name: data for data in catalogue.datasets() if data.benchmark in by_name}
    return [
        OfferedCollection(
            f"{by_name[data.benchmark].title}: {data.title}",
            by_name[data.benchmark],
            Path(each.path),
        )
        for each in fetched
        if (data := opened.get(each.name)) is not None
    ]


def _bundled(benchmark: Benchmark, path: Path) -> str:
    what = benchmark.more_samples().get(path)
    if what is None:
        return _("{benchmark}: bundled", benchmark=benchmark.title)
    return _(
        "{benchmark}: bundled, {what} ({file})",
        benchmark=benchmark.title,
        what=_(what),
        file=path.stem,
    )


def bundled(benchmark: Benchmark) -> tuple[Path, ...]:
    """The collections of a benchmark that ship with the program, its samples first."""
    return (benchmark.samples(), *benchmark.more_samples())


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
