"""Items in words: the statements of all copies, their order, and the prompt.

ACCORD (Roewer-Després et al., 2024), section 2.2 and figure 5. Every template becomes a sentence;
only the pairing template is negated, in all copies but that of the implied answer. Statements are
shuffled and duplicates dropped. The order does not depend on which answer is implied.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.hashes import seed_of
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.prompts import OnlyWording, Wording, wording
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.matrix import Case
from core.benchmarks.accord.trees.path import Path
from core.benchmarks.accord.trees.skills import PLACEHOLDER, End, Skills
from core.contract.prompt_template import PromptTemplate


@dataclass(frozen=True, slots=True)
class Style:
    """How statements are worded and ordered; the defaults are the paper's."""

    only: bool = False
    """Whether transitive reductions say "only" (the NAACL 2025 version, section 2.7)."""
    shuffled: bool = True
    """Whether statements are shuffled, rather than copy by copy in the order of the tree."""
    seed: int = 0
    """Seed of the shuffle."""
    order: tuple[tuple[str, int], ...] = ()
    """The answer choice and the template of each statement, in an order to be kept; if empty, they
    are shuffled, or not, as `shuffled` says."""


PAPER = Style()


@dataclass(frozen=True, slots=True)
class Statement:
    """A template of one copy, in words."""

    label: str
    """The answer choice of the copy."""
    template: int
    """Its index in the tree."""
    parts: tuple[str, str, str, str, str]
    """The text before the first term, that term, the text between, the other term, the rest."""

    def text(self, before: str = "", after: str = "") -> str:
        """The sentence, each term between two brackets."""
        start, first, middle, second, end = self.parts
        return f"{start}{before}{first}{after}{middle}{before}{second}{after}{end}"


@dataclass(frozen=True, slots=True)
class Asked:
    """An item's prompt, for `core.contract.question.Question`."""

    template: PromptTemplate
    parts: Mapping[str, str]
    """The texts of the item, by the placeholders of the template."""
    options: tuple[str, ...]
    """The labels of the choices."""
    gold: int
    """Index of the implied answer; for the bare question, of the default one."""

    @property
    def instruction(self) -> str:
        """What precedes worked examples."""
        return self.template.instruction

    @property
    def text(self) -> str:
        """The question itself."""
        return self.template.fill(self.parts)


def statements(instance: Instance, skills: Skills, style: Style = PAPER) -> tuple[Statement, ...]:
    """The statements of an item, in the order of the prompt.

    Raises `SkillError` for a template of an unknown skill.
    """
    structure = instance.structure
    surfaces = _surfaces(instance, skills, wording().only if style.only else None)
    terms = {label: shown(instance, label) for label in structure.question.labels}
    ordered = [
        _stated(instance, label, index, surfaces[index], terms[label])
        for label, index in style.order or statement_order(instance, style)
    ]
    by_text: dict[str, Statement] = {}
    for statement in ordered:
        by_text.setdefault(statement.text(), statement)
    return tuple(by_text.values())


def statement_order(instance: Instance, style: Style = PAPER) -> list[tuple[str, int]]:
    """The answer choice and the template of each statement, in the order of the prompt."""
    templates = range(instance.structure.tree.size)
    copies = [[(label, i) for i in templates] for label in instance.structure.question.labels]
    if not style.shuffled:
        return [statement for copy in copies for statement in copy]
    # Shuffled within the copies, then by copy, then all together, as the authors' program does.
    rng = random.Random(seed_of("order", style.seed, instance.group))
    for copy in copies:
        rng.shuffle(copy)
    rng.shuffle(copies)
    ordered = [statement for copy in copies for statement in copy]
    rng.shuffle(ordered)
    return ordered


def shown(instance: Instance, label: str) -> tuple[str, ...]:
    """By variable: the term of one copy as it appears in statements, on one line, without sense.

    The pairing term and the answer choice are texts of the question and have no sense.
    """
    path = instance.structure.path
    texts = {path.pairing_variable, path.answer_variable}
    terms = instance.terms(label)
    words = (term if variable in texts else plain(term) for variable, term in enumerate(terms))
    return tuple(" ".join(term.split()) for term in words)


