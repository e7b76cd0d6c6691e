"""The search for terms that fulfil every constraint of an item.

Depth first over the variables of all copies. From a dead end it goes back to the last variable
that removed a candidate there and draws that one again (conflict-directed backjumping; Prosser,
1993), so that it finds a grounding wherever there is one, within the budget of candidates.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from core.benchmarks.accord.grounding.constraints import (
    Constraint,
    Expectation,
    Tie,
    broken_by,
    compared,
    expectations,
    reserved,
    rounds,
    taken,
)
from core.benchmarks.accord.grounding.instance import Structure
from core.benchmarks.accord.grounding.search_trace import Log, Removal, Trace, Unsatisfied
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import normalise, plain
from core.benchmarks.accord.seeds import derived
from core.benchmarks.accord.trees.skills import End, Skills


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates that have to be put in order, the most relevant first."""

    candidates: tuple[str, ...]
    ties: tuple[Tie, ...]
    """The templates between the candidate and what is grounded already."""
    structure: Structure
    rng: random.Random
    """Decides between candidates that are as relevant."""


class _SpentError(Exception):
    """The budget of candidates is spent."""


@dataclass(slots=True)
class _Visit:
    """A place of the search while the places before it stay as they are."""

    drawn: Iterator[str]
    rng: random.Random
    next: list[str]
    """What is tried next, the first last."""
    left: list[str]
    """What comes when nothing more can be drawn."""


@dataclass(frozen=True, slots=True)
class _Bond:
    """A template between a variable and one that is grounded before it."""

    template: int
    relation: str
    end: End
    """Where the later variable stands."""
    variable: int
    """The earlier one."""
    factual: bool
    anywhere: bool


