"""Settings of a story: variants, order, retyped sentences, and when the gold is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.collection import open_stories
from core.benchmarks.gita.item import StoryItem
from core.benchmarks.gita.switches import edited, switches
from core.contract.setting import Choice, Order, Setting
from core.text.errors import SettingError

CHECKOUT = Path(__file__).resolve().parents[3]
SAMPLES = open_stories(CHECKOUT / "samples" / "gita")
REAL = CHECKOUT.parent / "shared" / "data" / "gita4calamita"
needs_real = pytest.mark.skipif(
    not REAL.is_dir(), reason="needs the real data: GITA in shared/data/"
)


def item(key: str) -> StoryItem:
    return SAMPLES.item(SAMPLES.find(key))


def setting(of: StoryItem, **values: str) -> Setting:
    return Setting.of(switches(of), values)


items = st.integers(0, len(SAMPLES) - 1).map(SAMPLES.item)
orders = st.permutations(range(5)).map(lambda order: ",".join(map(str, order)))


def test_switches_start_with_the_item_itself() -> None:
    variant, order, *texts = switches(item("0-C0"))
    assert isinstance(variant, Choice)
    assert variant.values == ("0-C0", "0", "0-O0")
    assert variant.names == ("cloze", "plausible", "order")
    assert variant.cycles
    assert isinstance(order, Order)
    assert [text.key for text in texts] == ["s0", "s1", "s2", "s3", "s4"]
    assert [text.default for text in texts] == list(item("0-C0").story.sentences)


@needs_real
def test_two_order_variants_have_two_names() -> None:
    collection = open_stories(REAL / "gita.json")
    variant = switches(collection.item(collection.find("57")))[0]
    assert isinstance(variant, Choice)
    assert sorted(variant.names) == ["cloze", "order", "order 2", "plausible"]
    assert variant.parse("order 2") == "57-O1"


def test_a_story_alone_has_no_variant_switch() -> None:
    alone = item("0").story
    assert next(s.key for s in switches(StoryItem(alone, (alone,)))) == "order"


@given(items)
def test_the_empty_setting_gives_the_story_itself(of: StoryItem) -> None:
    result = edited(of, Setting())
    assert result.story is of.story
    assert result.known
    assert not result.touched


@given(items)
def test_every_variant_keeps_its_gold(of: StoryItem) -> None:
    for member in of.family:
        assert edited(of, setting(of, variant=member.key)).story is member


@given(items, orders)
def test_any_order_keeps_the_sentences(of: StoryItem, order: str) -> None:
    result = edited(of, setting(of, order=order))
    assert Counter(result.story.sentences) == Counter(of.story.sentences)
    assert [of.story.sentences[i] for i in result.origin] == list(result.story.sentences)


@given(items, st.integers(0, 4), st.integers(0, 4))
def test_swapping_twice_restores_the_story(of: StoryItem, one: int, two: int) -> None:
    order = list(range(5))
    order[one], order[two] = order[two], order[one]
    once = edited(of, setting(of, order=",".join(map(str, order))))
    assert tuple(once.origin[once.origin[i]] for i in range(5)) == tuple(range(5))


@given(items)
def test_editing_one_variant_into_another_finds_its_gold(of: StoryItem) -> None:
    """The order variants swap two sentences of the plausible story; swap them back."""
    for member in of.family:
        texts = {
            f"s{i}": new
            for i, (old, new) in enumerate(zip(of.story.sentences, member.sentences, strict=True))
            if old != new
        }
        result = edited(of, setting(of, **texts))
        assert result.story is member
        assert result.known
        assert result.base is of.story
        assert result.touched == {int(key[1:]) for key in texts}


@given(items, st.integers(0, 4), orders)
def test_a_new_sentence_has_no_gold(of: StoryItem, at: int, order: str) -> None:
    result = edited(of, setting(of, order=order, **{f"s{at}": "Una frase mai vista."}))
    story = result.story
    assert not result.known
    assert (story.conflict, story.breakpoint, story.state, story.why) == (None, None, "", "")
    (place,) = result.touched
    assert story.sentences[place] == "Una frase mai vista."
    assert result.origin[place] == at
    assert [bool(text) for text in story.gloss] == [i != place for i in range(5)]


def test_texts_are_replaced_before_sentences_are_reordered() -> None:
    of = item("0-O0")
    changed = setting(of, variant="0-C0", s1="Nuova frase.", order="1,0,2,3,4")
    cloze = item("0-C0").story.sentences
    assert edited(of, changed).story.sentences == ("Nuova frase.", cloze[0], *cloze[2:])


def test_variants_of_different_lengths() -> None:
    story = item("0").story
    short = replace(story, key="0-C7", sentences=story.sentences[:4])
    of = StoryItem(story, (story, short))
    assert edited(of, setting(of, variant="0-C7")).story is short
    with pytest.raises(SettingError):
        edited(of, setting(of, variant="0-C7", order="1,0,2,3,4"))
    with pytest.raises(SettingError):
        edited(of, setting(of, variant="0-C7", s4="x"))


def test_a_variant_of_another_family() -> None:
    with pytest.raises(SettingError):
        edited(item("0"), Setting((("variant", "1"),)))
