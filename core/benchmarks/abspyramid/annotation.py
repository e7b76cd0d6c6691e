"""Annotation of abstraction tuples: the questions, the aggregation of votes, and the export.

The rules are those of appendix A.4 of the paper: a qualification test with 18 of 20 correct; five
votes per tuple; votes of disqualified annotators are replaced; tuples with 2 or 3 of 5 valid votes
get a second round, and are dropped if the annotators still disagree. The paper leaves two points
open: here a tuple that most annotators find ungrammatical is dropped at once, and with another
number of votes four fifths must agree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from core.annotation.annotation import Annotation, Qualification, Tasks
from core.annotation.folder import ABOUT, QUALIFICATION, TUPLES
from core.annotation.rounds import Rules
from core.annotation.tasks import Choice, Passage, Task
from core.benchmarks.abspyramid.predictions import SEPARATOR
from core.benchmarks.abspyramid.tuple_reader import read_tuples
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation, released_row
from core.benchmarks.abspyramid.wordnet import VERB, WordNet
from core.files.atomic import atomic_write, make_private_folder
from core.files.regular_file import open_regular_file, read_regular
from core.files.rows import decoding_problem
from core.system.typed_values import ready
from core.text.errors import DataError, NotFoundError, SettingError
from core.text.language import N_

VOTES = 5
"""Votes per tuple in a round."""
MOST_VOTES = 99
QUESTIONS = 20
"""Questions of the qualification test for each annotator."""
TO_PASS = 18
"""Correct answers needed of 20; the same share, rounded up, of a shorter test."""
VALID, INVALID, UNGRAMMATICAL = "valid", "invalid", "ungrammatical"
TITLE = N_("Annotating")
"""Title of the annotation screen, before the annotator's name."""
_PARAGRAPHS = """
You see a sentence with a part marked, and below it the same sentence with a concept in its place.
Decide whether the concept covers what is marked, as it is meant in this sentence.

Valid: the concept means the same or something more general. “PersonX buys a kettle” → “appliance”,
“object”, and “kettle” itself.

Invalid: it means something else (“saucepan”), something narrower (“electric kettle”, because many
kettles are not), or fits only another sense of the word (“bank” as an institution, in “they picnic
on the bank”).

Ungrammatical: the sentence itself is broken or has no meaning.

Articles, plurals and the form of a word do not matter; PersonX, PersonY are people. Your votes are
kept as you give them: leave whenever you like.
"""
GUIDE = "\n\n".join(" ".join(each.split()) for each in _PARAGRAPHS.split("\n\n"))
"""Instructions shown before the first question; each paragraph on one line."""
_ASK = {
    Relation.NOUN: "Is this concept the same as what is marked, or more general?",
    Relation.VERB: "Is doing this the same as what is marked, or more general?",
    Relation.EVENT: "Does this describe the sentence, in the same or in more general words?",
}
_CHOICES = (
    Choice(VALID, "valid: it covers what is marked", "v"),
    Choice(INVALID, "invalid: it does not", "i"),
    Choice(UNGRAMMATICAL, "ungrammatical: a broken or meaningless sentence", "u"),
)
_MEANINGS = 3
_LIMIT = 10_000
"""Largest size of `annotation.json` in bytes."""


