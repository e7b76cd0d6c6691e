"""The search for terms: it goes back as far as it must, and tells why it found none."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.grounding.constraints import Constraint
from core.benchmarks.accord.grounding.grounder import Grounded
from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.grounding.measures import by_distance, by_likelihood
from core.benchmarks.accord.grounding.search import BUDGET, Ranking
from core.benchmarks.accord.grounding.search_trace import MOST_NAMED, Unsatisfied
from core.benchmarks.accord.soundness import sound
from core.text.errors import ModelError
from tests.benchmarks.accord.grounded import (
    SKILLS,
    Facts,
    chain,
    failing,
    flags,
    grounded,
    grounder,
    hanging,
    question,
    rich,
    structure,
    tables,
)
from tests.runs.models import HashingModel

RICH = rich()
seeds = st.integers(0, 2**32)


def _by_name(ranking: Ranking) -> Sequence[str]:
    return sorted(ranking.candidates)


@given(
    tables(["a", "b", "c", "d", "galaxy", "a/n"]),
    seeds,
    st.sampled_from([(), (1,), (2,)]),
    st.sampled_from([1, 3]),
)
@settings(max_examples=60, deadline=None)
def test_a_grounding_is_found_if_one_exists(
    knowledge: Facts, seed: int, factual: tuple[int, ...], pool: int
) -> None:
    two = question((("A", "galaxy"), ("B", "outer space")))
    item = structure((1, "spatial", 0), (2, "spatial", 1), (3, "spatial", 2), hops=3, asked=two)
    beamed = replace(grounder(knowledge), pool=pool)
    result = beamed.ground(item, seed=seed, factual=factual, measure=_by_name)
    terms = sorted({term for pair in knowledge.pairs["AtLocation"] for term in pair})
    later = {source for source, _ in knowledge.pairs["AtLocation"]}
    # Of two that are grounded in the same round, the later one stands in their relation's column.
    possible = any(
        (2 in factual or all(terms[2] in later for terms in copies))
        and sound(flags(Instance(item, copies, "A", factual=frozenset(factual)), knowledge))
        for four in itertools.permutations(terms, 4)
        for copies in [
            (
                ("the planet", four[0], four[1], "galaxy"),
                ("the planet", four[2], four[3], "outer space"),
            )
        ]
    )
    assert isinstance(result, Grounded) is possible
    if isinstance(result, Unsatisfied):
        assert result.proved


def test_the_search_backtracks_from_dead_ends() -> None:
    # Whatever stands at V1, only two terms are left for V2, and which of them is no fact hangs on
    # what was drawn for V1.
    sources = [f"s{number}" for number in range(12)]
    rows = [(one, two) for one in sources[2:] for two in sources[2:] if one != two]
    rows += [("s0", "s2"), ("s1", "s3")]
    knowledge = Facts(AtLocation=rows)
    two = question((("A", "galaxy"), ("B", "outer space")))
    item = structure((1, "spatial", 0), (2, "spatial", 1), (3, "spatial", 2), hops=3, asked=two)
    for seed in range(30):
        result = grounded(grounder(knowledge).ground(item, seed=seed))
        assert failing(result.instance, knowledge) == []


def test_the_search_backjumps_over_irrelevant_variables() -> None:
    # V4 dies where V2 took both of its free terms; V3, between them, is to blame for the others
    # but has no term left itself.
    knowledge = Facts(
        AtLocation=[],
        Causes=[(term, "z") for term in "abcd"],
        PartOf=[(term, "z") for term in "ef"],
        UsedFor=[(term, "z") for term in "abef"],
    )
    two = question((("A", "galaxy"), ("B", "outer space")))
    hung = [(2, "causal", 0), (3, "part_of", 0), (4, "used_for", 0)]
    item = structure((1, "spatial", 0), *hung, hops=1, asked=two)
    for seed in range(40):
        made = grounded(grounder(knowledge).ground(item, seed=seed)).instance
        assert {terms[2] for terms in made.copies} == {"c", "d"}


@pytest.mark.parametrize("factual", [(), (3,)])
def test_the_search_backjumps_to_a_neighbour(factual: tuple[int, ...]) -> None:
    # V3 hangs on V2, and only beside y1 or y2 has it a candidate: all terms make facts with the
    # others, or, where it is to be factual, none does.
    wholes = [f"t{number}" for number in range(4)]
    fitting, others = ("y1", "y2"), ("x1", "x2", "x3")
    parts = fitting if factual else others
    knowledge = Facts(
        AtLocation=[],
        Causes=[(term, "z") for term in (*fitting, *others)],
        PartOf=[(part, whole) for part in parts for whole in wholes],
    )
    two = question((("A", "galaxy"), ("B", "outer space")))
    hung = [(2, "causal", 0), (2, "part_of", 3)]
    item = structure((1, "spatial", 0), *hung, hops=1, asked=two)
    for seed in range(40):
        made = grounded(grounder(knowledge).ground(item, seed=seed, factual=factual)).instance
        assert {terms[2] for terms in made.copies} == set(fitting)
        assert failing(made, knowledge) == []


def test_a_missing_relation_is_named() -> None:
    result = grounder(Facts(AtLocation=[("a", "b")])).ground(chain(1, 1))
    assert isinstance(result, Unsatisfied)
    assert result.proved
    assert [(one.constraint, one.tie and one.tie.relation) for one in result.removals] == [
        (Constraint.RELATION, "Causes")
    ]


def test_constraints_that_removed_all_candidates_are_named_and_counted() -> None:
    rows = [("x", "the planet"), ("y", "the planet"), ("galaxy", "z"), ("planet", "z")]
    result = grounder(Facts(AtLocation=rows)).ground(hanging())
    assert isinstance(result, Unsatisfied)
    assert (result.label, result.variable, result.drawn, result.proved) == ("A", 2, 4, True)
    counts = {(one.constraint, one.tie and one.tie.partner): one.count for one in result.removals}
    assert counts == {
        (Constraint.FACT, "the planet"): 2,
        (Constraint.CHOICE, None): 1,
        (Constraint.CONCEPT, None): 1,
    }
    assert "the statement would be a fact (AtLocation with “the planet”)" in result.reason


def test_too_few_terms_for_all_copies_are_reported() -> None:
    result = grounder(Facts(AtLocation=[("x", "z"), ("y", "z")])).ground(hanging())
    assert isinstance(result, Unsatisfied)
    assert (result.label, result.proved) == ("C", True)
    assert [(one.constraint, one.count) for one in result.removals] == [(Constraint.REPEATED, 2)]


def test_a_column_that_shares_nothing_with_another_is_reported() -> None:
    knowledge = Facts(AtLocation=[("a", "b"), ("c", "d")], PartOf=[("e", "f")])
    item = structure((1, "spatial", 0), (2, "part_of", 1), hops=2)
    result = grounder(knowledge).ground(item)
    assert isinstance(result, Unsatisfied)
    assert [(one.constraint, one.count) for one in result.removals] == [(Constraint.COLUMN, 1)]


def test_the_budget_ends_a_search() -> None:
    assert BUDGET > 1000
    knowledge = Facts(AtLocation=[(f"w{number}", "the planet") for number in range(50)])
    beamed = replace(grounder(knowledge), budget=20)
    result = beamed.ground(hanging())
    assert isinstance(result, Unsatisfied)
    assert not result.proved
    assert result.drawn == 20
    assert "before the budget ended" in result.reason


def test_traces_account_for_every_candidate() -> None:
    result = grounded(grounder(RICH).ground(chain(3, 2), seed=4))
    path = result.instance.structure.path
    for trace in result.traces:
        assert trace.drawn == 1 + sum(removal.count for removal in trace.removals)
        assert len(trace.first_candidates) == min(trace.drawn, MOST_NAMED)
        assert result.instance.terms(trace.label)[trace.variable] == trace.term
        assert trace.variable not in (path.pairing_variable, path.answer_variable)


def test_the_most_relevant_candidates_of_each_pool_come_first() -> None:
    pools = []

    def longest(ranking: Ranking) -> Sequence[str]:
        pools.append(ranking.candidates)
        return sorted(ranking.candidates, key=len, reverse=True)

    words = ["a" * (number + 1) for number in range(9)]
    knowledge = Facts(AtLocation=[(word, "z") for word in words])
    beamed = replace(grounder(knowledge), pool=3)
    made = grounded(beamed.ground(hanging(), measure=longest)).instance
    assert [terms[2] for terms in made.copies] == [max(pool, key=len) for pool in pools]
    assert [len(pool) for pool in pools] == [3, 3, 3]


def test_candidates_left_in_a_pool_are_tried_last() -> None:
    knowledge = Facts(AtLocation=[("x", "z"), ("y", "z"), ("w", "z")])
    beamed = replace(grounder(knowledge), pool=3)
    made = grounded(beamed.ground(hanging(), measure=lambda ranking: sorted(ranking.candidates)))
    assert [terms[2] for terms in made.instance.copies] == ["w", "x", "y"]


def test_a_measure_can_be_asynchronous() -> None:
    beamed = replace(grounder(RICH), pool=4)
    measure = by_distance(RICH)

    async def waiting(ranking: Ranking) -> Sequence[str]:
        await asyncio.sleep(0)
        return measure(ranking)

    at_once = beamed.ground(chain(3, 1), measure=measure)
    waited = beamed.ground(chain(3, 1), measure=lambda ranking: asyncio.run(waiting(ranking)))
    assert waited == at_once
    assert failing(grounded(at_once).instance, RICH) == []


def test_a_model_can_rank_candidates() -> None:
    knowledge = Facts(AtLocation=[(word, "z") for word in ("a", "bb", "ccc")])
    beamed = replace(grounder(knowledge), pool=3)
    rankings = []

    def measure(ranking: Ranking) -> Sequence[str]:
        rankings.append(asyncio.run(by_likelihood(ranking, HashingModel(), SKILLS)))
        return rankings[-1]

    made = grounded(beamed.ground(hanging(), measure=measure))
    assert made.instance.copies[0][2] == rankings[0][0]


def test_an_error_of_a_measure_is_raised() -> None:
    beamed = replace(grounder(RICH), pool=3)
    model = HashingModel(fails_after=0)
    with pytest.raises(ModelError):
        beamed.ground(
            chain(2), measure=lambda ranking: asyncio.run(by_likelihood(ranking, model, SKILLS))
        )
