"""Reasoning paths: the templates from which a conclusion about the pairing variable follows.

ACCORD (Roewer-Després et al., 2024), section 3.3. Starting with the pairing template, one template
after another is absorbed at the answer variable, as long as the conclusion keeps the pairing
template's skill and its pairing variable. This is a left fold: distant templates are never reduced
with each other first. Templates that are not absorbed are distractors.
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
    """One step of the fold: a template is absorbed."""

    template: int
    """Its index in the tree."""
    reduction: Reduction
    """The matrix entry; its first template is the conclusion so far, its second this one."""


@dataclass(frozen=True, slots=True)
class Path:
    """A pairing template and the templates that it absorbs, in order."""

    pairing: Pairing
    steps: tuple[FoldStep, ...]
    variables: tuple[int, ...]
    """From the pairing variable to the answer variable: hops + 1 of them."""

    @property
    def pairing_variable(self) -> int:
        """The first variable of the path."""
        return self.variables[0]

    @property
    def answer_variable(self) -> int:
        """The last variable of the path."""
        return self.variables[-1]

    @property
    def hops(self) -> int:
        """Number of templates on the path: the distance of its two ends in the tree."""
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
        """The template between the two ends that the whole path entails."""
        return _statement(self.pairing, tree, self.answer_variable)


class Reason(StrEnum):
    """Why a template is not absorbed at the end of a path."""

    NO_SHARED_VARIABLE = "no shared variable"
    NO_ENTRY = "no matrix entry"
    CHANGES_SKILL = "changes the skill"
    LOSES_PAIRING = "loses the pairing variable"
    TURNS = "turns the conclusion around"
    """The pairing variable would move to the other end."""
    NOT_TAKEN = "would be absorbed"
    """The path could continue with this template."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one template of a tree is not on a path."""

    reason: Reason
    entry: Reduction | None = None
    """The reduction with the conclusion, where there is one."""


def kinds(matrix: Matrix) -> tuple[tuple[str, End], ...]:
    """The kinds of pairings: every skill with the pairing variable at either end."""
    return tuple((skill, end) for skill in matrix.skills for end in End)


def paths(tree: Tree, matrix: Matrix, pairing: Pairing) -> tuple[Path, ...]:
    """Every path from a pairing, prefixes of longer paths included, fewest hops first.

    Raises `IndexError` if the tree has no such template.
    """
    template = tree.templates[pairing.template]
    start = (template.at(pairing.end), template.at(pairing.end.other))
    incident = tree.incident()
    all_paths = [Path(pairing, (), start)]
    # Breadth-first: the list grows during iteration, so hops never decrease.
    for path in all_paths:
        end = path.answer_variable
        conclusion = _statement(pairing, tree, end)
        last = path.templates[-1]
        for index in incident[end]:
            if index != last:
                entry = _absorption(conclusion, tree.templates[index], matrix, pairing)
                if isinstance(entry, Reduction):
                    far = tree.templates[index].far(end)
                    steps = (*path.steps, FoldStep(index, entry))
                    all_paths.append(Path(pairing, steps, (*path.variables, far)))
    return tuple(all_paths)


def refusals(tree: Tree, matrix: Matrix, path: Path) -> dict[int, Refusal]:
    """By template that is not on the path: why the conclusion does not absorb it."""
    conclusion = path.conclusion(tree)
    by_template = {}
    for index in path.distractors(tree):
        entry = _absorption(conclusion, tree.templates[index], matrix, path.pairing)
        by_template[index] = (
            Refusal(Reason.NOT_TAKEN, entry) if isinstance(entry, Reduction) else entry
        )
    return by_template


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
