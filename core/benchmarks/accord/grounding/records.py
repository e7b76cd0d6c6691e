"""Items as JSON: one object with everything needed to ask and to check an item.

Derived values (ids, hops, distractors, path) are written for other programs, and verified on
reading.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, Path, paths
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template, Tree
from core.files.rows import decoding_problem
from core.system.typed_values import ready
from core.text.errors import DataError

MOST_BYTES = 2**20
"""Maximum size of an item as JSON, in bytes."""
MOST_TEMPLATES = 32
"""Maximum number of templates in the tree of an item."""
MOST_CHOICES = 40
"""Maximum number of choices of a question."""
_EXPECTED = "Expected is an item as `accord generate` writes it."


class RecordError(DataError):
    """A text that is not a valid item as JSON."""


class ChoiceRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer choice."""

    label: str
    text: str


class QuestionRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question and its answer choices."""

    id: str
    question: str
    choices: tuple[ChoiceRecord, ...]
    answer: str
    """Label of the choice that is right in the real world."""
    concept: str = ""
    language: str = "en"


class PairingRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pairing template."""

    skill: str
    end: End
    term: str
    surface: str
    reviewed: bool = True


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item."""

    id: str
    group: str
    """Equal for the variants of an item, which differ in the implied answer."""
    question: QuestionRecord
    pairing: PairingRecord
    templates: tuple[Template, ...]
    path: tuple[int, ...]
    """Indices of its templates, the paired one first."""
    pairing_variable: int
    answer_variable: int
    hops: int
    distractors: int
    chosen: str
    """Label of the implied answer."""
    terms: dict[str, tuple[str, ...]]
    """By answer choice: the term of each variable."""
    seed: int
    knowledge: str
    factual: tuple[int, ...] = ()
    flags: dict[str, bool] = {}
    """By check of soundness: whether the item passed when it was generated; empty if unchecked."""


def record_of(instance: Instance) -> Record:
    """The record of an item, without flags."""
    structure = instance.structure
    question, pairing, path = structure.question, structure.pairing, structure.path
    return Record(
        id=instance.id,
        group=instance.group,
        question=question_record(question),
        pairing=PairingRecord(
            pairing.skill, pairing.end, pairing.term, pairing.surface, pairing.reviewed
        ),
        templates=structure.tree.templates,
        path=path.templates,
        pairing_variable=path.pairing_variable,
        answer_variable=path.answer_variable,
        hops=structure.hops,
        distractors=structure.distractors,
        chosen=instance.chosen,
        terms=dict(zip(question.labels, instance.copies, strict=True)),
        seed=instance.seed,
        knowledge=instance.knowledge,
        factual=tuple(sorted(instance.factual)),
    )


def question_record(question: QuestionItem) -> QuestionRecord:
    """The record of a question, without its pairing templates."""
    return QuestionRecord(
        question.id,
        question.question,
        tuple(ChoiceRecord(label, text) for label, text in question.choices),
        question.answer,
        question.concept,
        question.language,
    )


def question_of(record: QuestionRecord) -> QuestionItem:
    """The question of a record; raises `QuestionError` if it makes no sense."""
    return QuestionItem(
        record.id,
        record.question,
        tuple((choice.label, choice.text) for choice in record.choices),
        record.answer,
        record.concept,
        language=record.language,
    )


def encoded(instance: Instance, flags: Mapping[str, bool] | None = None) -> bytes:
    """An item as one line of JSON, without the line break; equal items give equal bytes.

    `flags` are those of its soundness, if it was checked.
    """
    record = record_of(instance)
    return msgspec.json.encode(msgspec.structs.replace(record, flags=dict(flags or {})))


def decoded(line: bytes, *, where: str = "") -> Record:
    """Parse a line of JSON into a record; only its form is checked.

    Raises `RecordError`, with `where` as the position of the line.
    """
    if len(line) > MOST_BYTES:
        raise RecordError("This line is too long for an item.", where=where, hint=_EXPECTED)
    try:
        record = msgspec.json.decode(line, type=ready(Record), strict=True)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        what = f"This is not an item: {decoding_problem(error)}."
        raise RecordError(what, where=where, hint=_EXPECTED) from error
    if not 1 <= len(record.templates) <= MOST_TEMPLATES:
        what = f"This is not an item: it has {len(record.templates)} templates."
        hint = f"A tree has 1 to {MOST_TEMPLATES}."
        raise RecordError(what, where=where, hint=hint)
    if len(record.question.choices) > MOST_CHOICES:
        what = f"This is not an item: it has {len(record.question.choices)} choices."
        raise RecordError(what, where=where, hint=f"A question has at most {MOST_CHOICES}.")
    return record


def instance_of(record: Record, matrix: Matrix, *, where: str = "") -> Instance:
    """The item of a record.

    Raises:
        DataError: for invalid or inconsistent parts, a path that the matrix does not give, and an
            id or count that does not match the rest of the record.
    """
    try:
        instance = _instance(record, matrix)
    except DataError as error:
        raise RecordError.of(error, where=error.where or where) from error
    expected = record_of(instance)
    for name in Record.__struct_fields__:
        if name != "flags" and getattr(expected, name) != getattr(record, name):
            raise RecordError(
                f"The {name.replace('_', ' ')} of this item is not what the rest of it gives.",
                where=where,
                hint="It was changed after it was made.",
            )
    return instance


def _instance(record: Record, matrix: Matrix) -> Instance:
    question, kept = question_of(record.question), record.pairing
    pairing = PairingTemplate(kept.skill, kept.end, kept.term, kept.surface, kept.reviewed)
    for template in record.templates:
        matrix.skills.named(template.skill)
    tree = Tree(record.templates)
    structure = Structure(question, pairing, tree, _path(record, tree, matrix))
    if set(record.terms) != set(question.labels):
        raise RecordError("The terms are not those of the answer choices.")
    if not set(record.factual) <= set(tree.variables):
        raise RecordError("A factual variable is none of the tree's.")
    return Instance(
        structure,
        tuple(record.terms[label] for label in question.labels),
        chosen=record.chosen,
        knowledge=record.knowledge,
        seed=record.seed,
        factual=frozenset(record.factual),
    )


def _path(record: Record, tree: Tree, matrix: Matrix) -> Path:
    if record.path and 0 <= record.path[0] < tree.size:
        for path in paths(tree, matrix, Pairing(record.path[0], record.pairing.end)):
            if path.templates == record.path:
                return path
    raise RecordError(
        "The matrix does not give the path of this item.",
        hint="Use the skills and reductions that it was made with.",
    )
