"""Items as content: their ids, and the way to JSON and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.grounding.instance import Instance, InstanceError, Structure
from core.benchmarks.accord.grounding.records import (
    MOST_BYTES,
    RecordError,
    decoded,
    encoded,
    instance_of,
    record_of,
)
from core.benchmarks.accord.grounding.search import Search
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, paths
from core.benchmarks.accord.trees.skills import End
from core.text.errors import DataError
from tests.benchmarks.accord.grounded import (
    MATRIX,
    NEAR,
    chain,
    grounded,
    grounder,
    question,
    rich,
    structure,
    structures,
)

ITEM = grounded(grounder(rich()).ground(chain(2, 1), seed=7)).instance.implying("B")
texts = st.text(min_size=1, max_size=12).filter(str.strip)


def changed(**fields: Any) -> bytes:
    """The item as JSON with other values for some keys."""
    return json.dumps({**json.loads(encoded(ITEM)), **fields}).encode()


def test_an_item_survives_json() -> None:
    assert instance_of(decoded(encoded(ITEM)), MATRIX) == ITEM
    assert decoded(encoded(ITEM)) == record_of(ITEM)


@given(structures(4), st.lists(texts, min_size=30, max_size=30), texts, st.sampled_from("AB"))
@settings(max_examples=60, deadline=None)
def test_any_text_survives_json(item: Structure, terms: list[str], asked: str, chosen: str) -> None:
    two = QuestionItem("any", asked, (("A", "one"), ("B", "two")), "A")
    size = item.tree.size + 1
    copies = (tuple(terms[:size]), tuple(terms[size : 2 * size]))
    made = Instance(replace(item, question=two), copies, chosen, asked)
    line = encoded(made)
    assert b"\n" not in line
    back = instance_of(decoded(line), MATRIX)
    assert (back, back.id, back.group) == (made, made.id, made.group)


def test_equal_content_has_equal_ids() -> None:
    again = grounded(grounder(rich()).ground(chain(2, 1), seed=7)).instance.implying("B")
    assert again.id == ITEM.id
    assert replace(ITEM, seed=8, knowledge="elsewhere").id == ITEM.id
    assert {len(ITEM.id), len(ITEM.group)} == {16}


def test_any_change_of_the_content_changes_the_id() -> None:
    structure_ = ITEM.structure
    terms = ITEM.copies[0]
    others = [
        ITEM.implying("A"),
        replace(ITEM, copies=((*terms[:-1], "another"), *ITEM.copies[1:])),
        replace(ITEM, factual=frozenset({1})),
        replace(ITEM, structure=replace(structure_, question=replace(question(), id="other"))),
        replace(
            ITEM, structure=replace(structure_, question=replace(question(), question="What?"))
        ),
        replace(
            ITEM,
            structure=replace(structure_, pairing=replace(structure_.pairing, term="the moon")),
        ),
    ]
    assert len({item.id for item in [ITEM, *others]}) == len(others) + 1


def test_twins_differ_in_the_implied_answer_only() -> None:
    twin = ITEM.implying("C")
    assert twin.default
    assert not ITEM.default
    assert twin.group == ITEM.group
    assert replace(twin, chosen="B") == ITEM


def test_terms_are_found_by_label() -> None:
    assert ITEM.terms("B") == ITEM.copies[1]
    with pytest.raises(ValueError, match="not in tuple"):
        ITEM.terms("Z")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ITEM.implying("Z"), "no choice “Z”"),
        (lambda: replace(ITEM, copies=ITEM.copies[:2]), "do not fill the tree"),
        (
            lambda: replace(ITEM, copies=tuple(terms[1:] for terms in ITEM.copies)),
            "do not fill the tree",
        ),
    ],
)
def test_inconsistent_parts_are_refused(make: Callable[[], Instance], says: str) -> None:
    with pytest.raises(InstanceError, match=says):
        make()


def test_a_structure_needs_a_template_like_the_pairing_template() -> None:
    item = chain(2)
    for pairing in (
        PairingTemplate("causal", End.TARGET, "the planet", NEAR),
        PairingTemplate("spatial", End.SOURCE, "the planet", NEAR),
    ):
        with pytest.raises(InstanceError, match="is not like the pairing template"):
            replace(item, pairing=pairing)


def test_a_structure_needs_a_path_of_its_tree() -> None:
    with pytest.raises(InstanceError, match="does not have"):
        replace(chain(2), path=chain(3).path)
    other = structure((0, "spatial", 1), (2, "spatial", 0), hops=2, end=End.TARGET)
    with pytest.raises(InstanceError, match="does not follow"):
        replace(chain(2), path=other.path)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "This is not an item"),
        (b"[1]", "This is not an item"),
        (b"{}", "missing required field `id`"),
        (b"\xff\xfe", "This is not an item"),
        (b"[" * 100_000, "This is not an item"),
        (b" " * (MOST_BYTES + 1), "too long for an item"),
        (changed(extra=1), "unknown field `extra`"),
        (changed(hops="2"), "Expected `int`, got `str`"),
        (changed(templates=[]), "it has 0 templates"),
        (changed(templates=[{"source": 0, "skill": "s", "target": 1}] * 33), "has 33 templates"),
        (
            changed(
                question={
                    "id": "q",
                    "question": "?",
                    "choices": [{"label": "A", "text": "a"}] * 41,
                    "answer": "A",
                }
            ),
            "it has 41 choices",
        ),
    ],
)
def test_an_invalid_item_is_refused(line: bytes, says: str) -> None:
    with pytest.raises(RecordError, match=says) as caught:
        decoded(line, where="items.jsonl:3")
    assert caught.value.where == "items.jsonl:3"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"id": "0" * 16}, "The id of this item"),
        ({"group": "0" * 16}, "The group of this item"),
        ({"hops": 3}, "The hops of this item"),
        ({"distractors": 0}, "The distractors of this item"),
        ({"answer_variable": 1}, "The answer variable of this item"),
        ({"chosen": "Z"}, "no choice “Z”"),
        ({"path": [0]}, "The hops of this item|The id of this item"),
        ({"path": [5]}, "does not give the path"),
        ({"path": [-1]}, "does not give the path"),
        ({"path": []}, "does not give the path"),
        ({"path": [0, 2]}, "does not give the path"),
        ({"factual": [9]}, "none of the tree's"),
        ({"terms": {"A": ["a"] * 4}}, "not those of the answer choices"),
        ({"templates": [{"source": 0, "skill": "magic", "target": 1}]}, "no skill “magic”"),
        ({"templates": [{"source": 0, "skill": "spatial", "target": 0}]}, "closes a cycle"),
    ],
)
def test_a_changed_item_is_refused(fields: dict[str, Any], says: str) -> None:
    record = decoded(changed(**fields))
    with pytest.raises(DataError, match=says) as caught:
        instance_of(record, MATRIX, where="items.jsonl:3")
    assert caught.value.where == "items.jsonl:3"


def test_a_matrix_without_the_reduction_refuses_the_item() -> None:
    other = Matrix.of(MATRIX.skills, [one for one in MATRIX.entries if one.first != "spatial"])
    with pytest.raises(RecordError, match="does not give the path"):
        instance_of(record_of(ITEM), other)


def test_the_tree_of_one_template_is_an_item() -> None:
    item = chain(1)
    search = Search(rich(), MATRIX.skills, item, 0, frozenset(), {})
    assert search.run(1, 1, None) is None
    made = Instance(item, search.copies, "A")
    assert made.copies[0] == ("the planet", "pay debts")
    assert [path.hops for path in paths(item.tree, MATRIX, Pairing(0, End.TARGET))] == [1]
    assert instance_of(decoded(encoded(made)), MATRIX) == made
