"""Suites: which items they list, and that an item depends on nothing but what it is made of."""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.grounding.records import decoded
from core.benchmarks.accord.soundness import check, sound
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.suites.files import BARE, REFUSED, read_line
from core.benchmarks.accord.suites.plan import Task, cells, count, tasks
from tests.benchmarks.accord.grounded import MATRIX, Facts, pairing, question, rich
from tests.benchmarks.accord.suites import bundled_questions, generator, instances, lines_of


def paired(name: str, pairings: int = 1) -> QuestionItem:
    """A question with so many pairing templates."""
    templates = tuple(replace(pairing(), term=f"place {number}") for number in range(pairings))
    return QuestionItem(name, f"Where is {name}?", question().choices, "C", pairings=templates)


# -- what there is to be made --------------------------------------------------------------------


def test_the_cells_are_all_splits_of_a_size() -> None:
    assert [(c.hops, c.distractors) for c in cells(range(1, 6))] == [
        (hops, size - hops) for size in (1, 2, 3, 4, 5) for hops in range(1, size + 1)
    ]
    assert {cell.hops + cell.distractors for cell in cells((3, 7))} == {3, 7}


@given(
    st.lists(st.integers(0, 3), max_size=4),
    st.sets(st.integers(1, 6), min_size=1, max_size=3),
    st.integers(1, 3),
)
def test_every_pairing_has_equally_many_items_in_each_cell_of_both_variants(
    pairings: list[int], sizes: set[int], per_cell: int
) -> None:
    questions = [paired(f"q{place}", number) for place, number in enumerate(pairings)]
    every = list(tasks(questions, sorted(sizes), per_cell))
    assert len(every) == len(set(every)) == count(questions, sorted(sizes), per_cell)
    bare = [one for one in every if one.pairing < 0]
    assert [one.question for one in bare] == list(range(len(questions)))
    found = Counter(
        (one.question, one.pairing, one.cell, one.anti_factual) for one in every if one.pairing >= 0
    )
    splits = sum(sizes)
    assert len(found) == 2 * splits * sum(pairings)
    assert set(found.values()) <= {per_cell}


# -- what is made --------------------------------------------------------------------------------


def test_both_variants_differ_only_in_the_implied_answer() -> None:
    made = generator((1, 2, 4), per_cell=2, seed=5)
    found = instances(lines_of(made))
    twins = list(zip(found[::2], found[1::2], strict=True))
    assert len(twins) > 60
    for factual, anti_factual in twins:
        assert factual.default
        assert not anti_factual.default
        assert anti_factual == factual.implying(anti_factual.chosen)
        assert factual.group == anti_factual.group
        assert factual.id != anti_factual.id
    assert {anti.chosen for _, anti in twins} == {"A", "B", "C", "D", "E"}


def test_items_are_in_their_cell() -> None:
    made = generator((1, 3, 5), seed=2)
    for one in tasks(made.questions, made.sizes, 1):
        line = made.line(one)
        if one.pairing < 0:
            assert read_line(line, where="").id == made.questions[one.question].id
        else:
            (item,) = instances([line])
            assert (item.structure.hops, item.structure.distractors) == (
                one.cell.hops,
                one.cell.distractors,
            )
            assert item.structure.pairing == made.questions[one.question].pairings[one.pairing]


def test_a_suite_has_no_duplicate_items() -> None:
    found = instances(lines_of(generator((1, 2), per_cell=6, questions=bundled_questions(3))))
    assert len(found) > 40
    assert len({item.id for item in found}) == len(found)


def test_an_exhausted_cell_says_so() -> None:
    """One hop without distractors is one item: the question's own terms, and nothing is drawn."""
    lines = lines_of(generator((1,), per_cell=3, questions=bundled_questions(1)))
    assert len(instances(lines)) == 2 * len(bundled_questions(1)[0].pairings)
    refused = [read_line(line, where="") for line in lines if line.startswith(REFUSED)]
    assert {one.draw for one in refused} == {1, 2}
    assert all("earlier item" in one.reason for one in refused)


def test_large_trees_are_drawn_too() -> None:
    made = generator((12,), questions=[paired("q")], knowledge=rich(300))
    found = instances(lines_of(made))
    assert {(i.structure.hops, i.structure.distractors) for i in found} >= {(1, 11), (6, 6)}


@settings(max_examples=15, deadline=None)
@given(st.integers(12, 60), st.integers(0, 10**6))
def test_generated_items_are_sound_and_refusals_have_a_reason(terms: int, seed: int) -> None:
    facts = rich(terms, seed=seed)
    made = generator((1, 2, 4), seed=seed, questions=[paired("q", 2)], knowledge=facts)
    for line in lines_of(made):
        if line.startswith(REFUSED):
            assert read_line(line, where="").reason
        elif not line.startswith(BARE):
            record = decoded(line)
            flags = check(record, MATRIX, facts)
            assert sound(flags)
            assert record.flags == {flag.check.key: True for flag in flags}


def test_an_empty_knowledge_base_refuses_items_that_need_a_term() -> None:
    facts = Facts(**{skill.concept_net: [] for skill in MATRIX.skills.values()})
    lines = lines_of(generator((1, 2), questions=[paired("q")], knowledge=facts))
    assert {item.structure.tree.size for item in instances(lines)} == {1}
    refused = [read_line(line, where="") for line in lines if line.startswith(REFUSED)]
    assert {(one.hops, one.distractors) for one in refused} == {(1, 1), (2, 0)}
    assert all(one.reason for one in refused)


# -- seeds ---------------------------------------------------------------------------------------


def test_the_seed_decides_the_items() -> None:
    first, again, other = (lines_of(generator((2, 3), seed=seed)) for seed in (7, 7, 8))
    assert first == again
    assert {line for line in first if not line.startswith(BARE)}.isdisjoint(other)


def test_items_are_the_same_in_any_order() -> None:
    made = generator((1, 2, 3), per_cell=2, seed=4)
    every = list(tasks(made.questions, made.sizes, made.per_cell))
    in_order = dict(zip(every, lines_of(made), strict=True))
    shuffled = random.Random(1).sample(every, len(every))
    assert {one: made.line(one) for one in shuffled} == in_order


def test_an_item_does_not_depend_on_the_other_questions_or_cells() -> None:
    questions = bundled_questions(4)
    whole = set(lines_of(generator((1, 2, 3, 4), per_cell=2, questions=questions)))
    part = lines_of(generator((3,), per_cell=2, questions=questions[2:]))
    assert set(part) <= whole


def test_two_processes_make_the_same_items() -> None:
    made = generator((1, 2, 3), seed=3)
    every = list(tasks(made.questions, made.sizes, 1))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        halves = list(pool.map(_lines, [every[1::2], every[::2]]))
    lines = lines_of(made)
    assert halves == [lines[1::2], lines[::2]]


def _lines(some: list[Task]) -> list[bytes]:
    made = generator((1, 2, 3), seed=3)
    return [made.line(one) for one in some]
