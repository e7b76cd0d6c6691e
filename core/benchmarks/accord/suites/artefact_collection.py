"""The items of the authors' program as a collection; they are checked like ours, never written.

Their results are in `qa_data/<size>/<question>/`, with the groups of one question in a
`groups.jsonl` somewhere below; the questions themselves are in a folder `converted`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.benchmarks.accord.collection import grounds_beside
from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.item import AccordItem, Grounds
from core.benchmarks.accord.skill_names import size_in_words, skill_name
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.qa_source import open_questions
from core.benchmarks.accord.suites.artefact_groups import Group, read_groups
from core.benchmarks.accord.trees.path import paths
from core.contract.collection import About, Entry
from core.contract.indexed_collection import IndexedCollection
from core.files.unreadable import CappedErrors
from core.text.errors import DataError
from core.text.escaping import quoted

_QA_DATA = ("qa_data", "results/*/qa_data", "*/qa_data")
_CONVERTED = ("converted", "*/converted", "*/*/converted")


class ArtefactCollection(IndexedCollection[AccordItem]):
    """Items of the authors' program. Nothing is repaired; an item's flags show its defects."""

    def __init__(self, items: Sequence[AccordItem], about: About, errors: list[DataError]) -> None:
        super().__init__(about, errors)
        self._items = items

    @property
    def content_hash(self) -> str:
        """SHA-256 over the ids of the items, which are hashes of their content."""
        ids = "\n".join(f"{item.id} {item.fixed.id if item.fixed else ''}" for item in self._items)
        return hashlib.sha256(ids.encode("utf-8", "surrogatepass")).hexdigest()

    def __len__(self) -> int:
        """Number of items."""
        return len(self._items)

    def entry(self, index: int) -> Entry:
        """The line about an item."""
        item = self._items[index]
        structure = item.fixed.structure if item.fixed else None
        if structure is None:
            return Entry(item.id, item.question.question)
        size = size_in_words(structure.hops, structure.distractors)
        detail = f"{size}, {skill_name(structure.pairing.skill)}"
        return Entry(item.id, item.question.question, detail, item.question.id)

    def _read_item(self, index: int) -> AccordItem:
        return self._items[index]

    def _searched_text(self, index: int) -> str:
        item = self._items[index]
        return f"{item.id}\n{item.question.question}"


def is_artefacts(path: Path) -> bool:
    """Whether a folder is one in which the authors' program has written items."""
    try:
        return path.is_dir() and any(_qa_folders(path))
    except (OSError, ValueError):
        return False


def open_artefacts(path: Path) -> ArtefactCollection:
    """Open the items in a folder of the authors' program; raises `DataError` when there is none."""
    grounds, errors = grounds_beside(path), CappedErrors()
    questions = _questions(path, grounds, errors)
    items: dict[str, AccordItem] = {}
    for folder in _qa_folders(path):
        question = questions.get(folder.name)
        if question is None:
            what = f"The question {quoted(folder.name)} is in no folder “converted”."
            errors.append(DataError(what, where=folder))
            continue
        for item in _items(folder, question, grounds, errors):
            items.setdefault(item.id, item)
    if not items:
        raise errors[0] if errors else DataError("There is no item in it.", where=path)
    about = About(f"Items of ACCORD's own program, {path.name}", origin="as they were written")
    return ArtefactCollection(tuple(items.values()), about, errors.listed(str(path)))


def _qa_folders(path: Path) -> Iterator[Path]:
    for pattern in _QA_DATA:
        for folder in sorted(path.glob(f"{pattern}/*/*")):
            if folder.is_dir():
                yield folder


def _questions(path: Path, grounds: Grounds, errors: list[DataError]) -> dict[str, QuestionItem]:
    questions: dict[str, QuestionItem] = {}
    for pattern in _CONVERTED:
        for folder in sorted(path.glob(pattern)):
            opened = open_questions(folder, grounds.skills)
            errors.extend(opened.errors)
            questions |= {item.id: item for item in opened.items}
    return questions


def _items(
    folder: Path, question: QuestionItem, grounds: Grounds, errors: list[DataError]
) -> Iterator[AccordItem]:
    families = next(iter(sorted(folder.rglob("families.jsonl"))), None)
    data = next(iter(sorted(folder.rglob("data.jsonl"))), None)
    for file in sorted(folder.rglob("groups.jsonl")):
        for group in read_groups(file, families, data, grounds.skills, errors):
            try:
                yield _item(group, folder, question, grounds)
            except DataError as error:
                errors.append(DataError.of(error, where=group.origin))


def _item(group: Group, folder: Path, question: QuestionItem, grounds: Grounds) -> AccordItem:
    asked = replace(question, pairings=(group.template,))
    for path in paths(group.tree, grounds.matrix, group.pairing):
        if path.answer_variable == group.answer_variable:
            structure = Structure(asked, group.template, group.tree, path)
            break
    else:
        raise DataError("The matrix gives no path to the group's answer variable.")
    missing = [label for label in question.labels if label not in group.copies]
    if missing:
        raise DataError(f"The group has no copy for {', '.join(missing)}.")
    ends = {path.pairing_variable, path.answer_variable}
    instance = Instance(
        structure,
        tuple(group.copies[label] for label in question.labels),
        chosen=question.answer,
        factual=frozenset(group.tree.variables) - ends - group.anti_factual,
    )
    # Their ids count from zero in every folder.
    name = f"{folder.parent.name}/{question.id}/{group.id}"
    return AccordItem(name, asked, grounds, fixed=instance)
