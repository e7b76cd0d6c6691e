"""Rungs of the ladder: the reasoning path cut off after each hop.

On rung h, the h-th variable of the path becomes the answer variable: in every copy its term is
replaced by that copy's answer, and the rest of the tree is dropped. Statements with the answers
may be facts where those with the drawn terms were not, and the distance to the answer determines
which statements must be facts. So every statement is checked again.
"""

from __future__ import annotations

from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.grounding.records import record_of
from core.benchmarks.accord.item import Grounds
from core.benchmarks.accord.soundness import Check, check
from core.benchmarks.accord.trees.path import FoldStep, Path
from core.benchmarks.accord.trees.path import Pairing as TreePairing
from core.benchmarks.accord.trees.tree import Template, Tree
from core.text.language import _

_ABOUT_FACTS = (Check.ANTI_FACTUAL, Check.FACTUAL)


def rung(instance: Instance, hops: int, grounds: Grounds) -> Instance | str:
    """The item cut off after `hops` hops; at the full length only its distractors are dropped.

    If a statement of the rung is a fact but must not be, or the reverse, the reason why the rung
    cannot be asked. `hops` is from 1 to the hops of its path; `DataError` beyond.
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
        FoldStep(position, step.reduction)
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
    if hops < path.hops:
        for flag in check(record_of(shortened), grounds.matrix, grounds.knowledge):
            if flag.check in _ABOUT_FACTS and not flag.passed:
                return _("This layer cannot be asked: {reason}", reason=flag.evidence)
    return shortened
