"""Slow and plain answers to queries, to check the fast ones against.

Nothing here is shared with the program but the graph itself. `by_states` adds up the joint
distribution over all states of the events (see and do); `by_responses` adds up all exogenous
states, each of which says for every event how it responds to its causes (imagine as well).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, product
from math import prod
from random import Random

from hypothesis import strategies as st

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event, Group, Rule
from core.benchmarks.com2.query import Mechanism, Query

State = Mapping[str, bool]
Response = Callable[[State], bool]
"""Whether an event happens, from the state of its causes, under one exogenous state."""
Mechanisms = Callable[[CausalEventGraph, str, bool], Iterator[tuple[float, Response]]]

MOST_BITS = 18


def chance(graph: CausalEventGraph, event: str, state: State, certain: bool) -> float:
    """P(event | its causes) by the definition of noisy-OR with groups."""
    strength = {
        link.cause: 1.0 if certain else link.strength
        for link in graph.links
        if link.effect == event
    }
    groups = [group for group in graph.groups if group.effect == event]
    not_caused = 1 - graph.event(event).leak
    not_hindered = 1.0
    alone = set(strength)
    for group in groups:
        if group.rule is Rule.ALL:
            alone -= set(group.causes)
            if all(state[cause] for cause in group.causes):
                not_caused *= 1 - prod(strength[cause] for cause in group.causes)
        elif group.rule is Rule.INHIBITOR:
            alone -= set(group.causes)
            not_hindered *= prod(1 - strength[cause] for cause in group.causes if state[cause])
    not_caused *= prod(1 - strength[cause] for cause in alone if state[cause])
    return (1 - not_caused) * not_hindered


def by_states(graph: CausalEventGraph, query: Query) -> dict[str, float] | None:
    """See and do: the truncated factorisation, added up; None for impossible evidence."""
    names = [event.id for event in graph.events]
    certain = query.mechanism is Mechanism.BOOLEAN
    total, ones = 0.0, dict.fromkeys(names, 0.0)
    for bits in product((False, True), repeat=len(names)):
        state = dict(zip(names, bits, strict=True))
        if any(state[event] != value for event, value in {**query.do, **query.observe}.items()):
            continue
        weight = 1.0
        for event in names:
            if event not in query.do:
                p = chance(graph, event, state, certain)
                weight *= p if state[event] else 1 - p
        total += weight
        for event in names:
            ones[event] += weight * state[event]
    return {event: one / total for event, one in ones.items()} if total else None


def independent(
    graph: CausalEventGraph, event: str, certain: bool
) -> Iterator[tuple[float, Response]]:
    """The program's own mechanism: a bit for the leak and a bit for each link."""
    causes = graph.causes(event)
    chances = [graph.event(event).leak]
    for cause in causes:
        link = graph.link(cause, event)
        assert link is not None
        chances.append(1.0 if certain else link.strength)
    for bits in product((0, 1), repeat=len(chances)):
        weight = prod(p if bit else 1 - p for bit, p in zip(bits, chances, strict=True))
        if weight:
            fires = dict(zip(causes, bits[1:], strict=True))

            def response(state: State, leak: int = bits[0], fires: State = fires) -> bool:
                on = {cause for cause in fires if state[cause] and fires[cause]}
                groups = [group for group in graph.groups if group.effect == event]
                apart = {c for group in groups if group.rule is not Rule.ANY for c in group.causes}
                if any(on & {*g.causes} for g in groups if g.rule is Rule.INHIBITOR):
                    return False
                together = any(on >= {*g.causes} for g in groups if g.rule is Rule.ALL)
                return bool(leak) or together or bool(on - apart)

            yield weight, response


def one_threshold(
    graph: CausalEventGraph, event: str, certain: bool
) -> Iterator[tuple[float, Response]]:
    """Another mechanism with the same probabilities: one uniform number under P(event | causes)."""
    causes = graph.causes(event)
    states = [
        dict(zip(causes, bits, strict=True)) for bits in product((False, True), repeat=len(causes))
    ]
    steps = sorted({0.0, 1.0, *(chance(graph, event, state, certain) for state in states)})
    for low, high in pairwise(steps):
        yield high - low, lambda state, u=low: chance(graph, event, state, certain) > u


