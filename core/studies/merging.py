"""Puts the shards of studies together, with those of runs: what several stores measured, in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.runs.merging import MergedRun, merge
from core.runs.store import Store
from core.studies.plan import Study
from core.studies.study_store import StudyStore
from core.text.errors import RunError


@dataclass(frozen=True, slots=True)
class MergedStudy:
    """A study that was put together."""

    study: Study
    values: int
    """How many values it has now."""
    added: int
    """How many of them the store lacked."""


def merge_stores(
    paths: Sequence[Path], into: Path, items: Path | None = None
) -> tuple[list[MergedRun], list[MergedStudy]]:
    """Merge the runs and studies in the stores at `paths` into the store `into`.

    All that is new is added or nothing. A study is done where one of its parts is; else it is
    paused, and goes on with an equal plan. Raises what `core.runs.merging.merge` raises, and
    `RunError` for two different values or results of one study, and where a program just conducts
    a study of `into`.
    """
    studies: list[MergedStudy] = []

    def add_studies(store: Store) -> None:
        studies.extend(_merged(paths, StudyStore(into, database=store.database)))

    return merge(paths, into, items, add_studies), studies


def _merged(paths: Sequence[Path], into: StudyStore) -> list[MergedStudy]:
    added: dict[str, int] = {}
    came_from: dict[tuple[str, str], Path] = {}
    for path in paths:
        with StudyStore(path, create=False) as source:
            for error in source.damaged_studies():
                raise error
            for study in source.studies():
                with into.hold(study.id):
                    count = _added(source, study, into, came_from)
                added[study.id] = added.get(study.id, 0) + count
    return [
        MergedStudy(into.study(name), sum(1 for _ in into.kept(name).texts()), count)
        for name, count in added.items()
    ]


def _added(
    source: StudyStore, study: Study, into: StudyStore, came_from: dict[tuple[str, str], Path]
) -> int:
    """Add what a study lacks; the number of values. Raises `RunError` where two differ.

    One value is held at a time, because states may be many gigabytes.
    """
    known = into.adopt(study)
    kept = into.kept(study.id)
    added = 0
    for key, text in source.kept(study.id).texts():
        there = kept.text(key)
        if there is None and known.result is None:
            kept.put_text(key, text)
            came_from[study.id, key] = source.path
            added += 1
        elif there not in (None, text):
            before = came_from.get((study.id, key), into.path)
            raise _differing(f"Value “{key}” of study {study.id}", before, source.path)
    if study.result is not None and known.result is None:
        into.finish(study.id, study.result)
        came_from[study.id, ""] = source.path
    elif study.result not in (None, known.result):
        before = came_from.get((study.id, ""), into.path)
        raise _differing(f"The result of study {study.id}", before, source.path)
    return added


def _differing(what: str, before: Path, here: Path) -> RunError:
    return RunError(
        f"{what} is not the same in two stores.",
        where=f"{before}, {here}",
        hint="Leave one of these stores out.",
    )
