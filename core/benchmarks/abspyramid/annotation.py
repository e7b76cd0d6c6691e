"""Annotating abstraction tuples: what is asked, what five votes amount to, and the export.

The rules are those of appendix A.4 of the paper: a test of 20 questions of which 18 must be right;
five votes a tuple; votes of people who were disqualified are annotated again by others; tuples
that 2 or 3 of 5 find valid are annotated again, and dropped if they still do not agree. What the
paper leaves open is ours: a tuple whose sentence most find ungrammatical is dropped at once, and
with another number of votes four fifths must agree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from core.annotation.annotation import Annotation, Qualification, Tasks
from core.annotation.rounds import Rules
from core.annotation.tasks import Choice, Passage, Task
from core.benchmarks.abspyramid.predictions import SEPARATOR
from core.benchmarks.abspyramid.tuple_reader import read_tuples
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.benchmarks.abspyramid.wordnet import VERB, WordNet
from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.text.errors import DataError, NotFoundError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import N_

VOTES = 5
"""Votes a tuple gets in a round."""
MOST_VOTES = 99
QUESTIONS = 20
"""Of the test, for each annotator."""
TO_PASS = 18
"""Of 20; of a shorter test the same share, rounded up."""
VALID, INVALID, UNGRAMMATICAL = "valid", "invalid", "ungrammatical"
TITLE = N_("Annotating")
"""What stands above the screen, before the annotator's name."""
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
"""What an annotator is told before the first question; each paragraph on one line."""
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
_TUPLES = "tuples.jsonl"
_QUALIFICATION = "qualification.jsonl"
_ABOUT = "annotation.json"
_LIMIT = 10_000
"""Most bytes of `annotation.json`."""


