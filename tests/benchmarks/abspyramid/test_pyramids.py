"""Pyramids: the order of concepts by entailment, then by depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.abspyramid.pyramids import (
    MOST_CONCEPTS,
    Concept,
    Pyramid,
    concept_key,
    pyramids,
)
from core.benchmarks.abspyramid.tuples import AbstractTuple, Relation
from core.text.errors import DataError

HEAD = "a cat chased a mouse"
NAMES = [f"c{number}" for number in range(7)]
orders = st.dictionaries(st.sampled_from(NAMES), st.sets(st.sampled_from(NAMES), max_size=3))
levels = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 4))
chosen = st.lists(st.sampled_from(NAMES), min_size=1, max_size=7, unique=True)


def says(concept: str, label: bool | None = True, span: tuple[int, int] = (0, 5)) -> AbstractTuple:
    return AbstractTuple(HEAD, *span, Relation.NOUN, (concept,), label, f"file:{concept}")


def built(
    concepts: Sequence[str],
    uppers: Mapping[str, set[str]],
    depths: Mapping[str, int] | None = None,
) -> Pyramid:
    (found,) = pyramids(
        [says(concept) for concept in concepts],
        lambda text: uppers.get(text, ()),
        None if depths is None else lambda text, _: depths.get(text),
    )
    return found


def levels_of(pyramid: Pyramid) -> list[set[str]]:
    return [{concept.text for concept in level} for level in pyramid.levels]


def texts(concepts: Sequence[Concept]) -> list[str]:
    return [concept.text for concept in concepts]


def test_a_chain_of_entailments_is_a_chain_of_rungs() -> None:
    uppers = {"cat": {"feline"}, "feline": {"animal"}, "animal": {"being"}}
    found = built(["animal", "feline", "being"], uppers)
    assert levels_of(found) == [{"feline"}, {"animal"}, {"being"}]
    assert found.ordering == "entailment in this collection"
    assert not found.unordered


def test_a_chain_may_lead_through_what_is_not_in_the_pyramid() -> None:
    uppers = {"tabby": {"cat"}, "cat": {"feline"}, "feline": {"animal"}}
    assert levels_of(built(["animal", "tabby"], uppers)) == [{"tabby"}, {"animal"}]


def test_concepts_are_compared_without_articles_and_case() -> None:
    found = built(["An Animal", "the  feline"], {"feline": {"animal"}})
    assert levels_of(found) == [{"the  feline"}, {"An Animal"}]
    assert concept_key("A cat") == concept_key("the cat") == concept_key(" CAT ") == "cat"
    assert concept_key("another cat") == "another cat"


def test_the_longest_path_decides_the_rung() -> None:
    uppers = {"a1": {"b1", "c1"}, "b1": {"c1"}}
    assert levels_of(built(["c1", "b1", "a1"], uppers)) == [{"a1"}, {"b1"}, {"c1"}]


def test_a_circle_is_one_rung() -> None:
    uppers = {"pet": {"cat"}, "cat": {"pet"}, "feline": {"cat"}}
    assert levels_of(built(["pet", "cat", "feline"], uppers)) == [{"feline"}, {"pet", "cat"}]


def test_depth_orders_what_entailment_does_not() -> None:
    found = built(["animal", "feline"], {}, {"animal": 6, "feline": 11})
    assert levels_of(found) == [{"feline"}, {"animal"}]
    assert found.ordering == "depth in WordNet"


def test_depth_never_denies_entailment() -> None:
    found = built(["feline", "animal"], {"feline": {"animal"}}, {"feline": 1, "animal": 9})
    assert levels_of(found) == [{"feline"}, {"animal"}]
    assert found.ordering == "entailment in this collection"


def test_depth_does_not_close_a_circle_through_a_third_concept() -> None:
    uppers = {"low": {"high"}}
    found = built(["low", "high", "other"], uppers, {"low": 1, "other": 5, "high": 9})
    assert levels_of(found) == [{"low"}, {"high"}]
    assert texts(found.unordered) == ["other"]
    assert found.ordering == "entailment in this collection"


def test_concepts_without_an_order_are_loose() -> None:
    found = built(["animal", "pet"], {}, {"animal": 6})
    assert found.levels == ()
    assert texts(found.unordered) == ["animal", "pet"]
    assert found.ordering == ""


def test_a_single_concept_is_a_rung() -> None:
    assert levels_of(built(["animal"], {})) == [{"animal"}]


def test_invalid_concepts_stand_apart_even_if_also_labelled_valid() -> None:
    (found,) = pyramids([says("pet", False), says("animal"), says("pet")], lambda _: ())
    assert texts(found.false) == ["pet"]
    assert texts(found.unordered) == ["animal", "pet"]


def test_labelled_tuples_count_before_unlabelled_ones() -> None:
    (found,) = pyramids(
        [says("pet", None), says("animal", None), says("A pet"), says("being", None)], lambda _: ()
    )
    assert [(c.text, c.label) for c in found.unordered] == [
        ("animal", None),
        ("A pet", True),
        ("being", None),
    ]


def test_every_instance_has_its_own_pyramid() -> None:
    found = pyramids([says("animal"), says("rodent", span=(13, 20)), says("pet")], lambda _: ())
    assert [pyramid.instance for pyramid in found] == ["a cat", "a mouse"]
    assert [len(pyramid.upward) for pyramid in found] == [2, 1]


@given(concepts=chosen, uppers=orders, depths=levels)
def test_every_concept_stands_once_and_entailment_holds(
    concepts: list[str], uppers: dict[str, set[str]], depths: dict[str, int]
) -> None:
    found = built(concepts, uppers, depths)
    placed = [text for level in levels_of(found) for text in level] + texts(found.unordered)
    assert sorted(placed) == sorted(concepts)
    level = {text: at for at, texts_ in enumerate(levels_of(found)) for text in texts_}
    order = nx.DiGraph((low, up) for low, ups in uppers.items() for up in ups)
    for one in concepts:
        above = nx.descendants(order, one) if one in order else set()
        for other in above & set(concepts) - {one}:
            circle = one in nx.descendants(order, other)
            assert level[one] == level[other] if circle else level[one] < level[other]


@given(concepts=chosen, uppers=orders, depths=levels, data=st.data())
def test_the_order_of_rows_changes_no_rung(
    concepts: list[str], uppers: dict[str, set[str]], depths: dict[str, int], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(concepts))
    one, other = built(concepts, uppers, depths), built(shuffled, uppers, depths)
    assert levels_of(one) == levels_of(other)
    assert set(texts(one.unordered)) == set(texts(other.unordered))
    assert one.ordering == other.ordering


@given(concepts=chosen, depths=levels)
def test_depth_never_places_the_deeper_concept_above(
    concepts: list[str], depths: dict[str, int]
) -> None:
    level = {t: at for at, ts in enumerate(levels_of(built(concepts, {}, depths))) for t in ts}
    known = [concept for concept in concepts if concept in depths and concept in level]
    for one in known:
        for other in known:
            assert (depths[one] > depths[other]) == (level[one] < level[other])


def test_an_instance_with_hundreds_of_concepts_is_refused() -> None:
    concepts = [f"concept {number}" for number in range(MOST_CONCEPTS + 1)]
    assert len(built(concepts[:-1], {}).unordered) == MOST_CONCEPTS
    with pytest.raises(DataError, match="101 concepts for one instance; 100") as raised:
        built(concepts, {})
    assert raised.value.where == HEAD
