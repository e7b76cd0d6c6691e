"""The worlds of an item: as it is, and those in which another of its options is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.blocks.contrast_prompts import ContrastPrompt, changed_worlds
from core.contract import registry
from core.contract.question import Question, Shot
from core.contract.setting import NodeState, Setting
from core.runs.questions import QuestionSource
from core.studies.world_cases import lacks_contrasts
from tests.studies.planted_model import Door, Doors, DoorsBenchmark


class ThreeOptions(DoorsBenchmark):
    """Doors with a third option, and no other world."""

    def question(
        self, item: Door, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question:
        return replace(super().question(item, setting, layer, shots), options=("yes", "no", "door"))


def first_question(name: str, layer: str) -> tuple[QuestionSource, Question]:
    bench = registry.load(name)
    source = QuestionSource(bench, bench.open(bench.samples()), limit=1)
    [named] = [each for each in bench.layers if each.id == layer]
    [(_position, question)] = source.questions(named, None)
    return source, question


def worlds(source: QuestionSource, question: Question, setting: Setting) -> list[ContrastPrompt]:
    found = changed_worlds(source.benchmark, source.collection.item(0), setting, question)
    assert found is not None
    return [found[0], *found[1]]


def right(world: ContrastPrompt) -> str:
    return world.question.options[world.question.gold or 0]


def test_a_factual_world_comes_first_and_each_other_implies_another_answer() -> None:
    source, question = first_question("accord", "hop-1")
    found = worlds(source, question, Setting())
    assert [world.name.partition(":")[0] for world in found] == [
        "factual", *["anti-factual"] * 4,
    ]  # fmt: skip
    assert sorted(map(right, found)) == sorted(question.options)
    # The same from an anti-factual item: what is common sense depends on no setting.
    [*_, last] = found
    again = worlds(source, last.question, last.setting)
    assert list(map(right, again)) == list(map(right, found))


def test_where_events_can_be_forced_the_worlds_have_one_forced_event() -> None:
    source, question = first_question("com2", "link-1")
    item = source.collection.item(0)
    nodes = [each for each in source.benchmark.switches(item) if isinstance(each, NodeState)]
    first, *others = worlds(source, question, Setting())
    assert first.question == question
    assert others
    assert all(right(other) != right(first) for other in others)
    for other in others:
        [state] = [value for node in nodes if (value := other.setting.value(node)) != "free"]
        assert other.name.startswith(f"{state}: ")
    # From a world in which a person has forced an event the same ones are found.
    again = worlds(source, others[0].question, others[0].setting)
    assert [world.question.text for world in again] == [
        world.question.text for world in (first, *others)
    ]


def test_a_collection_with_worlds_can_have_a_direction_and_one_without_cannot() -> None:
    source, _question = first_question("accord", "hop-1")
    assert lacks_contrasts(source) == ""

    assert "none has a question with two options" in lacks_contrasts(
        QuestionSource(ThreeOptions(), Doors(2))
    )
