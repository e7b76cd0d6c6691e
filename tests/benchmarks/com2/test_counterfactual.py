"""Imagining: abduction, action and prediction with the same exogenous state."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event, Group, Rule
from core.benchmarks.com2.query import Mechanism, Method, Query, QueryError, run_query
from core.benchmarks.com2.worlds import depends_on_mechanism
from tests.benchmarks.com2.graphs import graph
from tests.benchmarks.com2.oracle import (
    MOST_BITS,
    by_responses,
    crowded,
    imagining,
    one_threshold,
    queries,
    uncertain_graphs,
)

slowly = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NOISY = Mechanism.NOISY_OR


def fan_in(strengths: dict[str, float], leak: float) -> CausalEventGraph:
    """One effect "x" of several roots that each happen by chance."""
    return CausalEventGraph(
        (*(Event(name, name, leak=0.5) for name in strengths), Event("x", "x", leak=leak)),
        tuple(CausalLink(name, "x", strength=w) for name, w in strengths.items()),
    )


def same(found: dict[str, float], expected: dict[str, float]) -> None:
    for event, p in expected.items():
        assert found[event] == pytest.approx(p, abs=1e-9), event


@pytest.mark.parametrize("leak", [0.0, 0.15, 0.6])
@pytest.mark.parametrize("happened", [False, True])
def test_a_single_noisy_or_event_has_the_closed_form(leak: float, happened: bool) -> None:
    """With active causes A before and B after, q(S) = (1 - leak) prod over S of (1 - w).

    If it had not happened, the new causes alone decide: 1 - prod over B without A of (1 - w).
    If it had: 1 - (q(B) - q(A and B together)) / (1 - q(A)).
    """
    strengths = {"a": 0.7, "b": 0.4, "c": 0.25}
    made = fan_in(strengths, leak)

    def none_of(causes: set[str], leak: float = 0.0) -> float:
        left = 1 - leak
        for cause in causes:
            left *= 1 - strengths[cause]
        return left

    subsets = [set(s) for n in range(4) for s in combinations(strengths, n)]
    compared = 0
    for before in subsets:
        if happened and none_of(before, leak) == 1:
            continue
        for after in subsets:
            query = Query(
                observe={**{c: c in before for c in strengths}, "x": happened},
                imagine={c: c in after for c in strengths},
                mechanism=NOISY,
            )
            if happened:
                gone = none_of(after, leak) - none_of(before | after, leak)
                expected = 1 - gone / (1 - none_of(before, leak))
            else:
                expected = 1 - none_of(after - before)
            assert run_query(made, query).p["x"] == pytest.approx(expected, abs=1e-9)
            compared += 1
    assert compared >= 56


@slowly
@given(st.data())
def test_summing_over_exogenous_states_gives_the_same(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs(15))
    query = data.draw(queries(made, imagining=True))
    expected = by_responses(made, query)
    if expected is None:
        with pytest.raises(QueryError):
            run_query(made, query)
        return
    result = run_query(made, query)
    assert result.method is Method.EXACT
    same(dict(result.p), expected)


def test_dense_graphs_agree_with_the_oracle() -> None:
    compared = 0
    for seed in range(60):
        random = Random(seed)
        made = crowded(random)
        query = imagining(made, random)
        expected = by_responses(made, query)
        if expected is not None:
            same(dict(run_query(made, query).p), expected)
            compared += 1
    assert compared > 48


def test_a_graph_of_eighteen_bits_agrees_with_the_oracle() -> None:
    links = "ab ac bd cd ce df ef eg fg bg"
    made = CausalEventGraph(
        tuple(Event(name, name, leak=0.1 + 0.05 * i) for i, name in enumerate("abcdefgh")),
        tuple(CausalLink(x, y, strength=0.9 - 0.06 * i) for i, (x, y) in enumerate(links.split())),
        (Group("d", Rule.ALL, ("b", "c")), Group("g", Rule.INHIBITOR, ("e",))),
    )
    assert len(made.events) + len(made.links) == MOST_BITS
    query = Query({"c": True}, {"g": True, "a": False}, {"b": True, "e": False}, NOISY)
    expected = by_responses(made, query)
    assert expected is not None
    same(dict(run_query(made, query).p), expected)


@slowly
@given(st.data())
def test_events_out_of_reach_of_the_imagined_change_keep_their_state(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs())
    query = data.draw(queries(made, imagining=True))
    assume(query.imagine)
    try:
        factual = run_query(made, Query(query.do, query.observe, mechanism=query.mechanism))
    except QueryError:
        assume(False)
    imagined = run_query(made, query)
    reached = set(query.imagine).union(*(made.descendants(event) for event in query.imagine))
    for event in made.events:
        if event.id not in reached:
            assert imagined.p[event.id] == pytest.approx(factual.p[event.id], abs=1e-12)


@slowly
@given(st.data())
def test_imagining_what_happened_changes_nothing(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs())
    states = {event.id: data.draw(st.booleans()) for event in made.events}
    some = data.draw(st.sets(st.sampled_from(sorted(states)), min_size=1))
    mechanism = data.draw(st.sampled_from(list(Mechanism)))
    try:
        result = run_query(made, Query({}, states, {e: states[e] for e in some}, mechanism))
    except QueryError:
        assume(False)
    same(dict(result.p), {event: float(value) for event, value in states.items()})


def test_a_counterfactual_differs_from_seeing_and_doing() -> None:
    """Rain and a hose wet the road; it is wet. Would it be, had it not rained?"""
    made = graph("rain wet", "hose wet", leaks={"rain": 0.3, "hose": 0.2})
    imagined = run_query(made, Query(observe={"wet": True}, imagine={"rain": False}))
    done = run_query(made, Query(do={"rain": False}))
    seen = run_query(made, Query(observe={"wet": True, "rain": False}))
    # What is wet was hosed with probability 0.2 / (1 - 0.7 * 0.8), whether or not it had rained.
    assert imagined.p["wet"] == pytest.approx(0.2 / 0.44)
    assert done.p["wet"] == pytest.approx(0.2)
    assert seen.p["wet"] == pytest.approx(1.0)


def test_an_intervention_holds_in_both_worlds() -> None:
    made = graph("rain wet", "hose wet", leaks={"rain": 0.5, "hose": 0.5})
    # With the hose turned off the road is wet from rain alone, so without rain it is dry.
    query = Query({"hose": False}, {"wet": True}, {"rain": False})
    assert run_query(made, query).p == {"rain": 0.0, "wet": 0.0, "hose": 0.0}


def test_observations_may_contradict_the_imagined_world() -> None:
    made = graph("rain wet", leaks={"rain": 0.5})
    result = run_query(made, Query(observe={"rain": True}, imagine={"rain": False}))
    assert result.p == {"rain": 0.0, "wet": 0.0}


def test_an_event_is_not_imagined_and_set_at_once() -> None:
    with pytest.raises(QueryError, match="“a”"):
        run_query(graph("a b", on="a"), Query(do={"a": True}, imagine={"a": False}))


def test_impossible_evidence_is_refused_before_anything_is_imagined() -> None:
    made = graph("a b", on="a")
    with pytest.raises(QueryError, match="b=0"):
        run_query(made, Query(observe={"b": False}, imagine={"a": False}))


class TestMechanismChoice:
    """Models with the same conditional probabilities and other counterfactuals."""

    def test_graphs_without_the_note_agree_under_another_mechanism(self) -> None:
        badges, differ = Counter[bool](), Counter[bool]()
        for seed in range(400):
            random = Random(seed)
            made = crowded(random)
            query = imagining(made, random)
            badge = depends_on_mechanism(made, query)
            if badges[badge] >= 100:  # graphs without the note are many
                continue
            expected = by_responses(made, query, one_threshold)
            if expected is None:
                continue
            found = run_query(made, query).p
            badges[badge] += 1
            if any(abs(found[event] - p) > 1e-9 for event, p in expected.items()):
                differ[badge] += 1
        assert differ[False] == 0
        assert min(badges[False], differ[True]) > 20

    def test_swapped_causes_depend_on_the_mechanism(self) -> None:
        made = fan_in({"a": 0.7, "b": 0.4}, 0.1)
        swap = Query(
            {}, {"a": True, "b": False, "x": True}, {"a": False, "b": True}, mechanism=NOISY
        )
        other = by_responses(made, swap, one_threshold)
        assert other is not None
        assert depends_on_mechanism(made, swap)
        assert abs(run_query(made, swap).p["x"] - other["x"]) > 0.1

    def test_only_adding_or_removing_causes_does_not_depend_on_the_mechanism(self) -> None:
        made = fan_in({"a": 0.7, "b": 0.4}, 0.1)
        for before, after in ((False, True), (True, False)):
            for happened in (True, False):
                query = Query(
                    {},
                    {"a": before, "b": before, "x": happened},
                    {"a": after, "b": after},
                    mechanism=NOISY,
                )
                other = by_responses(made, query, one_threshold)
                assert other is not None
                assert not depends_on_mechanism(made, query)
                same(dict(run_query(made, query).p), other)

    def test_an_inhibitor_that_comes_with_a_cause_is_a_swap(self) -> None:
        plain = fan_in({"a": 0.7, "b": 0.4}, 0.1)
        made = CausalEventGraph(plain.events, plain.links, (Group("x", Rule.INHIBITOR, ("b",)),))
        seen = {"a": False, "b": False, "x": True}
        both = Query({}, seen, {"a": True, "b": True}, NOISY)
        assert depends_on_mechanism(made, both)
        assert not depends_on_mechanism(made, Query({}, seen, {"a": True}, NOISY))
        assert not depends_on_mechanism(made, Query({}, seen, {"b": True}, NOISY))

    def test_a_swap_further_down_counts(self) -> None:
        made = CausalEventGraph(
            tuple(Event(name, name, leak=0.2) for name in "sabx"),
            tuple(CausalLink(*ends, strength=0.6) for ends in ("sa", "sb", "ax", "bx")),
            (Group("b", Rule.INHIBITOR, ("s",)),),
        )
        query = Query({}, {"s": False, "x": True}, {"s": True}, NOISY)
        assert depends_on_mechanism(made, query)
        assert not depends_on_mechanism(
            made, Query({"b": True}, {"s": False, "x": True}, {"s": True}, NOISY)
        )

    def test_without_evidence_downstream_it_is_an_intervention(self) -> None:
        made = fan_in({"a": 0.7, "b": 0.4}, 0.1)
        imagine = {"a": False, "b": True}
        query = Query({}, {"a": True}, imagine, NOISY)
        assert not depends_on_mechanism(made, query)
        same(
            dict(run_query(made, query).p), dict(run_query(made, Query(imagine, mechanism=NOISY)).p)
        )

    def test_boolean_equations_leave_no_choice(self) -> None:
        made = graph("a x", "b x", leaks={"a": 0.5, "b": 0.5})
        query = Query({}, {"a": True, "b": False, "x": True}, {"a": False, "b": True})
        assert not depends_on_mechanism(made, query)
