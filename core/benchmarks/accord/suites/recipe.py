"""The sources and options of a suite, as a worker process gets them to make a part of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from core.benchmarks.accord.collection import grounds_beside, grounds_of
from core.benchmarks.accord.grounding.measures import by_distance, likelihood_measure
from core.benchmarks.accord.item import Grounds
from core.benchmarks.accord.sources.pairing_decisions import decisions_file
from core.benchmarks.accord.sources.pairing_files import read_pairings
from core.benchmarks.accord.sources.pairing_suggestions import suggested
from core.benchmarks.accord.sources.pairings import PairingError
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.qa_source import open_questions
from core.benchmarks.accord.sources.reviews import Reviews
from core.benchmarks.accord.suites.files import Manifest
from core.benchmarks.accord.suites.generator import Generator
from core.benchmarks.accord.suites.plan import Task
from core.benchmarks.accord.trees.rules import Rule
from core.files.shipped import samples
from core.files.unreadable import count_errors
from core.models.protocol import Model
from core.text.errors import DataError

_PART = 32
"""Fewest items of a part of a suite: many, because a part costs some milliseconds to send."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The sources and options of a suite. Equal recipes give equal suites of equal files."""

    qa: Path | None
    """The questions; None for the bundled ones."""
    pairings: Path | None
    """Pairing templates; None for the questions' own, or for those that a vote gives."""
    kb: Path | None
    """The knowledge base; None for the one beside the questions, or the bundled one."""
    sizes: tuple[int, ...]
    per_cell: int
    seed: int
    rule: Rule
    limit: int | None
    """Only the first so many questions."""
    per_relation: int
    """Most questions of a relation, where pairing templates are voted for."""
    distance: bool
    """Whether terms near their neighbours are preferred."""

    def generator(self, say: Say) -> Generator:
        """Reads the sources; remarks about them go to `say`. Raises `DataError`."""
        grounds = open_grounds(self.kb, self.qa, say)
        questions = _questions(self, grounds, say)
        generator = Generator(questions, grounds, self.sizes, self.per_cell, self.seed, self.rule)
        if self.distance:
            generator.measure = by_distance(grounds.knowledge)
            generator.relevance = "distance"
        return generator


def parts(tasks: Iterator[Task]) -> Iterator[tuple[Task, ...]]:
    """The items in parts. Those of a cell stay together, because a draw depends on earlier ones."""
    part: list[Task] = []
    for task in tasks:
        whole = not part or _cell(part[-1]) != _cell(task)
        if whole and len(part) >= _PART:
            yield tuple(part)
            part = []
        part.append(task)
    if part:
        yield tuple(part)


def lines(recipe: Recipe, manifest: Manifest, part: Sequence[Task]) -> list[bytes]:
    """The lines of a part of a suite.

    Raises `DataError` where the files are not those of the manifest.
    """
    generator = _generator(recipe, manifest)
    return [generator.line(task) for task in part]


async def lines_by_likelihood(
    model: Model, recipe: Recipe, manifest: Manifest, part: Sequence[Task]
) -> list[bytes]:
    """The same, with candidates ranked by a model. Raises `ModelError` too."""
    loop = asyncio.get_running_loop()

    def make() -> list[bytes]:
        generator = _generator(recipe, manifest)
        generator.measure = likelihood_measure(model, generator.grounds.skills, loop)
        return [generator.line(task) for task in part]

    return await asyncio.to_thread(make)


def _cell(task: Task) -> tuple[object, ...]:
    return task.question, task.pairing, task.cell


def _generator(recipe: Recipe, manifest: Manifest) -> Generator:
    """A generator for one thread, of sources that are read once."""
    generator, here = _read(recipe)
    if (here.questions, here.knowledge) != (manifest.questions, manifest.knowledge):
        raise DataError(
            "A worker finds other questions, pairing templates or knowledge in these files.",
            where=str(recipe.qa or recipe.kb or "the bundled questions"),
            hint="Let all machines see the same files, and your decisions about templates too.",
        )
    return replace(generator)


@lru_cache(maxsize=1)
def _read(recipe: Recipe) -> tuple[Generator, Manifest]:
    generator = recipe.generator(lambda remark: None)
    return generator, generator.manifest


def open_grounds(kb: Path | None, beside: Path | None, say: Say) -> Grounds:
    """The knowledge base `kb`, or that beside a file or folder, or the bundled one.

    Raises `DataError`; says through `say` which of its lines cannot be read.
    """
    if kb is not None:
        grounds = grounds_of(kb)
    elif beside is None:
        grounds = grounds_beside(samples() / "accord")
    else:
        grounds = grounds_beside(beside if beside.is_dir() else beside.parent)
    if grounds.fault is not None:
        say(str(grounds.fault))
    return grounds


def _questions(recipe: Recipe, grounds: Grounds, say: Say) -> tuple[QuestionItem, ...]:
    qa, pairings = recipe.qa, recipe.pairings
    questions = open_questions(qa or samples() / "accord", grounds.skills)
    errors, own = list(questions.errors), list[DataError]()
    if pairings is not None:
        templates, unread = read_pairings(pairings)
        read_before = len(questions.errors)
        questions = questions.paired(templates, grounds.skills)
        own = [*questions.errors[read_before:], *unread]
        errors += own
    paired = tuple(item for item in questions.items if item.pairings)
    faults = own or [error for error in errors if isinstance(error, PairingError)]
    # A person who gave templates does not want voted ones in their place.
    if not paired and (faults or pairings is not None):
        first = faults[0] if faults else DataError("No template is for a question that is here.")
        raise DataError(
            f"None of the pairing templates can be used: {first.what}",
            where=first.where or str(pairings or qa),
            hint=first.hint,
        )
    if errors:
        count = count_errors(errors)
        say(f"Questions or pairings that could not be read: {count:,}; the first: {errors[0]}")
    if not paired:
        suggestions = suggested(
            questions.items,
            grounds.knowledge,
            grounds.skills,
            seed=recipe.seed,
            per_relation=recipe.per_relation,
        )
        say(
            f"No question has a pairing template. {len(suggestions.items):,} got one by a vote, "
            f"unreviewed; {len(suggestions.failures):,} did not, {suggestions.left_over:,} are "
            f"beyond the {recipe.per_relation} of each relation."
        )
        paired = suggestions.items
    paired = _as_decided(paired, grounds, say)
    if not paired:
        raise DataError(
            "No question has a pairing template, so no tree can be grown.",
            where=qa or "",
            hint="Give some by --pairings, or a knowledge base that knows the questions' concepts.",
        )
    return paired[: recipe.limit]


def _as_decided(
    paired: tuple[QuestionItem, ...], grounds: Grounds, say: Say
) -> tuple[QuestionItem, ...]:
    """The questions with the templates that the person decided on while browsing."""
    reviews, kept, changed = Reviews(decisions_file()), [], 0
    for item in paired:
        decided, clash = reviews.applied(item, grounds.skills)
        changed += decided.pairings != item.pairings
        if clash is not None:
            say(f"Your decision about “{item.id}” is ignored: {clash.what}")
        if decided.pairings:
            kept.append(decided)
    if changed:
        say(f"Questions whose pairing templates are as you decided: {changed:,}.")
    return tuple(kept)
