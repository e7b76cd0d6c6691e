"""Generates suites: each item on its own, so that neither order nor a kill changes any.

What an item is made of depends on the suite's seed, its question, pairing template, cell and draw
(an item that an earlier draw of its cell gave is drawn anew), and on nothing else that was made
before. A suite is written line by line; gone on with after a kill, it
ends with the same bytes.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import msgspec

from core.benchmarks.accord.grounding.grounder import Grounded
from core.benchmarks.accord.grounding.instance import Structure
from core.benchmarks.accord.grounding.records import (
    ChoiceRecord,
    QuestionRecord,
    encoded,
    record_of,
)
from core.benchmarks.accord.grounding.search import Beam, Measure
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
    bare_line,
    read_manifest,
    refused_line,
    write_manifest,
)
from core.benchmarks.accord.suites.plan import Cell, Work, count, work
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.sampler import sampled
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

RANDOM = "random"
POOL = 10
"""Candidates that a measure puts in order at a time."""
ATTEMPTS = 8
"""How often an item is drawn that was there before."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a suite is."""

    done: int
    total: int
    refused: int
    """Of those done, how many could not be made."""


@dataclass(slots=True)
class Generator:
    """Makes the lines of one suite."""

    questions: Sequence[QuestionItem]
    grounds: Grounds
    sizes: tuple[int, ...]
    per_cell: int
    seed: int
    rule: Rule = Rule.FREE
    measure: Measure | None = None
    """What puts candidates in order; None for the paper's random sampling."""
    relevance: str = RANDOM
    """What the manifest calls the measure."""
    _drawn: tuple[tuple[int, int, Cell], list[Grounded | str]] | None = field(
        default=None, init=False
    )
    """The draws of the cell that was last worked on, or why there is none."""

    @property
    def manifest(self) -> Manifest:
        """What the suite is made of."""
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

    def line(self, one: Work) -> bytes:
        """The line of one item, without its line break."""
        question = self.questions[one.question]
        if one.pairing < 0:
            return bare_line(_record(question))
        grounded = self._ground(one)
        if isinstance(grounded, Grounded):
            label = self._other(one) if one.anti_factual else question.answer
            instance = grounded.instance.implying(label)
            flags = check(record_of(instance), self.grounds.matrix, self.grounds.knowledge)
            if sound(flags):
                return encoded(instance, {flag.check.key: flag.passed for flag in flags})
            grounded = "; ".join(
                f"{flag.check.value}: {flag.evidence}" for flag in flags if not flag.passed
            )
        cell = one.cell
        return refused_line(
            Refused(
                question.id,
                one.pairing,
                cell.hops,
                cell.distractors,
                one.draw,
                one.anti_factual,
                grounded,
            )
        )

    def _ground(self, one: Work) -> Grounded | str:
        """The grounding that an item shares with its twin, or why there is none."""
        cell = (one.question, one.pairing, one.cell)
        if self._drawn is None or self._drawn[0] != cell:
            self._drawn = cell, []
        drawn = self._drawn[1]
        while len(drawn) <= one.draw:
            drawn.append(self._draw(replace(one, draw=len(drawn)), drawn))
        return drawn[one.draw]

    def _draw(self, one: Work, earlier: Sequence[Grounded | str]) -> Grounded | str:
        known = {made.instance.group for made in earlier if isinstance(made, Grounded)}
        grounder = self.grounds.grounder
        if self.measure is not None:
            grounder = replace(grounder, beam=Beam(pool=POOL))
        for attempt in range(ATTEMPTS):
            seed = self._seed("grounding", one, attempt)
            structure = self._structure(one, attempt)
            made = grounder.ground(structure, seed=seed, measure=self.measure)
            if isinstance(made, Unsatisfied):
                return made.reason
            if made.instance.group not in known:
                return made
        return f"Drawn {ATTEMPTS} times, it was always an earlier item of its cell."

    def _structure(self, one: Work, attempt: int) -> Structure:
        question = self.questions[one.question]
        pairing = question.pairings[one.pairing]
        cell = one.cell
        tree, path = next(
            sampled(
                self.grounds.matrix,
                pairing.skill,
                pairing.end,
                cell.hops,
                cell.distractors,
                self._seed("tree", one, attempt),
                self.rule,
            )
        )
        return Structure(question, pairing, tree, path)

    def _other(self, one: Work) -> str:
        """One of the choices that are not the default answer."""
        question = self.questions[one.question]
        others = [label for label in question.labels if label != question.answer]
        return random.Random(self._seed("implied", one)).choice(others)

    def _seed(self, purpose: str, one: Work, attempt: int = 0) -> int:
        question = self.questions[one.question]
        pairing = question.pairings[one.pairing]
        return seed_of(
            purpose,
            self.seed,
            question.id,
            pairing.skill,
            pairing.end,
            pairing.term,
            one.cell.hops,
            one.cell.distractors,
            one.draw,
            *([attempt] if attempt else []),
        )


