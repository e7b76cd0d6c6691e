"""The search for terms that fulfil every constraint of an item.

Depth first over the variables of all copies. From a dead end it returns to the latest variable
that removed a candidate there and redraws that one (conflict-directed backjumping; Prosser, 1993),
so it finds a grounding if one exists, within the budget of candidates.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from core.benchmarks.accord.grounding.constraints import (
    Constraint,
    Tie,
    broken_by,
    compared,
    reserved,
    rounds,
    taken,
)
from core.benchmarks.accord.grounding.instance import Structure
from core.benchmarks.accord.grounding.search_trace import Removal, Trace, Unsatisfied, VisitLog
from core.benchmarks.accord.hashes import seed_of
from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.terms import normalise, plain
from core.benchmarks.accord.trees.skills import End, Skills

BUDGET = 20_000
"""Candidates examined for one item before the search gives up."""
POOL = 10
"""Candidates that a measure ranks at a time."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """A pool of candidates to be ranked, the most relevant first."""

    candidates: tuple[str, ...]
    ties: tuple[Tie, ...]
    """The templates between the candidate and the terms grounded before."""
    structure: Structure
    rng: random.Random
    """Breaks ties between equally relevant candidates."""


Measure = Callable[[Ranking], Sequence[str]]
"""Ranks a pool: its candidates, the most relevant first."""


class _SpentError(Exception):
    """The budget of candidates is spent."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where the grounding of a grown tree starts: at that of the tree from which it grew."""

    origin: str
    """Id of the structure from which all trees of its kind grow; it seeds the draws instead of
    the grown structure, so that an added variable has the same draws in all of them."""
    names: tuple[int, ...]
    """By variable: its name, which is the same in all these trees."""
    terms: tuple[Mapping[int, str], ...]
    """By answer choice: the terms to keep, by variable. Each is tried before any other and left
    to its variable; where it breaks a constraint, another is drawn."""


@dataclass(slots=True)
class _Visit:
    """One visit of a step: it lasts as long as the steps before it stay unchanged."""

    drawn: Iterator[str]
    rng: random.Random
    rest: list[str]
    """Candidates that earlier pools left over, for when nothing more can be drawn."""
    kept: str | None = None
    """The term to keep, until it is tried."""


