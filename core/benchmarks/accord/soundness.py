"""The rule that makes an item sound: `check` applies it to a record, and `Check` lists its parts.

It uses the record, the reduction matrix and the knowledge base. The path is not folded, as the
generator does: everything that follows from the statements is derived, and statements are worded
here again. It shares the comparison of spellings and the form of records with the generator.

Sources: ACCORD (Roewer-Després et al., 2024), section 2.2 (one choice is implied, anti-factual
terms, terms from the column of their relation). `NO_REPEAT` and `NO_CHOICE_INSIDE` go beyond it:
without them, two copies could affirm and deny the same statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.benchmarks.accord.grounding.records import Record
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import normalise, plain
from core.benchmarks.accord.record_tree import distances_to, malformed
from core.benchmarks.accord.skill_names import size_in_words
from core.benchmarks.accord.trees.consequences import (
    Claim,
    ConsequencesError,
    Derived,
    consequences,
)
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template
from core.text.escaping import QUOTED, escape_control_characters
from core.text.language import N_, _


class Check(StrEnum):
    """The conditions of soundness, as a person reads them."""

    TREE = N_("one tree, and the path leads through it")
    PAIRED = N_("every copy holds the pairing statement and its choice")
    ONE_IMPLIED = N_("exactly one choice is implied")
    NO_CONTRADICTION = N_("nothing is both said and denied")
    ANTI_FACTUAL = N_("no fact where an anti-fact is due")
    FACTUAL = N_("a fact where one is due")
    IN_RELATION = N_("every term stands in its relation's column")
    NO_REPEAT = N_("no term stands twice")
    NO_CHOICE_INSIDE = N_("no intermediate is a term of the question")

    @property
    def key(self) -> str:
        """Name of the check in an item's record."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Flag:
    """The result of one check of an item."""

    check: Check
    passed: bool
    evidence: str
    """The reason, in a sentence."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement of the copy of the tree for one choice."""

    label: str
    template: Template
    source: str
    target: str
    affirmed: bool
    paired: bool

    def at(self, end: End) -> str:
        return self.source if end is End.SOURCE else self.target

    def __str__(self) -> str:
        skill = _shown(self.template.skill)
        terms = f"{_shown(self.source)}, {_shown(self.target)}"
        sentence = _("{skill}({terms}) in copy {copy}")
        if not self.affirmed:
            sentence = _("not {skill}({terms}) in copy {copy}")
        return sentence.format(skill=skill, terms=terms, copy=_shown(self.label))


def sound(flags: Iterable[Flag]) -> bool:
    """Whether every check was passed."""
    return all(flag.passed for flag in flags)


def check(record: Record, matrix: Matrix, knowledge: KnowledgeBase) -> tuple[Flag, ...]:
    """A flag for each check of an item, in the order of `Check`.

    The matrix and the knowledge base are those with which it was generated. If the record is not a
    tree, all other checks fail.
    """
    fault = malformed(record, matrix, knowledge)
    if fault:
        tree = Flag(Check.TREE, False, fault)
        others = (
            Flag(skipped, False, _("Not checked: there is no tree.")) for skipped in list(Check)[1:]
        )
        return (tree, *others)
    statements = tuple(_statements(record))
    depths = distances_to(record, record.pairing_variable, record.answer_variable)
    evidence = f"{size_in_words(record.hops, record.distractors)}."
    return (
        Flag(Check.TREE, True, evidence),
        _paired(record, statements),
        *_implications(record, matrix, knowledge, statements),
        *_facts(record, matrix, knowledge, statements, depths),
        _in_relation(record, matrix, knowledge, statements, depths),
        _no_repeat(record),
        _no_choice_inside(record),
    )


def _statements(record: Record) -> Iterator[_Statement]:
    for choice in record.question.choices:
        terms = record.terms[choice.label]
        for index, template in enumerate(record.templates):
            paired = index == record.path[0]
            affirmed = not paired or choice.label == record.chosen
            source, target = terms[template.source], terms[template.target]
            yield _Statement(choice.label, template, source, target, affirmed, paired)


def _key(record: Record, variable: int, term: str) -> str:
    return _spelled(record, variable, term).casefold()


def _text_key(text: str) -> str:
    return normalise(text).casefold()


