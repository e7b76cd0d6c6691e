"""What screens take from the core is said in the chosen language: headings, figures, errors."""

from __future__ import annotations

import gettext
from pathlib import Path

import pytest
from rich.cells import cell_len

from core.benchmarks.abspyramid.prompts import TITLES, prompts
from core.benchmarks.gita.profiles import PROFILES
from core.benchmarks.gita.scoring import summarise
from core.contract import registry
from core.contract.setting import Setting
from core.contract.view import Graph, View
from core.layout.figures import draw_summary
from core.layout.rows import plain
from core.models.llama.process import worker_environment
from core.studies.report import StudyTable, layer_shown
from core.text import language
from core.text.errors import DataError
from tui.studies.study_pane import _table


class _Marking(gettext.NullTranslations):
    """A language in which every sentence stands in angle brackets."""

    def gettext(self, message: str) -> str:
        return f"‹{message}›"


@pytest.fixture(autouse=True)
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speak that language."""
    monkeypatch.setattr(language, "_spoken", _Marking())


def test_the_columns_of_a_study_are_translated_on_the_screen_and_english_in_files() -> None:
    table = StudyTable(("effect x 0.5", "low"), ((1.0, 2.0),))
    assert "‹effect x 0.5›" in plain(_table(table, 0, 80))
    assert "‹low›" in plain(_table(table, 0, 80))
    assert table.columns == ("effect x 0.5", "low")


def test_a_study_names_its_layer_by_its_title() -> None:
    assert layer_shown("gita", "story_class") == "‹Plausible?›"
    assert layer_shown("no such benchmark", "story_class") == "story_class"


def test_the_figures_of_a_run_are_translated() -> None:
    drawn = plain(draw_summary(summarise([], next(iter(PROFILES))), 100, cell_len))
    assert "‹Consistency›" in drawn
    assert "‹Cloze Accuracy›" in drawn


def test_what_benchmarks_say_of_an_item_is_translated() -> None:
    """The relation of a pyramid, its prompts, and who wrote a causal link."""
    pyramid, causes = (registry.load(name) for name in ("abspyramid", "com2"))
    item = pyramid.open(pyramid.samples()).item(0)
    shown = pyramid.view(item, Setting())
    assert shown.badges[0].text.startswith("‹")
    assert any(node.sign == "‹noun›" for node in _graph(shown).nodes)
    assert set(TITLES) == set(prompts().detection)
    collection = causes.open(causes.samples())
    world = causes.view(collection.item(collection.find("an-zisha-hu")), Setting())
    notes = [link.note for link in _graph(world).links]
    assert any("‹own›" in note for note in notes), notes


def _graph(shown: View) -> Graph:
    return next(section for section in shown.sections if isinstance(section, Graph))


@pytest.mark.parametrize("name", ["gita", "accord", "com2", "abspyramid"])
def test_a_file_of_another_kind_is_refused_in_that_language(name: str, tmp_path: Path) -> None:
    """What happened and what to do: the page of a browser, and a folder without a file."""
    page, folder = tmp_path / "page.jsonl", tmp_path / "folder"
    page.write_text("<html>\n", encoding="utf-8")
    folder.mkdir()
    for path in (page, folder):
        with pytest.raises(DataError) as refused:
            registry.open_collection(registry.load(name), path)
        error = refused.value
        assert error.what.startswith("‹")
        assert not error.hint or error.hint.startswith("‹"), error.hint


def test_a_process_with_a_model_speaks_the_language_of_the_program() -> None:
    language.speak("it")
    try:
        assert worker_environment()["LANGUAGE"] == "it"
    finally:
        language.speak(language.ENGLISH)
