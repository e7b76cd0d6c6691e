"""Edits of a graph."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.com2.edits import OWN, edited
from core.benchmarks.com2.graph import CausalEventGraph, Rule
from core.contract.graph_edits import Edit, Operation, parse_edits
from core.text.errors import SettingError
from tests.benchmarks.com2.graphs import graph

MADE = graph(
    "rain wet skid",
    "oil skid",
    on=("rain",),
    groups=(("skid", Rule.ALL, "wet oil"),),
)


def after(text: str, made: CausalEventGraph = MADE) -> CausalEventGraph:
    return edited(made, parse_edits(text))


def test_an_added_event_happens_only_through_its_causes() -> None:
    made = after('[["add","fog","Fog comes up"],["link","rain","fog"]]')
    assert made.event("fog").text == "Fog comes up"
    assert made.event("fog").leak == 0
    link = made.link("rain", "fog")
    assert link is not None
    assert (link.source, link.strength) == (OWN, 1.0)


def test_removing_an_event_removes_its_links_and_its_place_in_groups() -> None:
    made = after('[["remove","wet"]]')
    assert [event.id for event in made.events] == ["rain", "skid", "oil"]
    assert [(link.cause, link.effect) for link in made.links] == [("oil", "skid")]
    assert [group.causes for group in made.groups] == [("oil",)]
    assert after('[["remove","wet"],["remove","oil"]]').groups == ()
    assert after('[["remove","skid"]]').groups == ()


def test_unlinking_takes_one_link_and_its_place_in_groups() -> None:
    made = after('[["unlink","oil","skid"]]')
    assert made.link("oil", "skid") is None
    assert made.link("wet", "skid") is not None
    assert [group.causes for group in made.groups] == [("wet",)]


def test_retyping_keeps_what_an_event_is() -> None:
    made = after('[["retext","rain","Snow falls"]]')
    assert made.event("rain").text == "Snow falls"
    assert made.event("rain").leak == 1
    assert made.links == MADE.links


def test_edits_are_carried_out_in_order() -> None:
    made = after('[["remove","oil"],["add","oil","Oil again"],["link","oil","rain"]]')
    assert made.causes("rain") == ("oil",)
    assert made.causes("skid") == ("wet",)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[["add","rain","Again"]]', "two events"),
        ('[["remove","snow"]]', "“snow”"),
        ('[["retext","snow","It snows"]]', "“snow”"),
        ('[["link","rain","snow"]]', "“snow”"),
        ('[["link","rain","wet"]]', "twice"),
        ('[["link","rain","rain"]]', "itself"),
        ('[["link","skid","rain"]]', "cycle"),
        ('[["unlink","rain","skid"]]', "no link"),
        ('[["unlink","snow","skid"]]', "no link"),
    ],
)
def test_an_edit_that_the_graph_does_not_allow_is_a_typed_error(text: str, what: str) -> None:
    with pytest.raises(SettingError) as caught:
        after(f'[["retext","oil","Oil"],{text[1:]}')
    assert what in caught.value.what
    assert "Edit 2" in caught.value.what


def test_without_edits_the_graph_is_the_same() -> None:
    assert edited(MADE, ()) is MADE


WORDS = st.sampled_from(["rain", "wet", "skid", "oil", "new"])


@given(st.lists(st.builds(Operation, st.sampled_from(Edit), WORDS, WORDS), max_size=8))
def test_whatever_is_edited_stays_a_graph_or_is_refused(found: list[Operation]) -> None:
    try:
        made = edited(MADE, found)
    except SettingError:
        return
    assert len(made.order) == len(made.events)
    pairs = {(link.cause, link.effect) for link in made.links}
    assert all((cause, group.effect) in pairs for group in made.groups for cause in group.causes)
