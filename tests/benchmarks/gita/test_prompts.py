"""The wording of the task layers: equal to the released one, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.item import PAIRS, STATES
from core.benchmarks.gita.prompts import ITALIAN, RELEASED, Wording, wordings
from core.files.prompt_files import read_wording
from core.text.errors import DataError

Wordings = dict[str, dict[str, Wording]]


def test_the_released_wording_is_that_of_every_log(shared_data: Path) -> None:
    ours = wordings()[RELEASED]
    seen = set()
    for path in (shared_data / "gita4calamita" / "logs").glob("*/*/results_*.json"):
        for task, config in json.loads(path.read_text("utf-8"))["configs"].items():
            assert ours[task].instruction == config["description"]
            assert list(ours[task].options) == config["doc_to_choice"]
            seen.add(task)
    assert seen == set(ours)


@pytest.mark.parametrize("language", [RELEASED, ITALIAN])
def test_options_stand_in_the_order_that_decides_ties(language: str) -> None:
    layers = wordings()[language]
    assert layers["story_class"].options == ("false", "true")
    assert layers["conflict_detec"].options == tuple(f"{i} and {j}" for i, j in PAIRS)
    assert layers["physical_state"].options == STATES


def test_the_italian_wording_differs_from_the_released_one() -> None:
    for layer, ours in wordings()[ITALIAN].items():
        released = wordings()[RELEASED][layer]
        assert ours.instruction != released.instruction
        assert ours.instruction.endswith("\n\n\n")
        assert ours.closing != released.closing


def test_the_italian_wording_explains_every_state() -> None:
    instruction = wordings()[ITALIAN]["physical_state"].instruction
    assert all(f"\n{state}: " in instruction for state in STATES)


@given(st.lists(st.text(alphabet="{}ab nmsuberct", max_size=12), max_size=4))
def test_braces_in_a_sentence_are_only_text(sentences: list[str]) -> None:
    wording = Wording("", "<", "{number}|{sentence}\n", ">", ())
    expected = "".join(f"{i}|{text}\n" for i, text in enumerate(sentences))
    assert wording.template.fill({"story": wording.story(sentences)}) == f"<{expected}>"


@pytest.mark.parametrize(
    "content",
    [
        "released: [1, 2]",
        "released: {story_class: {instruction: x}}",
        "released: {story_class: {instruction: 1, opening: '', sentence: '', closing: '', "
        "options: []}}",
        "a: b: c",
        "!!python/object/apply:os.getcwd []",
    ],
)
def test_a_file_that_is_not_as_expected_is_a_typed_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "prompts.yaml"
    path.write_text(content)
    with pytest.raises(DataError) as caught:
        read_wording(path, Wordings)
    assert caught.value.where == str(path)
    assert caught.value.hint


def test_a_missing_file_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_wording(tmp_path / "prompts.yaml", Wordings)
