"""Anti-factual grounding: a term for every variable between the pairing term and the answers.

ACCORD (Roewer-Després et al., 2024), section 2.2: starting from the two seed terms, each variable
gets a term of the knowledge base that its neighbours allow. Of each pool of candidates, the most
relevant is tried first; where none fits, the search backtracks and draws again. All copies of the
tree are grounded in one search, because no term may occur in two of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core.benchmarks.accord.grounding.constraints import compared_text, rounds
from core.benchmarks.accord.grounding.instance import Instance, InstanceError, Structure
from core.benchmarks.accord.grounding.search import BUDGET, Measure, Search, Start
from core.benchmarks.accord.grounding.search_trace import Trace, Unsatisfied
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.trees.skills import Skills
from core.text.errors import SettingError
from core.text.escaping import quoted
from core.text.language import _


@dataclass(frozen=True, slots=True)
class Grounded:
    """A grounded item and the trace of every variable."""

    instance: Instance
    traces: tuple[Trace, ...]
    """By copy and variable, in the order in which they were grounded."""


@dataclass(frozen=True, slots=True)
class Grounder:
    """Grounds structures with one knowledge base."""

    knowledge: KnowledgeBase
    skills: Skills
    name: str
    """Name of the knowledge base, as items record it."""
    pool: int = 1
    """Candidates drawn at a time and ranked by relevance; one by one at random in the paper."""
    budget: int = BUDGET
    """Most candidates examined for one item."""

    def ground(
        self,
        structure: Structure,
        *,
        seed: int = 0,
        factual: Collection[int] = (),
        redraws: Mapping[int, int] | None = None,
        measure: Measure | None = None,
        start: Start | None = None,
    ) -> Grounded | Unsatisfied:
        """Ground one item.

        Args:
            structure: the question with its tree and path.
            seed: together with the structure, it determines every draw.
            factual: variables to ground with facts instead; the paper grounds none so.
            redraws: how many times each variable was redrawn. This changes the variable's own
                draws, and other variables only where a constraint forces it.
            measure: ranks each pool, the most relevant candidate first; draw order if omitted.
            start: for a tree that grew from another one, the terms to keep.

        Returns:
            The item, which implies the default answer, or the variable that could not be grounded
            and why.

        Raises:
            SettingError: for a variable that is a seed or not in the tree.
            InstanceError: for a choice that reads like the pairing term.
            SkillError: for a template of an unknown skill.
        """
        term = structure.pairing.term
        if compared_text(term) in map(compared_text, structure.question.texts):
            raise InstanceError(
                _("The pairing term {text} is an answer choice too.", text=quoted(term)),
                hint=_("No statement could tell that choice from the term."),
            )
        factual, redraws = frozenset(factual), redraws or {}
        depths = rounds(structure.tree, structure.path)
        free = [variable for variable, depth in enumerate(depths) if depth]
        for variable in (*factual, *redraws):
            if variable not in free:
                known = ", ".join(f"V{name}" for name in free) or "none"
                raise SettingError(
                    _("V{variable} is not grounded by the knowledge base.", variable=variable),
                    hint=_("Variables that are: {known}.", known=known),
                )
        search = Search(self.knowledge, self.skills, structure, seed, factual, redraws, start)
        unsatisfied = search.run(self.pool, self.budget, measure)
        if unsatisfied is not None:
            return unsatisfied
        instance = Instance(
            structure,
            search.copies,
            chosen=structure.question.answer,
            knowledge=self.name,
            seed=seed,
            factual=factual,
        )
        return Grounded(instance, search.traces)
