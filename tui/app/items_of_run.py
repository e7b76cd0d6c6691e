"""Finds the collection that holds the items of a recorded run, as they were asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.files import paths
from core.text.errors import CommonsenseError, NotFoundError
from core.text.language import _
from tui.shell.collection_choices import bundled, offered_collections
from tui.shell.prompts import existing_path

if TYPE_CHECKING:
    from core.runs.records import Run


@dataclass(frozen=True, slots=True)
class Candidate:
    """A collection that holds items of a run."""

    label: str
    path: Path
    items: int
    """How many of the run's items it holds as they were asked."""


def recorded_path(run: Run, benchmark: Benchmark) -> Path | None:
    """Where the items of a run are; None where they are not found.

    They are where they were when the run was begun, or in a bundled collection of the same
    content. The path of an imported run is that of its log.
    """
    if run.imported:
        return None
    path = Path(run.plan.collection)
    try:
        if run.plan.collection and path.exists():
            return path.absolute()
    except (OSError, ValueError):
        pass
    for path in bundled(benchmark):
        if registry.open_collection(benchmark, path).content_hash == run.plan.collection_hash:
            return path
    return None


def candidates(run: Run, benchmark: Benchmark) -> list[Candidate]:
    """The collections to choose from that hold items of a run, those with the most first.

    They are the bundled ones, the person's own and those opened lately. Raises `RunError`.
    """
    holding = []
    for place in offered_collections([benchmark]):
        if place.missing:
            continue
        try:
            items = held_by(place.path, run, benchmark)
        except CommonsenseError:
            # It cannot be read, so it is not offered.
            continue
        if items:
            holding.append(Candidate(place.label, place.path, items))
    return sorted(holding, key=lambda candidate: candidate.items, reverse=True)


def named_path(text: str, run: Run, benchmark: Benchmark) -> Path:
    """The path that a person typed; raises `CommonsenseError` where it holds no item of the run."""
    path = existing_path(text)
    if not held_by(path, run, benchmark):
        raise NotFoundError(
            _("No item of run {run} is here.", run=run.id),
            where=path,
            hint=_("Type another path, or press esc to leave."),
        )
    return path


def held_by(path: Path, run: Run, benchmark: Benchmark) -> int:
    """How many of a run's items a collection holds as they were asked."""
    from core.runs.replay import answers_on

    collection = registry.open_collection(benchmark, path)
    recorded = answers_on(paths.runs(), run.id, benchmark, collection)
    return len({verdict.item for verdict in recorded.verdicts})
