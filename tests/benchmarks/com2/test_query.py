"""Seeing and doing: exact answers, drawn ones, and what no world answers."""

from __future__ import annotations

import math
import statistics
import time
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.graph import CausalEventGraph, CausalLink, Event
from core.benchmarks.com2.query import (
    LEAST_KEPT,
    SAMPLES,
    Mechanism,
    Method,
    Query,
    QueryError,
    run_query,
)
from core.text.errors import NotFoundError, SettingError
from tests.benchmarks.com2.graphs import graph
from tests.benchmarks.com2.oracle import by_responses, by_states, queries, uncertain_graphs

slowly = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NOISY = Mechanism.NOISY_OR


def confounded() -> CausalEventGraph:
    """Ten events; e0 and e1 lead to e2 and, past it, to e7."""
    effects = {0: (1, 2, 4, 7), 1: (2, 3, 7), 2: (3, 7), 3: (7,), 4: (9,)}
    effects |= {5: (6, 8), 6: (9,), 7: (8,), 8: (9,)}
    ends = [(a, b) for a, found in effects.items() for b in found]
    random = Random(3)
    return CausalEventGraph(
        tuple(Event(f"e{i}", f"e{i}", leak=random.uniform(0.1, 0.5)) for i in range(10)),
        tuple(CausalLink(f"e{a}", f"e{b}", strength=random.uniform(0.3, 0.9)) for a, b in ends),
    )


def knit(size: int, width: int, fan_in: int, seed: int = 0) -> CausalEventGraph:
    """Events each caused by a few of the `width` before it."""
    random = Random(seed)
    return CausalEventGraph(
        tuple(Event(f"e{i}", f"e{i}", leak=random.uniform(0.02, 0.2)) for i in range(size)),
        tuple(
            CausalLink(f"e{cause}", f"e{i}", strength=random.uniform(0.2, 0.8))
            for i in range(1, size)
            for cause in random.sample(range(max(0, i - width), i), min(i, width, fan_in))
        ),
    )


def same(found: dict[str, float], expected: dict[str, float]) -> None:
    for event, p in expected.items():
        assert found[event] == pytest.approx(p, abs=1e-9), event


@slowly
@given(st.data())
def test_the_truncated_factorisation_gives_the_same(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs())
    query = data.draw(queries(made, imagining=False))
    expected = by_states(made, query)
    if expected is None:
        with pytest.raises(QueryError, match="cannot be"):
            run_query(made, query)
        return
    result = run_query(made, query)
    assert (result.method, result.se, result.n) == (Method.EXACT, {}, 0)
    assert list(result.p) == [event.id for event in made.events]
    same(dict(result.p), expected)


@slowly
@given(st.data())
def test_the_two_oracles_agree(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs(12))
    query = data.draw(queries(made, imagining=False))
    assert by_states(made, query) == pytest.approx(by_responses(made, query))


@pytest.mark.parametrize(
    ("do", "observe"),
    [
        ({"e2": True}, {}),
        ({"e2": True}, {"e0": True}),
        ({"e2": True}, {"e8": True}),
        ({"e2": True}, {"e3": True}),
        ({"e2": True, "e3": False}, {}),
        ({"e1": True, "e2": False}, {}),
        ({"e0": True, "e2": False}, {}),
        ({"e1": True, "e3": False}, {}),
        ({"e1": True, "e2": False, "e3": True}, {"e8": True, "e9": False, "e4": False}),
    ],
)
def test_several_interventions_with_evidence_downstream(
    do: dict[str, bool], observe: dict[str, bool]
) -> None:
    """What adjusting for the parents of each intervened event gets wrong."""
    made = confounded()
    query = Query(do, observe, mechanism=NOISY)
    expected = by_states(made, query)
    assert expected is not None
    same(dict(run_query(made, query).p), expected)
    nothing_done = run_query(made, Query(observe=observe, mechanism=NOISY))
    assert abs(nothing_done.p["e7"] - expected["e7"]) > 0.001


