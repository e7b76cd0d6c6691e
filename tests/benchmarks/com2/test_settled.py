"""Worlds in which nothing is left to chance are worked out in one pass."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event
from core.benchmarks.com2.query import Method, Query, QueryError, Result, run_query
from core.benchmarks.com2.worlds import world
from core.text.errors import NotFoundError
from tests.benchmarks.com2.graphs import graph, graphs


def answer(made: CausalEventGraph, query: Query) -> Result | None:
    try:
        return run_query(made, query)
    except QueryError:
        return None


@settings(max_examples=150, deadline=None)
@given(graphs(), st.data())
def test_the_single_pass_agrees_with_variable_elimination(
    made: CausalEventGraph, data: st.DataObject
) -> None:
    states = st.dictionaries(st.sampled_from([e.id for e in made.events]), st.booleans())
    query = Query(data.draw(states), data.draw(states), data.draw(states))
    expected = answer(made, query)
    if expected is None:
        with pytest.raises(QueryError):
            world(made, query)
        return
    found = world(made, query).result
    assert found.p == pytest.approx(expected.p)
    assert (found.method, found.se) == (Method.EXACT, {})


def test_an_event_that_is_not_there_is_a_typed_error() -> None:
    with pytest.raises(NotFoundError):
        world(graph("a b"), Query(do={"c": True}))


def test_a_leak_between_0_and_1_is_left_to_variable_elimination() -> None:
    assert world(graph("a b", leaks={"a": 0.3}), Query()).result.p["b"] == pytest.approx(0.3)


def test_a_large_graph_is_computed_quickly() -> None:
    names = [f"e{i}" for i in range(2_000)]
    pairs = [
        *pairwise(names),
        *zip(names, names[7:], strict=False),
        *zip(names, names[31:], strict=False),
    ]
    made = CausalEventGraph(
        tuple(Event(name, name, leak=float(name == "e0")) for name in names),
        tuple(CausalLink(*pair) for pair in pairs),
    )
    start = time.process_time()
    here = world(made, Query(imagine={"e0": False}))
    assert time.process_time() - start < 5.0
    assert not any(here.happens(name) for name in names)
