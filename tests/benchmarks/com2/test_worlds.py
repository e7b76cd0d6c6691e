"""What happens in a world, event by event, and why."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event, Group, Rule
from core.benchmarks.com2.query import Mechanism, Query, QueryError, run_query
from core.benchmarks.com2.worlds import World, world
from tests.benchmarks.com2.graphs import graph
from tests.benchmarks.com2.oracle import queries, uncertain_graphs

NOISY = Mechanism.NOISY_OR
ROAD = graph(
    "rain wet skid crash",
    "truck crash",
    "grit skid",
    "ice skid",
    on=["rain", "truck"],
    groups=[("crash", Rule.ALL, "skid truck"), ("skid", Rule.INHIBITOR, "grit")],
)


def why(event: str, query: Query, made: CausalEventGraph = ROAD) -> str:
    return world(made, query).why(event)


@pytest.mark.parametrize(
    ("event", "query", "expected"),
    [
        ("rain", Query(), "happens: by itself"),
        ("ice", Query(), "does not happen: nothing brings it about"),
        ("wet", Query(), "happens: because of “It is rain.”"),
        ("crash", Query(), "happens: because of “It is skid.” and “It is truck.”"),
        (
            "skid",
            Query({"ice": True}),
            "happens: any of these is enough: “It is wet.”, “It is ice.”",
        ),
        ("skid", Query({"grit": True}), "does not happen: prevented by “It is grit.”"),
        # Nothing would have brought it about, so nothing prevents it.
        (
            "skid",
            Query({"grit": True, "wet": False}),
            "does not happen: none of its causes does: “It is wet.”, “It is ice.”",
        ),
        (
            "crash",
            Query({"truck": False}),
            "does not happen: “It is skid.” and “It is truck.” are needed together, "
            "and “It is truck.” is missing",
        ),
        ("wet", Query({"wet": False}), "does not happen: set by do(), whatever its causes"),
        ("wet", Query({"rain": False, "wet": True}), "happens: set by do(), whatever its causes"),
        ("wet", Query({}, {"wet": True}), "happens: observed"),
        (
            "rain",
            Query({}, {}, {"rain": False}),
            "does not happen: imagined so, whatever its causes",
        ),
        (
            "wet",
            Query({}, {"wet": True}, {"rain": False}),
            "does not happen: none of its causes does: “It is rain.”",
        ),
    ],
)
def test_the_reason_names_the_causes_and_the_rule(event: str, query: Query, expected: str) -> None:
    assert why(event, query) == expected


def test_the_explanation_of_a_prevented_event_that_happens_by_itself() -> None:
    made = graph("grit skid", on=["grit", "skid"], groups=[("skid", Rule.INHIBITOR, "grit")])
    assert why("skid", Query(), made) == "does not happen: prevented by “It is grit.”"
    assert why("skid", Query({"grit": False}), made) == "happens: by itself"


def test_explanations_tell_evidence_for_and_against_a_root() -> None:
    made = graph("rain wet", leaks={"rain": 0.3})
    assert why("rain", Query({}, {"wet": True}), made) == (
        "happens: what was observed makes it likely"
    )
    likely = graph("rain wet", leaks={"rain": 0.7})
    assert why("rain", Query({}, {"wet": False}), likely) == (
        "does not happen: what was observed does not make it likely"
    )


def test_an_event_without_a_sufficient_cause_is_explained_by_chance() -> None:
    weak = CausalEventGraph(
        (Event("a", "A", leak=0.4), Event("b", "B", leak=0.4), Event("x", "X")),
        (CausalLink("a", "x"), CausalLink("b", "x")),
    )
    assert why("x", Query(), weak) == "happens: its causes together make it likely"
    seldom = CausalEventGraph(
        (Event("a", "A", leak=1.0), Event("x", "X")), (CausalLink("a", "x", strength=0.2),)
    )
    assert why("x", Query(mechanism=NOISY), seldom) == (
        "does not happen: its causes seldom bring it about: “A”"
    )


def test_setting_an_event_cuts_the_links_to_it() -> None:
    here = world(ROAD, Query({"wet": True}, {}, {"skid": False}))
    assert [event.id for event in here.graph.events if here.cut(event.id)] == ["wet", "skid"]


def test_certain_and_likely_states_are_told_apart() -> None:
    here = world(graph("rain wet", leaks={"rain": 0.7}), Query({"wet": False}))
    assert here.happens("rain")
    assert not here.certain("rain")
    assert here.certain("wet")
    assert not here.happens("wet")


@given(st.data())
def test_enumerating_chance_agrees_with_exact_inference(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs(10))
    query = data.draw(queries(made, imagining=data.draw(st.booleans())))
    boolean = Query(query.do, query.observe, query.imagine)
    try:
        expected = run_query(made, boolean)
    except QueryError:
        with pytest.raises(QueryError):
            world(made, boolean)
        return
    assert world(made, boolean).result.p == pytest.approx(expected.p)


@given(st.data())
def test_every_event_has_a_reason_that_agrees_with_what_happens(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs(12))
    query = data.draw(queries(made, imagining=data.draw(st.booleans())))
    try:
        here = world(made, query)
    except QueryError:
        assume(False)
    for event in made.events:
        reason = here.why(event.id)
        verdict, _, because = reason.partition(": ")
        assert verdict == ("happens" if here.happens(event.id) else "does not happen")
        assert because
        _check(here, event.id, because)


def _check(here: World, event: str, because: str) -> None:
    """What a reason names is there: causes that happen, hindrances that happen, what is missing."""
    names = {e.id: f"“{e.text}”" for e in here.graph.events}
    for lead, happens in (("because of", True), ("any of these", True), ("prevented by", True)):
        if because.startswith(lead):
            named = [e for e, name in names.items() if name in because]
            assert named
            assert set(named) <= set(here.graph.causes(event))
            assert all(here.happens(e) is happens for e in named)
    if because == "nothing brings it about":
        assert here.graph.causes(event) == () or all(
            group.rule is Rule.INHIBITOR for group in here.graph.groups_of(event)
        )
    if because.startswith("none of its causes"):
        assert not any(here.happens(e) for e, name in names.items() if name in because)


def test_a_group_of_only_inhibitors_causes_nothing() -> None:
    made = CausalEventGraph(
        (Event("a", "A", leak=1.0), Event("x", "X")),
        (CausalLink("a", "x"),),
        (Group("x", Rule.INHIBITOR, ("a",)),),
    )
    assert why("x", Query(), made) == "does not happen: nothing brings it about"
