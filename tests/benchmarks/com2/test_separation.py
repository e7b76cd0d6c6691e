"""d-separation and adjustment, checked against what the probabilities say."""

from __future__ import annotations

import time
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.graph import CausalEventGraph
from core.benchmarks.com2.query import Mechanism, Query, QueryError, run_query
from core.benchmarks.com2.separation import (
    SeparationError,
    adjustment_set,
    is_adjustment_set,
    minimal_separator,
    separated,
)
from core.text.errors import NotFoundError, SettingError
from tests.benchmarks.com2.graphs import graph
from tests.benchmarks.com2.oracle import uncertain_graphs

slowly = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
CHAIN = graph("a b c")
FORK = graph("b a", "b c")
COLLIDER = graph("a b d", "c b")
BACK_DOOR = graph("u x y", "u y", "x m")


def p(made: CausalEventGraph, event: str, observe: dict[str, bool]) -> float:
    return run_query(made, Query(observe=observe, mechanism=Mechanism.NOISY_OR)).p[event]


def probability(made: CausalEventGraph, states: dict[str, bool]) -> float:
    """P(states), by the chain rule; 0 where a part of it is impossible."""
    total, known = 1.0, {}
    for event, value in states.items():
        here = p(made, event, known)
        total *= here if value else 1 - here
        if total <= 1e-12:
            return 0.0
        known[event] = value
    return total


def as_set(events: tuple[str, ...] | None) -> set[str] | None:
    return None if events is None else set(events)


@pytest.mark.parametrize(
    ("made", "given", "expected"),
    [
        (CHAIN, "", False),
        (CHAIN, "b", True),
        (FORK, "", False),
        (FORK, "b", True),
        (COLLIDER, "", True),
        (COLLIDER, "b", False),
        (COLLIDER, "d", False),
    ],
)
def test_d_separation_in_a_chain_a_fork_and_a_collider(
    made: CausalEventGraph, given: str, expected: bool
) -> None:
    assert separated(made, "a", "c", given) is expected
    assert separated(made, "c", "a", given) is expected


def test_the_smallest_separator_is_minimal() -> None:
    assert minimal_separator(graph("a b c", "a d c"), "a", "c") == ("b", "d")
    assert minimal_separator(CHAIN, "a", "c") == ("b",)
    assert minimal_separator(COLLIDER, "a", "c") == ()
    assert minimal_separator(CHAIN, "a", "b") is None


def test_adjustment_sets_have_common_causes_and_no_descendants() -> None:
    assert adjustment_set(BACK_DOOR, "x", "y") == ("u",)
    assert is_adjustment_set(BACK_DOOR, "x", "y", ["u"])
    assert not is_adjustment_set(BACK_DOOR, "x", "y", [])
    assert not is_adjustment_set(BACK_DOOR, "x", "y", ["u", "m"])
    assert adjustment_set(BACK_DOOR, "u", "y") == ()


def test_m_bias_needs_no_adjustment_and_a_collider_spoils_it() -> None:
    made = graph("u x y", "u m", "w m", "w y")
    assert adjustment_set(made, "x", "y") == ()
    assert not is_adjustment_set(made, "x", "y", ["m"])
    assert is_adjustment_set(made, "x", "y", ["m", "w"])


def test_an_ancestor_as_outcome_has_no_back_door_set() -> None:
    assert adjustment_set(CHAIN, "b", "a") is None


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(uncertain_graphs(), st.data())
def test_answers_are_those_of_networkx(made: CausalEventGraph, data: st.DataObject) -> None:
    links = nx.DiGraph((link.cause, link.effect) for link in made.links)
    links.add_nodes_from(made.ids)
    one, other = data.draw(st.permutations(made.order))[:2]
    known = data.draw(st.sets(st.sampled_from(made.order))) - {one, other}
    assert separated(made, one, other, known) == nx.is_d_separator(links, {one}, {other}, known)
    found = nx.find_minimal_d_separator(links, {one}, {other})
    assert as_set(minimal_separator(made, one, other)) == found
    after = made.descendants(one)
    back = nx.DiGraph(links)
    back.remove_edges_from(list(links.out_edges(one)))
    blocks = nx.is_d_separator(back, {one}, {other}, known)
    assert is_adjustment_set(made, one, other, known) == (blocks and not known & after)
    allowed = made.ids - after - {one, other}
    found = nx.find_minimal_d_separator(back, {one}, {other}, restricted=allowed)
    assert as_set(adjustment_set(made, one, other)) == found


