"""The collections to choose from: bundled ones, a person's own, those opened lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.contract.benchmark import Benchmark
from core.files import paths
from core.hub import catalogue, record
from core.hub.record import Kind
from core.text.errors import HubError
from core.text.language import _
from tui.shell import recent


@dataclass(frozen=True, slots=True)
class Place:
    """A collection to choose."""

    label: str
    benchmark: Benchmark
    path: Path
    missing: bool = False
    """Whether the file or folder is gone."""


def places(known: Sequence[Benchmark]) -> list[Place]:
    """The collections to choose from. It looks at files, so a screen calls it in a thread."""
    offered = [Place(_bundled(b, path), b, path) for b in known for path in bundled(b)]
    offered += [
        Place(_("{benchmark}: your own", benchmark=b.title), b, own)
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
        offered.append(Place(label, benchmark, opened.path, missing))
    return offered


def _fetched(known: Sequence[Benchmark]) -> list[Place]:
    """The published data sets that were fetched; none where their record cannot be read."""
    by_name = {benchmark.name: benchmark for benchmark in known}
    try:
        fetched = [each for each in record.read() if each.kind is Kind.DATA and each.is_there]
    except HubError:
        return []
    opened = {data.name: data for data in catalogue.datasets() if data.benchmark in by_name}
    return [
        Place(
            f"{by_name[data.benchmark].title}: {data.title}",
            by_name[data.benchmark],
            Path(each.path),
        )
        for each in fetched
        if (data := opened.get(each.name)) is not None
    ]


def _bundled(benchmark: Benchmark, path: Path) -> str:
    label = _("{benchmark}: bundled", benchmark=benchmark.title)
    return label if path == benchmark.samples() else f"{label}, {path.stem}"


def bundled(benchmark: Benchmark) -> tuple[Path, ...]:
    """The collections of a benchmark that ship with the program, its samples first."""
    return (benchmark.samples(), *benchmark.more_samples())


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