def asked(
    instance: Instance,
    skills: Skills,
    style: Style = PAPER,
    *,
    json: bool = False,
    order: Sequence[int] = (),
) -> Asked:
    """The prompt of an item; raises `SkillError` for a template of an unknown skill.

    With `json` it asks for a JSON answer, as in the NAACL 2025 version, instead of a letter.
    `order` has the index of the choice whose text stands beside each label; by default its own.
    """
    words = wording()
    question = instance.structure.question
    before, after = words.brackets
    lines = (words.statement + s.text(before, after) for s in statements(instance, skills, style))
    request = [words.instruction, *([words.json_request(question.labels)] if json else [])]
    return Asked(
        # `Question.base` removes one line break from the instruction.
        PromptTemplate(
            f"{words.instruction_heading}\n{' '.join(request)}\n\n",
            f"{words.statements_heading}\n{{statements}}\n{_template(words)}",
        ),
        {"statements": "\n".join(lines), **_parts(question, words, order)},
        options=question.labels,
        gold=_place(question, instance.chosen, order),
    )


def bare(question: QuestionItem, *, json: bool = False, order: Sequence[int] = ()) -> Asked:
    """The baseline of tree size 0: the question without statements.

    The authors' wording is unknown; of the instruction, only the request for JSON is kept. `order`
    is as of `asked`.
    """
    words = wording()
    request = words.json_request(question.labels)
    return Asked(
        PromptTemplate(
            f"{words.instruction_heading}\n{request}\n\n" if json else "", _template(words)
        ),
        _parts(question, words, order),
        options=question.labels,
        gold=_place(question, question.answer, order),
    )


def _template(words: Wording) -> str:
    return f"{words.question_heading}\n{{question}}\n{{choices}}\n{words.answer_heading}\n"


def _place(question: QuestionItem, label: str, order: Sequence[int]) -> int:
    """At which place a choice, given by its own label, is shown."""
    index = question.labels.index(label)
    return order.index(index) if order else index


def _parts(question: QuestionItem, words: Wording, order: Sequence[int]) -> dict[str, str]:
    texts = [question.texts[index] for index in order] or question.texts
    choices = (
        f"{' '.join(label.split())}{words.choice}{' '.join(text.split())}"
        for label, text in zip(question.labels, texts, strict=True)
    )
    return {"question": question.question, "choices": words.between_choices.join(choices)}


def only_templates(pairing: PairingTemplate, path: Path, wanted: OnlyWording) -> dict[int, str]:
    """By template that is worded with "only": the form that replaces its source.

    These are the templates of the path that a transitive reduction absorbs: the pairing template's
    skill with itself, where the target of one template is the source of the other.
    """
    forms = {}
    for step in path.steps:
        entry = step.reduction
        if entry.first == entry.second == pairing.skill:
            if entry.case is Case.CHAIN and pairing.end is End.SOURCE:
                forms[step.template] = wanted.after_pairing
            elif entry.case is Case.BACK and pairing.end is End.TARGET:
                forms[step.template] = wanted.before_pairing
    return forms


def _surfaces(instance: Instance, skills: Skills, only: OnlyWording | None) -> list[str]:
    """By template: its surface with two `{}`; for the paired template, the positive variant."""
    structure = instance.structure
    path = structure.path
    surfaces = [skills.named(template.skill).surface for template in structure.tree.templates]
    if only is not None:
        for index, form in only_templates(structure.pairing, path, only).items():
            surfaces[index] = surfaces[index].replace(PLACEHOLDER, form, 1)
    surfaces[path.pairing.template] = structure.pairing.positive
    return surfaces


def _stated(
    instance: Instance, label: str, index: int, surface: str, terms: Sequence[str]
) -> Statement:
    structure = instance.structure
    if index == structure.path.pairing.template and label != instance.chosen:
        surface = structure.pairing.negative
    template = structure.tree.templates[index]
    before, between, after = surface.split(PLACEHOLDER)
    parts = (before, terms[template.source], between, terms[template.target], after)
    return Statement(label, index, parts)