def decide(counts: Mapping[str, int]) -> str | None:
    """What the votes on a tuple amount to; None where they do not agree.

    Of five votes 4 or 5 for valid make it valid, 0 or 1 invalid; 2 or 3 are no agreement.
    """
    votes = sum(counts.values())
    agreeing = -(-4 * votes // 5)
    valid = counts.get(VALID, 0)
    if valid >= agreeing:
        return VALID
    if 2 * counts.get(UNGRAMMATICAL, 0) > votes:
        return UNGRAMMATICAL
    return INVALID if valid <= votes - agreeing else None


def task_of(one: AbstractTuple, wordnet: WordNet | None = None) -> Task:
    """A tuple with one concept as a question; a label that it has is not shown.

    With a WordNet the meanings of verbs stand beside them, as the paper's annotators had them
    (section 4.4). Raises `DataError` for a broken WordNet.
    """
    concept = one.concepts[0]
    start = 0 if one.relation is Relation.EVENT else one.start
    meanings: tuple[Passage, ...] = ()
    if wordnet is not None and one.relation is Relation.VERB:
        meanings = tuple(_meanings(wordnet, (one.instance, concept)))
    return Task(
        tuple_id(one),
        (
            Passage(one.head, "Sentence", one.start, one.end),
            Passage(one.tail, "With the concept in its place", start, start + len(concept)),
            *meanings,
        ),
        _ASK[one.relation],
        _CHOICES,
    )


def _meanings(wordnet: WordNet, verbs: Iterable[str]) -> Iterator[Passage]:
    """What verbs mean, the most frequent senses first."""
    for verb in verbs:
        senses = wordnet.senses(verb, VERB) or wordnet.senses(verb.partition(" ")[0], VERB)
        if senses:
            glosses = "; ".join(sense.gloss for sense in senses[:_MEANINGS])
            yield Passage(glosses, f"“{verb}” in WordNet", aside=True)


def tuple_id(one: AbstractTuple) -> str:
    """Tells a tuple with one concept from all others, wherever it stands."""
    said = "\0".join((one.marked, one.relation, one.concepts[0]))
    return sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class TupleAnnotation:
    """The annotation of tuples in a folder."""

    tuples: tuple[AbstractTuple, ...]
    """With one concept each, none twice."""
    votes: Annotation

    def labelled(self) -> Iterator[tuple[AbstractTuple, bool]]:
        """What was decided to be valid or invalid, in the order of the tuples."""
        for place, each in self.votes.standings():
            if each.choice in {VALID, INVALID}:
                yield self.tuples[place], each.choice == VALID

    def released(self) -> str:
        """What was decided as it is released: JSON lines, ASCII; empty where nothing was."""
        return _lines(_row(one, label) for one, label in self.labelled())


def begin(
    folder: Path,
    tuples: Path,
    qualification: Path | None = None,
    votes: int | None = None,
    wordnet: WordNet | None = None,
) -> TupleAnnotation:
    """Begin to annotate tuples in a folder, or go on with it.

    Args:
        folder: where tuples, test and votes are kept; made if it is not there.
        tuples: a file or folder of tuples; their labels are left out.
        qualification: tuples with labels, of which each annotator is asked 20 first; None for no
            test, or for that of the folder.
        votes: how many each tuple gets in a round; five, or as the folder says.
        wordnet: where the meanings of verbs are from.

    Raises `DataError` for data that cannot be read or written, or is not what was begun with, and
    `SettingError` for another number of votes than was begun with.
    """
    if votes is not None and not 1 <= votes <= MOST_VOTES:
        raise SettingError(
            f"There cannot be {votes} votes.", where="votes", hint=f"Write 1 to {MOST_VOTES}."
        )
    given = [replaced for one in read_tuples(tuples) for replaced in _single(one)]
    found = _unique(given)
    if not found:
        raise DataError(
            "There is no tuple to annotate.", where=escape_control_characters(str(tuples))
        )
    test = None if qualification is None else _unique(_labelled(qualification))
    if (folder / _ABOUT).exists():
        _check_same(folder, found, test, votes)
    else:
        _write(folder / _TUPLES, [_row(one, None) for one in found])
    if test is not None and not (folder / _QUALIFICATION).exists():
        _write(folder / _QUALIFICATION, [_row(one, one.label) for one in test])
    if not (folder / _ABOUT).exists():
        _write(folder / _ABOUT, [{"votes": votes or VOTES}])
    return open_annotation(folder, wordnet)


def open_annotation(folder: Path, wordnet: WordNet | None = None) -> TupleAnnotation:
    """The annotation in a folder; raises `NotFoundError` where there is none, `DataError`."""
    votes = _votes_of(folder)
    tuples = tuple(read_tuples(folder / _TUPLES))
    test = None
    if (folder / _QUALIFICATION).exists():
        test = _test(tuple(_labelled(folder / _QUALIFICATION)), wordnet)
    rules = Rules(votes, decide, frozenset(choice.name for choice in _CHOICES))
    return TupleAnnotation(tuples, Annotation(folder, _tasks(tuples, wordnet), test, rules))


def _tasks(tuples: tuple[AbstractTuple, ...], wordnet: WordNet | None) -> Tasks:
    def made(place: int) -> Task:
        return task_of(tuples[place], wordnet)

    return Tasks(tuple(map(tuple_id, tuples)), made)


def _test(tuples: tuple[AbstractTuple, ...], wordnet: WordNet | None) -> Qualification:
    golds = {tuple_id(one): VALID if one.label else INVALID for one in tuples}
    questions = min(QUESTIONS, len(tuples))
    return Qualification(
        _tasks(tuples, wordnet), golds, questions, -(-questions * TO_PASS // QUESTIONS)
    )


def _single(one: AbstractTuple) -> Iterator[AbstractTuple]:
    """A tuple for each concept; raises `DataError` for what could not be released."""
    if "<" in one.head or ">" in one.head or any(SEPARATOR in text for text in one.concepts):
        raise DataError(
            f"“<”, “>” and “{SEPARATOR}” mean something in the released format.",
            where=one.origin,
            hint="Take them out of the sentence and the concept.",
        )
    for concept in one.concepts:
        yield AbstractTuple(
            one.head, one.start, one.end, one.relation, (concept,), one.label, one.origin
        )


def _labelled(path: Path) -> list[AbstractTuple]:
    found = [single for one in read_tuples(path) for single in _single(one)]
    for one in found:
        if one.label is None:
            raise DataError(
                "The right answer to this question of the test is missing.",
                where=one.origin,
                hint="Add “label”: 1 for valid, 0 for invalid.",
            )
    if not found:
        raise DataError(
            "There is no question in this test.", where=escape_control_characters(str(path))
        )
    return found


def _unique(tuples: Iterable[AbstractTuple]) -> tuple[AbstractTuple, ...]:
    return tuple({tuple_id(one): one for one in tuples}.values())


def _check_same(
    folder: Path,
    tuples: tuple[AbstractTuple, ...],
    test: tuple[AbstractTuple, ...] | None,
    votes: int | None,
) -> None:
    begun = _votes_of(folder)
    if votes is not None and votes != begun:
        raise SettingError(
            f"This annotation was begun with {begun} votes a tuple.",
            where=escape_control_characters(str(folder)),
            hint="Leave the number out, or begin another one in another folder.",
        )
    kept = read_tuples(folder / _TUPLES)
    if [tuple_id(one) for one in kept] != [tuple_id(one) for one in tuples]:
        raise _other(folder, "tuples")
    if test is not None and (folder / _QUALIFICATION).exists():
        known = {(tuple_id(one), one.label) for one in _labelled(folder / _QUALIFICATION)}
        if known != {(tuple_id(one), one.label) for one in test}:
            raise _other(folder, "test questions")


def _other(folder: Path, what: str) -> DataError:
    return DataError(
        f"This annotation was begun with other {what}.",
        where=escape_control_characters(str(folder)),
        hint="Name the same file again, or another folder.",
    )


class _About(msgspec.Struct, forbid_unknown_fields=True):
    votes: int


def _votes_of(folder: Path) -> int:
    path = folder / _ABOUT
    try:
        raw = read_regular(path, _LIMIT, DataError)
        votes = msgspec.json.decode(raw, type=_About).votes
    except FileNotFoundError:
        raise NotFoundError(
            "There is no annotation in this folder.",
            where=escape_control_characters(str(folder)),
            hint="Begin one: abspyramid annotate FILE --person NAME --out DIR.",
        ) from None
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"This is no annotation: {escape_control_characters(str(error))}.",
            where=escape_control_characters(str(path)),
        ) from error
    if not 1 <= votes <= MOST_VOTES:
        raise DataError(
            f"There cannot be {votes} votes.", where=escape_control_characters(str(path))
        )
    return votes


def _row(one: AbstractTuple, label: bool | None) -> dict[str, Any]:
    row = {"event": one.marked, "concept": one.concepts[0], "type": one.relation.value}
    return row if label is None else {**row, "label": int(label)}


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    try:
        atomic_write(path, _lines(rows))
    except OSError as error:
        raise DataError(
            f"This cannot be written: {error.strerror}.", where=escape_control_characters(str(path))
        ) from error
