"""What the layers ask: the logged prompts, edits without gold, stories of other lengths."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from core.benchmarks.gita.benchmark import Gita
from core.benchmarks.gita.item import Story, StoryItem
from core.benchmarks.gita.questions import CONFLICT, INSTRUCTIONS, LAYERS, STATE, STORY, question
from core.contract.question import Message, Question
from core.contract.setting import Setting
from core.runs.shots import RANDOM, draw

BASE_MODELS = ("gemma-2-9b", "gemma-2-27b", "Meta-Llama-3.1-8B")


def logged(shared_data: Path, model: str, layer: str) -> Iterator[dict[str, Any]]:
    (path,) = (shared_data / "gita4calamita" / "logs" / model).glob(f"*/samples_{layer}_*.jsonl")
    with path.open(encoding="utf-8") as handle:
        yield from map(json.loads, handle)


def survivors(shared_data: Path, model: str, layer: str) -> set[str]:
    """The text of the stories that a log's own judgement lets through, as one string each."""
    return {
        json.dumps(row["doc"]["sentences"])
        for row in logged(shared_data, model, layer)
        if row["acc"] == 1.0
    }


def pool(shared_data: Path, layer: str, passed: set[str] | None) -> list[Question]:
    """The three-shot questions of a layer about the stories that passed the one before."""
    bench = Gita()
    collection = bench.open(shared_data / "gita4calamita" / "gita_docs.jsonl")
    asked = []
    for i in range(len(collection)):
        item = collection.item(i)
        one = bench.question(item, Setting(), layer)
        if one and (passed is None or json.dumps(list(item.story.sentences)) in passed):
            asked.append(one)
    shots = draw(RANDOM, asked, 3, 1234)
    return [replace(one, shots=own) for one, own in zip(asked, shots, strict=True)]


def test_every_logged_prompt_of_the_base_models(shared_data: Path) -> None:
    count = 0
    for model in BASE_MODELS:
        for before, layer in ((None, STORY), (STORY, CONFLICT), (CONFLICT, STATE)):
            passed = survivors(shared_data, model, before) if before else None
            ours = pool(shared_data, layer, passed)
            rows = list(logged(shared_data, model, layer))
            assert len(ours) == len(rows)
            for one, row in zip(ours, rows, strict=True):
                requests = [row["arguments"][f"gen_args_{i}"] for i in range(len(one.options))]
                assert {request["arg_0"] for request in requests} == {one.base()}
                assert [request["arg_1"] for request in requests] == list(one.continuations())
                assert len(row["arguments"]) == len(one.options)
            count += len(rows)
    assert count == 3 * 356 + (187 + 66 + 156) + (28 + 15 + 63)


def llama(turns: Sequence[Message]) -> str:
    """Llama 3.1's chat template, as far as these conversations need it."""
    text = "<|begin_of_text|>"
    for turn in turns:
        date = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
        header = f"<|start_header_id|>{turn.role}<|end_header_id|>\n\n"
        text += header + (date if turn.role == "system" else "") + turn.content + "<|eot_id|>"
    return text + "<|start_header_id|>assistant<|end_header_id|>\n\n"


def test_every_logged_conversation_of_the_chat_model(shared_data: Path) -> None:
    model = "Meta-Llama-3.1-8B-Instruct"
    # Its second layer's samples are missing: its third layer's stories are what passed.
    rows = {layer: list(logged(shared_data, model, layer)) for layer in (STORY, STATE)}
    passed = {json.dumps(row["doc"]["sentences"]) for row in rows[STATE]}
    for layer, through in ((STORY, None), (STATE, passed)):
        for one, row in zip(pool(shared_data, layer, through), rows[layer], strict=True):
            assert llama(one.chat(system=True)) == row["arguments"]["gen_args_0"]["arg_0"]
            continuations = [row["arguments"][f"gen_args_{i}"]["arg_1"] for i in range(2)]
            assert continuations == list(one.continuations())[:2]


def test_golds_are_the_logged_targets(shared_data: Path) -> None:
    for layer in (STORY, CONFLICT, STATE):
        passed = {
            json.dumps(row["doc"]["sentences"]) for row in logged(shared_data, "gemma-2-9b", layer)
        }
        ours = pool(shared_data, layer, passed)
        for one, row in zip(ours, logged(shared_data, "gemma-2-9b", layer), strict=True):
            assert one.gold is not None
            assert one.options[one.gold] == str(row["target"]).replace("True", "true").replace(
                "False", "false"
            )


