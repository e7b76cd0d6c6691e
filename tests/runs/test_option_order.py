"""Options in other orders: which orders there are, and answers mapped back to the options."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract import registry
from core.contract.question import (
    Answer,
    OptionScore,
    Question,
    Scoring,
    Status,
    Verdict,
    verdict_on,
)
from core.contract.setting import Setting
from core.runs.blocks import verdict_depth
from core.runs.option_order import in_own_order, option_order
from core.runs.questions import QuestionSource
from core.runs.store import Store
from core.runs.verdict_rows import VERDICT_COLUMNS, verdict_of, verdict_row
from core.text.errors import RunError, SettingError
from tests.runs.models import BLOCKS, BlockModel, HashingModel
from tests.runs.repeats import WRITER, FirstInTheAlphabet, ask


@given(st.text(), st.text(), st.integers(0, 7), st.integers(0, 30))
def test_each_order_is_a_permutation_and_the_same_again(
    item: str, layer: str, options: int, number: int
) -> None:
    order = option_order(item, layer, options, number)
    assert sorted(order) == list(range(options))
    assert order == option_order(item, layer, options, number)
    if number == 0:
        assert order == tuple(range(options))


def test_no_order_occurs_twice_before_all_have() -> None:
    orders = [option_order("a", "answer", 4, number) for number in range(24)]
    assert set(orders) == set(permutations(range(4)))
    assert option_order("a", "answer", 2, 1) == (1, 0)
    assert option_order("a", "answer", 2, 2) == (0, 1)
    assert option_order("\ud800", "answer", 1, 5) == (0,)


def test_orders_differ_between_items_and_between_layers() -> None:
    of_items = {option_order(str(item), "answer", 5, 1) for item in range(50)}
    of_layers = {option_order("a", str(layer), 5, 1) for layer in range(50)}
    assert len(of_items) > 30
    assert len(of_layers) > 30


@given(st.permutations(range(4)), st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3)))
def test_what_was_picked_at_a_place_is_the_option_that_stood_there(
    order: list[int], picks: set[int], golds: set[int]
) -> None:
    own = ("north", "east", "south", "west")
    shown = tuple(own[index] for index in order)
    question = Question(
        "i", "l", "", "", shown, None, golds=tuple(sorted(golds)), multiple=True, order=tuple(order)
    )
    verdict = verdict_on(question, Answer(), Status.OK, tuple(picks))
    mapped = in_own_order(verdict, question)
    assert mapped.options == own
    assert {own[index] for index in mapped.answers} == {shown[place] for place in picks}
    assert {own[index] for index in mapped.golds} == {shown[place] for place in golds}
    assert (mapped.right, mapped.credit) == (verdict.right, verdict.credit)
    assert [mapped.place(index) for index in order] == list(range(4))


@pytest.mark.parametrize("name", ["accord", "com2"])
def test_a_question_shows_the_texts_of_its_options_in_the_order_of_their_letters(
    name: str,
) -> None:
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    for position in range(5):
        item = collection.item(position)
        for layer in benchmark.lettered_layers:
            own = benchmark.question(item, Setting(), layer)
            if own is None:
                continue
            order = option_order(item.id, layer, len(own.options), 1)
            shown = benchmark.question_in_order(item, Setting(), layer, order)
            assert shown is not None
            texts, own_texts = (q.meanings or q.options for q in (shown, own))
            assert texts == tuple(own_texts[index] for index in order)
            places = [shown.text.rindex(f" {text}") for text in texts]
            assert places == sorted(places)
            assert {order[place] for place in shown.right_options} == set(own.right_options)
            assert Counter(shown.text.split()) == Counter(own.text.split())
            identity = range(len(own.options))
            same = benchmark.question_in_order(item, Setting(), layer, identity)
            assert same is not None
            assert (same.base(), same.gold, same.golds) == (own.base(), own.gold, own.golds)


@pytest.mark.parametrize(
    ("name", "scoring"),
    [("accord", None), ("accord", Scoring.GENERATED), ("com2", Scoring.GENERATED)],
)
async def test_a_model_that_reads_the_texts_has_the_same_answers_in_every_order(
    store: Store, name: str, scoring: Scoring | None
) -> None:
    info = WRITER if scoring else HashingModel().info
    model = FirstInTheAlphabet(info)
    asked = await ask(store, model, name, orders=range(3), limit=12, scoring=scoring)
    layers = registry.load(name).lettered_layers
    first, *others = [
        {(v.layer, v.item): v for v in store.verdicts(evaluation.run.id) if v.layer in layers}
        for evaluation in asked
    ]
    moved = 0
    for number, other in enumerate(others, 1):
        assert other.keys() == first.keys()
        for key, verdict in other.items():
            own = first[key]
            assert (verdict.answer, verdict.answers, verdict.right) == (
                own.answer,
                own.answers,
                own.right,
            )
            assert (verdict.gold, verdict.golds, verdict.options) == (
                own.gold,
                own.golds,
                own.options,
            )
            drawn = option_order(verdict.item, verdict.layer, len(verdict.options), number)
            assert verdict.order == drawn
            moved += verdict.answer is not None and verdict.place(verdict.answer) != own.answer
    assert moved > 10
    assert all(v.order == tuple(range(len(v.options))) for v in first.values())


async def test_the_likelihoods_of_letters_go_with_their_options(store: Store) -> None:
    """Of ACCORD's letters it is that of the letter beside which the option stood."""

    class Letters(HashingModel):
        async def score(self, prompt: Any, options: Any) -> Any:
            return tuple(OptionScore(-float(place)) for place in range(len(options)))

    [evaluation] = await ask(store, Letters(), "accord", orders=(1,), limit=4)
    for verdict in store.verdicts(evaluation.run.id):
        assert [-s.logprob for s in verdict.scores] == [verdict.place(i) for i in range(5)]
        assert verdict.answer == verdict.order[0]


