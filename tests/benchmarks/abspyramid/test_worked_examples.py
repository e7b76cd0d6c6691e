"""Worked examples of abstraction: the paper's instruction first, both labels, no neighbours."""

from __future__ import annotations

from collections import Counter

import pytest

from core.benchmarks.abspyramid.benchmark import AbsPyramid
from core.benchmarks.abspyramid.prompts import prompts
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.question import Question
from core.runs.questions import Examples, QuestionSource, layer_questions
from core.runs.shots import RANDOM, RULES

K = 10
LAYERS = ("rung-1", "rung-3", "false-1")


def questions(layer_id: str, rule: str, count: int = K) -> list[Question]:
    benchmark = AbsPyramid()
    layer = next(each for each in benchmark.layers if each.id == layer_id)
    source = QuestionSource(benchmark, benchmark.open(benchmark.samples()))
    asked = layer_questions(source, layer, None, Examples(count, rule, 1234))
    return [source.full_question(one, layer) for one in asked]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("layer", LAYERS)
def test_examples_are_of_the_relation_and_of_other_events(layer: str, rule: str) -> None:
    asked = questions(layer, rule)
    assert len(asked) > 50
    for question in asked:
        assert len(question.shots) == K
        event = question.tags["relation"] == Relation.EVENT
        for shot in question.shots:
            assert question.tags["head"] not in shot.text
            assert ("abstract description" in shot.text) is event


def test_examples_do_not_reveal_the_right_answer() -> None:
    shares = {}
    for layer in LAYERS:
        told = Counter(
            shot.target for question in questions(layer, RANDOM) for shot in question.shots
        )
        shares[layer] = told["Yes"] / told.total()
    # 59.5 % of the tuples are valid, and some thousand examples are drawn for each layer.
    assert all(0.55 < share < 0.65 for share in shares.values()), shares


def test_the_papers_instruction_comes_once_and_first() -> None:
    for question in questions("rung-1", RANDOM):
        wording = prompts().detection["abstraction"].of(Relation(question.tags["relation"]))
        prompt = question.base()
        assert prompt.startswith(f"{wording.instruction}\n{question.shots[0].text}")
        assert prompt.count(wording.instruction) == 1
        assert prompt.endswith(f"\n\n{question.text}")


def test_without_examples_a_prompt_is_one_paragraph_as_printed() -> None:
    question = questions("rung-1", RANDOM, count=0)[0]
    assert "\n" not in question.base()
