"""Worked examples: the harness's draw, and the draw for variability."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.benchmark import Gita
from core.benchmarks.gita.questions import CONFLICT, STORY
from core.contract.question import Question, Shot
from core.contract.setting import Setting
from core.runs.shots import RANDOM, RULES, VARIED, draw, shot
from core.text.errors import NotFoundError


def asked(count: int, golds: str = "ab") -> list[Question]:
    """Questions whose gold cycles through `golds`; "-" is none."""
    options = ("a", "b", "c", "d")
    return [
        Question(
            item=str(i),
            layer="l",
            instruction="",
            text=f"text {i}",
            options=options,
            gold=None if golds[i % len(golds)] == "-" else options.index(golds[i % len(golds)]),
            tags={"kind": str(i % 3), "place": str(i % 2)},
        )
        for i in range(count)
    ]


def test_seven_released_prompts_show_a_story_of_the_same_family(shared_data: Path) -> None:
    bench = Gita()
    collection = bench.open(shared_data / "gita4calamita" / "gita_docs.jsonl")
    found = [bench.question(collection.item(i), Setting(), STORY) for i in range(len(collection))]
    pool = [one for one in found if one is not None]
    families = [one.tags["story_id"] for one in pool]
    by_text = dict(zip((one.text for one in pool), families, strict=True))
    assert len(by_text) == len(pool)
    drawn = draw(RANDOM, pool, 3, 1234)
    shared = sum(
        any(by_text[example.text] == family for example in own)
        for family, own in zip(families, drawn, strict=True)
    )
    assert shared == 7


@given(st.integers(0, 40), st.integers(0, 6), st.integers(0, 9))
def test_no_question_is_its_own_example(n: int, k: int, seed: int) -> None:
    pool = asked(n)
    drawn = draw(RANDOM, pool, k, seed)
    assert len(drawn) == n
    for one, own in zip(pool, drawn, strict=True):
        texts = {example.text for example in own}
        assert one.text not in texts
        assert len(own) == len(texts) == min(k, n - 1)
    assert drawn == draw(RANDOM, pool, k, seed)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_too_few_questions_are_all_examples(rule: str, count: int) -> None:
    drawn = draw(rule, asked(count), 3, 5)
    assert [len(own) for own in drawn] == [min(3, count - 1)] * count
    if count == 2:
        assert drawn == [(Shot("text 1", "b"),), (Shot("text 0", "a"),)]


@pytest.mark.parametrize("rule", RULES)
def test_questions_without_gold_are_asked_but_not_drawn(rule: str) -> None:
    pool = asked(12, "a-b-")
    drawn = draw(rule, pool, 3, 1)
    assert all(len(own) == 3 for own in drawn)
    texts = {one.text for own in drawn for one in own}
    assert texts <= {f"text {i}" for i in range(0, 12, 2)}
    with pytest.raises(ValueError, match="no gold"):
        shot(pool[1])


def test_with_gold_everywhere_the_draw_is_the_harness_draw() -> None:
    """As its sampler does: one generator for a task, k + 1 sampled, the question itself dropped."""
    pool = asked(30)
    generator = random.Random(1234)
    expected = []
    for one in pool:
        others = [other for other in generator.sample(pool, 5) if other is not one]
        expected.append(tuple(shot(other) for other in others[:4]))
    assert draw(RANDOM, pool, 4, 1234) == expected


def test_varied_examples_cover_every_pair_and_most_states(shared_data: Path) -> None:
    bench = Gita()
    collection = bench.open(shared_data / "gita4calamita" / "gita_docs.jsonl")
    items = [collection.item(i) for i in range(len(collection))]
    pool = [q for q in (bench.question(i, Setting(), CONFLICT) for i in items) if q is not None]
    texts = {one.text: one for one in pool}
    for seed in range(5):
        drawn = draw(VARIED, pool, 10, seed, bench.shot_traits)
        # All get the same ten, but for the eleven that are examples themselves.
        (usual, others) = (max(set(drawn), key=drawn.count), len(set(drawn)))
        assert drawn.count(usual) >= len(pool) - 11
        assert others <= 11
        assert {one.target for one in usual} == set(pool[0].options)
        states = {texts[one.text].tags["state"] for one in usual}
        random_states = {texts[o.text].tags["state"] for o in draw(RANDOM, pool, 10, seed)[0]}
        assert len(states) >= 8 > 0
        assert len(states) >= len(random_states)
        for one, own in zip(pool, drawn, strict=True):
            assert one.text not in {example.text for example in own}


@given(st.integers(2, 9), st.integers(0, 50))
def test_varied_values_are_used_evenly(k: int, seed: int) -> None:
    pool = asked(24, "abcd")
    kinds = {one.text: one.tags["kind"] for one in pool}
    drawn = draw(VARIED, pool, k, seed, ("kind",))
    usual = max(set(drawn), key=drawn.count)
    uses = sorted([kinds[one.text] for one in usual].count(kind) for kind in "012")
    assert uses[-1] - uses[0] <= 1


def test_the_answer_varies_where_no_trait_is_named() -> None:
    drawn = draw(VARIED, asked(24, "abcd"), 4, 3)
    usual = max(set(drawn), key=drawn.count)
    assert {one.target for one in usual} == set("abcd")


def test_a_seed_gives_the_same_examples_and_another_seed_others() -> None:
    pool = asked(40, "abcd")
    for rule in RULES:
        drawn = [draw(rule, pool, 3, seed, ("kind",)) for seed in (1, 1, 2, 3, 4)]
        assert drawn[0] == drawn[1]
        assert any(one != other for one, other in pairwise(drawn[1:]))


def test_an_unknown_rule_names_the_nearest() -> None:
    with pytest.raises(NotFoundError) as caught:
        draw("varid", asked(3), 1, 0)
    assert "varied" in caught.value.hint


def test_story_examples_show_both_answers_when_varied(shared_data: Path) -> None:
    bench = Gita()
    collection = bench.open(shared_data / "gita4calamita" / "gita_docs.jsonl")
    asked_first = [bench.question(collection.item(i), Setting(), STORY) for i in range(60)]
    pool = [one for one in asked_first if one is not None]
    usual = draw(VARIED, pool, 6, 0, bench.shot_traits)[-1]
    assert {one.target for one in usual} == {"false", "true"}
