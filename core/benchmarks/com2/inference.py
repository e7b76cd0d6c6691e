"""Exact marginals of binary variables by variable elimination.

Eliminating the variables one after the other, the fewest new neighbours first, makes a tree of
cliques; one pass of messages up and one down it gives the marginal of every variable at once
(Koller and Friedman, 2009, chapters 9 and 10).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Table = NDArray[np.float64]

LARGEST_CLIQUE = 18
"""Most variables of one clique, whose table has 2 to this power entries."""
MOST_ENTRIES = 2**22
"""Most entries of the tables of all cliques; an entry takes 45 bytes while messages are passed."""


class TooLarge(Exception):
    """A clique, or all of them together, are too large for an exact answer."""


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
    """That variable and its neighbours when it is eliminated, ascending."""


def marginals(factors: Sequence[Factor], count: int) -> Table | None:
    """The probability that each variable 0..count-1 is 1; None if no assignment is possible.

    Evidence is a factor that is 0 where it is contradicted. Tables are rescaled at every
    multiplication, so that tiny probabilities do not underflow to 0. Raises `TooLarge`.
    """
    import numpy as np

    cliques = _cliques(factors, count)
    step = {clique.variable: i for i, clique in enumerate(cliques)}
    local: list[Table] = [np.ones((2,) * len(clique.scope)) for clique in cliques]
    for factor in factors:
        at = min(step[variable] for variable in factor.variables)
        local[at] = _times(local[at], _spread(factor, cliques[at].scope))
    up, parents = _upward(cliques, local, step)
    if not all(message.values.any() for message in up):
        return None
    children: list[list[int]] = [[] for _ in cliques]
    for i, parent in enumerate(parents):
        if parent is not None:
            children[parent].append(i)
    ones = np.empty(count)
    above: list[Table] = [np.ones(()) for _ in cliques]
    for i in range(len(cliques) - 1, -1, -1):
        scope = cliques[i].scope
        incoming = [_spread(up[child], scope) for child in children[i]]
        # The message to a child combines all the others (prefix times suffix product).
        before = _times(local[i], above[i])
        befores = []
        for message in incoming:
            befores.append(before)
            before = _times(before, message)
        after: Table = np.ones(())
        for child, message, rest in zip(
            reversed(children[i]), reversed(incoming), reversed(befores), strict=True
        ):
            down = _summed(_times(rest, after), scope, up[child].variables)
            above[child] = _spread(down, cliques[child].scope)
            after = _times(after, message)
        unhappened, happened = _summed(before, scope, (cliques[i].variable,)).values
        ones[cliques[i].variable] = happened / (unhappened + happened)
    return ones


def _cliques(factors: Sequence[Factor], count: int) -> list[_Clique]:
    """The cliques of an elimination in min-degree order; raises `TooLarge`."""
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for factor in factors:
        for variable in factor.variables:
            neighbours[variable].update(factor.variables)
            neighbours[variable].discard(variable)
    waiting = [(len(near), variable) for variable, near in enumerate(neighbours)]
    heapify(waiting)
    left = set(range(count))
    cliques = []
    entries = 0
    while left:
        degree, variable = heappop(waiting)
        near = neighbours[variable]
        if variable not in left or degree != len(near):
            continue  # A newer entry replaces it.
        entries += 2 ** (degree + 1)
        if degree >= LARGEST_CLIQUE or entries > MOST_ENTRIES:
            raise TooLarge
        cliques.append(_Clique(variable, tuple(sorted((variable, *near)))))
        left.discard(variable)
        for other in near:
            neighbours[other] |= near
            neighbours[other] -= {other, variable}
            heappush(waiting, (len(neighbours[other]), other))
    return cliques


def _upward(
    cliques: Sequence[_Clique], local: Sequence[Table], step: Mapping[int, int]
) -> tuple[list[Factor], list[int | None]]:
    """Each clique's message to its parent, and the parent's index (None for a root)."""
    products = list(local)
    messages: list[Factor] = []
    parents: list[int | None] = []
    for i, clique in enumerate(cliques):
        rest = tuple(variable for variable in clique.scope if variable != clique.variable)
        message = _summed(products[i], clique.scope, rest)
        messages.append(message)
        parent = min((step[variable] for variable in rest), default=None)
        parents.append(parent)
        if parent is not None:
            products[parent] = _times(products[parent], _spread(message, cliques[parent].scope))
    return messages, parents


def _times(first: Table, second: Table) -> Table:
    """The product, scaled to a largest entry of 1 unless it is 0 everywhere."""
    product: Table = first * second
    largest = product.max()
    return product / largest if largest > 0 else product


def _spread(factor: Factor, scope: tuple[int, ...]) -> Table:
    """The factor's table with an axis for each variable of `scope`, which is ascending."""
    ordered = sorted(range(len(factor.variables)), key=factor.variables.__getitem__)
    inside = set(factor.variables)
    return factor.values.transpose(ordered).reshape([2 if v in inside else 1 for v in scope])


def _summed(table: Table, scope: tuple[int, ...], keep: tuple[int, ...]) -> Factor:
    """Sum a table over `scope` over all variables but `keep`."""
    axes = tuple(i for i, variable in enumerate(scope) if variable not in keep)
    return Factor(tuple(v for v in scope if v in keep), table.sum(axis=axes))
