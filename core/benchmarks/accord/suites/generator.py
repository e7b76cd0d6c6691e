"""Generates suites, each item independently, so that an interruption changes nothing.

An item depends on the suite's seed and its own question, pairing template, cell and draw only,
except that duplicates of earlier draws of its cell are redrawn. A suite is written line by line;
a resumed suite ends with the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import msgspec

from core.benchmarks.accord.grounding.grounder import Grounded
from core.benchmarks.accord.grounding.instance import Structure
from core.benchmarks.accord.grounding.records import encoded, question_record, record_of
from core.benchmarks.accord.grounding.search import POOL, Measure
from core.benchmarks.accord.grounding.search_trace import Unsatisfied
from core.benchmarks.accord.hashes import seed_of
from core.benchmarks.accord.item import Grounds
from core.benchmarks.accord.soundness import check, sound
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.suites.files import (
    ITEMS,
    MANIFEST,
    REFUSED,
    Manifest,
    Refused,
    Unusual,
    read_manifest,
    write_manifest,
)
from core.benchmarks.accord.suites.plan import Cell, Task, count, tasks
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.sampler import sampled
from core.files.folder_lock import lock_folder
from core.files.line_file import append_line, cut_incomplete_line
from core.files.regular_file import open_own, open_regular_file
from core.files.rows import lines as rows_of
from core.text.errors import DataError

RANDOM = "random"
ATTEMPTS = 8
"""Draws of an item before it counts as a duplicate."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of generating a suite, in lines."""

    done: int
    total: int
    refused: int
    """Items among those done that could not be generated."""


@dataclass(slots=True)
class Generator:
    """Generates the lines of one suite."""

    questions: Sequence[QuestionItem]
    grounds: Grounds
    sizes: tuple[int, ...]
    per_cell: int
    seed: int
    rule: Rule = Rule.FREE
    measure: Measure | None = None
    """Ranks candidates; None for the paper's random sampling."""
    relevance: str = RANDOM
    """Name of the measure in the manifest."""
    _drawn: tuple[tuple[int, int, Cell], list[Grounded | str]] | None = field(
        default=None, init=False
    )
    """The draws of the latest cell: each a grounded item, or why it could not be generated."""

    @property
    def manifest(self) -> Manifest:
        """The questions, knowledge base and options of the suite."""
        return Manifest(
            _hash(self.questions),
            self.grounds.name,
            self.sizes,
            self.per_cell,
            self.seed,
            self.rule.value,
            self.relevance,
            count(self.questions, self.sizes, self.per_cell),
        )

    def line(self, task: Task) -> bytes:
        """The line of one item, without its line break."""
        question = self.questions[task.question]
        if task.pairing < 0:
            return msgspec.json.encode(Unusual(bare=question_record(question)))
        grounded = self._ground(task)
        if isinstance(grounded, Grounded):
            label = self._other(task) if task.anti_factual else question.answer
            instance = grounded.instance.implying(label)
            flags = check(record_of(instance), self.grounds.matrix, self.grounds.knowledge)
            if sound(flags):
                return encoded(instance, {flag.check.key: flag.passed for flag in flags})
            grounded = "; ".join(
                f"{flag.check.value}: {flag.evidence}" for flag in flags if not flag.passed
            )
        cell = task.cell
        refused = Refused(
            question.id,
            task.pairing,
            cell.hops,
            cell.distractors,
            task.draw,
            task.anti_factual,
            grounded,
        )
        return msgspec.json.encode(Unusual(refused=refused))

    def _ground(self, task: Task) -> Grounded | str:
        """The grounding that the two variants of an item share, or why there is none."""
        cell = (task.question, task.pairing, task.cell)
        if self._drawn is None or self._drawn[0] != cell:
            self._drawn = cell, []
        drawn = self._drawn[1]
        while len(drawn) <= task.draw:
            drawn.append(self._draw(replace(task, draw=len(drawn)), drawn))
        return drawn[task.draw]

    def _draw(self, task: Task, earlier: Sequence[Grounded | str]) -> Grounded | str:
        known = {result.instance.group for result in earlier if isinstance(result, Grounded)}
        grounder = self.grounds.grounder
        if self.measure is not None:
            grounder = replace(grounder, pool=POOL)
        for attempt in range(ATTEMPTS):
            seed = self._seed("grounding", task, attempt)
            structure = self._structure(task, attempt)
            result = grounder.ground(structure, seed=seed, measure=self.measure)
            if isinstance(result, Unsatisfied):
                return result.reason
            if result.instance.group not in known:
                return result
        return f"Drawn {ATTEMPTS} times, it was always an earlier item of its cell."

    def _structure(self, task: Task, attempt: int) -> Structure:
        question = self.questions[task.question]
        pairing = question.pairings[task.pairing]
        cell = task.cell
        tree, path = next(
            sampled(
                self.grounds.matrix,
                pairing.skill,
                pairing.end,
                cell.hops,
                cell.distractors,
                self._seed("tree", task, attempt),
                self.rule,
            )
        )
        return Structure(question, pairing, tree, path)

    def _other(self, task: Task) -> str:
        question = self.questions[task.question]
        others = [label for label in question.labels if label != question.answer]
        return random.Random(self._seed("implied", task)).choice(others)

    def _seed(self, purpose: str, task: Task, attempt: int = 0) -> int:
        question = self.questions[task.question]
        pairing = question.pairings[task.pairing]
        return seed_of(
            purpose,
            self.seed,
            question.id,
            pairing.skill,
            pairing.end,
            pairing.term,
            task.cell.hops,
            task.cell.distractors,
            task.draw,
            *([attempt] if attempt else []),
        )


