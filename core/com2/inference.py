"""Exact marginals of binary variables by variable elimination.

Eliminating the variables one after the other, the fewest new neighbours first, makes a tree of
cliques; one pass of messages up and one down it gives the marginal of every variable at once
(Koller and Friedman, 2009, chapters 9 and 10).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Table = NDArray[np.float64]

LARGEST_CLIQUE = 18
"""Most variables that are looked at together: 2 to this power numbers."""


class TooLarge(Exception):
    """The variables hang together too closely for an exact answer."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A table over binary variables: `values` has one axis of length 2 for each, in order."""

    variables: tuple[int, ...]
    values: Table


@dataclass(frozen=True, slots=True)
class _Clique:
    variable: int
    """The variable that is eliminated here."""
    scope: tuple[int, ...]
    """It and its neighbours at that moment, ascending."""


def marginals(factors: Sequence[Factor], count: int) -> tuple[float, Table]:
    """Total weight of the factors, and of each variable 0..count-1 the probability of 1.

    Evidence is a factor that is 0 where it is contradicted. The probabilities are `nan` when the
    total weight is 0. Raises `TooLarge`.
    """
    import numpy as np

    cliques = _cliques(factors, count)
    step = {clique.variable: i for i, clique in enumerate(cliques)}
    local: list[Table] = [np.ones((2,) * len(clique.scope)) for clique in cliques]
    weight = 1.0
    for factor in factors:
        if not factor.variables:
            weight *= float(factor.values)
            continue
        at = min(step[variable] for variable in factor.variables)
        local[at] = local[at] * _spread(factor, cliques[at].scope)
    up, parents = _upward(cliques, local, step)
    for i, parent in enumerate(parents):
        if parent is None:
            weight *= float(up[i].values)
    ones = np.full(count, np.nan)
    if weight <= 0:
        return 0.0, ones
    down: list[Factor | None] = [None] * len(cliques)
    children: list[list[int]] = [[] for _ in cliques]
    for i, parent in enumerate(parents):
        if parent is not None:
            children[parent].append(i)
    for i in range(len(cliques) - 1, -1, -1):
        belief = local[i]
        above = down[i]
        if above is not None:
            belief = belief * _spread(above, cliques[i].scope)
        for child in children[i]:
            others = belief
            for other in children[i]:
                if other != child:
                    others = others * _spread(up[other], cliques[i].scope)
            down[child] = _summed(others, cliques[i].scope, up[child].variables)
        for child in children[i]:
            belief = belief * _spread(up[child], cliques[i].scope)
        two = _summed(belief, cliques[i].scope, (cliques[i].variable,)).values
        ones[cliques[i].variable] = two[1] / (two[0] + two[1])
    return weight, ones


def _cliques(factors: Sequence[Factor], count: int) -> list[_Clique]:
    """The cliques of an elimination that always takes the variable with the fewest neighbours."""
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for factor in factors:
        for variable in factor.variables:
            neighbours[variable].update(factor.variables)
            neighbours[variable].discard(variable)
    left = set(range(count))
    cliques = []
    while left:
        variable = min(left, key=lambda v: (len(neighbours[v]), v))
        near = neighbours[variable]
        if len(near) >= LARGEST_CLIQUE:
            raise TooLarge
        cliques.append(_Clique(variable, tuple(sorted((variable, *near)))))
        for other in near:
            neighbours[other] |= near
            neighbours[other] -= {other, variable}
        left.discard(variable)
    return cliques


def _upward(
    cliques: Sequence[_Clique], local: Sequence[Table], step: Mapping[int, int]
) -> tuple[list[Factor], list[int | None]]:
    """What each clique tells the next one it hangs on, and which that is."""
    gathered = list(local)
    messages: list[Factor] = []
    parents: list[int | None] = []
    for i, clique in enumerate(cliques):
        rest = tuple(variable for variable in clique.scope if variable != clique.variable)
        message = _summed(gathered[i], clique.scope, rest)
        messages.append(message)
        parent = min((step[variable] for variable in rest), default=None)
        parents.append(parent)
        if parent is not None:
            gathered[parent] = gathered[parent] * _spread(message, cliques[parent].scope)
    return messages, parents


def _spread(factor: Factor, scope: tuple[int, ...]) -> Table:
    """A factor as a table that multiplies with one over `scope`, which is ascending."""
    ordered = sorted(range(len(factor.variables)), key=factor.variables.__getitem__)
    inside = set(factor.variables)
    return factor.values.transpose(ordered).reshape([2 if v in inside else 1 for v in scope])


def _summed(table: Table, scope: tuple[int, ...], keep: tuple[int, ...]) -> Factor:
    """A table over `scope` summed over everything but `keep`."""
    axes = tuple(i for i, variable in enumerate(scope) if variable not in keep)
    return Factor(tuple(v for v in scope if v in keep), table.sum(axis=axes))