def _paired(record: Record, statements: Sequence[_Statement]) -> Flag:
    pairing = record.pairing
    for choice in record.question.choices:
        paired = [
            statement
            for statement in statements
            if statement.label == choice.label and statement.paired
        ]
        if len(paired) != 1 or paired[0].template.skill != pairing.skill:
            fault = _(
                "Copy {copy} has no {skill} template to pair.",
                copy=_shown(choice.label),
                skill=_shown(pairing.skill),
            )
            return Flag(Check.PAIRED, False, fault)
        if paired[0].at(pairing.end) != pairing.term:
            fault = _("{statement} does not name the pairing term.", statement=paired[0])
            return Flag(Check.PAIRED, False, fault)
        if record.terms[choice.label][record.answer_variable] != choice.text:
            copy = _shown(choice.label)
            fault = _("Copy {copy} does not name its answer choice.", copy=copy)
            return Flag(Check.PAIRED, False, fault)
        if record.hops == 1 and paired[0].at(pairing.end.other) != choice.text:
            fault = _("{statement} is not about its answer choice.", statement=paired[0])
            return Flag(Check.PAIRED, False, fault)
    statement = next(
        statement for statement in statements if statement.paired and statement.affirmed
    )
    evidence = _("{statement}, and negated in every other copy.", statement=statement)
    return Flag(Check.PAIRED, True, evidence)


def _implications(
    record: Record, matrix: Matrix, knowledge: KnowledgeBase, statements: Sequence[_Statement]
) -> tuple[Flag, Flag]:
    """Whether exactly the implied choice follows, and whether anything denied follows."""
    claims = [(_claim(record, statement), statement) for statement in statements]
    try:
        affirmed = (claim for claim, statement in claims if statement.affirmed)
        derived = consequences(affirmed, matrix)
    except ConsequencesError as error:
        return (
            Flag(Check.ONE_IMPLIED, False, error.what),
            Flag(Check.NO_CONTRADICTION, False, error.what),
        )
    implied: dict[str, Claim] = {}
    for choice in record.question.choices:
        about = {record.pairing.end: _text_key(record.pairing.term)}
        about[record.pairing.end.other] = _text_key(choice.text)
        wanted = Claim(about[End.SOURCE], record.pairing.skill, about[End.TARGET])
        if wanted in derived:
            implied[choice.label] = wanted
    if list(implied) == [record.chosen]:
        why = " & ".join(_claimed(claim) for claim in _premises(implied[record.chosen], derived))
        evidence = _("Only {answer} follows, no fact itself: {reason}.")
        if _concludes_fact(record, matrix, knowledge):
            evidence = _("Only {answer} follows, a fact itself: {reason}.")
        evidence = evidence.format(answer=_shown(record.chosen), reason=why)
        implication = Flag(Check.ONE_IMPLIED, True, evidence)
    else:
        fault = _(
            "What follows is {answers}, where only {answer} should.",
            answers=", ".join(map(_shown, implied)) or _("none"),
            answer=_shown(record.chosen),
        )
        implication = Flag(Check.ONE_IMPLIED, False, fault)
    denied = [(claim, statement) for claim, statement in claims if not statement.affirmed]
    for claim, statement in denied:
        if claim in derived:
            fault = _("{statement}, but the other statements say otherwise.", statement=statement)
            return implication, Flag(Check.NO_CONTRADICTION, False, fault)
    number = len(denied)
    evidence = _("Negated statements that follow from the others: none of {number}.", number=number)
    return implication, Flag(Check.NO_CONTRADICTION, True, evidence)


def _concludes_fact(record: Record, matrix: Matrix, knowledge: KnowledgeBase) -> bool:
    """Whether the implied statement about pairing term and answer is in the knowledge base."""
    pairing = record.pairing
    choice = next(other.text for other in record.question.choices if other.label == record.chosen)
    ends = {pairing.end: normalise(pairing.term), pairing.end.other: normalise(choice)}
    relation = matrix.skills[pairing.skill].concept_net
    return knowledge.holds(relation, ends[End.SOURCE], ends[End.TARGET])


def _claim(record: Record, statement: _Statement) -> Claim:
    template = statement.template
    return Claim(
        _key(record, template.source, statement.source),
        template.skill,
        _key(record, template.target, statement.target),
    )


def _premises(claim: Claim, derived: Derived) -> list[Claim]:
    parents = derived[claim]
    if parents is None:
        return [claim]
    return [premise for parent in parents for premise in _premises(parent, derived)]