Lines = Callable[[Iterator[Task]], Iterator[bytes]]
"""Makes the lines of items, in their order."""


def generate(
    generator: Generator, folder: Path, *, resume: bool = False, lines: Lines | None = None
) -> Iterator[Progress]:
    """Write a suite into a folder, which is made; yields the progress after each line.

    `lines` does the generator's work elsewhere.
    Raises `DataError` if the folder has a suite and `resume` is not set, if that suite has other
    questions or options, or if the folder cannot be written.
    """
    manifest = generator.manifest
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with lock_folder(folder, "Another program is writing this suite."):
            done, refused = _begin(manifest, folder, resume=resume)
            yield Progress(done, manifest.total, refused)
            with open_own(folder / ITEMS) as handle:
                cut_incomplete_line(handle.fileno())
                every = tasks(generator.questions, generator.sizes, generator.per_cell)
                left = islice(every, done, None)
                for line in map(generator.line, left) if lines is None else lines(left):
                    append_line(handle.fileno(), line)
                    done += 1
                    refused += line.startswith(REFUSED)
                    yield Progress(done, manifest.total, refused)
                os.fsync(handle.fileno())
    except OSError as error:
        raise DataError(
            f"The suite cannot be written: {error.strerror}.",
            where=error.filename or folder,
            hint="Is there room, and may you write there? What was written is kept.",
        ) from error


def _begin(manifest: Manifest, folder: Path, *, resume: bool) -> tuple[int, int]:
    """Prepare the folder; the number of complete lines in it, and of refused ones among them."""
    exists = (folder / MANIFEST).exists()
    if exists and not resume:
        raise DataError(
            "There is a suite in this folder already.",
            where=folder,
            hint="Go on with it by --resume, or name another folder.",
        )
    if not exists:
        if (folder / ITEMS).exists():
            raise DataError(
                f"There is an {ITEMS} in this folder that is no suite's.",
                where=folder,
                hint="Name another folder.",
            )
        write_manifest(folder, manifest)
        return 0, 0
    if read_manifest(folder) != manifest:
        raise DataError(
            "The suite in this folder is made of something else.",
            where=folder / MANIFEST,
            hint="Give the same questions, knowledge base and options, or name another folder.",
        )
    return _written(folder / ITEMS)


def _written(path: Path) -> tuple[int, int]:
    """The number of complete lines, and of refused items among them.

    Raises `DataError` for what is no regular file, or no file of lines.
    """
    try:
        handle = open_regular_file(path, DataError)
    except FileNotFoundError:
        return 0, 0
    with handle:
        raws = (row.raw for row in rows_of(handle, str(path), with_blank=True))
        refused = [raw.startswith(REFUSED) for raw in raws if raw.endswith(b"\n")]
    return len(refused), sum(refused)


def _hash(questions: Sequence[QuestionItem]) -> str:
    content = hashlib.sha256()
    for question in questions:
        pairings = [
            (p.skill, p.end.value, p.term, p.surface, p.reviewed) for p in question.pairings
        ]
        raw = msgspec.json.encode((question_record(question), pairings))
        content.update(len(raw).to_bytes(8, "big") + raw)
    return content.hexdigest()
