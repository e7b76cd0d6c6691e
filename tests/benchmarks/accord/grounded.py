"""Knowledge bases as plain sets of pairs, and random structures to ground with them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from hypothesis import strategies as st

from core.benchmarks.accord import soundness
from core.benchmarks.accord.grounding.grounder import Grounded, Grounder
from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.grounding.records import record_of
from core.benchmarks.accord.grounding.search_trace import Unsatisfied
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.soundness import Check
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, paths
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template, Tree

MATRIX = Matrix.shipped()
SKILLS = MATRIX.skills
RELATIONS = [skill.concept_net for skill in SKILLS.values()]
CHOICES = (("A", "pay debts"), ("B", "galaxy"), ("C", "outer space"))
NEAR = "Suppose that {} [[does|does not]] appear near {}"


class Facts:
    """Assertions as sets of pairs: a `KnowledgeBase` by the words of its protocol.

    A term has at most one part of a sense here.
    """

    def __init__(self, **pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs: dict[str, set[tuple[str, str]]] = {
            name: set(rows) for name, rows in pairs.items()
        }
        self._columns = {
            (name, end): sorted({pair[place] for pair in rows})
            for name, rows in self.pairs.items()
            for place, end in enumerate(End)
        }
        self._asked = {
            name: {pair for row in rows for pair in product(*map(_names, row))}
            for name, rows in self.pairs.items()
        }

    @property
    def relations(self) -> Sequence[str]:
        return sorted(self.pairs)

    def facts(self, relation: str, end: End, partner: str) -> Sequence[str]:
        here = 0 if end is End.SOURCE else 1
        rows = self.pairs[relation]
        return sorted({row[here] for row in rows if partner in _names(row[1 - here])})

    def holds(self, relation: str, source: str, target: str) -> bool:
        return (source, target) in self._asked[relation]

    def stands(self, relation: str, end: End, term: str) -> bool:
        return any(term in _names(there) for there in self._columns[relation, end])

    def column_size(self, relation: str, end: End) -> int:
        return len(self._columns[relation, end])

    def draw(self, relation: str, end: End, rng: random.Random) -> Iterator[str]:
        column = self._columns[relation, end]
        return iter(rng.sample(column, len(column)))


def _names(term: str) -> set[str]:
    """What a term can be asked by: itself, and without its sense."""
    return {term, plain(term)}


def rich(terms: int = 60, *, seed: int = 0) -> Facts:
    """Every relation with so many terms at both ends, some of them with senses."""
    rng = random.Random(seed)
    words = [f"word {number}" + ("/n" if number % 7 == 0 else "") for number in range(terms)]
    words += ["galaxy", "Outer Space".lower(), "planet/n"]
    return Facts(
        **{
            relation: [(word, rng.choice(words)) for word in words]
            + [(rng.choice(words), word) for word in words]
            for relation in RELATIONS
        }
    )


def question(choices: Sequence[tuple[str, str]] = CHOICES) -> QuestionItem:
    return QuestionItem("q1", "Where is the first place?", tuple(choices), choices[-1][0], "planet")


def pairing(skill: str = "spatial", end: End = End.TARGET) -> PairingTemplate:
    return PairingTemplate(skill, end, "the planet", NEAR)


def structure(
    *templates: tuple[int, str, int],
    hops: int,
    end: End = End.TARGET,
    paired: int = 0,
    asked: QuestionItem | None = None,
) -> Structure:
    """A structure of these templates; the path is the first one of so many hops."""
    tree = Tree(tuple(Template(*template) for template in templates))
    found = paths(tree, MATRIX, Pairing(paired, end))
    path = next(path for path in found if path.hops == hops)
    skill = tree.templates[paired].skill
    return Structure(asked or question(), pairing(skill, end), tree, path)


def chain(hops: int, distractors: int = 0) -> Structure:
    """Spatial templates in a row that lead to the pairing variable, V0; the others hang on V1."""
    on_path = [(place + 1, "spatial", place) for place in range(hops)]
    others = [(1, "causal", hops + 1 + place) for place in range(distractors)]
    return structure(*on_path, *others, hops=hops)


def hanging() -> Structure:
    """One hop, and V2 hanging on the pairing term: it has no other neighbour."""
    return structure((1, "spatial", 0), (2, "spatial", 0), hops=1)


@st.composite
def structures(draw: st.DrawFn, most: int = 5) -> Structure:
    """Any tree of up to so many templates, any pairing with it, any path."""
    size = draw(st.integers(1, most))
    templates = []
    for new in range(1, size + 1):
        old = draw(st.integers(0, new - 1))
        skill = draw(st.sampled_from(sorted(SKILLS)))
        templates.append(draw(st.sampled_from([(old, skill, new), (new, skill, old)])))
    tree = Tree(tuple(Template(*template) for template in templates))
    paired = draw(st.integers(0, size - 1))
    end = draw(st.sampled_from(End))
    path = draw(st.sampled_from(paths(tree, MATRIX, Pairing(paired, end))))
    return Structure(question(), pairing(tree.templates[paired].skill, end), tree, path)


def grounded(result: Grounded | Unsatisfied) -> Grounded:
    """The item, where there is one."""
    assert isinstance(result, Grounded), result.reason
    return result


def grounder(knowledge: Facts) -> Grounder:
    return Grounder(knowledge, SKILLS, "facts")


def flags(instance: Instance, knowledge: Facts) -> tuple[soundness.Flag, ...]:
    """Every soundness flag of an item."""
    return soundness.check(record_of(instance), MATRIX, knowledge)


def failing(instance: Instance, knowledge: Facts) -> list[Check]:
    """The checks that an item does not pass."""
    return [flag.check for flag in flags(instance, knowledge) if not flag.passed]


def tables(words: Sequence[str]) -> st.SearchStrategy[Facts]:
    """Knowledge bases of a few rows for each relation, with the paper's relations."""
    pairs = st.lists(st.tuples(st.sampled_from(words), st.sampled_from(words)), max_size=24)
    return st.fixed_dictionaries(dict.fromkeys(RELATIONS, pairs)).map(lambda rows: Facts(**rows))
