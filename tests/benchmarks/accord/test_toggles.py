"""What each toggle of an item changes, and that it changes nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import ndiff
from itertools import product

import pytest

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.grounding.search_trace import Unsatisfied
from core.benchmarks.accord.grounding.surface import Statement, statements
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.questions import question
from core.benchmarks.accord.switches import Situation, implied_switch, situation, switches
from core.benchmarks.accord.task_layers import ANSWER, BARE, TWIN
from core.contract.question import Question
from core.contract.setting import Setting
from core.contract.view import Graph, Grid, Note, Role, Statements, View
from core.text.errors import SettingError

ACCORD = Accord()
COLLECTION = ACCORD.open(ACCORD.samples())
SOME = range(0, len(COLLECTION), 5)
CELLS = [(1, 0), (1, 2), (2, 1), (3, 0), (4, 3)]


def item(place: int = 0) -> AccordItem:
    found = COLLECTION.item(place)
    assert isinstance(found, AccordItem)
    return found


def setting(of: AccordItem, **values: str | int) -> Setting:
    named = {key.replace("__", "."): str(value) for key, value in values.items()}
    return Setting.of(switches(of), named)


def under(of: AccordItem, **values: str | int) -> Situation:
    return situation(of, setting(of, **values))


def instance(now: Situation) -> Instance:
    assert now.instance is not None, now.grounded
    return now.instance


def said(now: Situation) -> tuple[Statement, ...]:
    return statements(instance(now), now.item.grounds.skills, now.style_of(instance(now)))


def paired(statement: Statement, now: Situation) -> bool:
    """Whether a statement is that of the pairing template."""
    return statement.template == instance(now).structure.path.pairing.template


def asked(of: AccordItem, layer: str = ANSWER, **values: str | int) -> Question:
    found = question(of, setting(of, **values), layer)
    assert found is not None
    return found


def shown(of: AccordItem, **values: str | int) -> View:
    return ACCORD.view(of, setting(of, **values))


def graph(view: View) -> Graph:
    return next(block for block in view.sections if isinstance(block, Graph))


def grids(view: View) -> Mapping[str, Grid]:
    return {block.title: block for block in view.sections if isinstance(block, Grid)}


# -- the answer implied --------------------------------------------------------------------------


@pytest.mark.parametrize("cell", CELLS)
def test_the_implied_answer_changes_only_the_polarity_of_pairing_statements(
    cell: tuple[int, int],
) -> None:
    """Instance: "Which one is not negated is all that differs" between an item and its twins."""
    for place in SOME:
        of = item(place)
        labels = of.question.labels
        for only, ordered in product(("off", "on"), repeat=2):
            values = {"hops": cell[0], "distractors": cell[1], "only": only, "ordered": ordered}
            every = {label: under(of, implied=label, **values) for label in labels}
            first = said(every[labels[0]])
            for label, now in every.items():
                assert instance(now).chosen == label
                assert instance(now).copies == instance(every[labels[0]]).copies
                assert now.structure == every[labels[0]].structure
                mine = said(now)
                assert [(s.label, s.template) for s in mine] == [
                    (s.label, s.template) for s in first
                ]
                for one, other in zip(mine, first, strict=True):
                    switched = label != labels[0] and one.label in {label, labels[0]}
                    assert (one.parts != other.parts) is (switched and paired(one, now))
                    assert one.parts[1::2] == other.parts[1::2]


def test_two_lines_of_the_prompt_differ_between_two_implied_answers() -> None:
    of = item()
    first, *others = of.question.labels
    values = {"hops": 3, "distractors": 2}
    before = asked(of, implied=first, **values)
    for label in others:
        after = asked(of, implied=label, **values)
        assert after.instruction == before.instruction
        assert after.options == before.options
        assert after.gold == of.question.labels.index(label)
        changed = [
            line
            for line in ndiff(before.text.splitlines(), after.text.splitlines())
            if line[0] in "+-"
        ]
        assert len(changed) == 4
        now = under(of, **values)
        pairings = [one for one in said(now) if paired(one, now)]
        named = {one.parts[3] for one in pairings if one.label in {first, label}}
        assert len(named) == 2
        for line in changed:
            assert of.question.pairings[0].term in line
            assert any(term in line for term in named)
        assert sum("does not appear" in line for line in changed) == 2


def test_implying_the_default_answer_gives_the_factual_item() -> None:
    for place in SOME:
        of = item(place)
        switch = implied_switch(of)
        assert switch.default == of.question.answer
        for label in of.question.labels:
            now = under(of, implied=label)
            assert now.factual is (label == of.question.answer) is instance(now).default
            badges = [badge.text for badge in shown(of, implied=label).badges]
            assert badges[0] == ("factual" if now.factual else "anti-factual")
            tags = asked(of, implied=label).tags
            assert tags["variant"] == badges[0]
            assert tags["default"] == str(of.question.labels.index(of.question.answer))


def test_the_twin_layer_asks_exactly_the_factual_item() -> None:
    of = item(3)
    values = {"hops": 2, "distractors": 2}
    factual = asked(of, **values)
    other = next(label for label in of.question.labels if label != of.question.answer)
    twin = asked(of, TWIN, implied=other, **values)
    assert (twin.instruction, twin.text, twin.gold) == (
        factual.instruction,
        factual.text,
        factual.gold,
    )
    assert twin.tags == factual.tags
    assert question(of, setting(of, **values), TWIN) is None


def test_the_bare_question_does_not_depend_on_the_setting() -> None:
    of = item(4)
    bare = asked(of, BARE)
    for values in ({"implied": "A"}, {"hops": 4}, {"distractors": 0}, {"tree": 5}, {"only": "on"}):
        other = asked(of, BARE, **values)
        assert (other.text, other.gold, other.options) == (bare.text, bare.gold, bare.options)
    assert bare.gold == of.question.labels.index(of.question.answer)
    assert of.question.question in bare.text
    assert "Suppose" not in bare.text


def test_contrasts_are_the_factual_item_and_each_twin() -> None:
    of = item(6)
    found = ACCORD.contrasts(of, setting(of, hops=3))
    assert len(found) == len(of.question.choices)
    variants = [name.partition(":")[0] for name, _ in found]
    assert variants == ["factual", *["anti-factual"] * (len(found) - 1)]
    chosen = [situation(of, way).implied for _, way in found]
    assert chosen[0] == of.question.answer
    assert sorted(chosen) == sorted(of.question.labels)
    assert {instance(situation(of, way)).group for _, way in found} == {
        instance(under(of, hops=3)).group
    }


def test_toggling_the_implied_answer_moves_the_marks_of_the_view() -> None:
    of = item(1)
    for label in of.question.labels:
        view = shown(of, implied=label, hops=3)
        choices = next(b for b in view.sections if isinstance(b, Statements))
        marked = {one.number for one in choices.statements if one.role is Role.EVIDENCE}
        assert marked == {label}
        texts = {node.text for node in graph(view).nodes}
        assert of.question.text(label) in texts
        assert not texts & {t for lb, t in of.question.choices if lb != label}
        for row in grids(view)["Soundness"].rows:
            assert row[0].text == "✓", row


def test_an_unknown_answer_cannot_be_implied() -> None:
    of = item()
    for wrong in ("F", "", "a", "[red]"):
        with pytest.raises(SettingError):
            setting(of, implied=wrong)


# -- the tree ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", CELLS)
def test_hops_and_distractors_are_those_asked_for(cell: tuple[int, int]) -> None:
    of = item(2)
    now = under(of, hops=cell[0], distractors=cell[1])
    assert now.structure is not None
    assert (now.structure.hops, now.structure.distractors) == cell
    links = graph(shown(of, hops=cell[0], distractors=cell[1])).links
    assert len(links) == sum(cell)
    assert sum(link.role is Role.DISTRACTOR for link in links) == cell[1]


def test_draws_of_trees_stay_in_their_cell_and_cycle() -> None:
    of = next(item(place) for place in SOME if item(place).question.pairings[0].skill == "type_of")
    trees = []
    for draw in range(40):
        now = under(of, tree=draw)
        assert now.structure is not None
        assert (now.structure.hops, now.structure.distractors) == (2, 1)
        trees.append(now.structure.id)
    around = trees.index(trees[0], 1)
    assert len(set(trees[:around])) == around
    assert trees[around:] == trees[: len(trees) - around]


def test_each_template_of_each_copy_has_a_statement() -> None:
    for hops, distractors in CELLS:
        now = under(item(7), hops=hops, distractors=distractors)
        assert len(said(now)) == (hops + distractors) * len(now.question.choices)


def test_unshuffled_statements_follow_the_order_of_the_copies() -> None:
    of = item(8)
    ordered, shuffled = (said(under(of, hops=3, ordered=way)) for way in ("on", "off"))
    assert [s.label for s in ordered] == sorted(s.label for s in shuffled)
    assert [s.template for s in ordered] == [0, 1, 2, 3] * len(of.question.choices)
    assert set(ordered) == set(shuffled)
    assert ordered != shuffled


def test_json_changes_only_the_request() -> None:
    of = item(9)
    letter, json = asked(of), asked(of, reply="json")
    assert letter.text == json.text
    assert letter.instruction != json.instruction
    assert letter.gold == json.gold


# -- the terms -----------------------------------------------------------------------------------


def test_a_redrawn_variable_has_other_terms_and_the_seeds_stay() -> None:
    of = item()
    values = {"hops": 3, "distractors": 1}
    now = under(of, **values)
    before = instance(now)
    assert now.drawn is not None
    path = before.structure.path
    ends = {path.pairing_variable, path.answer_variable}
    for variable in set(before.structure.tree.variables) - ends:
        seen = {tuple(terms[variable] for terms in before.copies)}
        for times in (1, 2, 3):
            redraw = {f"redraw__{now.drawn.name(variable)}": times}
            after = instance(under(of, **values, **redraw))
            assert after.structure == before.structure
            column = tuple(terms[variable] for terms in after.copies)
            assert column not in seen
            seen.add(column)
            for end in ends:
                assert [t[end] for t in after.copies] == [t[end] for t in before.copies]
    for end in ends:
        redraw = {f"redraw__{now.drawn.name(end)}": 1}
        assert instance(under(of, **values, **redraw)) == before


def test_a_variable_grounded_with_facts_has_a_badge() -> None:
    found = []
    for place, variable in product((4, 8, 16), range(5)):
        of, values = item(place), {"hops": 3, "distractors": 1, f"factual__{variable}": "on"}
        now, view = under(of, **values), shown(of, **values)
        texts = [block.text for block in view.sections if isinstance(block, Note)]
        if isinstance(now.grounded, Unsatisfied):
            assert now.grounded.reason in texts
            assert question(of, setting(of, **values), ANSWER) is None
            assert ACCORD.skip_reason(of, setting(of, **values), ANSWER)
            continue
        badged = "not the paper's grounding" in [badge.text for badge in view.badges]
        assert badged is now.own is bool(asked(of, **values).tags["own"])
        assert now.drawn is not None
        path, names = now.drawn.structure.path, now.drawn.names
        ends = {now.drawn.name(path.pairing_variable), now.drawn.name(path.answer_variable)}
        assert now.own is (variable in set(names) - ends)
        if now.own:
            flags = {row[1].text: row[0].text for row in grids(view)["Soundness"].rows}
            assert flags["a fact where one is due"] == "✓"
        found.append(now.own)
    assert any(found)
    assert not all(found)


def test_redraws_of_a_variable_are_kept_for_trees_that_have_it() -> None:
    of = item()
    alone = under(of, hops=1, distractors=0)
    with_others = under(of, hops=1, distractors=0, redraw__5=3, factual__6="on")
    assert instance(with_others) == instance(alone)
    assert not with_others.own


def test_preferring_near_terms_changes_terms_but_not_the_tree() -> None:
    of = item(3)
    drawn, near = (under(of, hops=3, relevance=way) for way in ("random", "distance"))
    assert drawn.structure == near.structure
    assert instance(drawn).copies != instance(near).copies
    assert under(of, hops=3, relevance="distance").instance == near.instance
