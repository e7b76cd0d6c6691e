"""What contrast prompts are called on the screens: in words, and not by the keys of switches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.blocks.contrast_prompts import ContrastPrompt, contrast_prompts
from core.contract import registry
from core.contract.setting import Setting
from core.text import language


@pytest.fixture
def italian() -> Iterator[None]:
    language.speak("it")
    yield
    language.speak("en")


def found(name: str, layer: str, **values: str) -> list[ContrastPrompt]:
    bench = registry.load(name)
    item = registry.open_collection(bench, bench.samples()).item(0)
    setting = Setting.of(bench.switches(item), {k.replace("__", "."): v for k, v in values.items()})
    question = bench.question(item, setting, layer)
    assert question is not None
    return contrast_prompts(bench, item, setting, question)


def test_what_is_done_to_an_event_is_said_in_words() -> None:
    said = {contrast.name: contrast.label for contrast in found("com2", "link-1")}
    forced = {name: words for name, words in said.items() if name.startswith("do=")}
    assert forced
    for name, words in forced.items():
        state, _, event = name.partition(": ")
        assert words == f"{'prevented' if state == 'do=0' else 'made to happen'}: {event}"


def test_an_event_in_the_place_of_another_is_said_with_both() -> None:
    ((key, value),) = found("com2", "link-1")[0].setting.changed
    others = found("com2", "link-1", **{key.replace(".", "__"): value})
    moved = [contrast for contrast in others if " in place of " in contrast.name]
    assert moved
    for contrast in moved:
        assert contrast.label.startswith("prevented: ")
        assert contrast.label.partition(": ")[2] == contrast.name.partition(": ")[2]


def test_another_layer_is_called_by_its_title() -> None:
    bench = registry.load("abspyramid")
    titles = {layer.id: layer.title for layer in bench.layers}
    others = [
        contrast for contrast in found("abspyramid", "rung-1") if contrast.name.startswith("layer=")
    ]
    assert others
    for contrast in others:
        assert contrast.label == f"{titles[contrast.question.layer]}: {contrast.question.about}"


@pytest.mark.parametrize(
    ("name", "layer"), [("gita", "story_class"), ("accord", "answer"), ("com2", "answer")]
)
def test_no_contrast_prompt_is_called_by_a_key(name: str, layer: str) -> None:
    for contrast in found(name, layer):
        assert contrast.label
        assert "=" not in contrast.label


def test_the_words_are_those_of_the_language_that_is_spoken(italian: None) -> None:
    contrast = next(one for one in found("com2", "link-1") if one.name.startswith("do=0: "))
    assert contrast.label == contrast.name.replace("do=0", "impedito")


@pytest.mark.parametrize(
    ("name", "layer", "beginning"),
    [
        ("gita", "story_class", "ordine ("),
        ("accord", "hop-1", "anti-fattuale: A "),
        ("accord", "answer", "Quali alberi: cover: ognuno"),
        ("abspyramid", "rung-1", "Componente: verbo: "),
    ],
)
def test_a_label_with_data_behind_it_is_translated(
    name: str, layer: str, beginning: str, italian: None
) -> None:
    assert any(contrast.label.startswith(beginning) for contrast in found(name, layer))