def generate(generator: Generator, folder: Path, *, resume: bool = False) -> Iterator[Progress]:
    """Write a suite into a folder, and tell after each line how far it is.

    Args:
        generator: what makes it.
        folder: where it goes; made where it is missing.
        resume: go on with what is there.

    Raises:
        DataError: where there is a suite already and it is not to be gone on with, or it is made
            of something else, or the folder cannot be written.
    """
    manifest = generator.manifest
    try:
        with _held(folder):
            done, refused = _begin(manifest, folder, resume=resume)
            yield Progress(done, manifest.total, refused)
            with (folder / ITEMS).open("ab", buffering=0) as handle:
                every = work(generator.questions, generator.sizes, generator.per_cell)
                for one in islice(every, done, None):
                    line = generator.line(one)
                    handle.write(line + b"\n")
                    done += 1
                    refused += line.startswith(REFUSED)
                    yield Progress(done, manifest.total, refused)
                os.fsync(handle.fileno())
    except OSError as error:
        raise _unwritable(folder, error) from error


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Keeps other programs from writing the same suite; raises `DataError` where one does."""
    folder.mkdir(parents=True, exist_ok=True)
    place = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise DataError(
            "Another program is writing this suite.",
            where=escape_control_characters(str(folder)),
            hint="Wait until it is done, or name another folder.",
        ) from error
    finally:
        os.close(place)


def _begin(manifest: Manifest, folder: Path, *, resume: bool) -> tuple[int, int]:
    """Make the folder ready; how many whole lines there are in it, and refused ones of them."""
    there = (folder / MANIFEST).exists()
    if there and not resume:
        raise DataError(
            "There is a suite in this folder already.",
            where=escape_control_characters(str(folder)),
            hint="Go on with it by --resume, or name another folder.",
        )
    if not there:
        if (folder / ITEMS).exists():
            raise DataError(
                f"There is an {ITEMS} in this folder that is no suite's.",
                where=escape_control_characters(str(folder)),
                hint="Name another folder.",
            )
        write_manifest(folder, manifest)
        return 0, 0
    if read_manifest(folder) != manifest:
        raise DataError(
            "The suite in this folder is made of something else.",
            where=escape_control_characters(str(folder / MANIFEST)),
            hint="Give the same questions, knowledge base and options, or name another folder.",
        )
    try:
        return _written(folder / ITEMS)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _written(path: Path) -> tuple[int, int]:
    """How many lines are whole, and how many of them say that an item could not be made.

    What a kill left of another line is cut off.
    """
    if not path.exists():
        return 0, 0
    lines, refused, end = 0, 0, 0
    with path.open("r+b") as handle:
        for line in handle:
            if line.endswith(b"\n"):
                lines += 1
                refused += line.startswith(REFUSED)
                end += len(line)
        handle.truncate(end)
    return lines, refused


def _unwritable(folder: Path, error: OSError) -> DataError:
    return DataError(
        f"The suite cannot be written: {error.strerror}.",
        where=escape_control_characters(str(folder)),
        hint="Is there room, and may you write there? What was written is kept.",
    )


def _record(question: QuestionItem) -> QuestionRecord:
    return QuestionRecord(
        question.id,
        question.question,
        tuple(ChoiceRecord(label, text) for label, text in question.choices),
        question.answer,
        question.concept,
        question.language,
    )


def _hash(questions: Sequence[QuestionItem]) -> str:
    """SHA-256 over questions and their pairing templates."""
    content = hashlib.sha256()
    for question in questions:
        pairings = [
            (p.skill, p.end.value, p.term, p.surface, p.reviewed) for p in question.pairings
        ]
        raw = msgspec.json.encode((_record(question), pairings))
        content.update(len(raw).to_bytes(8, "big") + raw)
    return content.hexdigest()
