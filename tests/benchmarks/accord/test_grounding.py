"""Grounding: sound items, found wherever there are any, the same in every order."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.accord import soundness
from core.benchmarks.accord.grounding.grounder import Grounded, Grounder
from core.benchmarks.accord.grounding.instance import InstanceError, Structure
from core.benchmarks.accord.grounding.records import encoded, record_of
from core.benchmarks.accord.grounding.search_trace import Unsatisfied
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.trees.sampler import sampled
from core.benchmarks.accord.trees.skills import End
from core.text.errors import SettingError
from tests.benchmarks.accord.grounded import (
    MATRIX,
    SKILLS,
    Facts,
    chain,
    failing,
    grounded,
    grounder,
    hanging,
    pairing,
    question,
    rich,
    structures,
    tables,
)

RICH = rich()
seeds = st.integers(0, 2**32)


WORDS = [*"abcdefghijkl", "a/n", "b/v", "galaxy", "galaxy/n", "planet", "the planet"]


@given(structures(), tables(WORDS), seeds, st.data())
@settings(max_examples=120, deadline=None)
def test_every_item_is_sound(
    item: Structure, knowledge: Facts, seed: int, data: st.DataObject
) -> None:
    label = data.draw(st.sampled_from(item.question.labels))
    result = grounder(knowledge).ground(item, seed=seed)
    if isinstance(result, Grounded):
        assert failing(result.instance.implying(label), knowledge) == []
    else:
        assert result.reason


@given(structures(6), seeds, st.data())
@settings(max_examples=80, deadline=None)
def test_every_tree_is_grounded_with_enough_terms(
    item: Structure, seed: int, data: st.DataObject
) -> None:
    free = set(item.tree.variables) - {item.path.pairing_variable, item.path.answer_variable}
    result = grounded(grounder(RICH).ground(item, seed=seed))
    assert failing(result.instance, RICH) == []
    assert {trace.variable for trace in result.traces} == free
    factual = data.draw(st.sets(st.sampled_from(sorted(free)))) if free else set()
    mixed = grounder(RICH).ground(item, seed=seed, factual=factual)
    if isinstance(mixed, Grounded):
        assert failing(mixed.instance, RICH) == []


def test_the_order_of_grounding_changes_nothing() -> None:
    items = [chain(hops, size - hops) for size in range(1, 5) for hops in range(1, size + 1)]
    straight = [encoded(grounded(grounder(RICH).ground(item, seed=5)).instance) for item in items]
    random.seed(1)
    others = grounder(RICH)
    backwards = []
    for item in reversed(items):
        random.random()
        backwards.append(encoded(grounded(others.ground(item, seed=5)).instance))
    assert backwards[::-1] == straight


def test_another_process_draws_the_same_terms() -> None:
    program = (
        "from tests.benchmarks.accord.grounded import *\n"
        "from core.benchmarks.accord.grounding.records import encoded\n"
        "print(encoded(grounded(grounder(rich()).ground(chain(3, 2), seed=9)).instance).decode())"
    )
    lines = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": str(salt), "PYTHONPATH": "."},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for salt in (1, 2)
    }
    assert lines == {
        encoded(grounded(grounder(rich()).ground(chain(3, 2), seed=9)).instance).decode() + "\n"
    }


def test_other_seeds_questions_and_pairings_draw_other_terms() -> None:
    item = chain(3, 2)
    one = grounded(grounder(RICH).ground(item, seed=1)).instance
    assert grounded(grounder(RICH).ground(item, seed=2)).instance.copies != one.copies
    renamed = replace(item, question=replace(item.question, id="q2"))
    assert grounded(grounder(RICH).ground(renamed, seed=1)).instance.copies != one.copies
    paired = replace(item, pairing=replace(item.pairing, term="the moon"))
    assert (
        grounded(grounder(RICH).ground(paired, seed=1)).instance.copies[0][1:] != one.copies[0][1:]
    )


@pytest.mark.parametrize("size", range(1, 8))
@pytest.mark.parametrize("known", [True, False])
def test_one_hop_items_exist_at_every_size(size: int, known: bool) -> None:
    """The authors' program makes them only where every choice is a fact."""
    pairs = [(text, "the planet") for _, text in question().choices] if known else []
    knowledge = Facts(**{**rich().pairs, "AtLocation": [*pairs, ("x", "y")]})
    item = chain(1, size - 1)
    made = grounded(grounder(knowledge).ground(item)).instance
    assert failing(made, knowledge) == []
    assert made.structure.distractors == size - 1


def test_no_two_copies_share_a_term() -> None:
    """The authors' copies share some, and say a statement and its opposite."""
    knowledge = Facts(AtLocation=[(f"w{number}", "z") for number in range(3)])
    for seed in range(30):
        made = grounded(grounder(knowledge).ground(hanging(), seed=seed)).instance
        assert sorted(terms[2] for terms in made.copies) == ["w0", "w1", "w2"]


