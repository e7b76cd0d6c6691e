"""Splits tuples into training, validation and test sets in the released layout (section 5.2).

Detection uses all labelled tuples, 80:10:10 (table 1); generation uses valid tuples and the
references of generation data, 90:5:5 (table 3). Tuples with the same head event and instance stay
in one set. The split depends on the seed and the set of tuples, not on their order.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.curation.files import JsonRow, write, write_error
from core.benchmarks.abspyramid.dataset_files import Layout, Split, Task, layout
from core.benchmarks.abspyramid.tuple_reader import tuples_in
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation, released_row
from core.text.errors import DataError, SettingError
from core.text.escaping import escape_control_characters

Ratios = tuple[int, int, int]
"""Proportions of training, validation and test set."""
RATIOS: Mapping[Task, Ratios] = {Task.DETECTION: (80, 10, 10), Task.GENERATION: (90, 5, 5)}


@dataclass(frozen=True, slots=True)
class Group:
    """The tuples of one head event and instance."""

    shuffle_key: bytes
    """Sort key drawn from the seed."""
    relation: Relation
    tuples: tuple[AbstractTuple, ...]


Sets = Mapping[Relation, Mapping[Split, Sequence[Group]]]


@dataclass(frozen=True, slots=True)
class SplitInput:
    """Tuples to split."""

    labelled: tuple[AbstractTuple, ...]
    references: tuple[AbstractTuple, ...]
    """Tuples of generation data, without a label; all their concepts are valid."""


def read_split_input(path: Path) -> SplitInput:
    """Read a file or folder, separating tuples in generation folders; raises `DataError`."""
    files = layout(path)
    by_task = (
        tuple(s for s in files.sources if (s.task is Task.GENERATION) is references)
        for references in (False, True)
    )
    return SplitInput(*(tuple(tuples_in(Layout(sources, ()))) for sources in by_task))


def task_tuples(
    tuples: Iterable[AbstractTuple], task: Task, references: Sequence[AbstractTuple] = ()
) -> Iterator[AbstractTuple]:
    """The tuples for a task.

    Generation adds each concept of `references` that no valid tuple has. Raises `DataError` for a
    tuple without a label, and for detection if there are only references.
    """
    known: set[tuple[str, tuple[int, int, Relation], str]] = set()
    is_empty = True
    for each in tuples:
        is_empty = False
        if each.label is None:
            raise DataError(
                "This tuple has no label, so nothing says whether it is valid.",
                where=each.origin,
                hint="Have it annotated first: commonsense-tui abspyramid annotate.",
            )
        if each.label or task is Task.DETECTION:
            known.update((each.head, each.component, concept) for concept in each.concepts)
            yield each
    if task is Task.DETECTION:
        if is_empty and references:
            raise DataError(
                "There are only references of generation here, which have no label to detect.",
                where=references[0].origin,
                hint=f"Split them with --ratios {format_ratios(RATIOS[Task.GENERATION])}.",
            )
        return
    for each in references:
        for concept in each.concepts:
            member = (each.head, each.component, concept)
            if member not in known:
                known.add(member)
                yield replace(each, concepts=(concept,))


def grouped(tuples: Iterable[AbstractTuple], seed: int) -> list[Group]:
    """Group tuples by relation, head event and instance, shuffled by the seed."""
    groups: dict[tuple[Relation, str, str], list[AbstractTuple]] = {}
    for each in tuples:
        groups.setdefault((each.relation, each.head, each.instance), []).append(each)
    shuffled = [
        Group(_shuffle_key(seed, key), key[0], tuple(sorted(group, key=_sort_key)))
        for key, group in groups.items()
    ]
    return sorted(shuffled, key=lambda group: group.shuffle_key)


def split(tuples: Iterable[AbstractTuple], ratios: Ratios, seed: int) -> Sets:
    """The sets of each relation, as close to the ratios as whole groups allow."""
    sets: dict[Relation, dict[Split, list[Group]]] = {}
    groups = grouped(tuples, seed)
    for relation in Relation:
        own = [group for group in groups if group.relation is relation]
        if own:
            sets[relation] = _cut(own, ratios)
    return sets


def set_sizes(sets: Sets) -> dict[str, dict[str, int]]:
    """Number of tuples in each set of each relation."""
    return {
        relation.value: {
            name.value: sum(len(group.tuples) for group in groups)
            for name, groups in by_split.items()
        }
        for relation, by_split in sets.items()
    }


def write_release(folder: Path, task: Task, sets: Sets) -> Path:
    """Write the sets of a task in the released layout, atomically; returns the folder.

    Each relation has a folder, and `merged_dataset` has all of them. A row is a tuple; in the
    validation and test sets of generation it is an instance with the list of its references.
    Raises `DataError` if the folder of the task exists or cannot be written.
    """
    target = folder / task.value.capitalize()
    if target.exists():
        raise DataError(
            "There is such a folder already.",
            where=target,
            hint="Name another folder.",
        )
    draft = folder / f".{task}-unfinished"
    # A killed run may have left one.
    shutil.rmtree(draft, ignore_errors=True)
    try:
        for name in Split:
            merged: list[Group] = []
            for relation, by_split in sets.items():
                write(
                    draft / f"{relation}_dataset" / f"{name}.json",
                    _rows(by_split[name], task, name),
                )
                merged += by_split[name]
            merged.sort(key=lambda group: group.shuffle_key)
            write(draft / "merged_dataset" / f"{name}.json", _rows(merged, task, name))
        draft.rename(target)
    except OSError as error:
        raise write_error(target, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def task_for_ratios(ratios: str) -> Task:
    """The task with these ratios, written as "80:10:10"; raises `SettingError`."""
    for task, own in RATIOS.items():
        if ratios == format_ratios(own):
            return task
    raise SettingError(
        f"“{escape_control_characters(ratios, limit=40)}” are no ratios of the paper.",
        where="--ratios",
        hint=" or ".join(f"{format_ratios(own)} ({task})" for task, own in RATIOS.items()),
    )


def format_ratios(ratios: Ratios) -> str:
    """Ratios as text: 80:10:10."""
    return ":".join(map(str, ratios))


def _cut(groups: Sequence[Group], ratios: Ratios) -> dict[Split, list[Group]]:
    """Cut the sequence of groups at the ratios; a group belongs where its middle lies."""
    sets: dict[Split, list[Group]] = {name: [] for name in Split}
    total = sum(len(group.tuples) for group in groups)
    train, valid, _ = (total * part for part in ratios)
    ratio_total, before = sum(ratios), 0
    for group in groups:
        middle = (2 * before + len(group.tuples)) * ratio_total
        before += len(group.tuples)
        if middle <= 2 * train:
            sets[Split.TRAIN].append(group)
        elif middle <= 2 * (train + valid):
            sets[Split.VALID].append(group)
        else:
            sets[Split.TEST].append(group)
    return sets


def _rows(groups: Iterable[Group], task: Task, name: Split) -> Iterator[JsonRow]:
    for group in groups:
        first = group.tuples[0]
        if task is Task.GENERATION and name is not Split.TRAIN:
            references = dict.fromkeys(c for each in group.tuples for c in each.concepts)
            yield released_row(first, list(references), None)
            continue
        for each in group.tuples:
            label = bool(each.label) if task is Task.DETECTION else None
            for concept in each.concepts:
                yield released_row(each, concept, label)


def _shuffle_key(seed: int, key: tuple[Relation, str, str]) -> bytes:
    return hashlib.sha256(msgspec.json.encode((seed, *key))).digest()


def _sort_key(abstract_tuple: AbstractTuple) -> tuple[tuple[str, ...], bool, int]:
    return abstract_tuple.concepts, bool(abstract_tuple.label), abstract_tuple.start
