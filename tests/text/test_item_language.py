"""In which language an item is: said in words, and only where it is not the reader's."""

from __future__ import annotations

import pytest

from core.contract import registry
from core.contract.setting import Setting
from core.text.language import in_english, said_to_be_in, speak
from tests.cli.support import ok


@pytest.mark.parametrize(
    ("spoken", "code", "said"),
    [
        ("en", "en", ""),
        ("en", "it", "in Italian"),
        ("en", "zh", "in Chinese"),
        ("it", "it", ""),
        ("it", "", ""),
        ("en", "de", "in another language (de)"),
    ],
)
def test_items_in_another_language_are_labelled(spoken: str, code: str, said: str) -> None:
    speak(spoken)
    assert said_to_be_in(code) == said


def test_an_italian_item_in_an_english_file_is_labelled() -> None:
    speak("it")
    with in_english():
        assert said_to_be_in("it") == "in Italian"
        assert said_to_be_in("en") == ""


@pytest.mark.parametrize("name", ["accord", "com2"])
def test_no_benchmark_shows_a_bare_code(name: str) -> None:
    benchmark = registry.load(name)
    collection = registry.open_collection(benchmark, benchmark.samples())
    first = collection.item(0)
    assert benchmark.view(first, Setting()).subtitle == ""
    speak("it")
    said = benchmark.view(first, Setting()).subtitle
    assert said == said_to_be_in("en")
    assert len(said.split()) == 2


def test_the_command_line_names_the_language_in_words() -> None:
    assert ok("show", "com2", "coro-raffreddato").out.splitlines()[1] == "in Italian"
    assert "en" not in ok("show", "com2", "away-goal").out.splitlines()
