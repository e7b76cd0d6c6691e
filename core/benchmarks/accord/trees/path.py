"""Reasoning paths: what follows about the pairing variable, hop by hop.

ACCORD (Roewer-Després et al., 2024), section 3.3. From the pairing template on, one template after
another is absorbed at the answer variable, as long as the conclusion keeps the pairing template's
skill and its pairing variable. It is a left fold: distant templates are never reduced with each
other first. Everything that is not absorbed is a distractor.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.benchmarks.accord.trees.matrix import Case, Matrix, Reduction, case_of
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template, Tree


@dataclass(frozen=True, slots=True, order=True)
class Pairing:
    """Which template of a tree is paired with the question, and where."""

    template: int
    """Its index in the tree."""
    end: End
    """Where the pairing variable stands."""


@dataclass(frozen=True, slots=True)
class FoldStep:
    """A template is absorbed."""

    template: int
    """Its index in the tree."""
    reduction: Reduction
    """The matrix entry: first the conclusion so far, second the template."""
    answer_variable: int
    """Where the path now ends."""


@dataclass(frozen=True, slots=True)
class Path:
    """A pairing template and what it absorbed, in order."""

    pairing: Pairing
    steps: tuple[FoldStep, ...]
    variables: tuple[int, ...]
    """From the pairing variable to the answer variable; one more than there are hops."""

    @property
    def pairing_variable(self) -> int:
        """Where the path begins."""
        return self.variables[0]

    @property
    def answer_variable(self) -> int:
        """Where the path ends."""
        return self.variables[-1]

    @property
    def hops(self) -> int:
        """How many templates the path takes: the distance of its two ends in the tree."""
        return 1 + len(self.steps)

    @property
    def templates(self) -> tuple[int, ...]:
        """Indices of the templates on the path, the paired one first."""
        return (self.pairing.template, *(step.template for step in self.steps))

    def distractors(self, tree: Tree) -> tuple[int, ...]:
        """Indices of the templates that are not on the path."""
        on = set(self.templates)
        return tuple(index for index in range(tree.size) if index not in on)

    def conclusion(self, tree: Tree) -> Template:
        """What the templates of the path entail about its two ends."""
        return _statement(self.pairing, tree, self.answer_variable)


class Reason(StrEnum):
    """Why a template is not absorbed at the end of a path."""

    NO_SHARED_VARIABLE = "no shared variable"
    NO_ENTRY = "no matrix entry"
    CHANGES_SKILL = "changes the skill"
    LOSES_PAIRING = "loses the pairing variable"
    TURNS = "turns the conclusion around"
    """The pairing variable would come to stand at the other end."""
    NOT_TAKEN = "would be absorbed"
    """The path could go on here."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one template of a tree is not on a path."""

    reason: Reason
    entry: Reduction | None = None
    """The reduction with the conclusion, where there is one."""


def kinds(matrix: Matrix) -> tuple[tuple[str, End], ...]:
    """The kinds of pairings: every skill, with the pairing variable at either end."""
    return tuple((skill, end) for skill in matrix.skills for end in End)


def pairings(tree: Tree, skill: str, end: End) -> tuple[Pairing, ...]:
    """The pairings of a tree with a pairing template of this skill and end."""
    found = (i for i, template in enumerate(tree.templates) if template.skill == skill)
    return tuple(Pairing(index, end) for index in found)


def paths(tree: Tree, matrix: Matrix, pairing: Pairing) -> tuple[Path, ...]:
    """Every path from a pairing, each intermediate stop included, fewest hops first.

    Raises `IndexError` where the tree has no such template.
    """
    template = tree.templates[pairing.template]
    start = (template.at(pairing.end), template.at(pairing.end.other))
    incident = tree.incident()
    found = [Path(pairing, (), start)]
    # The list grows while it is read: breadth first, so hops never decrease.
    for path in found:
        here = path.answer_variable
        conclusion = _statement(pairing, tree, here)
        came = path.templates[-1]
        for index in incident[here]:
            if index != came:
                entry = _absorption(conclusion, tree.templates[index], matrix, pairing)
                if isinstance(entry, Reduction):
                    far = tree.templates[index].far(here)
                    steps = (*path.steps, FoldStep(index, entry, far))
                    found.append(Path(pairing, steps, (*path.variables, far)))
    return tuple(found)


def refusals(tree: Tree, matrix: Matrix, path: Path) -> dict[int, Refusal]:
    """By template that is not on the path: why the conclusion does not absorb it."""
    conclusion = path.conclusion(tree)
    found = {}
    for index in path.distractors(tree):
        entry = _absorption(conclusion, tree.templates[index], matrix, path.pairing)
        found[index] = Refusal(Reason.NOT_TAKEN, entry) if isinstance(entry, Reduction) else entry
    return found


def _statement(pairing: Pairing, tree: Tree, answer: int) -> Template:
    """The pairing template with another answer variable."""
    template = tree.templates[pairing.template]
    if pairing.end is End.SOURCE:
        return Template(template.source, template.skill, answer)
    return Template(answer, template.skill, template.target)


def _absorption(
    conclusion: Template, template: Template, matrix: Matrix, pairing: Pairing
) -> Reduction | Refusal:
    """The entry by which a conclusion absorbs a template, or why it does not."""
    if case_of(conclusion, template) is Case.NONE:
        return Refusal(Reason.NO_SHARED_VARIABLE)
    reduced = matrix.reduce(conclusion, template)
    pairing_variable = conclusion.at(pairing.end)
    if pairing_variable in {template.source, template.target}:
        entry = reduced.entry if reduced else None
        return Refusal(Reason.LOSES_PAIRING, entry)
    if reduced is None:
        return Refusal(Reason.NO_ENTRY)
    if reduced.template.skill != conclusion.skill:
        return Refusal(Reason.CHANGES_SKILL, reduced.entry)
    if reduced.template.at(pairing.end) != pairing_variable:
        return Refusal(Reason.TURNS, reduced.entry)
    return reduced.entry
