"""Worked examples of links: both answers among them, whatever layer asks, and no neighbours."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from core.benchmarks.com2.benchmark import Com2
from core.contract.question import Question
from core.runs.questions import Examples, QuestionSource, layer_questions
from core.runs.shots import RANDOM, RULES, VARIED

K = 6
LINKS = ("link-1", "link-3", "broken")
BENCHMARK = Com2()
SAMPLES = BENCHMARK.open(BENCHMARK.samples())


@cache
def events_of_graphs() -> dict[str, set[str]]:
    """The texts of the events, by the graph that they stand in."""
    return {
        item.graph_id: {event.text.rstrip(".。") for event in item.graph.events}
        for item in (SAMPLES.item(position) for position in range(len(SAMPLES)))
    }


@cache
def questions(layer_id: str, rule: str) -> list[Question]:
    layer = next(each for each in BENCHMARK.layers if each.id == layer_id)
    source = QuestionSource(BENCHMARK, SAMPLES)
    asked = layer_questions(source, layer, None, Examples(K, rule, 1234))
    return [source.full_question(one, layer) for one in asked]


def told(asked: list[Question]) -> Counter[bool]:
    """How many examples are answered yes, how many no, in any language."""
    return Counter(
        shot.target == question.options[0] for question in asked for shot in question.shots
    )


def test_examples_come_from_several_layers() -> None:
    assert len(BENCHMARK.shot_layers(LINKS[0])) > 1


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("layer", [*LINKS, "answer"])
def test_examples_are_in_the_language_and_of_other_graphs(layer: str, rule: str) -> None:
    asked = questions(layer, rule)
    assert len(asked) > 100
    for question in asked:
        # Varied ones are all of different graphs, of which there are few in Chinese.
        assert len(question.shots) == K or question.tags["language"] == "zh"
        language = question.tags["language"]
        events = events_of_graphs()[question.tags["graph"]]
        for shot in question.shots:
            assert not any(event in shot.text for event in events)
            if layer != "answer":
                assert shot.target in question.options
            chinese = any("\u4e00" <= character <= "\u9fff" for character in shot.text)
            assert chinese is (language == "zh")


def test_random_examples_do_not_reveal_whether_a_link_is_broken() -> None:
    shares = []
    for layer in LINKS:
        counts = told(questions(layer, RANDOM))
        assert counts.total() > 600
        shares.append(counts[True] / counts.total())
    assert all(0.5 < share < 0.7 for share in shares), shares


def test_varied_examples_are_answered_yes_as_often_as_no() -> None:
    for layer in LINKS:
        counts = told(questions(layer, VARIED))
        assert abs(counts[True] - counts[False]) < 0.1 * counts.total()
