"""Causal event graphs: always acyclic, in a fixed order, refused in words."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event, GraphError, Group, Rule
from core.text.errors import CommonsenseError, DataError, NotFoundError
from tests.benchmarks.com2.graphs import graph
from tests.benchmarks.com2.oracle import uncertain_graphs

EVENTS = tuple(Event(name, f"It is {name}.") for name in "abc")


def links(*pairs: str) -> tuple[CausalLink, ...]:
    return tuple(CausalLink(*pair) for pair in pairs)


def test_causes_and_effects_follow_the_links() -> None:
    made = graph("rain wet skid", "ice skid", "skid late")
    assert made.roots == ("rain", "ice")
    assert made.causes("skid") == ("wet", "ice")
    assert made.descendants("wet") == {"skid", "late"}
    assert made.event("ice").text == "It is ice."
    assert made.link("wet", "skid") is not None
    assert made.link("skid", "wet") is None


def test_an_event_without_links_is_a_root() -> None:
    made = CausalEventGraph(EVENTS, links("ab"))
    assert made.roots == ("a", "c")
    assert set(made.order) == {"a", "b", "c"}


def test_a_graph_may_have_no_events() -> None:
    assert CausalEventGraph((), ()).order == ()


@given(uncertain_graphs())
def test_causes_come_before_effects_and_every_event_once(made: CausalEventGraph) -> None:
    place = {event: i for i, event in enumerate(made.order)}
    assert sorted(made.order) == sorted(event.id for event in made.events)
    assert all(place[link.cause] < place[link.effect] for link in made.links)


@given(uncertain_graphs(), st.data())
def test_the_order_does_not_depend_on_the_order_of_the_links(
    made: CausalEventGraph, data: st.DataObject
) -> None:
    shuffled = tuple(data.draw(st.permutations(made.links)))
    assert CausalEventGraph(made.events, shuffled, made.groups).order == made.order


@given(uncertain_graphs())
def test_networkx_sees_the_same_graph(made: CausalEventGraph) -> None:
    links = nx.DiGraph((link.cause, link.effect) for link in made.links)
    links.add_nodes_from(made.ids)
    assert nx.is_directed_acyclic_graph(links)
    for event in made.events:
        assert set(made.causes(event.id)) == set(links.predecessors(event.id))
        assert set(made.effects(event.id)) == set(links.successors(event.id))
        assert made.descendants(event.id) == nx.descendants(links, event.id)


@given(uncertain_graphs(), st.data())
def test_a_link_back_to_an_earlier_event_is_refused(
    made: CausalEventGraph, data: st.DataObject
) -> None:
    reached = [(e.id, d) for e in made.events for d in sorted(made.descendants(e.id))]
    if not reached:
        return
    early, late = data.draw(st.sampled_from(reached))
    with pytest.raises(GraphError, match="cycle"):
        CausalEventGraph(made.events, (*made.links, CausalLink(late, early)))


@pytest.mark.parametrize(
    ("events", "made", "groups", "words"),
    [
        ((*EVENTS, EVENTS[0]), "", (), "“a” belongs to two"),
        (EVENTS, "ad", (), "“d”, which is not there"),
        (EVENTS, "aa", (), "“a” causes itself"),
        (EVENTS, "ab ab", (), "there twice"),
        (EVENTS, "ab bc ca", (), "cycle through a, b, c"),
        (EVENTS, "ab", (Group("b", Rule.ALL, ("a", "c")),), "“c”, which has no link"),
        (EVENTS, "ab", (Group("b", Rule.ALL, ()),), "names no cause"),
        (
            EVENTS,
            "ac bc",
            (Group("c", Rule.ALL, ("a", "b")), Group("c", Rule.INHIBITOR, ("b",))),
            "two groups",
        ),
        ((Event("a", "a", leak=1.5),), "", (), "leak of “a” is 1.5"),
        ((Event("a", "a", leak=float("nan")),), "", (), "leak"),
    ],
)
def test_invalid_causal_graphs_are_refused_with_the_reason(
    events: tuple[Event, ...], made: str, groups: tuple[Group, ...], words: str
) -> None:
    with pytest.raises(GraphError) as caught:
        CausalEventGraph(events, links(*made.split()), groups)
    assert words in caught.value.what
    assert isinstance(caught.value, DataError)
    assert isinstance(caught.value, CommonsenseError)


@pytest.mark.parametrize("strength", [-0.1, 1.01, float("nan"), float("inf")])
def test_a_strength_is_a_probability(strength: float) -> None:
    with pytest.raises(GraphError, match="strength"):
        CausalEventGraph(EVENTS, (CausalLink("a", "b", strength=strength),))


def test_an_unknown_event_suggests_the_nearest_name() -> None:
    with pytest.raises(NotFoundError) as caught:
        graph("rain wet").event("rian")
    assert "Did you mean “rain”?" in caught.value.hint


def test_a_chain_of_thousands_of_events_is_handled() -> None:
    names = [f"e{i}" for i in range(3_000)]
    made = CausalEventGraph(
        tuple(Event(name, name) for name in reversed(names)),
        tuple(CausalLink(a, b) for a, b in pairwise(names)),
    )
    assert made.order == tuple(names)
    assert len(made.descendants("e0")) == 2_999
