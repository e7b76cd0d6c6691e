"""Rungs of the ladder: the reasoning path cut off after each hop.

On rung h, the h-th variable of the path becomes the answer variable: in every copy its term is
replaced by that copy's answer, and the rest of the tree is dropped. Statements with the answers
may be facts where those with the drawn terms were not, and the distance to the answer determines
which statements must be facts. So every statement is checked again.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.benchmarks.accord.grounding.constraints import Expectation, expectations
from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.item import Grounds
from core.benchmarks.accord.knowledge.terms import normalise, plain
from core.benchmarks.accord.trees.path import FoldStep, Path
from core.benchmarks.accord.trees.path import Pairing as TreePairing
from core.benchmarks.accord.trees.tree import Template, Tree
from core.text.escaping import QUOTED, escape_control_characters
from core.text.language import _


def rung(instance: Instance, hops: int, grounds: Grounds) -> Instance | str:
    """The item cut off after `hops` hops; at the full length only its distractors are dropped.

    If a statement of the rung is a fact but must not be, or the reverse, the reason why the rung
    cannot be asked.

    Args:
        instance: the whole item.
        hops: from 1 to the hops of its path; `DataError` beyond.
        grounds: the collection's knowledge base and skills.
    """
    structure = instance.structure
    path = structure.path
    kept = path.templates[:hops]
    names = {variable: position for position, variable in enumerate(path.variables[: hops + 1])}
    templates = tuple(
        Template(names[t.source], t.skill, names[t.target])
        for t in (structure.tree.templates[index] for index in kept)
    )
    steps = tuple(
        FoldStep(position, step.reduction, position + 1)
        for position, step in enumerate(path.steps[: hops - 1], 1)
    )
    short = Path(TreePairing(0, path.pairing.end), steps, tuple(range(hops + 1)))
    copies = tuple(
        (*(terms[variable] for variable in path.variables[:hops]), terms[path.answer_variable])
        for terms in instance.copies
    )
    cut = Structure(structure.question, structure.pairing, Tree(templates), short)
    factual = frozenset(names[v] for v in instance.factual & names.keys() if names[v] < hops)
    shortened = Instance(cut, copies, instance.chosen, instance.knowledge, instance.seed, factual)
    return (_fault(shortened, grounds) if hops < path.hops else "") or shortened


def _fault(cut: Instance, grounds: Grounds) -> str:
    """The first statement that is a fact but must not be, or the reverse; empty if none."""
    structure = cut.structure
    tree, path = structure.tree, structure.path
    expected = expectations(tree, path, cut.factual)
    for template, expectation in zip(tree.templates, expected, strict=True):
        relation = grounds.skills[template.skill].concept_net
        for terms in cut.copies if expectation is not Expectation.FREE else ():
            source, target = (
                _spelled(path, variable, terms) for variable in (template.source, template.target)
            )
            fact = grounds.knowledge.holds(relation, source, target)
            if fact is not (expectation is Expectation.FACT):
                sentence = _(
                    "This rung cannot be asked: {term} and {other} make no fact of {relation}."
                )
                if fact:
                    sentence = _(
                        "This rung cannot be asked: {term} and {other} make a fact of {relation}."
                    )
                return sentence.format(
                    term=escape_control_characters(source, limit=QUOTED),
                    other=escape_control_characters(target, limit=QUOTED),
                    relation=relation,
                )
    return ""


def _spelled(path: Path, variable: int, terms: Sequence[str]) -> str:
    """A term as it is looked up in the knowledge base; texts of the question have no sense."""
    if variable in (path.pairing_variable, path.answer_variable):
        return normalise(terms[variable])
    return plain(terms[variable])
