"""The trees of neighbouring settings: what one keeps of another, and what it says if it cannot."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, pairwise, product

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.grounding.records import record_of
from core.benchmarks.accord.grounding.surface import statements
from core.benchmarks.accord.hashes import seed_of
from core.benchmarks.accord.item import AccordItem, Grounds
from core.benchmarks.accord.soundness import check, sound
from core.benchmarks.accord.switches import Situation, situation, switches
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.accord.trees.sampler import sampled
from core.benchmarks.accord.trees.tree import canonical_names
from core.contract.setting import Setting
from core.contract.view import Graph, Note, Role
from tests.benchmarks.accord.grounded import MATRIX, SKILLS, pairing, question, rich

ACCORD = Accord()
COLLECTION = ACCORD.open(ACCORD.samples())
SOME = range(0, len(COLLECTION), 9)
_KEPT = 0.98
"""Of the terms that a longer tree could keep, on these items."""


def under(of: AccordItem, **values: str | int) -> Situation:
    named = {key.replace("__", "."): str(value) for key, value in values.items()}
    return situation(of, Setting.of(switches(of), named))


def notes(of: AccordItem, **values: str | int) -> list[str]:
    shown = ACCORD.view(of, Setting.of(switches(of), {k: str(v) for k, v in values.items()}))
    return [block.text for block in shown.sections if isinstance(block, Note)]


def terms(now: Situation) -> dict[tuple[str, int], str]:
    """By answer choice and name: the terms between the pairing term and the answers."""
    assert now.instance is not None
    assert now.drawn is not None
    path = now.drawn.structure.path
    ends = {path.pairing_variable, path.answer_variable}
    return {
        (label, now.drawn.name(variable)): term
        for label in now.question.labels
        for variable, term in enumerate(now.instance.terms(label))
        if variable not in ends
    }


def said(now: Situation) -> set[tuple[str, str, str, str]]:
    """Every statement: its copy, first term, skill and second term."""
    assert now.instance is not None
    templates = now.instance.structure.tree.templates
    return {
        (label, copy[t.source], t.skill, copy[t.target])
        for label, copy in zip(now.question.labels, now.instance.copies, strict=True)
        for t in templates
    }


def lines(now: Situation) -> list[str]:
    """The statements in the order of the prompt."""
    assert now.instance is not None
    stated = statements(now.instance, now.item.grounds.skills, now.style_of(now.instance))
    return [statement.text() for statement in stated]


def test_one_more_distractor_keeps_every_statement() -> None:
    for place, hops in product(SOME, (2, 3, 5)):
        of = COLLECTION.item(place)
        rows = [said(under(of, hops=hops, distractors=number)) for number in range(5)]
        for fewer, more in pairwise(rows):
            assert fewer < more
            assert len(more - fewer) == len(of.question.choices)


def test_the_statements_that_are_kept_keep_their_order_in_the_prompt() -> None:
    for place, (fewer, more) in product(
        SOME, [((2, 0), (2, 1)), ((2, 1), (2, 2)), ((3, 1), (3, 4)), ((1, 1), (1, 2))]
    ):
        of = COLLECTION.item(place)
        small, large = (lines(under(of, hops=h, distractors=d)) for h, d in (fewer, more))
        assert [line for line in large if line in small] == small
        # Not all that was added stands at the end.
        added = [line for line in large if line not in small]
        assert large[-len(added) :] != added


def test_one_more_hop_keeps_all_statements_but_those_about_the_answer() -> None:
    """Now and then a term is redrawn, because nothing else lets the new one be grounded."""
    kept = there = 0
    for place in SOME:
        of = COLLECTION.item(place)
        for hops, distractors in product((2, 3, 4), (0, 1, 3)):
            now = under(of, hops=hops, distractors=distractors)
            longer = said(under(of, hops=hops + 1, distractors=distractors))
            answers = set(of.question.texts)
            stay = {one for one in said(now) if not answers & {one[1], one[3]}}
            kept += len(stay & longer)
            there += len(stay)
    assert kept / there > _KEPT


def test_a_hop_less_keeps_the_terms_and_the_statements_about_the_answer() -> None:
    for place in SOME:
        of = COLLECTION.item(place)
        longer, now = (terms(under(of, hops=hops, distractors=2)) for hops in (2, 1))
        assert now.keys() < longer.keys()
        changed = [key for key, term in now.items() if longer[key] != term]
        assert len(changed) <= 1


def test_grown_items_are_sound() -> None:
    of = COLLECTION.item(4)
    for hops, distractors, rule, near in product(
        (1, 3, 6), (0, 1, 3), Rule, ("random", "distance")
    ):
        now = under(of, hops=hops, distractors=distractors, rule=rule, relevance=near)
        assert now.instance is not None
        flags = check(record_of(now.instance), of.grounds.matrix, of.grounds.knowledge)
        assert sound(flags), flags


def test_a_fact_wanted_in_a_grown_tree_is_one() -> None:
    grounded = 0
    for place, name in product((0, 4, 8, 16), range(8)):
        of = COLLECTION.item(place)
        now = under(of, hops=4, distractors=1, **{f"factual__{name}": "on"})
        if now.instance is not None:
            flags = check(record_of(now.instance), of.grounds.matrix, of.grounds.knowledge)
            assert sound(flags), flags
            grounded += now.own
    assert grounded


def test_a_redrawn_term_stays_redrawn_in_larger_and_smaller_trees() -> None:
    of = COLLECTION.item(0)
    plain = terms(under(of, hops=3))
    inner = {name for _label, name in plain}
    for name in inner:
        redrawn = {f"redraw__{name}": 2}
        here = terms(under(of, hops=3, **redrawn))
        for cell in ({"hops": 4}, {"hops": 3, "distractors": 3}):
            there = terms(under(of, **cell, **redrawn))
            for label in of.question.labels:
                assert here[label, name] != plain[label, name]
                assert there[label, name] == here[label, name]


def test_what_the_first_tree_lacks_is_marked_and_the_rest_keeps_its_id() -> None:
    of = COLLECTION.item(0)

    def nodes(**values: int) -> dict[str, tuple[str, Role, str]]:
        named = {key: str(value) for key, value in values.items()}
        shown = ACCORD.view(of, Setting.of(switches(of), named))
        graph = next(block for block in shown.sections if isinstance(block, Graph))
        return {node.id: (node.text, node.role, node.sign) for node in graph.nodes}

    first, larger = nodes(), nodes(hops=4, distractors=2)
    assert {key: larger[key] for key in first} == first
    added = [larger[key] for key in larger.keys() - first.keys()]
    assert sorted(role for _text, role, _sign in added) == [
        Role.CHANGED,
        Role.CHANGED,
        Role.DISTRACTOR,
    ]
    assert {sign for _text, _role, sign in added} == {"added"}
    assert not any(sign == "added" for _text, _role, sign in first.values())


def test_a_tree_that_cannot_be_kept_is_drawn_anew_and_the_view_says_so() -> None:
    sentence = (
        "No tree of 1 hop, 1 distractor keeps that of 2 hops, 1 distractor, "
        "so another one is drawn."
    )
    told = 0
    for place in range(0, len(COLLECTION), 3):
        of = COLLECTION.item(place)
        values = {"hops": 1, "distractors": 1, "rule": "grow"}
        now = under(of, **values)
        assert now.structure is not None
        assert (sentence in notes(of, **values)) is bool(now.drawn and now.drawn.remark)
        assert not notes(of, hops=1, distractors=1)
        if sentence in notes(of, **values):
            told += 1
            tree = now.structure.tree
            assert canonical_names(tree)[0] == tree
    assert told


def test_a_grown_tree_without_terms_gives_way_to_another_one() -> None:
    """The knowledge base has terms for two variables of three copies, but not for six."""
    grounds = Grounds(SKILLS, MATRIX, rich(9), "facts")
    of = AccordItem("q", replace(question(), pairings=(pairing(),)), grounds)
    assert under(of, hops=2, distractors=1, tree=1).instance is not None
    assert "No terms fit the tree of 2 hops, 1 distractor once it has 4 hops, 3 distractors" in (
        " ".join(notes(of, hops=4, distractors=3, tree=1))
    )


def test_the_first_tree_is_a_uniform_draw_of_its_cell() -> None:
    for place in SOME:
        of = COLLECTION.item(place)
        now = under(of, tree=3)
        assert now.structure is not None
        template = now.structure.pairing
        seed = seed_of(of.question.id, template.skill, template.end, template.term)
        drawn = sampled(of.grounds.matrix, template.skill, template.end, 2, 1, seed)
        assert (now.structure.tree, now.structure.path) == next(islice(drawn, 3, None))