def test_no_intermediate_is_a_term_of_the_question() -> None:
    """In the authors' items an answer choice can stand as an intermediate of another copy."""
    spelled = ["galaxy", "galaxy/n", "outer space/v", "planet", "planet/n", "the planet"]
    rows = [(term, "z") for term in [*spelled, "x", "y", "w"]]
    for seed in range(30):
        made = grounded(grounder(Facts(AtLocation=rows)).ground(hanging(), seed=seed)).instance
        assert {terms[2] for terms in made.copies} == {"x", "y", "w"}


def test_two_neighbours_drawn_in_the_same_round_are_no_fact() -> None:
    """The authors check new terms against the old ones of their neighbours only."""
    words = [f"w{number}" for number in range(9)]
    # All but a few pairs are facts, so that independent draws would nearly always make one.
    rows = [(one, two) for one in words for two in words if (int(one[1]) + int(two[1])) % 3]
    knowledge = Facts(AtLocation=rows)
    for seed in range(20):
        made = grounded(grounder(knowledge).ground(chain(3), seed=seed)).instance
        for terms in made.copies:
            assert not knowledge.holds("AtLocation", terms[2], terms[1])


@pytest.mark.parametrize("factual", [(1,), (2,), (1, 2)])
def test_fact_and_anti_fact_can_meet_in_one_round(factual: tuple[int, ...]) -> None:
    """The authors' search refuses every such item."""
    near = [(f"p{number}", "the planet") for number in range(4)]
    far = [(text, f"a{number}") for _, text in question().choices for number in range(4)]
    both = [(f"a{number}", f"p{other}") for number in range(4) for other in range(4)]
    rest = [(f"w{number}", f"w{(number + 1) % 8}") for number in range(8)]
    knowledge = Facts(AtLocation=[*near, *far, *rest, *(both if factual == (1, 2) else [])])
    made = grounded(grounder(knowledge).ground(chain(3), factual=factual)).instance
    assert failing(made, knowledge) == []
    for text, terms in zip(question().texts, made.copies, strict=True):
        assert knowledge.holds("AtLocation", terms[1], "the planet") is (1 in factual)
        assert knowledge.holds("AtLocation", text, terms[2]) is (2 in factual)


def test_missing_facts_are_named() -> None:
    knowledge = Facts(AtLocation=[("lamp", "the planet"), ("galaxy", "shelf")])
    made = grounder(knowledge).ground(chain(2), factual=(1,))
    assert isinstance(made, Unsatisfied)
    assert made.proved
    first = question().texts[0]
    assert made.reason == (
        "V1 in copy A has no term that makes a fact of AtLocation with “the planet” and of "
        f"AtLocation with “{first.lower()}”."
    )


def test_a_single_variable_can_be_redrawn() -> None:
    item = chain(2, 3)
    before = grounded(grounder(RICH).ground(item, seed=3)).instance
    changed = set()
    for times in range(1, 6):
        after = grounded(grounder(RICH).ground(item, seed=3, redraws={3: times})).instance
        assert failing(after, RICH) == []
        for old, new in zip(before.copies, after.copies, strict=True):
            changed |= {place for place in range(6) if old[place] != new[place]}
    assert 3 in changed
    # V4 and V5 come after V3 and may have to give way to its new terms; V2 comes before.
    assert 2 not in changed


@pytest.mark.parametrize("variable", [0, 2, 7, -1])
def test_seeds_are_not_grounded(variable: int) -> None:
    with pytest.raises(SettingError, match=f"V{variable} is not grounded"):
        grounder(RICH).ground(chain(2, 1), factual=[variable])
    with pytest.raises(SettingError, match=f"V{variable} is not grounded"):
        grounder(RICH).ground(chain(2, 1), redraws={variable: 1})


def test_a_choice_like_the_pairing_term_is_refused() -> None:
    item = chain(2)
    same = replace(item, pairing=replace(item.pairing, term="Outer_Space"))
    with pytest.raises(InstanceError, match="is an answer choice too"):
        grounder(RICH).ground(same)


def test_an_unknown_label_is_refused() -> None:
    with pytest.raises(InstanceError, match="no choice"):
        grounded(grounder(RICH).ground(chain(2))).instance.implying("Z")


def test_items_of_a_real_knowledge_base_are_sound(shared_data: Path) -> None:
    knowledge = open_knowledge(shared_data / "conceptnet100k")
    real = Grounder(knowledge, SKILLS, "conceptnet100k")
    for size in range(1, 6):
        for hops in range(1, size + 1):
            tree, path = next(sampled(MATRIX, "spatial", End.TARGET, hops, size - hops, 0))
            item = Structure(question(), pairing(), tree, path)
            made = grounded(real.ground(item)).instance
            found = soundness.check(record_of(made), MATRIX, knowledge)
            assert [flag for flag in found if not flag.passed] == []