def test_seeing_differs_from_doing_under_a_common_cause() -> None:
    made = CausalEventGraph(
        (Event("u", "u", leak=0.5), Event("x", "x", leak=0.1), Event("y", "y", leak=0.1)),
        (CausalLink("u", "x", strength=0.8), CausalLink("u", "y", strength=0.7)),
    )
    seen = run_query(made, Query(observe={"x": True}, mechanism=NOISY)).p["y"]
    done = run_query(made, Query(do={"x": True}, mechanism=NOISY)).p["y"]
    # P(x | u) = 0.82, P(x | not u) = 0.1; P(y | u) = 0.73, P(y | not u) = 0.1.
    assert seen == pytest.approx((0.82 * 0.73 + 0.1 * 0.1) / 0.92)
    assert done == pytest.approx((0.73 + 0.1) / 2)


@slowly
@given(st.data())
def test_doing_changes_only_descendants(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs())
    event = data.draw(st.sampled_from([event.id for event in made.events]))
    mechanism = data.draw(st.sampled_from(list(Mechanism)))
    before = run_query(made, Query(mechanism=mechanism)).p
    done = Query(do={event: data.draw(st.booleans())}, mechanism=mechanism)
    after = run_query(made, done).p
    for other in made.events:
        if other.id != event and other.id not in made.descendants(event):
            assert after[other.id] == pytest.approx(before[other.id], abs=1e-12)


@slowly
@given(st.data())
def test_doing_equals_seeing_for_a_root(data: st.DataObject) -> None:
    made = data.draw(uncertain_graphs())
    state = {data.draw(st.sampled_from(made.roots)): data.draw(st.booleans())}
    mechanism = data.draw(st.sampled_from(list(Mechanism)))
    try:
        seen = run_query(made, Query(observe=state, mechanism=mechanism))
    except QueryError:
        assume(False)
    same(dict(run_query(made, Query(do=state, mechanism=mechanism)).p), dict(seen.p))


def test_a_root_without_a_leak_happens_only_when_it_is_set() -> None:
    made = graph("rain wet")
    assert run_query(made, Query()).p == {"rain": 0.0, "wet": 0.0}
    assert run_query(made, Query(do={"rain": True})).p == {"rain": 1.0, "wet": 1.0}


def test_boolean_links_ignore_their_strength() -> None:
    made = CausalEventGraph(
        (Event("a", "a", leak=0.4), Event("b", "b")), (CausalLink("a", "b", strength=0.5),)
    )
    assert run_query(made, Query()).p["b"] == pytest.approx(0.4)
    assert run_query(made, Query(mechanism=NOISY)).p["b"] == pytest.approx(0.2)


def test_very_unlikely_evidence_is_not_refused() -> None:
    """A thousand observations of probability 0.1 each are far below the smallest float."""
    made = CausalEventGraph(
        (Event("a", "a", leak=0.5), *(Event(f"b{i}", "b", leak=0.1) for i in range(1_000))),
        tuple(CausalLink("a", f"b{i}", strength=1e-6) for i in range(1_000)),
    )
    seen = {f"b{i}": True for i in range(1_000)}
    p = run_query(made, Query(observe=seen, mechanism=NOISY)).p["a"]
    ratio = (1 - 0.9 * (1 - 1e-6)) / 0.1
    assert p == pytest.approx(ratio**1_000 / (1 + ratio**1_000), abs=1e-9)


class TestRefusals:
    def test_an_unknown_event_is_refused(self) -> None:
        made = graph("rain wet")
        for query in (
            Query({"rian": True}),
            Query({}, {"rian": True}),
            Query({}, {}, {"rian": True}),
        ):
            with pytest.raises(NotFoundError, match="rian") as caught:
                run_query(made, query)
            assert "“rain”" in caught.value.hint

    def test_an_event_cannot_be_set_and_observed_differently(self) -> None:
        with pytest.raises(QueryError, match="“wet”") as caught:
            run_query(graph("rain wet"), Query({"wet": True}, {"wet": False}))
        assert isinstance(caught.value, SettingError)

    def test_observing_what_was_set_adds_nothing(self) -> None:
        made = graph("rain wet", leaks={"rain": 0.3})
        assert run_query(made, Query({"wet": True}, {"wet": True})).p["rain"] == pytest.approx(0.3)

    @pytest.mark.parametrize("mechanism", list(Mechanism))
    def test_evidence_that_no_world_satisfies_is_refused(self, mechanism: Mechanism) -> None:
        made = graph("rain wet", leaks={"rain": 0.3})
        query = Query({}, {"rain": False, "wet": True}, mechanism=mechanism)
        with pytest.raises(QueryError, match="rain=0, wet=1") as caught:
            run_query(made, query)
        assert caught.value.hint