class Search:
    """One search; `copies` and `traces` are valid once `run` has returned None.

    A step is an index into the search order: the variables in the order in which they are
    grounded, copy by copy.
    """

    def __init__(
        self,
        knowledge: KnowledgeBase,
        skills: Skills,
        structure: Structure,
        seed: int,
        factual: frozenset[int],
        redraws: Mapping[int, int],
        start: Start | None = None,
    ) -> None:
        """Raises `SkillError` for a template of an unknown skill."""
        self._knowledge = knowledge
        self._structure = structure
        self._redraws = redraws
        self._labels = structure.question.labels
        origin = structure.id if start is None else start.origin
        self._seed = seed_of(seed, structure.question.id, origin)
        self._names = structure.tree.variables if start is None else start.names
        self._kept = () if start is None else start.terms
        self._keepers = {compared(term) for terms in self._kept for term in terms.values()}
        self._forbidden = reserved(structure)
        self._used: dict[str, int] = {}
        first = {variable for terms in self._kept for variable in terms}
        order = _grounding_order(structure, skills, factual, first)
        self._order, self._earlier, self._columns = (
            tuple(order.earlier),
            order.earlier,
            order.columns,
        )
        path = structure.path
        self._terms: list[list[str]] = []
        self._partners: list[list[str]] = []
        for text in structure.question.texts:
            terms = [""] * (structure.tree.size + 1)
            terms[path.pairing_variable] = structure.pairing.term
            terms[path.answer_variable] = text
            self._terms.append(terms)
            self._partners.append([normalise(term) for term in terms])
        steps = len(self._labels) * len(self._order)
        self._visits: list[_Visit | None] = [None] * steps
        self._logs: list[VisitLog] = [VisitLog(())] * steps
        self._left = 0

    @property
    def copies(self) -> tuple[tuple[str, ...], ...]:
        """The terms by answer choice and variable."""
        return tuple(tuple(terms) for terms in self._terms)

    @property
    def traces(self) -> tuple[Trace, ...]:
        """How each variable was grounded, in order."""
        traces = []
        for step, log in enumerate(self._logs):
            copy, variable = self._at(step)
            traces.append(
                Trace(
                    label=self._labels[copy],
                    variable=variable,
                    term=self._terms[copy][variable],
                    first_candidates=tuple(log.first_candidates),
                    drawn=log.drawn,
                    removals=log.removals,
                )
            )
        return tuple(traces)

    def run(self, pool: int, budget: int, measure: Measure | None) -> Unsatisfied | None:
        """Ground every variable; None once that is done. Raises what `measure` raises.

        Args:
            pool: candidates drawn at a time; the most relevant one is tried, the others come last.
            budget: most candidates that are examined.
            measure: ranks each pool; draw order if None.
        """
        missing = self._missing_relation()
        if missing is not None:
            return missing
        self._left = budget
        step = 0
        first_failure: Unsatisfied | None = None
        while step < len(self._visits):
            visit = self._visits[step] or self._begin(step)
            try:
                term = self._next_candidate(step, visit, pool, measure)
            except _SpentError:
                return self._unsatisfied(step, proved=False)
            if term is not None:
                self._assign(step, term)
                step += 1
                continue
            log = self._logs[step]
            if first_failure is None or not log.kept:
                first_failure = self._unsatisfied(step, proved=True)
            if not log.blame:
                return first_failure
            step = self._backjump(step, log)
        return None

    def _begin(self, step: int) -> _Visit:
        copy, variable = self._at(step)
        redraw = self._redraws.get(variable, 0)
        name = self._names[variable]
        rng = random.Random(seed_of(self._seed, self._labels[copy], name, redraw))
        log = self._logs[step] = VisitLog(self._ties(step))
        kept = self._kept[copy].get(variable) if self._kept else None
        visit = _Visit(self._candidates(step, log, rng), rng, [], kept)
        self._visits[step] = visit
        return visit

    def _next_candidate(
        self, step: int, visit: _Visit, pool_size: int, measure: Measure | None
    ) -> str | None:
        """The term to keep, the best of another pool, then those that earlier pools left over."""
        if visit.kept is not None:
            kept, visit.kept = visit.kept, None
            if self._fits(step, self._logs[step], kept, None):
                return kept
        pool = tuple(islice(visit.drawn, pool_size))
        if measure is not None and len(pool) > 1:
            ties = self._logs[step].ties
            pool = tuple(measure(Ranking(pool, ties, self._structure, visit.rng)))
        if pool:
            visit.rest += pool[1:]
            return pool[0]
        return visit.rest.pop(0) if visit.rest else None

    def _backjump(self, step: int, log: VisitLog) -> int:
        """Undo the steps back to the latest one that a dead end depends on; that step."""
        back = max(log.blame)
        for undone in range(back, step):
            copy, variable = self._at(undone)
            del self._used[compared(self._terms[copy][variable])]
        for undone in range(back + 1, step + 1):
            self._visits[undone] = None
        self._logs[back].blame |= log.blame - {back}
        return back

    def _at(self, step: int) -> tuple[int, int]:
        """The copy and the variable of a step."""
        copy, number = divmod(step, len(self._order))
        return copy, self._order[number]

    def _step_of(self, copy: int, variable: int) -> int | None:
        """The step of a variable; None for a seed."""
        if variable not in self._earlier:
            return None
        return copy * len(self._order) + self._order.index(variable)

    def _assign(self, step: int, term: str) -> None:
        copy, variable = self._at(step)
        self._terms[copy][variable] = term
        self._partners[copy][variable] = plain(term)
        self._used[compared(term)] = step

    def _ties(self, step: int) -> tuple[Tie, ...]:
        """The templates between a step's variable and those grounded before it in its copy."""
        copy, variable = self._at(step)
        partners = self._partners[copy]
        return tuple(
            replace(tie, partner=partners[tie.variable]) for tie in self._earlier[variable]
        )

    def _candidates(self, step: int, log: VisitLog, rng: random.Random) -> Iterator[str]:
        """The terms that fit at a step, in the order in which they are drawn."""
        copy, _variable = self._at(step)
        knowledge = self._knowledge
        column: Tie | None = None
        facts = [tie for tie in log.ties if tie.factual]
        terms: Iterable[str]
        if facts:
            log.blame.update(
                blamed for tie in facts if (blamed := self._step_of(copy, tie.variable)) is not None
            )
            columns = [knowledge.facts(tie.relation, tie.end, tie.partner) for tie in facts]
            fewest = min(columns, key=len)
            shuffled = list(fewest)
            rng.shuffle(shuffled)
            terms = shuffled
        else:
            column = min(log.ties, key=lambda tie: knowledge.column_size(tie.relation, tie.end))
            terms = knowledge.draw(column.relation, column.end, rng)
        of_others: list[str] = []
        for term in terms:
            if compared(term) in self._keepers:
                of_others.append(term)
            elif self._fits(step, log, term, column):
                yield term
        for term in of_others:
            if self._fits(step, log, term, column):
                yield term

    def _fits(self, step: int, log: VisitLog, term: str, column: Tie | None) -> bool:
        """Whether a candidate breaks no constraint; raises `_SpentError`."""
        if not self._left:
            raise _SpentError
        self._left -= 1
        copy, variable = self._at(step)
        constraint, tie, blamed = self._removed_by(copy, log.ties, term, column)
        if constraint is None and not all(
            self._knowledge.stands(relation, end, plain(term))
            for relation, end in self._columns.get(variable, ())
        ):
            constraint = Constraint.COLUMN
        log.add(term, constraint, tie)
        if blamed is not None:
            log.blame.add(blamed)
        return constraint is None

    def _removed_by(
        self, copy: int, ties: Sequence[Tie], term: str, column: Tie | None
    ) -> tuple[Constraint | None, Tie | None, int | None]:
        """What removes a candidate: the constraint, the tie it belongs to, the step to blame."""
        key = compared(term)
        constraint = taken(key, self._forbidden, self._used)
        if constraint is not None:
            return constraint, None, self._used.get(key)
        for tie in ties:
            constraint = broken_by(self._knowledge, tie, term, drawn=tie is column)
            if constraint is not None:
                own = constraint is Constraint.COLUMN
                return constraint, tie, None if own else self._step_of(copy, tie.variable)
        return None, None, None

    def _missing_relation(self) -> Unsatisfied | None:
        """The first variable with a relation that the knowledge base does not have."""
        known = frozenset(self._knowledge.relations)
        for step in range(len(self._order)):
            for tie in self._ties(step):
                if tie.relation not in known:
                    copy, variable = self._at(step)
                    removal = Removal(Constraint.RELATION, tie, 0)
                    label = self._labels[copy]
                    return Unsatisfied(label, variable, (tie,), 0, (removal,), proved=True)
        return None

    def _unsatisfied(self, step: int, *, proved: bool) -> Unsatisfied:
        copy, variable = self._at(step)
        log = self._logs[step]
        return Unsatisfied(
            self._labels[copy], variable, log.ties, log.drawn, log.removals, proved=proved
        )


