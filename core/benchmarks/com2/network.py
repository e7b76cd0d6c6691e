"""A query as factors over binary variables: one world, or two that share their exogenous state.

Every mechanism is decomposed: a link fires or not, firing links are combined by OR and AND, and a
firing inhibitor forbids. For a counterfactual the factual and the imagined world have separate
variables but share the exogenous ones: whether a link fires and whether an event happens by itself
(a twin network; Balke and Pearl, 1994). Events that the imagined change cannot reach have one
variable for both worlds, so that their probability is the same in both to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from core.benchmarks.com2.graph import CausalEventGraph, Rule
from core.benchmarks.com2.inference import Factor

Weight = Callable[..., float]
"""The weight of one assignment of bits."""
Twins = tuple[int, ...]
"""An event's variable in each world; the same one where the worlds cannot differ."""


class Network:
    """The factors of a graph in one world (`forced` has one entry) or two."""

    def __init__(
        self, graph: CausalEventGraph, forced: Sequence[Mapping[str, bool]], *, certain: bool
    ) -> None:
        """`forced` has the events set by do() in each world; `certain` ignores strengths."""
        self._graph = graph
        self._forced = forced
        self._certain = certain
        self.factors: list[Factor] = []
        self.count = 0
        """Number of variables."""
        self.variables: dict[str, Twins] = {}
        """Each event's variable in each world. Events that cannot differ may share one."""
        for event_id in graph.order:
            self.variables[event_id] = self._set(event_id, self._natural(event_id))

    def observe(self, event_id: str, value: bool) -> None:
        """Condition on an event of the first world."""
        self._add((self.variables[event_id][0],), lambda bit: float(bit == value))

    def _natural(self, event_id: str) -> Twins:
        """The variables of an event that nothing sets from outside."""
        graph = self._graph
        groups = graph.groups_of(event_id)
        apart = {cause for group in groups if group.rule is not Rule.ANY for cause in group.causes}
        leak = graph.event(event_id).leak
        ways = [self._drawn(leak)] if leak else []
        ways += [
            self._fires(cause, event_id) for cause in graph.causes(event_id) if cause not in apart
        ]
        hinders = []
        for group in groups:
            if group.rule is Rule.ALL:
                fired = [self._fires(cause, event_id) for cause in group.causes]
                ways.append(self._joined(fired, lambda a, b, c: float((a & b) == c)))
            elif group.rule is Rule.INHIBITOR:
                hinders += [self._fires(cause, event_id) for cause in group.causes]
        happens = self._any(ways) if ways else self._drawn(0.0)
        if hinders:
            hindered = self._any(hinders)
            happens = self._each((happens, hindered), lambda a, b, c: float((a & (1 - b)) == c))
        return happens

    def _set(self, event_id: str, natural: Twins) -> Twins:
        """Replace the variables by constants in the worlds where the event is set from outside."""
        constants: dict[bool, int] = {}
        variables = []
        for variable, forced in zip(natural, self._forced, strict=True):
            if event_id not in forced:
                variables.append(variable)
                continue
            value = forced[event_id]
            if value not in constants:
                constants[value] = self._drawn(float(value))[0]
            variables.append(constants[value])
        return tuple(variables)

    def _drawn(self, chance: float) -> Twins:
        """An exogenous variable, shared by all worlds."""
        variable = self._variable()
        self._add((variable,), lambda bit: chance if bit else 1 - chance)
        return (variable,) * len(self._forced)

    def _fires(self, cause: str, effect: str) -> Twins:
        """Whether a cause happens and its link fires; the firing is shared by all worlds."""
        link = self._graph.link(cause, effect)
        assert link is not None
        causes = self.variables[cause]
        strength = 1.0 if self._certain else link.strength
        if strength == 1:
            return causes
        return self._each((causes, self._drawn(strength)), lambda a, b, c: float((a & b) == c))

    def _any(self, parts: Sequence[Twins]) -> Twins:
        return self._joined(parts, lambda a, b, c: float((a | b) == c))

    def _joined(self, parts: Sequence[Twins], weight: Weight) -> Twins:
        """Combine several variables, two at a time."""
        joined = parts[0]
        for part in parts[1:]:
            joined = self._each((joined, part), weight)
        return joined

    def _each(self, parts: tuple[Twins, Twins], weight: Weight) -> Twins:
        """A variable computed from two others in each world; shared where those are shared."""
        variables: dict[tuple[int, int], int] = {}
        for first, second in zip(*parts, strict=True):
            if (first, second) in variables:
                continue
            variable = variables[first, second] = self._variable()
            if first == second:
                self._add((first, variable), lambda a, c: weight(a, a, c))
            else:
                self._add((first, second, variable), weight)
        return tuple(variables[pair] for pair in zip(*parts, strict=True))

    def _variable(self) -> int:
        self.count += 1
        return self.count - 1

    def _add(self, variables: Sequence[int], weight: Weight) -> None:
        import numpy as np

        scope = (2,) * len(variables)
        values = [weight(*bits) for bits in product((0, 1), repeat=len(variables))]
        self.factors.append(Factor(tuple(variables), np.array(values).reshape(scope)))
