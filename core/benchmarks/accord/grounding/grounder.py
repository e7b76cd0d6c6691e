"""Anti-factual grounding: terms for every variable between the pairing term and the answers.

ACCORD (Roewer-Després et al., 2024), section 2.2: from the two seed terms on, each variable gets a
term of the knowledge base that its neighbours allow; of the candidates the most relevant `top_k`
come first; where none can stand, the search goes back and draws again. All copies of the tree are
grounded in one search, because no term may stand in two of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from core.benchmarks.accord.grounding.constraints import compared_text, rounds
from core.benchmarks.accord.grounding.instance import Instance, InstanceError, Structure
from core.benchmarks.accord.grounding.search import Ranking, Search
from core.benchmarks.accord.grounding.search_trace import Trace, Unsatisfied
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.trees.skills import Skills
from core.text.errors import SettingError
from core.text.escaping import quoted
from core.text.language import _

Measure = Callable[[Ranking], Sequence[str]]
"""Puts candidates in order, the most relevant first."""
WaitingMeasure = Callable[[Ranking], Awaitable[Sequence[str]]]
"""A measure that has to be waited for."""
BUDGET = 20_000
"""Most candidates that are looked at for one item before it counts as unsatisfied."""


@dataclass(frozen=True, slots=True)
class Beam:
    """How the search prefers candidates. Raises `SettingError` unless 1 <= top_k <= pool.

    With a pool of 1 there is nothing to prefer: terms are sampled at random, as the paper does.
    """

    top_k: int = 1
    """How many of a pool are tried before the next pool is drawn; the others come last."""
    pool: int = 1
    """Candidates drawn at a time and put in order by relevance."""
    budget: int = BUDGET
    """Most candidates looked at for one item."""

    def __post_init__(self) -> None:
        if not 1 <= self.top_k <= self.pool:
            raise SettingError(
                _(
                    "Of {pool} candidates, {top_k} cannot be kept.",
                    pool=self.pool,
                    top_k=self.top_k,
                ),
                hint=_("top_k is at least 1 and at most the pool."),
            )
        if self.budget < 1:
            raise SettingError(_("The budget must be at least one candidate."))


@dataclass(frozen=True, slots=True)
class Grounded:
    """An item, and how its terms came about."""

    instance: Instance
    traces: tuple[Trace, ...]
    """By copy and variable, in the order in which they were grounded."""


@dataclass(frozen=True, slots=True)
class Grounder:
    """Grounds structures with one knowledge base."""

    knowledge: KnowledgeBase
    skills: Skills
    name: str
    """What items call the knowledge base."""
    beam: Beam = Beam()

    def ground(
        self,
        structure: Structure,
        *,
        chosen: str | None = None,
        seed: int = 0,
        factual: Collection[int] = (),
        redraws: Mapping[int, int] | None = None,
        measure: Measure | None = None,
    ) -> Grounded | Unsatisfied:
        """Ground one item.

        Args:
            structure: what is to be grounded.
            chosen: label of the implied answer, the default one when left out. The terms do not
                depend on it.
            seed: with the structure, decides every draw.
            factual: variables to ground with facts instead; not the paper's setting.
            redraws: how often a variable was drawn again. That changes its own draws, and others
                only where a constraint makes them change.
            measure: puts each pool in order, the most relevant first; as drawn when left out.

        Returns:
            The item, or which variable no candidate was left for and why.

        Raises:
            SettingError: for a variable that is a seed, or none of the tree's.
            InstanceError: for a label that the question does not have, or where a choice reads
                like the pairing term.
            SkillError: for a template of an unknown skill.
        """
        steps = self._steps(structure, chosen, seed, factual, redraws or {})
        ordered: Sequence[str] | None = None
        while True:
            try:
                ranking = next(steps) if ordered is None else steps.send(ordered)
            except StopIteration as done:
                return cast("Grounded | Unsatisfied", done.value)
            ordered = ranking.candidates if measure is None else measure(ranking)

    async def ground_waiting(
        self,
        structure: Structure,
        measure: WaitingMeasure,
        *,
        chosen: str | None = None,
        seed: int = 0,
        factual: Collection[int] = (),
        redraws: Mapping[int, int] | None = None,
    ) -> Grounded | Unsatisfied:
        """Ground one item by a measure that has to be waited for, such as a model's likelihood.

        As `ground` in all else; also raises what the measure does.
        """
        steps = self._steps(structure, chosen, seed, factual, redraws or {})
        ordered: Sequence[str] | None = None
        while True:
            try:
                ranking = next(steps) if ordered is None else steps.send(ordered)
            except StopIteration as done:
                return cast("Grounded | Unsatisfied", done.value)
            ordered = await measure(ranking)

    def _steps(
        self,
        structure: Structure,
        chosen: str | None,
        seed: int,
        factual: Collection[int],
        redraws: Mapping[int, int],
    ) -> Generator[Ranking, Sequence[str], Grounded | Unsatisfied]:
        _check_texts(structure)
        depths = rounds(structure.tree, structure.path)
        free = [variable for variable, depth in enumerate(depths) if depth]
        for variable in (*factual, *redraws):
            if variable not in free:
                known = ", ".join(f"V{name}" for name in free) or "none"
                raise SettingError(
                    _("V{variable} is not grounded by the knowledge base.", variable=variable),
                    hint=_("Variables that are: {known}.", known=known),
                )
        beam = self.beam
        search = Search(self.knowledge, self.skills, structure, seed, frozenset(factual), redraws)
        unsatisfied = yield from search.run(beam.top_k, beam.pool, beam.budget)
        if unsatisfied is not None:
            return unsatisfied
        instance = Instance(
            structure,
            search.copies,
            chosen=structure.question.answer if chosen is None else chosen,
            knowledge=self.name,
            seed=seed,
            factual=frozenset(factual),
        )
        return Grounded(instance, search.traces)


def _check_texts(structure: Structure) -> None:
    """Refuse a choice that reads like the pairing term; raises `InstanceError`."""
    term = compared_text(structure.pairing.term)
    for text in structure.question.texts:
        if compared_text(text) == term:
            raise InstanceError(
                _("The pairing term {text} is an answer choice too.", text=quoted(text)),
                hint=_("No statement could tell that choice from the term."),
            )
