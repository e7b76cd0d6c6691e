"""Statements in words: what is negated, in which order they come, and what "only" is said of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.grounding.surface import (
    PAPER,
    Statement,
    Style,
    asked,
    only_templates,
    statements,
)
from core.benchmarks.accord.prompts import OnlyWording
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.matrix import Reduction
from core.benchmarks.accord.trees.path import Pairing, paths
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template, Tree
from tests.benchmarks.accord.grounded import (
    MATRIX,
    NEAR,
    SKILLS,
    chain,
    grounded,
    grounder,
    rich,
    structures,
)

FIGURE_5 = QuestionItem(
    "figure 5",
    "Where is the first place someone leaving the planet ends up?",
    (
        ("A", "pay debts"),
        ("B", "galaxy"),
        ("C", "outer space"),
        ("D", "orbit"),
        ("E", "universe"),
    ),
    "C",
    "planet",
)
PAIRED = PairingTemplate("spatial", End.TARGET, "the planet", NEAR)
PLAIN = Style(shuffled=False)


def figure_5() -> Instance:
    tree = Tree((Template(1, "spatial", 0), Template(2, "part_of", 1)))
    path = paths(tree, MATRIX, Pairing(0, End.TARGET))[1]
    between = ("forest", "coat", "watch", "story", "egg")
    copies = tuple(
        ("the planet", term, text) for term, text in zip(between, FIGURE_5.texts, strict=True)
    )
    return Instance(Structure(FIGURE_5, PAIRED, tree, path), copies, "C")


def said(instance: Instance, style: Style = PAPER) -> list[str]:
    return [one.text("[", "]") for one in statements(instance, SKILLS, style)]


def test_figure_5_of_the_paper() -> None:
    expected = """\
