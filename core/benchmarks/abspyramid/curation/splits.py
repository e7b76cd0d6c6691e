"""Training, validation and test sets (section 5.2), in the layout of the release.

Detection has all labelled tuples, 80:10:10 (table 1); generation those whose concept is valid,
90:5:5 (table 3), and what references of generation data say besides. Tuples of one head event and
instance lie in one set. Where they lie depends on the seed and on which tuples there are, not on
their order.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.curation.files import unwritable, write
from core.benchmarks.abspyramid.dataset_files import Layout, Split, Task, layout
from core.benchmarks.abspyramid.tuple_reader import tuples_in
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.text.errors import DataError, SettingError
from core.text.escaping import escape_control_characters

Ratios = tuple[int, int, int]
"""Parts of training, validation and test."""
RATIOS: Mapping[Task, Ratios] = {Task.DETECTION: (80, 10, 10), Task.GENERATION: (90, 5, 5)}


@dataclass(frozen=True, slots=True)
class Group:
    """The tuples of one head event and instance."""

    place: bytes
    """What groups are put in order by."""
    relation: Relation
    tuples: tuple[AbstractTuple, ...]


Sets = Mapping[Relation, Mapping[Split, Sequence[Group]]]


@dataclass(frozen=True, slots=True)
class Given:
    """What there is to split."""

    labelled: tuple[AbstractTuple, ...]
    references: tuple[AbstractTuple, ...]
    """Tuples of generation data: they have no label, and each of their concepts is valid."""


def given(path: Path) -> Given:
    """The tuples of a file or folder, those in folders of generation apart; raises `DataError`."""
    found = layout(path)
    apart = (
        tuple(s for s in found.sources if (s.task is Task.GENERATION) is references)
        for references in (False, True)
    )
    return Given(*(tuple(tuples_in(Layout(sources, ()))) for sources in apart))


def task_tuples(
    tuples: Iterable[AbstractTuple], task: Task, references: Sequence[AbstractTuple] = ()
) -> Iterator[AbstractTuple]:
    """The tuples that a task has; raises `DataError` for one without a label, and for none.

    Generation has the concepts of `references` too, those that no valid tuple has.
    """
    known: set[tuple[str, int, int, Relation, str]] = set()
    nothing = True
    for one in tuples:
        nothing = False
        if one.label is None:
            raise DataError(
                "This tuple has no label, so nothing says whether it is valid.",
                where=one.origin,
                hint="Have it annotated first: commonsense-tui abspyramid annotate.",
            )
        if one.label or task is Task.DETECTION:
            known.update((*_component(one), concept) for concept in one.concepts)
            yield one
    if task is Task.DETECTION:
        if nothing and references:
            raise DataError(
                "There are only references of generation here, which have no label to detect.",
                where=references[0].origin,
                hint=f"Split them with --ratios {named(RATIOS[Task.GENERATION])}.",
            )
        return
    for one in references:
        for concept in one.concepts:
            said = (*_component(one), concept)
            if said not in known:
                known.add(said)
                yield replace(one, concepts=(concept,))


def grouped(tuples: Iterable[AbstractTuple], seed: int) -> list[Group]:
    """The tuples by relation, head event and instance, in an order that the seed draws."""
    groups: dict[tuple[Relation, str, str], list[AbstractTuple]] = {}
    for one in tuples:
        groups.setdefault((one.relation, one.head, one.instance), []).append(one)
    found = [
        Group(_place(seed, key), key[0], tuple(sorted(group, key=_order)))
        for key, group in groups.items()
    ]
    return sorted(found, key=lambda group: group.place)


def split(tuples: Iterable[AbstractTuple], ratios: Ratios, seed: int) -> Sets:
    """The sets of each relation, as near to the ratios as whole groups come."""
    sets: dict[Relation, dict[Split, list[Group]]] = {}
    groups = grouped(tuples, seed)
    for relation in Relation:
        own = [group for group in groups if group.relation is relation]
        if own:
            sets[relation] = _cut(own, ratios)
    return sets


def sizes(sets: Sets) -> dict[str, dict[str, int]]:
    """How many tuples each set of each relation has."""
    return {
        relation.value: {
            name.value: sum(len(group.tuples) for group in groups) for name, groups in of.items()
        }
        for relation, of in sets.items()
    }


def write_release(folder: Path, task: Task, sets: Sets) -> Path:
    """Write the sets of a task as they are released, whole or not at all; returns their folder.

    A relation has its folder, and all are merged in another. Rows are tuples, but in the
    validation and test sets of generation an instance with the list of its references. Raises
    `DataError` where the folder of the task is there already, or cannot be written.
    """
    target = folder / task.value.capitalize()
    if target.exists():
        raise DataError(
            "There is such a folder already.",
            where=escape_control_characters(str(target)),
            hint="Name another folder.",
        )
    draft = folder / f".{task}-unfinished"
    # A kill may have left one.
    shutil.rmtree(draft, ignore_errors=True)
    try:
        for name in Split:
            every: list[Group] = []
            for relation, of in sets.items():
                write(draft / f"{relation}_dataset" / f"{name}.json", _rows(of[name], task, name))
                every += of[name]
            every.sort(key=lambda group: group.place)
            write(draft / "merged_dataset" / f"{name}.json", _rows(every, task, name))
        draft.rename(target)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def task_with(ratios: str) -> Task:
    """The task that is split so, as "80:10:10"; raises `SettingError`."""
    for task, own in RATIOS.items():
        if ratios == named(own):
            return task
    raise SettingError(
        f"“{escape_control_characters(ratios, limit=40)}” are no ratios of the paper.",
        where="--ratios",
        hint=" or ".join(f"{named(own)} ({task})" for task, own in RATIOS.items()),
    )


def named(ratios: Ratios) -> str:
    """The ratios as they are written: 80:10:10."""
    return ":".join(map(str, ratios))


def _cut(groups: Sequence[Group], ratios: Ratios) -> dict[Split, list[Group]]:
    """The groups in order, cut where the ratios say; the middle of a group tells where it is."""
    sets: dict[Split, list[Group]] = {name: [] for name in Split}
    total = sum(len(group.tuples) for group in groups)
    train, valid, _ = (total * part for part in ratios)
    whole, before = sum(ratios), 0
    for group in groups:
        middle = (2 * before + len(group.tuples)) * whole
        before += len(group.tuples)
        if middle <= 2 * train:
            sets[Split.TRAIN].append(group)
        elif middle <= 2 * (train + valid):
            sets[Split.VALID].append(group)
        else:
            sets[Split.TEST].append(group)
    return sets


def _rows(groups: Iterable[Group], task: Task, name: Split) -> Iterator[bytes]:
    for group in groups:
        first = group.tuples[0]
        if task is Task.GENERATION and name is not Split.TRAIN:
            references = dict.fromkeys(c for one in group.tuples for c in one.concepts)
            yield _row(first, list(references), None)
            continue
        for one in group.tuples:
            label = int(bool(one.label)) if task is Task.DETECTION else None
            for concept in one.concepts:
                yield _row(one, concept, label)


def _row(one: AbstractTuple, concept: str | list[str], label: int | None) -> bytes:
    row = {"event": one.marked, "concept": concept, "type": one.relation.value}
    return msgspec.json.encode(row if label is None else row | {"label": label})


def _component(one: AbstractTuple) -> tuple[str, int, int, Relation]:
    return one.head, one.start, one.end, one.relation


def _place(seed: int, key: tuple[Relation, str, str]) -> bytes:
    return hashlib.sha256(msgspec.json.encode((seed, *key))).digest()


def _order(one: AbstractTuple) -> tuple[tuple[str, ...], bool, int]:
    return one.concepts, bool(one.label), one.start
