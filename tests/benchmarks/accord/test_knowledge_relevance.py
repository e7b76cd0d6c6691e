"""The orders that candidates can be put in."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from core.benchmarks.accord.grounding.constraints import Tie
from core.benchmarks.accord.grounding.measures import (
    by_likelihood,
    gap,
    in_random_order,
    nearest_first,
    neighbourhood_distance,
)
from core.benchmarks.accord.grounding.search import Ranking
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.trees.skills import End
from core.text.errors import ModelError
from tests.benchmarks.accord.grounded import SKILLS, chain
from tests.benchmarks.accord.knowledge import write_pairs
from tests.runs.models import HashingModel

CANDIDATES = ("ant", "bee", "cat", "dog/n", "eel")
NEAR = "Suppose that {} appears near {}"


def test_random_order_depends_on_the_set_and_the_seed_only() -> None:
    first = in_random_order(CANDIDATES, random.Random(5))
    assert first == in_random_order([*reversed(CANDIDATES), "ant"], random.Random(5))
    assert sorted(first) == sorted(CANDIDATES)
    assert len({tuple(in_random_order(CANDIDATES, random.Random(n))) for n in range(200)}) > 60


def test_the_nearest_comes_first_and_ties_are_random() -> None:
    place = {"ant": 1.0, "bee": 2.0, "cat": 2.0, "dog/n": 5.0, "eel": 0.0, "p": 0.0, "q": 2.0}

    def distance(first: str, second: str) -> float:
        return abs(place[first] - place[second])

    orders = {
        tuple(nearest_first(CANDIDATES, ["p"], distance, random.Random(n))) for n in range(40)
    }
    assert orders == {
        ("eel", "ant", "bee", "cat", "dog/n"),
        ("eel", "ant", "cat", "bee", "dog/n"),
    }
    # |0 - d| summed: eel 0 + 2, ant 1 + 1, bee and cat 2 + 0, dog 5 + 3.
    both = nearest_first(CANDIDATES, ["p", "q"], distance, random.Random(1))
    assert both[-1] == "dog/n"


def test_the_distance_is_the_share_of_neighbours_not_in_common(tmp_path: Path) -> None:
    kb = open_knowledge(
        write_pairs(
            tmp_path / "kb",
            AtLocation=[("cat", "house"), ("dog", "house"), ("car", "street")],
            IsA=[("cat/n", "pet"), ("dog", "pet"), ("pet", "animal")],
        )
    )
    distance = neighbourhood_distance(kb)
    # cat: cat, house, pet; dog: dog, house, pet; together four, two in common.
    assert distance("cat", "dog") == pytest.approx(1 / 2)
    assert distance("cat/n", "dog") == distance("dog", "cat")
    # pet: pet, cat, dog, animal; in common with cat: cat, pet.
    assert distance("cat", "pet") == pytest.approx(1 - 2 / 5)
    assert distance("cat", "car") == 1
    assert distance("cat", "cat") == distance("unheard of", "unheard of") == 0
    assert distance("cat", "unheard of") == 1
    assert nearest_first(["car", "dog", "pet"], ["cat"], distance, random.Random(0)) == [
        "dog",
        "pet",
        "car",
    ]


def test_a_gap_is_the_statement_without_the_candidate() -> None:
    assert gap(NEAR, End.TARGET, "cat/n") == ("Suppose that cat appears near", "")
    assert gap(NEAR, End.SOURCE, "cat") == ("Suppose that", " appears near cat")
    assert gap("{} is a part of {}.", End.SOURCE, "{}") == ("", " is a part of {}.")


def ranking(*partners: tuple[End, str]) -> Ranking:
    """The candidates beside these terms, each tied by a spatial template."""
    ties = tuple(Tie(0, "AtLocation", end, 0, partner, False) for end, partner in partners)
    return Ranking(CANDIDATES, ties, chain(2), random.Random(0))


async def test_the_likeliest_over_all_statements_comes_first() -> None:
    model = HashingModel()
    both = ranking((End.SOURCE, "box"), (End.TARGET, "car"))
    ordered = await by_likelihood(both, model, SKILLS)
    assert model.asked == ["Suppose that", "Suppose that car appears near"]
    whole: dict[str, float] = {}
    for term in CANDIDATES:
        words = term.removesuffix("/n")
        (one,) = await model.score("Suppose that", [f" {words} appears near box"])
        (other,) = await model.score("Suppose that car appears near", [f" {words}"])
        whole[term] = one.logprob + other.logprob
    assert ordered == sorted(CANDIDATES, key=lambda term: -whole[term])


async def test_an_error_of_the_model_is_raised() -> None:
    with pytest.raises(ModelError):
        await by_likelihood(ranking((End.SOURCE, "box")), HashingModel(fails_after=0), SKILLS)
