"""The title of a collection in the language of the program."""

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


def test_a_title_is_shown_in_the_language_of_the_program_and_recorded_in_its_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "ABOUT.yaml").write_text('title: Items\ntitles: {it: "Elementi"}\n')
    about = read_about(tmp_path, [])
    assert about is not None
    assert (about.title, about.shown_title) == ("Items", "Items")
    speak("it")
    assert (about.title, about.shown_title) == ("Items", "Elementi")


def test_every_bundled_collection_has_an_italian_title() -> None:
    for file in shipped.samples().glob("*/ABOUT.yaml"):
        errors: list[DataError] = []
        about = read_about(file.parent, errors)
        assert about is not None
        assert not errors
        assert dict(about.titles)["it"]


def test_titles_that_are_no_names_with_values_are_reported(tmp_path: Path) -> None:
    (tmp_path / "ABOUT.yaml").write_text("title: Items\ntitles: Elementi\n")
    errors: list[DataError] = []
    assert read_about(tmp_path, errors) is None
    assert "titles must be names with values" in str(errors[0])