def test_a_large_grid_takes_no_longer_than_its_links_need() -> None:
    size = 60
    rows = [" ".join(f"n{i}x{j}" for j in range(size)) for i in range(size)]
    columns = [" ".join(f"n{i}x{j}" for i in range(size)) for j in range(size)]
    made, first, last = graph(*rows, *columns), "n0x0", f"n{size - 1}x{size - 1}"
    begun = time.process_time()
    assert not separated(made, first, last)
    assert minimal_separator(made, first, last) == ("n0x1", "n1x0")
    assert adjustment_set(made, first, last) == ()
    assert is_adjustment_set(made, first, last, [])
    assert time.process_time() - begun < 3


@slowly
@given(uncertain_graphs(12), st.data())
def test_separated_events_tell_nothing_of_each_other(
    made: CausalEventGraph, data: st.DataObject
) -> None:
    names = [event.id for event in made.events]
    one, other = data.draw(st.sampled_from(list(combinations(names, 2))))
    rest = [name for name in names if name not in (one, other)]
    given = data.draw(st.lists(st.sampled_from(rest), unique=True)) if rest else []
    assume(separated(made, one, other, given))
    known = {event: data.draw(st.booleans()) for event in given}
    try:
        before = p(made, one, known)
        for value in (False, True):
            assert p(made, one, {**known, other: value}) == pytest.approx(before, abs=1e-9)
    except QueryError:
        assume(False)


@slowly
@given(uncertain_graphs(12), st.data())
def test_a_separator_separates_and_without_any_of_it_does_not(
    made: CausalEventGraph, data: st.DataObject
) -> None:
    names = [event.id for event in made.events]
    one, other = data.draw(st.sampled_from(list(combinations(names, 2))))
    found = minimal_separator(made, one, other)
    linked = made.link(one, other) is not None or made.link(other, one) is not None
    assert (found is None) is linked
    if found is not None:
        assert separated(made, one, other, found)
        for spared in found:
            assert not separated(made, one, other, [e for e in found if e != spared])


@slowly
@given(uncertain_graphs(12), st.data())
def test_back_door_adjustment_equals_doing(made: CausalEventGraph, data: st.DataObject) -> None:
    names = [event.id for event in made.events]
    cause, effect = data.draw(st.permutations(names))[:2]
    value = data.draw(st.booleans())
    adjust = adjustment_set(made, cause, effect)
    if adjust is None:
        assert made.link(effect, cause) is not None
        return
    assert is_adjustment_set(made, cause, effect, adjust)
    adjusted = 0.0
    for bits in range(2 ** len(adjust)):
        state = {event: bool(bits >> i & 1) for i, event in enumerate(adjust)}
        share = probability(made, state)
        # Adjusting takes that the cause may take its value in every state that there is.
        assume(share == 0 or probability(made, {**state, cause: value}) > 0)
        if share:
            adjusted += share * p(made, effect, {**state, cause: value})
    done = run_query(made, Query({cause: value}, mechanism=Mechanism.NOISY_OR))
    assert adjusted == pytest.approx(done.p[effect], abs=1e-9)


@pytest.mark.parametrize("ask", [separated, minimal_separator, adjustment_set])
def test_bad_queries_are_refused(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(NotFoundError, match="“z”"):
        ask(CHAIN, "a", "z")
    with pytest.raises(SeparationError, match="named twice") as caught:
        ask(CHAIN, "a", "a")
    assert isinstance(caught.value, SettingError)


@pytest.mark.parametrize("ask", [separated, is_adjustment_set])
def test_the_queried_event_cannot_be_given(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(SeparationError, match="“c” is both"):
        ask(CHAIN, "a", "c", ["c"])
    with pytest.raises(NotFoundError, match="“z”"):
        ask(CHAIN, "a", "c", ["z"])