class TestSampling:
    @slowly
    @given(st.data())
    def test_drawn_worlds_agree_with_the_exact_answer(self, data: st.DataObject) -> None:
        made = data.draw(uncertain_graphs())
        query = data.draw(queries(made, imagining=data.draw(st.booleans())))
        try:
            exact = run_query(made, query)
            drawn = run_query(made, query, samples=20_000, seed=7)
        except QueryError:
            assume(False)
        assert drawn.method is Method.SAMPLED
        assert LEAST_KEPT <= drawn.n <= 20_000
        for event, p in exact.p.items():
            # Where p is small and nothing came up, the error that is told is that of p's bound.
            expected = math.sqrt(max(0.0, p * (1 - p)) / drawn.n)
            assert abs(drawn.p[event] - p) <= 5 * max(drawn.se[event], expected)

    def test_the_error_is_that_of_many_repetitions(self) -> None:
        made, query = confounded(), Query({"e2": True}, {"e8": True}, {"e3": False}, NOISY)
        runs = [run_query(made, query, samples=4_000, seed=seed) for seed in range(200)]
        spread = statistics.pstdev(run.p["e7"] for run in runs)
        told = statistics.fmean(run.se["e7"] for run in runs)
        assert spread == pytest.approx(told, rel=0.2)

    def test_the_same_seed_draws_the_same_worlds(self) -> None:
        made, query = confounded(), Query(mechanism=NOISY)
        first = run_query(made, query, samples=500, seed=1)
        assert run_query(made, query, samples=500, seed=1) == first
        assert run_query(made, query, samples=500, seed=2) != first

    def test_an_event_that_was_never_drawn_is_not_called_certain(self) -> None:
        made = graph("a b", leaks={"a": 1e-9})
        drawn = run_query(made, Query(do={}), samples=1_000)
        assert drawn.p["a"] == 0
        assert 0 < drawn.se["a"] < 0.002
        assert run_query(made, Query(do={"a": False}), samples=1_000).se["a"] == 0

    def test_too_few_worlds_that_agree_are_refused(self) -> None:
        made = graph("a b", leaks={"a": 1e-6})
        with pytest.raises(QueryError, match="too few") as caught:
            run_query(made, Query(observe={"a": True}), samples=1_000)
        assert "Draw more" in caught.value.hint

    def test_a_graph_knit_too_closely_is_sampled(self) -> None:
        made = knit(80, 40, 6)
        for imagine in ({}, {"e3": True}):
            result = run_query(made, Query({"e5": True}, {"e2": True}, imagine, NOISY), seed=4)
            assert result.method is Method.SAMPLED
            assert 0 < result.n < SAMPLES
            assert result.se["e70"] > 0

    @pytest.mark.parametrize(("causes", "method"), [(8, Method.EXACT), (17, Method.SAMPLED)])
    def test_many_cliques_that_are_nearly_too_large_are_sampled(
        self, causes: int, method: Method
    ) -> None:
        # With 17 causes the exact tables took 900 MiB.
        made = CausalEventGraph(
            tuple(Event(f"e{i}", f"e{i}", leak=0.3) for i in range(95)),
            tuple(
                CausalLink(f"e{cause}", f"e{i}", strength=0.5)
                for i in range(95)
                for cause in range(max(0, i - causes), i)
            ),
        )
        assert run_query(made, Query(mechanism=NOISY)).method is method


@pytest.mark.parametrize("mechanism", list(Mechanism))
def test_forty_events_are_answered_exactly_at_once(mechanism: Mechanism) -> None:
    made = knit(40, 3, 2)
    everything = Query({"e20": True}, {"e39": True}, {"e10": True}, mechanism)
    seconds = []
    for _ in range(5):
        start = time.process_time()
        result = run_query(made, everything)
        seconds.append(time.process_time() - start)
        assert result.method is Method.EXACT
    assert min(seconds) < 1.0