async def test_the_prior_of_a_letter_goes_with_its_option_too(store: Store) -> None:
    """It is asked again for no question, also where it was recorded."""

    class Letters(HashingModel):
        async def score(self, prompt: Any, options: Any) -> Any:
            self.asked.append(prompt)
            return tuple(OptionScore(-float(ord(option.strip()))) for option in options)

    model = Letters()
    [evaluation] = await ask(store, model, "accord", orders=(1,), limit=3, prior=True)
    verdicts = store.verdicts(evaluation.run.id)
    for verdict in verdicts:
        assert verdict.priors == tuple(score.logprob for score in verdict.scores)
    asked = len(model.asked)
    assert len(verdicts) < asked < 2 * len(verdicts)
    await ask(store, model, "accord", orders=(1,), limit=3, prior=True)
    assert len(model.asked) == asked


async def test_layers_without_letters_are_asked_in_their_own_order_only(store: Store) -> None:
    own, other = await ask(
        store, HashingModel(), "com2", orders=(0, 2), limit=3, scoring=Scoring.LOGLIKELIHOOD
    )
    assert {v.layer for v in store.verdicts(other.run.id)} == {"answer"}
    links = [v for v in store.verdicts(own.run.id) if v.layer != "answer"]
    assert links
    assert not any(v.order for v in links)


async def test_worked_examples_show_their_options_in_the_order_of_the_run(store: Store) -> None:
    model = HashingModel()
    await ask(store, model, "accord", orders=(1,), limit=6, shots=1)
    benchmark = registry.load("accord")
    collection = benchmark.open(benchmark.samples())
    source = QuestionSource(benchmark, collection, limit=6, order=1)
    layer = next(layer for layer in benchmark.layers if layer.id == "bare")
    targets = {q.text: q.options[q.gold or 0] for _position, q in source.questions(layer, None)}
    for prompt in map(str, model.asked[: len(targets)]):
        [example] = [text for text in targets if prompt.startswith(text)]
        assert prompt.startswith(f"{example} {targets[example]}\n\n")


async def test_what_blocks_answer_is_mapped_back_too(store: Store) -> None:
    """The last block answers as the model does."""
    [evaluation] = await ask(store, BlockModel(), "accord", orders=(1,), limit=4, blocks=BLOCKS)
    verdicts = store.placed(evaluation.run.id)
    answers = store.blocks(evaluation.run, verdicts)
    assert answers
    for seq, blocks in answers.items():
        verdict = verdicts[seq]
        assert blocks.answers[-1] == verdict.picked_options
        assert blocks.scores[-1] == tuple(round(each.logprob, 4) for each in verdict.scores)
        assert verdict_depth(verdict, blocks.answers).prediction_depth is not None


def test_slow_thinking_is_not_shown_beside_another_order() -> None:
    benchmark = registry.load("com2")
    collection = benchmark.open(benchmark.samples())
    items = (collection.item(position) for position in range(len(collection)))
    item = next(
        each for each in items if any(s.key == "thinking" for s in benchmark.switches(each))
    )
    setting = Setting.of(benchmark.switches(item), {"thinking": "on"})
    assert benchmark.question(item, setting, "answer") is not None
    with pytest.raises(SettingError, match="names options by the letters"):
        benchmark.question_in_order(item, setting, "answer", (1, 0, 2, 3))


def test_a_recorded_order_that_is_none_is_refused(store: Store) -> None:
    verdict = Verdict(
        "i", "l", Setting(), ("A", "B"), (), 0, 1, Status.OK, Scoring.GENERATED, order=(1, 0)
    )
    names = VERDICT_COLUMNS.split(", ")
    row = verdict_row(verdict)
    assert verdict_of([row[name] for name in names], "x") == verdict
    for wrong in ("[0]", "[0, 0]", "[1, 2]", "7", "[", '["a", 0]'):
        with pytest.raises(RunError, match="is damaged"):
            verdict_of([(row | {"permutation": wrong})[name] for name in names], "x")