def decide(counts: Mapping[str, int]) -> str | None:
    """The decision from the votes on a tuple; None without agreement.

    Of five votes, 4 or 5 for valid make it valid, 0 or 1 invalid; 2 or 3 are no agreement.
    """
    votes = sum(counts.values())
    agreeing = -(-4 * votes // 5)
    valid = counts.get(VALID, 0)
    if valid >= agreeing:
        return VALID
    if 2 * counts.get(UNGRAMMATICAL, 0) > votes:
        return UNGRAMMATICAL
    return INVALID if valid <= votes - agreeing else None


def task_of(abstract_tuple: AbstractTuple, wordnet: WordNet | None = None) -> Task:
    """The question about a tuple with one concept; its label is not shown.

    With a WordNet, glosses of the verbs are shown as well, as for the paper's annotators
    (section 4.4). Raises `DataError` for a broken WordNet.
    """
    concept = abstract_tuple.concepts[0]
    start = 0 if abstract_tuple.relation is Relation.EVENT else abstract_tuple.start
    meanings: tuple[Passage, ...] = ()
    if wordnet is not None and abstract_tuple.relation is Relation.VERB:
        meanings = tuple(_meanings(wordnet, (abstract_tuple.instance, concept)))
    return Task(
        tuple_id(abstract_tuple),
        (
            Passage(abstract_tuple.head, "Sentence", abstract_tuple.start, abstract_tuple.end),
            Passage(
                abstract_tuple.tail, "With the concept in its place", start, start + len(concept)
            ),
            *meanings,
        ),
        _ASK[abstract_tuple.relation],
        _CHOICES,
    )


def _meanings(wordnet: WordNet, verbs: Iterable[str]) -> Iterator[Passage]:
    """WordNet glosses of verbs, the most frequent senses first."""
    for verb in verbs:
        senses = wordnet.senses(verb, VERB) or wordnet.senses(verb.partition(" ")[0], VERB)
        if senses:
            glosses = "; ".join(sense.gloss for sense in senses[:_MEANINGS])
            yield Passage(glosses, f"“{verb}” in WordNet", aside=True)


def tuple_id(abstract_tuple: AbstractTuple) -> str:
    """Identifier of a tuple with one concept, from its content alone."""
    parts = (abstract_tuple.marked, abstract_tuple.relation, abstract_tuple.concepts[0])
    content = "\0".join(parts)
    return sha256(content.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class TupleAnnotation:
    """The annotation of tuples in a folder."""

    tuples: tuple[AbstractTuple, ...]
    """Unique tuples with one concept each."""
    votes: Annotation

    def labelled(self) -> Iterator[tuple[AbstractTuple, bool]]:
        """The tuples decided as valid (True) or invalid (False), in order."""
        for index, standing in self.votes.standings():
            if standing.choice in {VALID, INVALID}:
                yield self.tuples[index], standing.choice == VALID

    def released(self) -> str:
        """The decided tuples in the released format: ASCII JSON lines; empty without a decision."""
        return _lines(_row(each, label) for each, label in self.labelled())


def begin(
    folder: Path,
    tuples: Path,
    qualification: Path | None = None,
    votes: int | None = None,
    wordnet: WordNet | None = None,
) -> TupleAnnotation:
    """Start or resume the annotation of tuples in a folder.

    Args:
        folder: for tuples, test and votes; created if missing.
        tuples: a file or folder of tuples; their labels are not used.
        qualification: labelled tuples for the qualification test of 20 questions; None for no test
            or the one in the folder.
        votes: votes per tuple in a round; by default those of the folder, or five.
        wordnet: source of the glosses of verbs.

    Raises `DataError` for data that cannot be read or written or differs from the folder's, and
    `SettingError` for a number of votes that differs from the folder's.
    """
    if votes is not None and not 1 <= votes <= MOST_VOTES:
        raise SettingError(
            f"There cannot be {votes} votes.", where="votes", hint=f"Write 1 to {MOST_VOTES}."
        )
    single = [replaced for each in read_tuples(tuples) for replaced in _single(each)]
    unique = _unique(single)
    if not unique:
        raise DataError("There is no tuple to annotate.", where=tuples)
    test = None if qualification is None else _unique(_labelled(qualification))
    if (folder / ABOUT).exists():
        _check_same(folder, unique, test, votes)
    else:
        rows = [_row(each, None) for each in unique]
        _make_folder(folder)
        _check_no_other(folder, rows)
        _write(folder / TUPLES, rows)
    if test is not None and not (folder / QUALIFICATION).exists():
        _write(folder / QUALIFICATION, [_row(each, each.label) for each in test])
    if not (folder / ABOUT).exists():
        _write(folder / ABOUT, [{"votes": votes or VOTES}])
    return open_annotation(folder, wordnet)


def open_annotation(folder: Path, wordnet: WordNet | None = None) -> TupleAnnotation:
    """Open the annotation in a folder; raises `NotFoundError` if there is none, and `DataError`."""
    votes = _votes_of(folder)
    tuples = tuple(read_tuples(folder / TUPLES))
    test = None
    if (folder / QUALIFICATION).exists():
        test = _test(tuple(_labelled(folder / QUALIFICATION)), wordnet)
    rules = Rules(votes, decide, frozenset(choice.name for choice in _CHOICES))
    return TupleAnnotation(tuples, Annotation(folder, _tasks(tuples, wordnet), test, rules))


def _tasks(tuples: tuple[AbstractTuple, ...], wordnet: WordNet | None) -> Tasks:
    return Tasks(tuple(map(tuple_id, tuples)), lambda index: task_of(tuples[index], wordnet))


def _test(tuples: tuple[AbstractTuple, ...], wordnet: WordNet | None) -> Qualification:
    golds = {tuple_id(each): VALID if each.label else INVALID for each in tuples}
    questions = min(QUESTIONS, len(tuples))
    to_pass = -(-questions * TO_PASS // QUESTIONS)
    return Qualification(_tasks(tuples, wordnet), golds, questions, to_pass)


def _single(abstract_tuple: AbstractTuple) -> Iterator[AbstractTuple]:
    """A tuple for each concept; raises `DataError` if the released format cannot express it."""
    if (
        "<" in abstract_tuple.head
        or ">" in abstract_tuple.head
        or any(SEPARATOR in text for text in abstract_tuple.concepts)
    ):
        raise DataError(
            f"“<”, “>” and “{SEPARATOR}” mean something in the released format.",
            where=abstract_tuple.origin,
            hint="Take them out of the sentence and the concept.",
        )
    for concept in abstract_tuple.concepts:
        yield replace(abstract_tuple, concepts=(concept,))


def _labelled(path: Path) -> list[AbstractTuple]:
    labelled = [single for each in read_tuples(path) for single in _single(each)]
    for each in labelled:
        if each.label is None:
            raise DataError(
                "The right answer to this question of the test is missing.",
                where=each.origin,
                hint="Add “label”: 1 for valid, 0 for invalid.",
            )
    if not labelled:
        raise DataError("There is no question in this test.", where=path)
    return labelled


def _unique(tuples: Iterable[AbstractTuple]) -> tuple[AbstractTuple, ...]:
    return tuple({tuple_id(each): each for each in tuples}.values())


def _check_same(
    folder: Path,
    tuples: tuple[AbstractTuple, ...],
    test: tuple[AbstractTuple, ...] | None,
    votes: int | None,
) -> None:
    votes_before = _votes_of(folder)
    if votes is not None and votes != votes_before:
        raise SettingError(
            f"This annotation was begun with {votes_before} votes a tuple.",
            where=folder,
            hint="Leave the number out, or begin another one in another folder.",
        )
    previous = read_tuples(folder / TUPLES)
    if [tuple_id(each) for each in previous] != [tuple_id(each) for each in tuples]:
        raise _differs_error(folder, "tuples")
    if test is not None and (folder / QUALIFICATION).exists():
        previous_test = {(tuple_id(each), each.label) for each in _labelled(folder / QUALIFICATION)}
        if previous_test != {(tuple_id(each), each.label) for each in test}:
            raise _differs_error(folder, "test questions")


def _differs_error(folder: Path, what: str) -> DataError:
    return DataError(
        f"This annotation was begun with other {what}.",
        where=folder,
        hint="Name the same file again, or another folder.",
    )


class _About(msgspec.Struct, forbid_unknown_fields=True):
    votes: int


def _votes_of(folder: Path) -> int:
    path = folder / ABOUT
    try:
        raw = read_regular(path, _LIMIT, DataError)
        votes = msgspec.json.decode(raw, type=ready(_About)).votes
    except FileNotFoundError:
        raise NotFoundError(
            "There is no annotation in this folder.",
            where=folder,
            hint="Begin one: abspyramid annotate FILE --person NAME --out DIR.",
        ) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"This is no annotation: {decoding_problem(error)}.", where=path) from error
    if not 1 <= votes <= MOST_VOTES:
        raise DataError(f"There cannot be {votes} votes.", where=path)
    return votes


def _row(each: AbstractTuple, label: bool | None) -> Mapping[str, Any]:
    return released_row(each, each.concepts[0], label)


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _check_no_other(folder: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Raise `DataError` for tuples in the folder that are not these, as those of a curation."""
    ours = _lines(rows)
    with (
        suppress(FileNotFoundError),
        open_regular_file(folder / TUPLES, DataError) as file,
    ):
        if file.read(len(ours) + 1) != ours.encode("ascii"):
            raise DataError(
                f"There is a {TUPLES} in this folder that belongs to no annotation.",
                where=folder,
                hint="Name another folder.",
            )


def _make_folder(folder: Path) -> None:
    """Make the folder, which is to hold votes."""
    try:
        make_private_folder(folder)
    except OSError as error:
        raise _not_written(folder, error) from error


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    try:
        atomic_write(path, _lines(rows))
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> DataError:
    return DataError(f"This cannot be written: {error.strerror}.", where=path)