def by_responses(
    graph: CausalEventGraph, query: Query, mechanisms: Mechanisms = independent
) -> dict[str, float] | None:
    """See, do and imagine: over all exogenous states; None for impossible evidence."""
    certain = query.mechanism is Mechanism.BOOLEAN
    choices = [_alike(graph, event, mechanisms(graph, event, certain)) for event in graph.order]
    total, ones = 0.0, {event.id: 0.0 for event in graph.events}
    for exogenous in product(*choices):
        weight = prod(share for share, _ in exogenous)
        responses = dict(zip(graph.order, (response for _, response in exogenous), strict=True))
        state = _happens(responses, query.do)
        if any(state[event] != value for event, value in query.observe.items()):
            continue
        if query.imagine:
            state = _happens(responses, {**query.do, **query.imagine})
        total += weight
        for event, value in state.items():
            ones[event] += weight * value
    return {event: one / total for event, one in ones.items()} if total else None


def _alike(
    graph: CausalEventGraph, event: str, responses: Iterator[tuple[float, Response]]
) -> list[tuple[float, Response]]:
    """The responses with those that never differ taken together."""
    causes = graph.causes(event)
    states = [
        dict(zip(causes, bits, strict=True)) for bits in product((False, True), repeat=len(causes))
    ]
    found: dict[tuple[bool, ...], tuple[float, Response]] = {}
    for weight, response in responses:
        table = tuple(response(state) for state in states)
        found[table] = (found[table][0] + weight if table in found else weight, response)
    return list(found.values())


def _happens(responses: Mapping[str, Response], forced: State) -> dict[str, bool]:
    state: dict[str, bool] = {}
    for event, response in responses.items():
        state[event] = forced[event] if event in forced else response(state)
    return state


@st.composite
def uncertain_graphs(draw: st.DrawFn, most_bits: int = MOST_BITS) -> CausalEventGraph:
    """Graphs with leaks, strengths and groups; at most `most_bits` events and links together."""
    chances = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8, 1.0])
    names = [f"e{i}" for i in range(draw(st.integers(2, min(7, most_bits - 1))))]
    pairs = [(a, b) for i, b in enumerate(names) for a in names[:i]]
    most = most_bits - len(names)
    linked = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=min(most, len(pairs))))
    groups = []
    for effect in names:
        causes = [a for a, b in linked if b == effect]
        if causes and draw(st.booleans()):
            cut = draw(st.integers(1, len(causes)))
            rule = st.sampled_from(list(Rule))
            groups.append(Group(effect, draw(rule), tuple(causes[:cut])))
            if causes[cut:] and draw(st.booleans()):
                groups.append(Group(effect, draw(rule), tuple(causes[cut:])))
    order = draw(st.permutations(names))
    return CausalEventGraph(
        tuple(Event(name, name, leak=draw(chances)) for name in order),
        tuple(CausalLink(a, b, strength=draw(chances)) for a, b in linked),
        tuple(groups),
    )


@st.composite
def queries(draw: st.DrawFn, graph: CausalEventGraph, *, imagining: bool) -> Query:
    """Queries that are not contradictory in themselves; what is observed may be impossible."""
    names = [event.id for event in graph.events]
    states = st.dictionaries(st.sampled_from(names), st.booleans(), max_size=3)
    do = draw(states)
    observe = {event: do.get(event, value) for event, value in draw(states).items()}
    imagine = {}
    if imagining:
        imagine = {event: v for event, v in draw(states).items() if event not in do}
    return Query(do, observe, imagine, draw(st.sampled_from(list(Mechanism))))


def crowded(random: Random) -> CausalEventGraph:
    """A graph in which nearly everything is linked by chance, so that causes often compete."""
    names = [f"e{i}" for i in range(random.randint(3, 5))]
    linked = [(a, b) for i, b in enumerate(names) for a in names[:i] if random.random() < 0.75]
    groups = []
    for effect in names:
        causes = [a for a, b in linked if b == effect]
        random.shuffle(causes)
        if causes and random.random() < 0.4:
            some = tuple(causes[: random.randint(1, len(causes))])
            groups.append(Group(effect, random.choice(list(Rule)), some))
    return CausalEventGraph(
        tuple(Event(name, name, leak=random.uniform(0.05, 0.6)) for name in names),
        tuple(CausalLink(a, b, strength=random.uniform(0.2, 0.95)) for a, b in linked),
        tuple(groups),
    )


def imagining(graph: CausalEventGraph, random: Random) -> Query:
    """A counterfactual query under noisy-OR, with much observed and a few events imagined."""
    names = [event.id for event in graph.events]
    seen = {name: random.random() < 0.5 for name in names if random.random() < 0.6}
    imagined = random.sample(names, random.randint(1, 3))
    do = {name: random.random() < 0.5 for name in names if random.random() < 0.1}
    return Query(
        do,
        {name: do.get(name, value) for name, value in seen.items()},
        {name: random.random() < 0.5 for name in imagined if name not in do},
        Mechanism.NOISY_OR,
    )