def _facts(
    record: Record,
    matrix: Matrix,
    knowledge: KnowledgeBase,
    statements: Sequence[_Statement],
    depths: dict[int, int],
) -> tuple[Flag, Flag]:
    """Whether the statements that should be facts are facts, and the others are not.

    Of a statement's two variables, the one farther from the pairing and answer variables decides
    which of the two it should be.
    """
    counts = {True: 0, False: 0}
    faults: dict[bool, str] = {}
    for statement in statements:
        ends = (statement.template.source, statement.template.target)
        later = max(depths[end] for end in ends)
        if not later:
            continue
        due = all(end in record.factual for end in ends if depths[end] == later)
        counts[due] += 1
        relation = matrix.skills[statement.template.skill].concept_net
        source = _spelled(record, ends[0], statement.source)
        target = _spelled(record, ends[1], statement.target)
        if knowledge.holds(relation, source, target) is not due:
            fault = _("{statement} is a fact of the knowledge base.")
            if due:
                fault = _("{statement} is no fact of the knowledge base.")
            faults.setdefault(due, fault.format(statement=statement))
    none = _("Statements in the knowledge base: none of {number}.", number=counts[False])
    every = _("No variable is grounded with facts.")
    if counts[True]:
        every = _("Statements in the knowledge base: all of {number}.", number=counts[True])
    return (
        Flag(Check.ANTI_FACTUAL, False not in faults, faults.get(False, none)),
        Flag(Check.FACTUAL, True not in faults, faults.get(True, every)),
    )


def _spelled(record: Record, variable: int, term: str) -> str:
    """A term as it is looked up; terms of the question have no sense to drop."""
    seed = variable in (record.pairing_variable, record.answer_variable)
    return normalise(term) if seed else plain(normalise(term))


def _in_relation(
    record: Record,
    matrix: Matrix,
    knowledge: KnowledgeBase,
    statements: Sequence[_Statement],
    depths: dict[int, int],
) -> Flag:
    """Whether some assertion of its relation has each template's last grounded term at that end.

    Variables grounded with facts are exempt, because the facts may be those of another template.
    """
    count = 0
    for statement in statements:
        ends = {End.SOURCE: statement.template.source, End.TARGET: statement.template.target}
        later = max(depths[variable] for variable in ends.values())
        deciding = {variable for variable in ends.values() if depths[variable] == later}
        if not later or deciding & set(record.factual):
            continue
        count += 1
        relation = matrix.skills[statement.template.skill].concept_net
        if not any(
            knowledge.stands(relation, end, _spelled(record, variable, statement.at(end)))
            for end, variable in ends.items()
            if variable in deciding
        ):
            fault = _("{statement} has a term from outside {relation}.")
            return Flag(
                Check.IN_RELATION, False, fault.format(statement=statement, relation=relation)
            )
    evidence = _("Statements with a term of their relation: all of {number}.", number=count)
    return Flag(Check.IN_RELATION, True, evidence)


def _no_repeat(record: Record) -> Flag:
    positions: dict[str, str] = {_text_key(record.pairing.term): _("as the pairing term")}
    for choice in record.question.choices:
        for variable, term in enumerate(record.terms[choice.label]):
            if variable == record.pairing_variable:
                continue
            key = _key(record, variable, term)
            position = _("at V{variable} in copy {copy}")
            position = position.format(variable=variable, copy=_shown(choice.label))
            if key in positions:
                fault = _("“{term}” stands {place} and {other}.")
                fault = fault.format(term=_shown(term), place=positions[key], other=position)
                return Flag(Check.NO_REPEAT, False, fault)
            positions[key] = position
    return Flag(Check.NO_REPEAT, True, _("All {number} terms differ.", number=len(positions)))


def _no_choice_inside(record: Record) -> Flag:
    question = record.question
    texts = {_text_key(choice.text): _("an answer choice") for choice in question.choices}
    texts[_text_key(record.pairing.term)] = _("the pairing term")
    if question.concept.strip():
        texts.setdefault(_text_key(question.concept), _("what the question is about"))
    count = 0
    for label, terms in record.terms.items():
        for variable, term in enumerate(terms):
            if variable in (record.pairing_variable, record.answer_variable):
                continue
            count += 1
            what = texts.get(_key(record, variable, term))
            if what is not None:
                fault = _(
                    "“{term}” at V{variable} in copy {copy} is {what}.",
                    term=_shown(term),
                    variable=variable,
                    copy=_shown(label),
                    what=what,
                )
                return Flag(Check.NO_CHOICE_INSIDE, False, fault)
    evidence = _("None of {number} intermediates is.", number=count)
    return Flag(Check.NO_CHOICE_INSIDE, True, evidence)


def _claimed(claim: Claim) -> str:
    return f"{claim.skill}({_shown(claim.source)}, {_shown(claim.target)})"


def _shown(text: str) -> str:
    return escape_control_characters(text, limit=QUOTED)