def test_later_layers_ask_only_implausible_stories(shared_data: Path) -> None:
    counts = [len(pool(shared_data, layer.id, None)) for layer in LAYERS]
    assert counts == [356, 238, 238]


def story(key: str, sentences: str, **fields: Any) -> Story:
    defaults: dict[str, Any] = {
        "example_id": key,
        "story_id": 7,
        "type": None,
        "actor": "Ada",
        "location": "cucina",
        "plausible": True,
        "conflict": None,
        "breakpoint": None,
        "state": "open",
    }
    return Story(key=key, sentences=tuple(sentences), **{**defaults, **fields})


PLAUSIBLE = story("7", "abcde")
CLOZE = story("7-C0", "abxde", type="cloze", plausible=False, conflict=2, breakpoint=4)
FAMILY = (PLAUSIBLE, CLOZE)


def test_tags_hold_the_fields_for_scoring() -> None:
    one = question(StoryItem(CLOZE, FAMILY), Setting(), STORY)
    assert one is not None
    assert one.tags == {
        "key": "7-C0",
        "example_id": "7-C0",
        "story_id": "7",
        "type": "cloze",
        "plausible": "false",
        "pair": "2 and 4",
        "state": "open",
    }
    assert one.options[one.gold or 0] == "false"


def test_a_variant_is_asked_about_with_its_own_gold() -> None:
    item = StoryItem(PLAUSIBLE, FAMILY)
    assert question(item, Setting(), CONFLICT) is None
    switched = question(item, Setting((("variant", "7-C0"),)), CONFLICT)
    assert switched is not None
    assert (switched.item, switched.tags["key"]) == ("7", "7-C0")
    assert switched.options[switched.gold or 0] == "2 and 4"


@pytest.mark.parametrize("layer", [STORY, CONFLICT, STATE])
@pytest.mark.parametrize("base", FAMILY)
def test_an_edit_without_annotation_has_no_gold(layer: str, base: Story) -> None:
    one = question(StoryItem(base, FAMILY), Setting((("s3", "Un'altra."),)), layer)
    assert one is not None
    assert one.gold is None
    assert "Un'altra." in one.text
    assert (one.tags["plausible"], one.tags["pair"], one.tags["state"]) == ("", "", "")


def test_an_edit_back_to_a_story_of_the_family_has_its_gold() -> None:
    one = question(StoryItem(PLAUSIBLE, FAMILY), Setting((("s2", "x"),)), CONFLICT)
    assert one is not None
    assert one.options[one.gold or 0] == "2 and 4"


@pytest.mark.parametrize("length", [2, 3, 4, 6, 7])
def test_stories_of_another_length_choose_among_all_their_pairs(length: int) -> None:
    odd = story("1-C0", "abcdefg"[:length], plausible=False, conflict=0, breakpoint=length - 1)
    one = question(StoryItem(odd, (odd,)), Setting(), CONFLICT)
    assert one is not None
    assert one.options == tuple(f"{i} and {j}" for i, j in combinations(range(length), 2))
    assert one.options[one.gold or 0] == f"0 and {length - 1}"


def test_one_sentence_has_no_pair_to_ask_about() -> None:
    short = story("1-C0", "a", plausible=False)
    assert question(StoryItem(short, (short,)), Setting(), CONFLICT) is None


def test_a_state_outside_the_fourteen_is_no_gold() -> None:
    odd = replace(CLOZE, state="magnetic")
    one = question(StoryItem(odd, (odd,)), Setting(), STATE)
    assert one is not None
    assert one.gold is None
    assert one.options[8] == "open"


@pytest.mark.parametrize("layer", [STORY, CONFLICT, STATE])
def test_italian_instructions_change_only_the_wording(layer: str) -> None:
    item = StoryItem(CLOZE, FAMILY)
    released = question(item, Setting(), layer)
    setting = Setting.of(Gita().switches(item), {"instructions": "italian"})
    italian = question(item, setting, layer)
    assert released is not None
    assert italian is not None
    assert setting[INSTRUCTIONS.key] == "italian"
    assert (italian.options, italian.gold) == (released.options, released.gold)
    assert italian.tags == released.tags
    assert italian.instruction != released.instruction
    assert italian.text != released.text
