"""What may be browsed: bundled collections, a person's own, those opened lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.contract.benchmark import Benchmark
from core.files import paths
from core.text.language import _
from tui.shell import recent


@dataclass(frozen=True, slots=True)
class Place:
    """A collection that is offered."""

    label: str
    benchmark: Benchmark
    path: Path
    missing: bool = False
    """Whether there is nothing any more where it was."""


def places(known: Sequence[Benchmark]) -> list[Place]:
    """What is offered. It looks at files, so a screen calls it in a thread."""
    found = [Place(_bundled(b, path), b, path) for b in known for path in bundled(b)]
    found += [
        Place(_("{benchmark}: your own", benchmark=b.title), b, own)
        for b in known
        for own in (paths.own(b.name), paths.own_folder(b.name))
        if _exists(own)
    ]
    offered = {place.path for place in found}
    by_name = {benchmark.name: benchmark for benchmark in known}
    for one in recent.read():
        benchmark = by_name.get(one.benchmark)
        if benchmark is None or one.path in offered:
            continue
        missing = not _exists(one.path)
        label = f"{benchmark.title}: {paths.shortened(one.path)}"
        if missing:
            label = f"{label}  ({_('missing')})"
        found.append(Place(label, benchmark, one.path, missing))
    return found


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
