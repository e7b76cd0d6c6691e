"""Worked examples from several layers: neither which nor where they are tells an answer."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.question import Question
from core.runs.shots import FIXED, RANDOM, RULES, VARIED, draw_across
from core.text.errors import NotFoundError

K = 4


def asked(number: int, *, gold: int | None, kind: str = "noun", head: str = "") -> Question:
    return Question(
        item=f"item {number}",
        layer="rung-1" if gold == 0 else "false-1",
        instruction="",
        text=f"text {number}",
        options=("Yes", "No"),
        gold=gold,
        tags={"kind": kind, "head": head or f"head {number}"},
    )


def drawn(rule: str, pool: list[Question], seed: int = 1) -> dict[str, list[tuple[str, str]]]:
    made = draw_across(rule, pool, pool, K, seed, agree="kind", differ="head")
    return {
        question.item: [(shot.text, shot.target) for shot in shots]
        for question, shots in zip(pool, made, strict=True)
    }


@st.composite
def pools(draw: st.DrawFn) -> list[Question]:
    known = draw(
        st.lists(
            st.tuples(
                st.sampled_from([0, 1, None]), st.sampled_from("nv"), st.sampled_from("abcdefg")
            ),
            min_size=1,
            max_size=30,
        )
    )
    return [asked(i, gold=g, kind=kind, head=head) for i, (g, kind, head) in enumerate(known)]


@given(pools(), st.sampled_from(RULES), st.integers(0, 5))
@settings(max_examples=200)
def test_examples_agree_and_differ_as_asked(pool: list[Question], rule: str, seed: int) -> None:
    by_text = {question.text: question for question in pool}
    for item, shots in drawn(rule, pool, seed).items():
        own = next(question for question in pool if question.item == item)
        others = [
            q
            for q in pool
            if q.gold is not None
            and q.tags["kind"] == own.tags["kind"]
            and q.tags["head"] != own.tags["head"]
        ]
        # Varied examples are of different heads each.
        most = len(others) if rule != VARIED else len({q.tags["head"] for q in others})
        assert len(shots) == min(K, most)
        assert len({text for text, _ in shots}) == len(shots)
        for text, target in shots:
            assert by_text[text] in others
            assert target == by_text[text].options[by_text[text].gold or 0]


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    pool = [asked(i, gold=i % 2) for i in range(40)]
    assert drawn(RANDOM, pool, 3) == drawn(RANDOM, pool, 3)
    assert drawn(RANDOM, pool, 3) != drawn(RANDOM, pool, 4)


def test_random_examples_do_not_tell_the_answer_by_their_place() -> None:
    # As files are written: all that hold first, then all that do not.
    pool = [asked(i, gold=int(i >= 200)) for i in range(400)]
    first: dict[int, Counter[str]] = {0: Counter(), 1: Counter()}
    for question, shots in zip(pool, drawn(RANDOM, pool).values(), strict=True):
        assert question.gold is not None
        first[question.gold].update(target for _, target in shots)
    # 800 draws of each: five standard deviations of a fair coin are 71.
    for counts in first.values():
        assert abs(counts["Yes"] - 400) < 71


def test_varied_examples_have_both_answers_alike_for_every_question() -> None:
    pool = [asked(i, gold=int(i % 5 == 0)) for i in range(50)]
    found = drawn(VARIED, pool)
    for shots in found.values():
        assert Counter(target for _, target in shots) in (
            Counter(Yes=2, No=2),
            Counter(Yes=3, No=1),
            Counter(Yes=1, No=3),
        )
    shared = Counter(tuple(shots) for shots in found.values())
    assert shared.most_common(1)[0][1] == len(pool) - K


def test_fixed_examples_are_the_same_for_every_question_but_the_examples_themselves() -> None:
    pool = [asked(i, gold=i % 2) for i in range(50)]
    shared = Counter(tuple(shots) for shots in drawn(FIXED, pool).values())
    assert shared.most_common(1)[0][1] == len(pool) - K
    assert drawn(FIXED, pool, 3) != drawn(FIXED, pool, 4)


def test_another_rule_is_refused() -> None:
    with pytest.raises(NotFoundError, match="best"):
        draw_across("best", [], [], K, 1, agree="kind", differ="head")
