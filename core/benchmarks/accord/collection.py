"""A collection of questions; trees are generated for each when it is browsed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from core.benchmarks.accord.item import AccordItem, Grounds
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Tally
from core.benchmarks.accord.skill_names import skill_name
from core.benchmarks.accord.sources.pairing_decisions import decisions_file
from core.benchmarks.accord.sources.pairing_suggestions import suggested_pairing
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.qa_source import Questions, open_questions
from core.benchmarks.accord.sources.relations import Reason
from core.benchmarks.accord.sources.reviews import Reviews
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.skills import Skills
from core.contract.about import read_about
from core.contract.collection import About, Entry
from core.contract.indexed_collection import IndexedCollection
from core.files.shipped import samples
from core.text.errors import DataError
from core.text.language import N_, _

KNOWLEDGE = ("knowledge", "knowledge.kb")
"""File names of a knowledge base beside the questions: a folder, or a compiled file."""
_CACHED = 256
_DIGITS = 12
"""Digits of a knowledge base's checksum in its name."""


class QuestionCollection(IndexedCollection[AccordItem]):
    """Questions in the order of their file.

    Nothing is repaired: questions that cannot be read are left out and listed in `errors`.
    """

    def __init__(
        self,
        questions: Questions,
        grounds: Grounds,
        about: About,
        errors: Sequence[DataError],
        reviews: Reviews,
    ) -> None:
        super().__init__(about, errors)
        self.grounds = grounds
        self.questions = questions
        self._reviews = reviews
        self._suggested = lru_cache(maxsize=_CACHED)(self._with_suggestion)

    @property
    def content_hash(self) -> str:
        """SHA-256 over the questions and the name of the knowledge base."""
        text = f"{self.questions.content_hash}\0{self.grounds.name}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def __len__(self) -> int:
        """Number of questions."""
        return len(self.questions.items)

    def entry(self, index: int) -> Entry:
        """The list entry of a question, with the skills of its pairing templates."""
        question = self.questions.items[index]
        skills = dict.fromkeys(skill_name(p.skill) for p in question.pairings)
        subject = f"{question.concept}: " if question.concept else ""
        return Entry(question.id, f"{subject}{question.question}", ", ".join(skills))

    def item(self, index: int) -> AccordItem:
        """The question at an index, with the user's decisions about its pairing templates applied.

        Raises `DataError` if the file of decisions is malformed.
        """
        # Not cached here, because the user may change a decision at any time.
        return self._read_item(index)

    def _read_item(self, index: int) -> AccordItem:
        suggested, unpaired = self._suggested(index)
        question, clash = self._reviews.applied(suggested, self.grounds.skills)
        if suggested.pairings and not question.pairings:
            unpaired = N_("every pairing template of it was rejected")
        undecided = "" if clash is None else clash.what
        return _item(
            question.id, question, self.grounds, suggested, self._reviews, unpaired, undecided
        )

    def _searched_text(self, index: int) -> str:
        item = self.questions.items[index]
        skills = " ".join(pairing.skill for pairing in item.pairings)
        return "\n".join((item.id, item.question, *item.texts, skills))

    def _with_suggestion(self, index: int) -> tuple[QuestionItem, str]:
        """A question with its own templates or a suggested one, and why it has none."""
        question = self.questions.items[index]
        if question.pairings:
            return question, ""
        grounds = self.grounds
        outcome = suggested_pairing(question, grounds.knowledge, grounds.skills)
        if isinstance(outcome, Reason):
            return question, outcome.value
        _ballot, template = outcome
        return replace(question, pairings=(template,)), ""


# Equal questions give the identical item, because trees are cached by item.
_item = lru_cache(maxsize=_CACHED)(AccordItem)


def open_collection(path: Path) -> QuestionCollection:
    """Open questions in any known format; raises `DataError`."""
    skills = Skills.shipped()
    questions = open_questions(path, skills)
    folder = path if path.is_dir() else path.parent
    errors = list(questions.errors)
    about = read_about(folder, errors) or About(title=path.name)
    grounds = grounds_beside(folder)
    if grounds.fault is not None:
        errors.append(grounds.fault)
    return QuestionCollection(questions, grounds, about, errors, Reviews(decisions_file()))


def grounds_beside(folder: Path) -> Grounds:
    """Skills, matrix and the knowledge base of a folder; the bundled one if the folder has none.

    Raises `DataError` if the knowledge base cannot be read.
    """
    for name in KNOWLEDGE:
        if (folder / name).exists():
            return grounds_of(folder / name)
    return replace(grounds_of(samples() / "accord" / KNOWLEDGE[0]), borrowed=True)


def grounds_of(path: Path) -> Grounds:
    """Skills, matrix and the knowledge base at `path`; raises `DataError`."""
    knowledge = open_knowledge(path)
    name = f"{knowledge.header.source} {knowledge.header.sha256[:_DIGITS]}"
    fault = _fault(knowledge.header.tally)
    return Grounds(Skills.shipped(), Matrix.shipped(), knowledge, name, fault=fault)


def _fault(tally: Tally) -> DataError | None:
    if not tally.malformed:
        return None
    first = _("; the first: {report}", report=tally.reports[0]) if tally.reports else "."
    return DataError(
        _(
            "Of {lines:,} lines of the knowledge base {malformed:,} could not be read "
            "and are left out{first}",
            lines=tally.lines,
            malformed=tally.malformed,
            first=first,
        )
    )
