"""The contrast prompt that fits, for questions of every benchmark, by a tokenizer of whole
words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from core.blocks.alignment import Aligner, replacement_sentences
from core.blocks.contrast_prompts import other_gold
from core.blocks.pair_validity import Condition, failing_conditions
from core.blocks.trace import compared_options
from core.contract import registry
from core.contract.question import OptionScore, Prompt, Question
from core.contract.setting import Setting
from core.models.blocks import PromptToken, TraceBase
from core.models.inspectable import readable
from core.models.resolver import load_model
from core.text.errors import SettingError
from tests.mostly_slow import mostly_slow


class Words:
    """A model of which only the tokens are asked."""

    async def tokens(self, prompt: str, options: Sequence[str]) -> tuple[PromptToken, ...]:
        parts = re.findall(r"\s*\w+|\s*[^\w\s]|\s+", prompt)
        return tuple(PromptToken(part.encode(), part) for part in parts)


async def undecided(_prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
    """A model that holds all options for equally likely, so that no pair of prompts is valid."""
    return tuple(OptionScore(-1.0) for _ in options)


def opened(name: str) -> tuple[Any, Any]:
    bench = registry.load(name)
    return bench, registry.open_collection(bench, bench.samples())


def aligner(bench: Any, item: Any, setting: Setting, question: Question) -> Aligner:
    return Aligner(Words(), bench, item, setting, question, Question.base)  # type: ignore[arg-type]


def first_question(bench: Any, item: Any) -> Question:
    every = (bench.question(item, Setting(), layer.id) for layer in bench.layers if not layer.aside)
    found: Question = next(one for one in every if one is not None and not one.open)
    return found


@mostly_slow(
    ("name", "least"), [("gita", 0.95), ("accord", 0.95), ("com2", 0.95), ("abspyramid", 0.85)]
)
async def test_most_items_have_a_contrast_prompt_that_can_be_compared(
    name: str, least: float
) -> None:
    bench, collection = opened(name)
    places = range(0, len(collection), max(1, len(collection) // 5))
    fitting = 0
    for place in places:
        item = collection.item(place)
        question = first_question(bench, item)
        here = aligner(bench, item, Setting(), question)
        found = await here.choose_contrast(replacement_sentences(bench, collection), undecided)
        contrast, pairing = found.contrast, found.pairing
        fitting += bool(pairing.differing)
        assert found.question.options == contrast.question.options == question.options
        assert found.question.gold == question.gold, "what is traced has the item's own answer"
        assert found.question == bench.question(item, found.question.setting, question.layer)
        ours, theirs = [
            await here.blocks.tokens(one.base(), one.continuations())
            for one in (found.question, contrast.question)
        ]
        for span, other in zip(pairing.spans, pairing.contrast, strict=True):
            if other is not None:
                assert span.tokens == other.tokens
                assert span.tokens is not None
                held = slice(*span.tokens)
                assert (ours[held] == theirs[held]) == (span.text == other.text)
    assert fitting >= least * len(places)


async def test_with_and_without_do_are_compared_through_an_event_that_changes_nothing() -> None:
    bench, collection = opened("com2")
    item = collection.item(0)
    question = first_question(bench, item)
    here = aligner(bench, item, Setting(), question)
    alone = await here.best()
    assert alone is not None
    found = await here.choose_contrast((), undecided)
    contrast, both = found.contrast, found.pairing
    assert not (alone[1].differing and other_gold(alone[0].question, question))
    assert len(both.differing) == 1
    assert all(both.comparable)
    assert other_gold(contrast.question, question)
    assert not other_gold(found.question, question)
    ((_, value),), ((_, other),) = found.question.setting.changed, contrast.setting.changed
    assert value == other == "do=0"


async def test_what_is_forced_is_compared_with_another_event_forced() -> None:
    bench, collection = opened("com2")
    item = collection.item(0)
    question = first_question(bench, item)
    contrast = (
        await aligner(bench, item, Setting(), question).choose_contrast((), undecided)
    ).contrast
    forced = aligner(bench, item, contrast.setting, contrast.question)
    found = await forced.best()
    assert found is not None
    other, pairing = found
    assert " in place of " in other.name
    assert all(pairing.comparable)
    assert other_gold(other.question, contrast.question)


async def test_another_concept_is_the_contrast_prompt_where_the_context_cannot_be() -> None:
    bench, collection = opened("abspyramid")
    names = set()
    for place in range(0, len(collection), 80):
        item = collection.item(place)
        question = first_question(bench, item)
        here = aligner(bench, item, Setting(), question)
        found = await here.choose_contrast((), undecided)
        contrast, pairing = found.contrast, found.pairing
        assert found.question == question
        assert not found.changed
        if pairing.differing and other_gold(contrast.question, question):
            names.add(contrast.name.partition(":")[0])
    assert "layer=false-1" in names


async def test_without_anything_to_change_there_is_no_contrast_prompt() -> None:
    bench, collection = opened("gita")
    item = collection.item(0)
    question = first_question(bench, item)
    alone = aligner(Unchanging(bench), item, Setting(), question)
    with pytest.raises(SettingError, match="No change of this item"):
        await alone.choose_contrast((), undecided)


class Unchanging:
    """A benchmark whose items have no switches."""

    def __init__(self, bench: Any) -> None:
        self._bench = bench
        self.layers = bench.layers

    def switches(self, item: Any) -> tuple[()]:
        return ()

    def view(self, item: Any, setting: Setting) -> Any:
        return self._bench.view(item, setting)

    def contrasts(self, item: Any, setting: Setting) -> tuple[()]:
        return ()

    def question(self, item: Any, setting: Setting, layer: str) -> Any:
        return self._bench.question(item, setting, layer)


@pytest.mark.usefixtures("demo_model")
async def test_the_default_pair_of_a_right_answer_is_valid_and_of_a_wrong_one_says_why() -> None:
    bench, collection = opened("gita")
    sentences = list(replacement_sentences(bench, collection))
    model = await load_model("demo")
    try:
        blocks, _access = await readable(model)

        async def chosen(name: str) -> tuple[Condition, ...]:
            item = collection.item(collection.find(name))
            question = first_question(bench, item)
            here = Aligner(blocks, bench, item, Setting(), question, Question.base)
            pair = await here.choose_contrast(sentences, model.score)
            prompts = pair.question, pair.contrast.question
            runs = [await model.score(each.base(), question.continuations()) for each in prompts]
            base = TraceBase(*runs)
            return failing_conditions(pair.pairing, base, compared_options(*prompts, base))

        assert await chosen("1-C0") == ()
        assert Condition.ANSWERED in await chosen("18-O0")
    finally:
        await model.close()
