"""The languages of the program: which one is spoken, and that each one says everything."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from difflib import unified_diff
from string import Formatter

import pytest
from babel.messages import Catalog

from core.files import config, paths
from core.files.config import Config
from core.text import language
from core.text.errors import SettingError
from core.text.escaping import escape_control_characters
from core.text.language import ENGLISH, LANGUAGES, N_, _, ngettext, pgettext
from tools import catalogue
from tui.cli.config import problems_of
from tui.shell import language_choice

OTHERS = [code for code in LANGUAGES if code != ENGLISH]


@pytest.fixture(scope="module", params=OTHERS)
def code(request: pytest.FixtureRequest) -> str:
    """Every language that has a catalogue."""
    return str(request.param)


# -- the catalogues ------------------------------------------------------------------------------


def test_a_catalogue_holds_what_the_sources_say_and_nothing_else(code: str) -> None:
    """It is just what `tools/catalogue.py` makes of the sources and of the translations."""
    text, _ = catalogue.files_of(code)
    there = text.read_text(encoding="utf-8").splitlines()
    made = catalogue.as_text(catalogue.updated(code)).decode().splitlines()
    # pytest would compare two million characters by itself, for minutes.
    stale = list(unified_diff(there, made, "there", "made by `make messages`", n=0, lineterm=""))
    assert not stale


def test_the_compiled_catalogue_matches_its_source(code: str) -> None:
    """What the program reads is what people edit."""
    _, binary = catalogue.files_of(code)
    stale = binary.read_bytes() != catalogue.compiled(catalogue.updated(code))
    assert not stale, "make messages"


def test_every_sentence_is_translated(code: str) -> None:
    """None is missing, and none is only a guess."""
    left = [m.id for m in catalogue.read(code) if m.id and not catalogue.is_translated(m)]
    assert not left


def test_a_translation_keeps_the_placeholders(code: str) -> None:
    """What is put in has the same names and the same formats; nothing else stands in braces.

    A sentence about one thing may say so in a word.
    """
    wrong = []
    for message in _translated(catalogue.read(code)):
        one, *many = map(_places, _texts(message.string))
        said = [_places(text) for text in _texts(message.id)]
        whole = said[-1]
        if any(each != whole for each in many) or not (one <= whole if many else one == whole):
            wrong.append(message.id)
    assert not wrong


def test_a_translation_keeps_the_layout_of_its_sentence(code: str) -> None:
    """Blanks at the ends, headings, code and lines of Markdown stay what they are."""
    wrong = [
        message.id
        for message in _translated(catalogue.read(code))
        for said, given in zip(_texts(message.id), _texts(message.string), strict=False)
        if _layout(said) != _layout(given)
    ]
    assert not wrong


def _translated(found: Catalog) -> Iterable[catalogue.Entry]:
    return (message for message in found if message.id and catalogue.is_translated(message))


def _texts(of: str | tuple[str, ...]) -> tuple[str, ...]:
    return (of,) if isinstance(of, str) else of


def _places(text: str) -> set[tuple[str, str]]:
    return {(name, form or "") for _, name, form, _ in Formatter().parse(text) if name is not None}


def _layout(text: str) -> tuple[str, str, int, int, int, int]:
    blanks = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return (*blanks, text.count("## "), text.count("`"), text.count("**"), text.count("\n\n"))


# -- looking up ----------------------------------------------------------------------------------


def test_english_sentences_come_from_the_sources() -> None:
    """Nothing is looked up anywhere."""
    language.speak(ENGLISH)
    assert _("Items") == "Items"
    assert ngettext("{number:,} item", "{number:,} items", 2) == "{number:,} items"


def test_a_sentence_is_looked_up_when_it_is_shown() -> None:
    """The same mark says another thing after another language was chosen."""
    marked = N_("Items")
    language.speak("it")
    assert (marked, _(marked)) == ("Items", "Elementi")
    assert ngettext("{number:,} item", "{number:,} items", 1) == "{number:,} elemento"
    assert ngettext("{number:,} item", "{number:,} items", 0) == "{number:,} elementi"


def test_a_word_with_two_meanings_has_two_translations() -> None:
    """Where it is a direction, and where it is a judgement."""
    language.speak("it")
    assert (pgettext("command", "right"), _("right")) == ("destra", "giusto")


def test_the_length_of_a_cut_text_is_told_in_the_language() -> None:
    language.speak("it")
    assert escape_control_characters("xx", limit=1) == "x… (2 caratteri)"


def test_unmarked_text_is_not_translated() -> None:
    """Names and data pass through, the empty text too, which gettext would take for its head."""
    language.speak("it")
    assert [_(text) for text in ("", "Irene", "gita:0")] == ["", "Irene", "gita:0"]


# -- choosing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "configured", "environment", "spoken"),
    [
        ("en", "it", "it", "en"),
        ("it", "", "en", "it"),
        (None, "it", "en", "it"),
        (None, "", "it_IT.UTF-8", "it"),
        (None, "", "de:it", "it"),
        (None, "", "tlh", "en"),
    ],
)
def test_the_option_comes_before_the_configuration_and_that_before_the_environment(
    asked: str | None,
    configured: str,
    environment: str,
    spoken: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANGUAGE", environment)
    assert language_choice.speak(asked, Config(language=configured)) == []
    assert language.spoken() == spoken


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"LANG": "it_IT.UTF-8"}, "it"),
        ({"LANG": "it_IT.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "it_CH"}, "it"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_the_environment_is_read_as_gettext_reads_it(
    variables: dict[str, str], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert language.of_environment() == code


def test_an_unknown_language_suggests_the_nearest() -> None:
    with pytest.raises(SettingError) as raised:
        language_choice.speak("itt", Config())
    assert raised.value.hint == "Did you mean “it”?"
    assert language.spoken() == ENGLISH


def test_an_unknown_language_in_the_configuration_is_reported_and_ignored() -> None:
    file = paths.config()
    file.parent.mkdir(parents=True)
    file.write_text("theme: paper\nlanguage: tlh\n", encoding="utf-8")
    chosen = config.read()
    (problem,) = language_choice.speak(None, chosen)
    assert problem.where == f"{file}:2"
    assert (chosen.theme, language.spoken()) == ("paper", ENGLISH)
    assert [str(found) for found in problems_of(chosen)] == [str(problem)]


@pytest.mark.parametrize("words", [[], ["browse"], ["serve"], ["lesson", "run", "gita-first"]])
def test_an_unknown_language_option_exits_with_2(words: list[str]) -> None:
    start = "from tui.cli.start import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", start, *words, "--lang", "tlh"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "tlh" in done.stderr
    assert "--lang" in done.stderr