class _Order(NamedTuple):
    earlier: dict[int, tuple[Tie, ...]]
    """By variable, in grounding order: its templates to earlier ones. The partners are empty, since
    terms differ between copies."""
    columns: dict[int, list[tuple[str, End]]]
    """By variable: relations in whose column its term must stand although it is grounded before
    the variable across, because it is farther from the seeds."""


def _grounding_order(
    structure: Structure, skills: Skills, factual: frozenset[int], first: Collection[int]
) -> _Order:
    """The variables nearest to the seeds first, but those with terms to keep before all others.

    Raises `SkillError`.
    """
    tree = structure.tree
    depths = rounds(tree, structure.path)
    incident = tree.incident()
    done = {variable for variable in tree.variables if not depths[variable]}
    left = sorted(
        (variable for variable in tree.variables if depths[variable]),
        key=lambda variable: (variable not in first, depths[variable], incident[variable][0]),
    )
    order = _Order({}, {})
    while left:
        variable = next(
            v for v in left if any(tree.templates[i].far(v) in done for i in incident[v])
        )
        ties = []
        for index in incident[variable]:
            template = tree.templates[index]
            end = template.end_of(variable)
            far = template.at(end.other)
            relation = skills.named(template.skill).concept_net
            if far in done:
                # The later of its two variables makes a fact; of the same round, both must.
                depth = max(depths[far], depths[variable])
                fact = all(v in factual for v in (far, variable) if depths[v] == depth)
                ties.append(Tie(index, relation, end, far, "", fact, variable in factual))
            elif depths[far] < depths[variable] and variable not in factual:
                order.columns.setdefault(variable, []).append((relation, end))
        order.earlier[variable] = tuple(ties)
        done.add(variable)
        left.remove(variable)
    return order
