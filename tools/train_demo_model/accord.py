"""ACCORD's prompts with random terms: bare questions, hops, and whole trees with distractors.

Trees, statements and prompts are made by the program's own `core.benchmarks.accord`, so the text
is that of the benchmark. Terms are drawn at random, so statements are no facts; the implied answer
is drawn too, so that neither the question nor its default answer tells it. Now and then two choices
draw the same term, as they may in the benchmark. The bare questions are about facts: what a thing
is a kind of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.grounding.surface import asked, bare, statements
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, Path, paths
from core.benchmarks.accord.trees.skills import End, Skills
from core.benchmarks.accord.trees.tree import Template, Tree
from tools.train_demo_model.bundled_pairs import is_bundled
from tools.train_demo_model.concepts import holding, inventory, meant_by
from tools.train_demo_model.rows import Asked, Label, Look
from tools.train_demo_model.wordlists import common, kinds, terms

LABELS = "ABCDE"
MOST_HOPS = 3
# Every so many terms are kept for measuring.
_KEPT = 10
_SURFACES = {
    "spatial": "Suppose that {} [[appears|does not appear]] near {}",
    "causal": "Suppose that {} [[causes|does not cause]] {}",
    "part_of": "Suppose that {} [[is|is not]] a part of {}",
    "type_of": "Suppose that {} [[is|is not]] a type of {}",
    "used_for": "Suppose that {} [[is|is not]] used for {}",
    "requires": "Suppose that {} [[has|does not have]] prerequisite {}",
}
_STEMS = (
    "What kind of thing is the {term}?",
    "Somebody mentions the {term}. What is it?",
    "In the picture stands the word {term}. Which of these does it belong to?",
    "Which of these describes the {term}?",
    "A child asks about the {term}. What is the best answer?",
    "They speak about the {term} all evening. What are they speaking about?",
    "The dictionary has an entry for {term}. What does it say?",
    "Someone points at the {term}. Which word fits?",
    "The list begins with the {term}. What is the list about?",
    "The guide shows the visitors the {term}. What do they see?",
    "On the card is written {term}. Under which heading does the card go?",
    "You are told to look for the {term}. What are you looking for?",
)
_NEW_STEMS = (
    "The teacher writes {term} on the board. To which group does it belong?",
    "There was a story about the {term} in the paper. What was it about?",
    "The museum has a room for the {term}. What does one find there?",
)


@dataclass(frozen=True, slots=True)
class Shape:
    """Which prompt to write: its layer, hops (0: the bare question) and distractors."""

    layer: str
    hops: int
    distractors: int = 0


BARE = Shape("bare", 0)
HOPS = tuple(Shape(f"hop-{hops}", hops) for hops in range(1, MOST_HOPS + 1))
WHOLE = Shape("answer", 2, 1)


def write(shape: Shape, rng: Random, new: bool = False) -> Asked:
    """One prompt. With `new` its question has a wording, and its statements terms, never trained.

    The facts of bare questions are those of training.
    """
    if shape.hops == 0:
        return _bare(rng, new)
    pool = _terms(new)
    question = _question(rng, new, pool)
    pairing, tree, path = _tree(shape, rng, question.concept)
    copies = []
    for _, text in question.choices:
        drawn = rng.sample(pool, tree.size + 1)
        drawn[path.pairing_variable], drawn[path.answer_variable] = question.concept, text
        copies.append(tuple(drawn))
    structure = Structure(question, pairing, tree, path)
    instance = Instance(structure, tuple(copies), rng.choice(LABELS), seed=rng.getrandbits(30))
    made = asked(instance, Skills.shipped())
    return _row(shape, made.instruction.removesuffix("\n"), made.text, instance)


def _bare(rng: Random, new: bool) -> Asked:
    facts = holding("nouns")
    term = rng.choice(tuple(facts))
    right = rng.choice(facts[term][:3])
    wrong: list[str] = []
    while len(wrong) < len(LABELS) - 1:
        other = rng.choice(facts[rng.choice(tuple(facts))][:3])
        # Neither right as well, nor so wide or narrow that it might be.
        if other in (right, *wrong) or right in facts.get(other, ()):
            continue
        if other in meant_by("nouns")[term] or is_bundled("nouns", term, other):
            continue
        wrong.append(other)
    choices = [right, *wrong]
    rng.shuffle(choices)
    question = QuestionItem(
        id=term,
        question=rng.choice(_NEW_STEMS if new else _STEMS).format(term=term),
        choices=tuple(zip(LABELS, choices, strict=True)),
        answer=LABELS[choices.index(right)],
        concept=term,
    )
    made = bare(question)
    ends = _option_ends(made.text, question)
    gold = made.gold
    meant = made.text.index(term, len("Question:\n")) + len(term) - 1
    has = [
        Look(head, end, meant if number == gold else letter)
        for number, (letter, end) in enumerate(ends)
        for head in ("has-1", "has-2")
    ]
    concepts = inventory()
    return Asked(
        benchmark="accord",
        layer="bare",
        instruction="",
        text=made.text,
        answer=LABELS[gold],
        options=tuple(LABELS),
        looks=(
            *_option_looks(ends),
            *has,
            Look("answer", len(made.text) - 1, ends[gold][1]),
        ),
        labels=(
            *(Label("holds", end, int(number == gold)) for number, (_, end) in enumerate(ends)),
            *(
                Label("concept", end, concepts[choice])
                for choice, (_, end) in zip(choices, ends, strict=True)
            ),
            *(Label("kinds", meant, concepts[kind]) for kind in facts[term]),
        ),
    )


@cache
def _terms(new: bool) -> tuple[str, ...]:
    """The terms of training, or those that training never uses."""
    pool = sorted({*common(), *kinds("nouns"), *terms()})
    return tuple(term for number, term in enumerate(pool) if (number % _KEPT == 7) == new)


def _question(rng: Random, new: bool, pool: tuple[str, ...]) -> QuestionItem:
    term, *choices = rng.sample(pool, 1 + len(LABELS))
    said = term if rng.random() < 0.7 else rng.choice(pool)
    return QuestionItem(
        id=term,
        question=rng.choice(_NEW_STEMS if new else _STEMS).format(term=said),
        choices=tuple(zip(LABELS, choices, strict=True)),
        answer=rng.choice(LABELS),
        concept=term,
    )


@cache
def _chains(hops: int) -> tuple[tuple[str, End, tuple[Template, ...]], ...]:
    """Every chain whose path takes all of its templates: pairing skill and end, and the chain."""
    matrix = Matrix.shipped()
    found = []
    for steps in product(product(matrix.skills, End), repeat=hops):
        chain = tuple(
            Template(place, skill, place + 1)
            if near is End.SOURCE
            else Template(place + 1, skill, place)
            for place, (skill, near) in enumerate(steps)
        )
        if _path(Tree(chain), hops, steps[0][1], matrix) is not None:
            found.append((*steps[0], chain))
    return tuple(found)


def _path(tree: Tree, hops: int, end: End, matrix: Matrix) -> Path | None:
    """The path along V0, V1 and so on for so many hops, if the reductions allow it."""
    wanted = tuple(range(hops + 1))
    found = (path for path in paths(tree, matrix, Pairing(0, end)) if path.variables == wanted)
    return next(found, None)


def _tree(shape: Shape, rng: Random, term: str) -> tuple[PairingTemplate, Tree, Path]:
    skill, end, chain = rng.choice(_chains(shape.hops))
    templates = list(chain)
    for _ in range(shape.distractors):
        here, there = rng.randrange(len(templates) + 1), len(templates) + 1
        ends = (here, there) if rng.random() < 0.5 else (there, here)
        templates.append(Template(ends[0], rng.choice(tuple(_SURFACES)), ends[1]))
    tree = Tree(tuple(templates))
    path = _path(tree, shape.hops, end, Matrix.shipped())
    assert path is not None
    return PairingTemplate(skill, end, term, _SURFACES[skill]), tree, path


def _row(shape: Shape, instruction: str, text: str, instance: Instance) -> Asked:
    structure = instance.structure
    question, path = structure.question, structure.path
    gold = LABELS.index(instance.chosen)
    ends = _option_ends(text, question)
    looks = list(_option_looks(ends))
    said: dict[tuple[str, int], int] = {}
    start = 0
    for statement in statements(instance, Skills.shipped()):
        line = statement.text("[", "]")
        start = text.index(line, start)
        first, stop = start + line.index("]"), start + len(line) - 1
        negation = line.find(" not ")
        looks += [
            Look("word", first, first - 1),
            Look("word", stop, stop - 1),
            Look("not", stop, start + (negation + 1 if negation >= 0 else 0)),
            Look("near", stop, first),
        ]
        said[statement.label, statement.template] = stop
        start = stop
    labels = []
    for number, (_, end) in enumerate(ends):
        # From the choice to the pairing term, and on there.
        way = [said.get((LABELS[number], template)) for template in reversed(path.templates)]
        for step in range(MOST_HOPS):
            target = way[min(step, len(way) - 1)]
            if target is not None:
                looks.append(Look(f"match-{step + 1}", end, target))
        labels.append(Label("holds", end, int(number == gold)))
    looks.append(Look("answer", len(text) - 1, ends[gold][1]))
    return Asked(
        benchmark="accord",
        layer=shape.layer,
        instruction=instruction,
        text=text,
        answer=LABELS[gold],
        options=tuple(LABELS),
        looks=tuple(looks),
        labels=tuple(labels),
    )


def _option_ends(text: str, question: QuestionItem) -> list[tuple[int, int]]:
    """By choice: where its letter stands, and the blank or line break behind its text."""
    place = text.rindex("Question:\n") + len("Question:\n") + len(question.question) + 1
    found = []
    for label, choice in question.choices:
        end = place + len(f"{label}: {choice}")
        found.append((place, end))
        place = end + 4
    return found


def _option_looks(ends: list[tuple[int, int]]) -> Iterator[Look]:
    for letter, end in ends:
        yield Look("word", end, end - 1)
        yield Look("letter", end, letter)
