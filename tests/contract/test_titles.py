"""What is told of a collection, in the language of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.contract.about import read_about
from core.files import shipped
from core.text.errors import DataError
from core.text.language import speak


@pytest.fixture(autouse=True)
def _english_again() -> object:
    yield
    speak("en")


def test_what_is_told_is_shown_in_the_language_of_the_program_and_recorded_in_its_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "ABOUT.yaml").write_text(
        "title: Items\nlicence: CC0\norigin: here\ncitation: Somebody (2026).\n"
        "translations: {it: {title: Elementi, note: Una nota.}}\n"
    )
    about = read_about(tmp_path, [])
    assert about is not None
    assert about.shown == about
    speak("it")
    assert (about.title, about.shown.title, about.shown.note) == ("Items", "Elementi", "Una nota.")
    # What is not translated is shown as it is.
    assert (about.shown.origin, about.shown.licence) == ("here", "CC0")
    assert about.shown.citation == ("Somebody (2026).",)


def test_all_that_is_told_of_every_bundled_collection_is_told_in_italian() -> None:
    for file in shipped.samples().glob("*/ABOUT.yaml"):
        errors: list[DataError] = []
        about = read_about(file.parent, errors)
        assert about is not None
        assert not errors
        italian = dict(about.translations)["it"]
        assert len(italian.citation) == len(about.citation)
        for name in ("title", "origin", "note"):
            assert getattr(italian, name) != getattr(about, name), (file, name)


def test_translations_that_are_no_names_with_values_are_reported(tmp_path: Path) -> None:
    (tmp_path / "ABOUT.yaml").write_text("title: Items\ntranslations: {it: Elementi}\n")
    errors: list[DataError] = []
    assert read_about(tmp_path, errors) is None
    assert "it must be names with values" in str(errors[0])
