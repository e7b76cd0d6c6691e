"""Rungs: the path cut off after each hop, its statements checked again."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.grounding.constraints import rounds
from core.benchmarks.accord.grounding.grounder import Grounded
from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.grounding.records import record_of
from core.benchmarks.accord.grounding.surface import statements
from core.benchmarks.accord.item import AccordItem, Grounds
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.questions import question, skip_reason
from core.benchmarks.accord.rungs import rung
from core.benchmarks.accord.soundness import Check, check
from core.benchmarks.accord.switches import situation, switches
from core.benchmarks.accord.task_layers import ANSWER, HOP
from core.benchmarks.accord.trees.path import kinds
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.sampler import cell_size, sampled
from core.contract.rungs import build_rungs
from core.contract.setting import Setting
from core.text.errors import DataError
from tests.benchmarks.accord.grounded import (
    MATRIX,
    RELATIONS,
    SKILLS,
    Facts,
    chain,
    grounded,
    grounder,
    pairing,
    rich,
)
from tests.benchmarks.accord.grounded import question as some_question

ACCORD = Accord()
COLLECTION = ACCORD.open(ACCORD.samples())
UNASKED = frozenset({Check.IN_RELATION})
"""The answer takes the place of a term that was drawn from the column of a relation; the answer
need not stand there, as on a tree of one hop."""


def grounds(knowledge: Facts) -> Grounds:
    return Grounds(SKILLS, MATRIX, knowledge, "facts")


def cut(item: Instance, hops: int, knowledge: Facts) -> Instance:
    found = rung(item, hops, grounds(knowledge))
    assert isinstance(found, Instance), found
    return found


def broken(item: Instance, knowledge: Facts) -> set[Check]:
    flags = check(record_of(item), MATRIX, knowledge)
    return {flag.check for flag in flags if not flag.passed} - UNASKED


def drawn(made: Structure) -> Instance:
    return grounded(grounder(rich()).ground(made)).instance


@st.composite
def long_paths(draw: st.DrawFn) -> Structure:
    """A tree with a path of three hops or more."""
    skill, end = draw(st.sampled_from(kinds(MATRIX)))
    hops, distractors = draw(st.integers(3, 6)), draw(st.integers(0, 2))
    cell = (MATRIX, skill, end, hops, distractors)
    assume(cell_size(*cell, Rule.FREE))
    tree, path = next(sampled(*cell, draw(st.integers(0, 10**6)), Rule.FREE))
    return Structure(some_question(), pairing(skill, end), tree, path)


# -- what a rung is ------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(long_paths(), st.integers(0, 50), st.data())
def test_a_rung_is_the_path_up_to_a_hop_with_the_answers_at_its_end(
    made: Structure, seed: int, data: st.DataObject
) -> None:
    knowledge = rich(90, seed=seed)
    found = grounder(knowledge).ground(made)
    assume(isinstance(found, Grounded))
    whole = grounded(found).instance
    hops = data.draw(st.integers(1, made.hops))
    found = rung(whole, hops, grounds(knowledge))
    if isinstance(found, str):
        assert hops < made.hops
        return
    tree, path = found.structure.tree, found.structure.path
    assert (found.structure.hops, found.structure.distractors) == (hops, 0)
    assert tree.size == hops
    assert [tree.templates[i].skill for i in path.templates] == [
        made.tree.templates[i].skill for i in made.path.templates[:hops]
    ]
    assert [step.reduction for step in path.steps] == [
        step.reduction for step in made.path.steps[: hops - 1]
    ]
    assert found.chosen == whole.chosen
    for label, text in made.question.choices:
        before, after = whole.terms(label), found.terms(label)
        walked = [after[variable] for variable in path.variables]
        assert walked[:-1] == [before[variable] for variable in made.path.variables[:hops]]
        assert walked[-1] == text
    assert not broken(found, knowledge)


@settings(max_examples=60, deadline=None)
@given(long_paths(), st.integers(0, 50), st.data())
def test_a_rung_is_asked_exactly_if_its_statements_are_sound(
    made: Structure, seed: int, data: st.DataObject
) -> None:
    """With facts few and many, and variables grounded with facts: as the checks of items find."""
    found = grounder(rich(90, seed=seed)).ground(made)
    assume(isinstance(found, Grounded))
    whole = grounded(found).instance
    hops = data.draw(st.integers(2, made.hops - 1))
    inner = set(made.tree.variables) - {made.path.pairing_variable, made.path.answer_variable}
    factual = frozenset(data.draw(st.sets(st.sampled_from(sorted(inner)))) if inner else ())
    knowledge, whole = consistent(whole, factual, seed)
    assume(not broken(whole, knowledge))
    found = rung(whole, hops, grounds(knowledge))
    unchecked = forced(whole, hops)
    assert isinstance(found, str) is bool(broken(unchecked, knowledge))
    if isinstance(found, Instance):
        assert found == unchecked


def consistent(item: Instance, factual: frozenset[int], seed: int) -> tuple[Facts, Instance]:
    """A knowledge base in which the statements of an item are facts just where they are due."""
    rng = random.Random(seed)
    words = sorted({plain(term) for terms in item.copies for term in terms})
    pairs = {
        name: {(rng.choice(words), rng.choice(words)) for _ in range(60)} for name in RELATIONS
    }
    structure = item.structure
    distances = rounds(structure.tree, structure.path)
    for template in structure.tree.templates:
        ends = (template.source, template.target)
        later = max(distances[end] for end in ends)
        due = all(end in factual for end in ends if distances[end] == later)
        said = {(plain(t[template.source]), plain(t[template.target])) for t in item.copies}
        if later and due:
            pairs[SKILLS[template.skill].concept_net] |= said
        elif later:
            pairs[SKILLS[template.skill].concept_net] -= said
    made = Instance(structure, item.copies, item.chosen, item.knowledge, item.seed, factual)
    return Facts(**pairs), made


def forced(item: Instance, hops: int) -> Instance:
    """The rung without any check: in a knowledge base of which nothing is a fact."""
    nothing = Facts(**{name: [] for name in RELATIONS})
    without = Instance(item.structure, item.copies, item.chosen, item.knowledge, item.seed)
    made = cut(without, hops, nothing)
    names = {variable: place for place, variable in enumerate(item.structure.path.variables)}
    kept = frozenset(names[v] for v in item.factual & names.keys() if names[v] < hops)
    return Instance(made.structure, made.copies, made.chosen, made.knowledge, made.seed, kept)


def test_the_last_rung_drops_only_the_distractors() -> None:
    knowledge = rich()
    whole = drawn(chain(3, 2))
    last = cut(whole, 3, knowledge)
    assert (last.structure.hops, last.structure.distractors) == (3, 0)
    on_path = set(whole.structure.path.templates)

    def said(item: Instance) -> set[str]:
        return {one.text() for one in statements(item, SKILLS)}

    kept = {one.text() for one in statements(whole, SKILLS) if one.template in on_path}
    assert said(last) == kept < said(whole)
    alone = drawn(chain(2))
    assert said(cut(alone, 2, knowledge)) == said(alone)


def test_there_is_no_rung_beyond_the_path() -> None:
    knowledge = rich()
    whole = drawn(chain(2))
    for hops in (0, 3):
        with pytest.raises(DataError):
            rung(whole, hops, grounds(knowledge))


def test_rungs_of_twins_differ_only_in_the_implied_answer() -> None:
    knowledge = rich()
    whole = drawn(chain(4))
    for label in whole.structure.question.labels:
        for hops in (1, 2, 3):
            mine = cut(whole.implying(label), hops, knowledge)
            assert mine == cut(whole, hops, knowledge).implying(label)


# -- what cannot be asked ------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["galaxy", "Galaxy", "GALAXY "])
def test_an_answer_that_states_a_fact_removes_only_its_rung(answer: str) -> None:
    """V1 stands for `galaxy` in one copy: on rung 2 that answer is said of what V1 is."""
    asked = some_question((("A", "pay debts"), ("B", answer), ("C", "outer space")))
    made = chain(3)
    made = Structure(asked, made.pairing, made.tree, made.path)
    whole = drawn(made)
    first, second = made.path.variables[1:3]
    template = made.tree.templates[made.path.templates[1]]
    relation = SKILLS[template.skill].concept_net
    term = whole.terms("B")[first]
    pair = (term, "galaxy") if template.source == first else ("galaxy", term)
    facts = Facts(**{name: [pair] if name == relation else [] for name in RELATIONS})
    assert second in (template.source, template.target)
    assert isinstance(rung(whole, 1, grounds(facts)), Instance)
    assert isinstance(rung(whole, 3, grounds(facts)), Instance)
    found = rung(whole, 2, grounds(facts))
    assert isinstance(found, str)
    assert term in found
    assert "galaxy" in found.casefold()
    assert "is a fact" in found
    assert broken(forced(whole, 2), facts) == {Check.ANTI_FACTUAL}


def test_hostile_terms_are_escaped_in_the_reason() -> None:
    hostile = "gal\x1b[2Jaxy\u202e"
    asked = some_question((("A", "pay debts"), ("B", hostile), ("C", "outer space")))
    made = chain(3)
    whole = drawn(Structure(asked, made.pairing, made.tree, made.path))

    class Everything(Facts):
        def holds(self, relation: str, source: str, target: str) -> bool:
            return True

    found = rung(whole, 2, grounds(Everything(**{name: [] for name in RELATIONS})))
    assert isinstance(found, str)
    assert "\x1b" not in found
    assert "\u202e" not in found


def test_a_fact_removes_a_rung_that_must_not_have_one() -> None:
    """V3 and V4 of a chain: which of the two decides depends on where the answer is."""
    whole = drawn(chain(5))
    path = whole.structure.path
    factual = frozenset({path.variables[1]})
    template = whole.structure.tree.templates[path.templates[0]]
    relation = SKILLS[template.skill].concept_net
    pairs = [(terms[template.source], terms[template.target]) for terms in whole.copies]
    facts = Facts(**{name: pairs if name == relation else [] for name in RELATIONS})
    own = Instance(whole.structure, whole.copies, whole.chosen, "facts", 0, factual)
    assert isinstance(rung(own, 1, grounds(facts)), Instance)
    second = rung(own, 2, grounds(facts))
    assert isinstance(second, str)
    assert "no fact" in second
    assert Check.FACTUAL in broken(forced(own, 2), facts)


# -- as layers -----------------------------------------------------------------------------------


def under(place: int, **values: str | int) -> tuple[AccordItem, Setting]:
    item = COLLECTION.item(place)
    assert isinstance(item, AccordItem)
    named = {key: str(value) for key, value in values.items()}
    return item, Setting.of(switches(item), named)


@pytest.mark.parametrize(("hops", "distractors"), [(1, 0), (1, 2), (2, 0), (3, 1), (5, 2)])
def test_a_ladder_has_a_rung_for_each_hop(hops: int, distractors: int) -> None:
    item, setting = under(0, hops=hops, distractors=distractors)
    rungs = [r for r in build_rungs(ACCORD, item, setting) if r.layer.id.startswith(HOP)]
    # Without distractors the last rung would be the whole tree.
    assert [r.layer.id for r in rungs] == [f"{HOP}{h}" for h in range(1, hops + (distractors > 0))]
    whole = question(item, setting, ANSWER)
    assert whole is not None
    for h, one in enumerate(rungs, 1):
        assert one.question is not None
        assert one.question.tags["hops"] == str(h)
        assert one.question.tags["distractors"] == "0"
        assert one.question.gold == whole.gold
        lines = [line for line in one.question.text.splitlines() if "Suppose that" in line]
        assert len(lines) == h * len(item.question.choices)
        if h == hops:
            assert set(lines) < set(whole.text.splitlines())


def test_every_rung_of_the_bundled_questions_is_sound() -> None:
    for place in range(0, len(COLLECTION), 3):
        item, setting = under(place, hops=4, distractors=1, tree=place)
        whole = situation(item, setting).instance
        assert whole is not None
        for hops in range(1, 5):
            found = rung(whole, hops, item.grounds)
            if isinstance(found, Instance):
                flags = check(record_of(found), MATRIX, item.grounds.knowledge)
                assert {f.check for f in flags if not f.passed} <= UNASKED
                assert not skip_reason(item, setting, f"{HOP}{hops}")


def test_a_rung_that_cannot_be_asked_says_so_on_the_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    item, setting = under(0, hops=3, distractors=0)
    knowledge = type(item.grounds.knowledge)
    whole = situation(item, setting).instance
    assert whole is not None
    monkeypatch.setattr(knowledge, "holds", lambda *_: True)
    assert question(item, setting, f"{HOP}2") is None
    assert "cannot be asked" in skip_reason(item, setting, f"{HOP}2")
    assert question(item, setting, f"{HOP}1") is not None
    (state,) = [r for r in build_rungs(ACCORD, item, setting) if r.layer.id == f"{HOP}2"]
    assert state.question is None
