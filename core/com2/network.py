"""A query as factors over binary variables: one world, or two that share their exogenous state.

Every causal mechanism is taken apart into small pieces: each link fires or not, what fires is
joined by OR and AND, an inhibitor that fires forbids. For a counterfactual the factual and the
imagined world have variables of their own, but one draw decides for both whether a link fires and
whether an event happens by itself (a twin network; Balke and Pearl, 1994).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from core.com2.graph import CausalEventGraph, Rule
from core.com2.inference import Factor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Weight = Callable[..., float]
"""The weight of one assignment of bits."""
Twins = tuple[int, ...]
"""A variable in each world."""


class Network:
    """The factors of a graph in one world (`forced` has one entry) or two."""

    def __init__(
        self, graph: CausalEventGraph, forced: Sequence[Mapping[str, bool]], *, certain: bool
    ) -> None:
        """`forced` says for each world what is set there by do(); `certain` ignores strengths."""
        self._graph = graph
        self._forced = forced
        self._certain = certain
        self.factors: list[Factor] = []
        self.count = 0
        """How many variables there are."""
        self.variables: dict[str, Twins] = {}
        """Each event's variable in each world."""
        for event_id in graph.order:
            self.variables[event_id] = self._event(event_id)

    def observe(self, event_id: str, value: bool) -> None:
        """Take an event of the first world as known."""
        import numpy as np

        table = np.array([0.0, 1.0] if value else [1.0, 0.0])
        self.factors.append(Factor((self.variables[event_id][0],), table))

    def _new(self) -> Twins:
        made = tuple(range(self.count, self.count + len(self._forced)))
        self.count += len(made)
        return made

    def _event(self, event_id: str) -> Twins:
        graph = self._graph
        grouped = {cause: group for group in graph.groups_of(event_id) for cause in group.causes}
        ways = [self._own(graph.event(event_id).leak)]
        ways += [
            self._fires(cause, event_id)
            for cause in graph.causes(event_id)
            if cause not in grouped or grouped[cause].rule is Rule.ANY
        ]
        hinders = []
        for group in graph.groups_of(event_id):
            fired = [self._fires(cause, event_id) for cause in group.causes]
            if group.rule is Rule.ALL:
                ways.append(self._joined(fired, any_of=False))
            elif group.rule is Rule.INHIBITOR:
                hinders += fired
        happens = self._joined(ways, any_of=True)
        if hinders:
            happens = self._unless(happens, self._joined(hinders, any_of=True))
        return self._set(event_id, happens)

    def _own(self, leak: float) -> Twins:
        """Whether an event happens by itself: one draw for all worlds."""
        made = self._new()
        self._add(made, lambda *bits: (leak if bits[0] else 1 - leak) if len(set(bits)) == 1 else 0)
        return made

    def _fires(self, cause: str, effect: str) -> Twins:
        """Whether a cause happens and its link fires: one draw of the link for all worlds."""
        link = self._graph.link(cause, effect)
        assert link is not None
        strength = 1.0 if self._certain else link.strength
        causes, made = self.variables[cause], self._new()
        worlds = len(made)

        def weight(*bits: int) -> float:
            on = bits[:worlds]
            fired = bits[worlds:]
            total = 0.0
            for draw, chance in ((1, strength), (0, 1 - strength)):
                if all(f == (c and draw) for c, f in zip(on, fired, strict=True)):
                    total += chance
            return total

        self._add((*causes, *made), weight)
        return made

    def _joined(self, parts: Sequence[Twins], *, any_of: bool) -> Twins:
        """OR, or AND, of several variables, two at a time."""
        joined = parts[0]
        for part in parts[1:]:
            made = self._new()
            for one, other, both in zip(joined, part, made, strict=True):
                self._add(
                    (one, other, both),
                    (lambda a, b, c: float((a | b) == c))
                    if any_of
                    else (lambda a, b, c: float((a & b) == c)),
                )
            joined = made
        return joined

    def _unless(self, happens: Twins, hindered: Twins) -> Twins:
        made = self._new()
        for one, other, both in zip(happens, hindered, made, strict=True):
            self._add((one, other, both), lambda a, b, c: float((a & (1 - b)) == c))
        return made

    def _set(self, event_id: str, natural: Twins) -> Twins:
        """The event's variable: its mechanism's, or one of its own where it is forced."""
        made = list(natural)
        for world, forced in enumerate(self._forced):
            if event_id in forced:
                made[world] = self.count
                self.count += 1
                value = int(forced[event_id])
                self._add((made[world],), lambda bit, value=value: float(bit == value))
        return tuple(made)

    def _add(self, variables: Sequence[int], weight: Weight) -> None:
        import numpy as np

        table: NDArray[np.float64] = np.empty((2,) * len(variables))
        for bits in product((0, 1), repeat=len(variables)):
            table[bits] = weight(*bits)
        self.factors.append(Factor(tuple(variables), table))