Suppose that [pay debts] is a part of [forest]
Suppose that [forest] does not appear near [the planet]
Suppose that [galaxy] is a part of [coat]
Suppose that [coat] does not appear near [the planet]
Suppose that [outer space] is a part of [watch]
Suppose that [watch] does appear near [the planet]
Suppose that [orbit] is a part of [story]
Suppose that [story] does not appear near [the planet]
Suppose that [universe] is a part of [egg]
Suppose that [egg] does not appear near [the planet]""".splitlines()
    assert Counter(said(figure_5())) == Counter(expected)
    in_order = said(figure_5(), PLAIN)
    assert [line for pair in zip(in_order[1::2], in_order[::2], strict=True) for line in pair] == (
        expected
    )


@given(structures(), st.integers(0, 99), st.booleans())
@settings(max_examples=60, deadline=None)
def test_twins_differ_in_their_pairing_statements_only(
    item: Structure, seed: int, only: bool
) -> None:
    made = grounded(grounder(rich()).ground(item, seed=seed)).instance.implying("A")
    style = Style(only=only, seed=seed)
    one = statements(made, SKILLS, style)
    other = statements(made.implying("B"), SKILLS, style)
    assert [(s.label, s.template) for s in one] == [(s.label, s.template) for s in other]
    for here, there in zip(one, other, strict=True):
        paired = here.template == made.structure.path.pairing.template
        assert (here != there) is (paired and here.label in "AB")


def test_every_template_is_stated_once_per_copy() -> None:
    made = grounded(grounder(rich()).ground(chain(3, 2))).instance
    found = Counter((s.label, s.template) for s in statements(made, SKILLS))
    assert found == Counter((label, index) for label in "ABC" for index in range(5))


@pytest.mark.parametrize(
    ("style", "within", "between", "apart"),
    [
        (PLAIN, False, False, True),
        (PAPER, True, True, False),
    ],
)
def test_statements_are_shuffled_within_and_between_copies(
    style: Style, within: bool, between: bool, apart: bool
) -> None:
    made = grounded(grounder(rich()).ground(chain(3, 3))).instance
    orders = [statements(made, SKILLS, replace(style, seed=seed)) for seed in range(8)]
    labels = [[s.label for s in order] for order in orders]
    copies = [[s.template for s in order if s.label == "A"] for order in orders]
    assert any(copy != sorted(copy) for copy in copies) is within
    assert any(order[0] != "A" for order in labels) is between
    changes = [sum(one != next_ for one, next_ in pairwise(order)) for order in labels]
    assert all(count == 2 for count in changes) is apart
    assert statements(made, SKILLS, style) == statements(made, SKILLS, style)


def test_duplicate_statements_are_dropped() -> None:
    made = figure_5()
    copies = [list(terms) for terms in made.copies]
    copies[1][1] = copies[0][1]  # Two copies say the same of the planet.
    same = replace(made, copies=tuple(map(tuple, copies)))
    assert len(said(made)) == 10
    assert len(said(same)) == 9
    plain = said(same, PLAIN)
    assert plain.index("Suppose that [forest] does not appear near [the planet]") == 0


def test_a_contradiction_is_not_hidden() -> None:
    made = figure_5()
    copies = [list(terms) for terms in made.copies]
    copies[2][1] = copies[0][1]
    both = said(replace(made, copies=tuple(map(tuple, copies))))
    assert "Suppose that [forest] does appear near [the planet]" in both
    assert "Suppose that [forest] does not appear near [the planet]" in both


def with_terms(*terms: str) -> list[str]:
    made = figure_5()
    return said(replace(made, copies=(terms, *made.copies[1:])), PLAIN)[:2]


def test_terms_are_worded_without_sense_and_on_one_line() -> None:
    assert with_terms("the planet", "guinea pig/n/wn/animal", "n/a")[1] == (
        "Suppose that [n/a] is a part of [guinea pig]"
    )
    assert with_terms("a\nb", "c {} [[x|y]]", "\t d")[0] == (
        "Suppose that [c {} [[x|y]]] does not appear near [a b]"
    )


@pytest.mark.parametrize("skill", sorted(SKILLS))
@pytest.mark.parametrize("end", list(End))
def test_only_is_used_for_templates_that_a_transitive_reduction_absorbs(
    skill: str, end: End
) -> None:
    forward = end is End.SOURCE
    pairs = [(0, 1), (1, 2), (2, 3)] if forward else [(1, 0), (2, 1), (3, 2)]
    tree = Tree(tuple(Template(source, skill, target) for source, target in pairs))
    path = paths(tree, MATRIX, Pairing(0, end))[-1]
    pairing = PairingTemplate(skill, end, "p", NEAR)
    two = QuestionItem("q", "Which?", (("A", "x"), ("B", "y")), "A")
    made = Instance(
        Structure(two, pairing, tree, path), (("p", "a", "b", "x"), ("p", "c", "d", "y")), "A"
    )
    before, between, _ = SKILLS[skill].surface.split("{}")
    found = said(made, replace(PLAIN, only=True))
    first, second = ("a", "b") if forward else ("b", "a")
    assert found[1] == (
        f"{before}only [{first}]{between}[{second}]"
        if forward
        else f"{before}[{first}] only{between}[{second}]"
    )
    assert "only" not in found[0]
    assert [line.replace("only ", "").replace(" only", "") for line in found] == said(made, PLAIN)


def test_the_papers_example_of_only_is_reproduced() -> None:
    wording = OnlyWording("only {}", "{} only")
    tree = Tree((Template(0, "causal", 1), Template(1, "causal", 2)))
    path = paths(tree, MATRIX, Pairing(0, End.SOURCE))[-1]
    pairing = PairingTemplate("causal", End.SOURCE, "p", NEAR)
    assert only_templates(pairing, path, wording) == {1: "only {}"}


def test_only_is_not_used_for_other_reductions_and_distractors() -> None:
    made = figure_5()
    assert said(made, replace(PLAIN, only=True)) == said(made, PLAIN)
    item = grounded(grounder(rich()).ground(chain(1, 3))).instance
    assert not any("only" in line for line in said(item, Style(only=True)))


def test_the_implied_answer_changes_only_the_negations_of_the_prompt() -> None:
    made = figure_5()
    one, other = (asked(made.implying(label), SKILLS) for label in "AB")
    assert (one.gold, other.gold) == (0, 1)
    assert one.instruction == other.instruction
    lines: Sequence[tuple[str, str]] = [
        (here, there)
        for here, there in zip(one.text.splitlines(), other.text.splitlines(), strict=True)
        if here != there
    ]
    assert {here.replace("does not", "does") for pair in lines for here in pair} == {
        "- Suppose that [forest] does appear near [the planet]",
        "- Suppose that [coat] does appear near [the planet]",
    }


def test_a_statement_has_its_parts() -> None:
    first = statements(figure_5(), SKILLS, PLAIN)[0]
    parts = ("Suppose that ", "forest", " does not appear near ", "the planet", "")
    assert first == Statement("A", 0, parts)
    assert first.text() == "Suppose that forest does not appear near the planet"


def test_the_transitive_entries_are_six() -> None:
    def transitive(entry: Reduction) -> bool:
        return entry.first == entry.second == entry.skill

    assert sum(map(transitive, MATRIX.entries)) == 6
