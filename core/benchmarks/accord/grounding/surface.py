"""Items in words: the statements of all copies, their order, and the prompt they make.

ACCORD (Roewer-Després et al., 2024), section 2.2 and figure 5. Every template becomes a sentence;
only the pairing template is negated, in all copies but that of the implied answer. Statements are
shuffled and repeated ones dropped. Nothing of that depends on which answer is implied.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.hashes import seed_of
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.prompts import OnlyWording, Wording, wording
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.matrix import Case
from core.benchmarks.accord.trees.path import Path
from core.benchmarks.accord.trees.skills import PLACE, End, Skills


@dataclass(frozen=True, slots=True)
class Style:
    """How statements are worded and ordered; the defaults are the paper's."""

    only: bool = False
    """Whether transitive reductions say "only" (the NAACL 2025 version, section 2.7)."""
    shuffled: bool = True
    """Whether statements are shuffled, rather than copy by copy in the order of the tree."""
    seed: int = 0
    """Seed of the shuffle."""


PAPER = Style()


@dataclass(frozen=True, slots=True)
class Statement:
    """A template of one copy, in words."""

    label: str
    """The answer choice of the copy."""
    template: int
    """Its index in the tree."""
    parts: tuple[str, str, str, str, str]
    """Before the first term, that term, between, the other term, after it."""
    paired: bool
    """Whether it is the pairing template."""
    affirmed: bool
    """False where the pairing template's negative variant is said."""

    def text(self, before: str = "", after: str = "") -> str:
        """The sentence, each term between two brackets."""
        start, first, middle, second, end = self.parts
        return f"{start}{before}{first}{after}{middle}{before}{second}{after}{end}"


@dataclass(frozen=True, slots=True)
class Asked:
    """What `core.contract.question.Question` needs to ask an item."""

    instruction: str
    text: str
    options: tuple[str, ...]
    """The labels of the choices."""
    gold: int
    """Index of the implied answer; for the bare question, of the default one."""


def statements(instance: Instance, skills: Skills, style: Style = PAPER) -> tuple[Statement, ...]:
    """The statements of an item, in the order in which they are said.

    Raises `SkillError` for a template of an unknown skill.
    """
    structure = instance.structure
    surfaces = _surfaces(instance, skills, wording().only if style.only else None)
    rng = random.Random(seed_of("order", style.seed, instance.group))
    copies = []
    for label in structure.question.labels:
        terms = shown(instance, label)
        copies.append([_said(instance, label, i, surfaces[i], terms) for i in range(len(surfaces))])
    # Shuffled within the copies, then by copy, then all together, as the authors' program does.
    if style.shuffled:
        for copy in copies:
            rng.shuffle(copy)
        rng.shuffle(copies)
    ordered = [statement for copy in copies for statement in copy]
    if style.shuffled:
        rng.shuffle(ordered)
    by_text: dict[str, Statement] = {}
    for statement in ordered:
        by_text.setdefault(statement.text(), statement)
    return tuple(by_text.values())


def shown(instance: Instance, label: str) -> tuple[str, ...]:
    """By variable: the term of one copy as it is said, on one line and without its sense.

    The pairing term and the answer choice are texts of the question and have no sense.
    """
    path = instance.structure.path
    texts = {path.pairing_variable, path.answer_variable}
    terms = instance.terms(label)
    words = (term if variable in texts else plain(term) for variable, term in enumerate(terms))
    return tuple(" ".join(term.split()) for term in words)


def asked(instance: Instance, skills: Skills, style: Style = PAPER, *, json: bool = False) -> Asked:
    """The prompt of an item.

    Args:
        instance: the item.
        skills: what its templates say.
        style: how statements are worded and ordered.
        json: whether the answer is to be JSON, as in the NAACL 2025 version, not a letter.

    Raises `SkillError` for a template of an unknown skill.
    """
    words = wording()
    question = instance.structure.question
    before, after = words.brackets
    lines = [
        words.statements_heading,
        *(words.statement + s.text(before, after) for s in statements(instance, skills, style)),
        *_question(question, words),
    ]
    request = [words.instruction, *([words.json_request(question.labels)] if json else [])]
    return Asked(
        # `Question.base` takes one line break away from the instruction.
        instruction=f"{words.instruction_heading}\n{' '.join(request)}\n\n",
        text="\n".join(lines) + "\n",
        options=question.labels,
        gold=question.labels.index(instance.chosen),
    )


def bare(question: QuestionItem, *, json: bool = False) -> Asked:
    """The baseline of tree size 0: the question with neither statements nor what is said of them.

    How the authors worded it is not known; only the request for JSON remains of the instruction.
    """
    words = wording()
    request = words.json_request(question.labels)
    return Asked(
        instruction=f"{words.instruction_heading}\n{request}\n\n" if json else "",
        text="\n".join(_question(question, words)) + "\n",
        options=question.labels,
        gold=question.labels.index(question.answer),
    )


def _question(question: QuestionItem, words: Wording) -> list[str]:
    choices = (
        f"{' '.join(label.split())}{words.choice}{' '.join(text.split())}"
        for label, text in question.choices
    )
    return [
        words.question_heading,
        question.question,
        words.between_choices.join(choices),
        words.answer_heading,
    ]


def only_templates(pairing: PairingTemplate, path: Path, wanted: OnlyWording) -> dict[int, str]:
    """By template that says "only": what stands in the place of its source.

    These are the templates of the path that a transitive reduction absorbs: the pairing template's
    skill with itself, the target of the one being the source of the other.
    """
    found = {}
    for step in path.steps:
        entry = step.reduction
        if entry.first == entry.second == pairing.skill:
            if entry.case is Case.CHAIN and pairing.end is End.SOURCE:
                found[step.template] = wanted.after_pairing
            elif entry.case is Case.BACK and pairing.end is End.TARGET:
                found[step.template] = wanted.before_pairing
    return found


def _surfaces(instance: Instance, skills: Skills, only: OnlyWording | None) -> list[str]:
    """By template: its surface, with two places; of the paired one the affirmed variant."""
    structure = instance.structure
    path = structure.path
    surfaces = [skills.named(template.skill).surface for template in structure.tree.templates]
    if only is not None:
        for index, form in only_templates(structure.pairing, path, only).items():
            surfaces[index] = surfaces[index].replace(PLACE, form, 1)
    surfaces[path.pairing.template] = structure.pairing.positive
    return surfaces


def _said(
    instance: Instance, label: str, index: int, surface: str, terms: Sequence[str]
) -> Statement:
    structure = instance.structure
    paired = index == structure.path.pairing.template
    affirmed = not paired or label == instance.chosen
    if not affirmed:
        surface = structure.pairing.negative
    template = structure.tree.templates[index]
    before, between, after = surface.split(PLACE)
    parts = (before, terms[template.source], between, terms[template.target], after)
    return Statement(label, index, parts, paired, affirmed)