class Search:
    """One search; `copies` and `traces` hold once `run` returned None."""

    def __init__(
        self,
        knowledge: KnowledgeBase,
        skills: Skills,
        structure: Structure,
        seed: int,
        factual: frozenset[int],
        redraws: Mapping[int, int],
    ) -> None:
        """Raises `SkillError` for a template of an unknown skill."""
        self._knowledge = knowledge
        self._structure = structure
        self._redraws = redraws
        self._labels = structure.question.labels
        self._seed = derived(seed, structure.question.id, structure.id)
        self._forbidden = reserved(structure)
        self._used: dict[str, int] = {}
        self._order, self._bonds = _bonds(structure, skills, factual)
        path = structure.path
        self._terms: list[list[str]] = []
        self._partners: list[list[str]] = []
        for text in structure.question.texts:
            terms = [""] * (structure.tree.size + 1)
            terms[path.pairing_variable] = structure.pairing.term
            terms[path.answer_variable] = text
            self._terms.append(terms)
            self._partners.append([normalise(term) for term in terms])
        places = len(self._labels) * len(self._order)
        self._visits: list[_Visit | None] = [None] * places
        self._logs: list[Log] = [Log(())] * places
        self._dead_ends = [0] * places
        self._left = 0

    @property
    def copies(self) -> tuple[tuple[str, ...], ...]:
        """The terms by answer choice and variable."""
        return tuple(tuple(terms) for terms in self._terms)

    @property
    def traces(self) -> tuple[Trace, ...]:
        """How each variable was grounded, in order."""
        found = []
        for place, log in enumerate(self._logs):
            copy, variable = self._at(place)
            found.append(
                Trace(
                    label=self._labels[copy],
                    variable=variable,
                    ties=tuple(log.ties),
                    term=self._terms[copy][variable],
                    considered=tuple(log.considered),
                    drawn=log.drawn,
                    removals=log.removals,
                    dead_ends=self._dead_ends[place],
                )
            )
        return tuple(found)

    def run(
        self, top_k: int, pool: int, budget: int
    ) -> Generator[Ranking, Sequence[str], Unsatisfied | None]:
        """Ground every variable; returns None when that is done.

        Yields a pool of candidates whenever one is to be put in order; wants them sent in order.
        """
        lacking = self._lacking()
        if lacking is not None:
            return lacking
        self._left = budget
        place = 0
        stuck: Unsatisfied | None = None
        while place < len(self._visits):
            visit = self._visits[place] or self._begin(place)
            try:
                if not visit.next:
                    yield from self._refill(place, visit, top_k, pool)
            except _SpentError:
                return self._unsatisfied(place, proved=False)
            if visit.next:
                self._put(place, visit.next.pop())
                place += 1
                continue
            log = self._logs[place]
            self._dead_ends[place] += 1
            if stuck is None or not log.kept:
                stuck = self._unsatisfied(place, proved=True)
            if not log.blame:
                return stuck
            place = self._go_back(place, log)
        return None

    def _begin(self, place: int) -> _Visit:
        copy, variable = self._at(place)
        redraw = self._redraws.get(variable, 0)
        rng = random.Random(derived(self._seed, self._labels[copy], variable, redraw))
        log = self._logs[place] = Log(self._ties(place))
        visit = _Visit(self._candidates(place, log, rng), rng, [], [])
        self._visits[place] = visit
        return visit

    def _refill(
        self, place: int, visit: _Visit, top_k: int, pool: int
    ) -> Generator[Ranking, Sequence[str], None]:
        """Draw another pool; when there is none, take what the pools before left."""
        drawn = tuple(islice(visit.drawn, pool))
        if len(drawn) > 1:
            ties = tuple(self._logs[place].ties)
            drawn = tuple((yield Ranking(drawn, ties, self._structure, visit.rng)))
        if drawn:
            visit.next = list(reversed(drawn[:top_k]))
            visit.left += drawn[top_k:]
        else:
            visit.next, visit.left = visit.left[::-1], []

    def _go_back(self, place: int, log: Log) -> int:
        """The last place that a dead end is to blame on, to be drawn again from there on."""
        back = max(log.blame)
        for passed in range(back, place):
            self._take_away(passed)
        for passed in range(back + 1, place + 1):
            self._visits[passed] = None
        self._logs[back].blame |= log.blame - {back}
        return back

    def _at(self, place: int) -> tuple[int, int]:
        """The copy and the variable of a place of the search."""
        copy, number = divmod(place, len(self._order))
        return copy, self._order[number]

    def _place_of(self, copy: int, variable: int) -> int | None:
        """The place of a variable; None for a seed."""
        if variable not in self._bonds:
            return None
        return copy * len(self._order) + self._order.index(variable)

    def _put(self, place: int, term: str) -> None:
        copy, variable = self._at(place)
        self._terms[copy][variable] = term
        self._partners[copy][variable] = plain(term)
        self._used[compared(term)] = place

    def _take_away(self, place: int) -> None:
        copy, variable = self._at(place)
        del self._used[compared(self._terms[copy][variable])]

    def _ties(self, place: int) -> tuple[Tie, ...]:
        copy, variable = self._at(place)
        partners = self._partners[copy]
        return tuple(
            Tie(
                bond.template,
                bond.relation,
                bond.end,
                bond.variable,
                partners[bond.variable],
                bond.factual,
                bond.anywhere,
            )
            for bond in self._bonds[variable]
        )

    def _candidates(self, place: int, log: Log, rng: random.Random) -> Iterator[str]:
        """The terms that may stand at a place, in the order in which they are drawn."""
        copy, _ = self._at(place)
        source: Tie | None = None

        def avoid(term: str) -> bool:
            if not self._left:
                raise _SpentError
            self._left -= 1
            constraint, tie, holder = self._removed_by(copy, log.ties, term, source)
            log.add(term, constraint, tie)
            if holder is not None:
                log.blame.add(holder)
            return constraint is not None

        facts = [tie for tie in log.ties if tie.factual]
        if facts:
            for tie in facts:
                holder = self._place_of(copy, tie.variable)
                log.blame |= set() if holder is None else {holder}
            for term in self._facts(facts, rng):
                if not avoid(term):
                    yield term
        else:
            knowledge = self._knowledge
            source = min(log.ties, key=lambda tie: knowledge.column_size(tie.relation, tie.end))
            size = knowledge.column_size(source.relation, source.end)
            yield from knowledge.draw(source.relation, source.end, size, rng, avoid=avoid)

    def _facts(self, ties: Sequence[Tie], rng: random.Random) -> list[str]:
        """The terms that state facts with every partner, in random order."""
        knowledge = self._knowledge
        columns = [knowledge.facts(tie.relation, tie.end, tie.partner) for tie in ties]
        fewest = min(columns, key=len)
        found = list(fewest)
        rng.shuffle(found)
        return found

    def _removed_by(
        self, copy: int, ties: Sequence[Tie], term: str, source: Tie | None
    ) -> tuple[Constraint | None, Tie | None, int | None]:
        """What removes a candidate: the constraint, the tie it is of, the place to blame."""
        key = compared(term)
        constraint = taken(key, self._forbidden, self._used)
        if constraint is not None:
            return constraint, None, self._used.get(key)
        for tie in ties:
            constraint = broken_by(self._knowledge, tie, term, drawn=tie is source)
            if constraint is not None:
                own = constraint is Constraint.COLUMN
                return constraint, tie, None if own else self._place_of(copy, tie.variable)
        return None, None, None

    def _lacking(self) -> Unsatisfied | None:
        """The first variable with a relation that the knowledge base does not have."""
        known = frozenset(self._knowledge.relations)
        for place in range(len(self._order)):
            for tie in self._ties(place):
                if tie.relation not in known:
                    copy, variable = self._at(place)
                    removal = Removal(Constraint.RELATION, tie, 0)
                    label = self._labels[copy]
                    return Unsatisfied(label, variable, (tie,), 0, (removal,), proved=True)
        return None

    def _unsatisfied(self, place: int, *, proved: bool) -> Unsatisfied:
        copy, variable = self._at(place)
        log = self._logs[place]
        ties = tuple(log.ties)
        return Unsatisfied(
            self._labels[copy], variable, ties, log.drawn, log.removals, proved=proved
        )


def _bonds(
    structure: Structure, skills: Skills, factual: frozenset[int]
) -> tuple[tuple[int, ...], dict[int, tuple[_Bond, ...]]]:
    """The variables to ground in order, and each with its templates to earlier ones.

    Raises `SkillError`.
    """
    tree = structure.tree
    depths = rounds(tree, structure.path)
    expected = expectations(tree, structure.path, factual)
    incident = tree.incident()
    order = sorted(
        (variable for variable in tree.variables if depths[variable]),
        key=lambda variable: (depths[variable], incident[variable][0]),
    )
    done = {variable for variable in tree.variables if not depths[variable]}
    found = {}
    for variable in order:
        bonds = []
        for index in incident[variable]:
            template = tree.templates[index]
            end = template.end_of(variable)
            far = template.at(end.other)
            if far in done:
                relation = skills.named(template.skill).concept_net
                fact = expected[index] is Expectation.FACT
                bonds.append(_Bond(index, relation, end, far, fact, variable in factual))
        found[variable] = tuple(bonds)
        done.add(variable)
    return tuple(order), found
