"""Translates the sentences of the screens with GNU gettext's catalogues.

The sources are in English. `_` translates a sentence when it is shown, never when a module is
imported: module constants are marked with `N_` and translated later.
"""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import cleandoc
from pathlib import Path

from core.text.shown_number import ShownNumber

DOMAIN = "commonsense-tui"
FOLDER = Path(__file__).parent / "catalogues"
ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "it": "Italiano"}
"""The code and own name of every language."""

_spoken = gettext.NullTranslations()
_code = ENGLISH
_AFTER_BEGINNING = re.compile(r"(: | \(| (?=\d+(?:\.\d+)?\Z))")
_is_english = ContextVar("is_english", default=False)
"""Whether this task or thread uses English, whatever the chosen language."""


def speak(code: str) -> None:
    """Choose one of `LANGUAGES`."""
    global _spoken, _code
    languages = [] if code == ENGLISH else [code]
    _spoken = gettext.translation(DOMAIN, FOLDER, languages, fallback=code == ENGLISH)
    _code = code


def spoken() -> str:
    """The code of the language in use: the chosen one, or English inside `in_english`."""
    return ENGLISH if _is_english.get() else _code


def of_environment() -> str:
    """The first of `LANGUAGES` in LANGUAGE, LC_ALL, LC_MESSAGES or LANG; else English."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            codes = (each.partition(".")[0].partition("_")[0] for each in value.split(":"))
            return next((code for code in codes if code in LANGUAGES), ENGLISH)
    return ENGLISH


@contextmanager
def in_english() -> Iterator[None]:
    """Use English inside, for texts that are written to files.

    Other threads and tasks keep the chosen language.
    """
    before = _is_english.set(True)
    try:
        yield
    finally:
        _is_english.reset(before)


def _(text: str, /, **values: object) -> str:
    """Translate a sentence, then replace the names in braces by the values.

    Without values the braces stay, for a caller that formats later.
    """
    # The empty text is the catalogue's own header.
    translated = _spoken.gettext(text) if text and not _is_english.get() else text
    return fill(translated, **values) if values else translated


def fill(sentence: str, /, **values: object) -> str:
    """Replace the names in braces of a translated sentence by the values."""
    shown = {
        name: ShownNumber(value) if isinstance(value, float) else value
        for name, value in values.items()
    }
    return sentence.format(**shown)


def pgettext(context: str, text: str, /, **values: object) -> str:
    """Translate a word that means something else in another context."""
    translated = text if _is_english.get() else _spoken.pgettext(context, text)
    return fill(translated, **values) if values else translated


def ngettext(one: str, many: str, number: int, /, **values: object) -> str:
    """Translate a sentence in the singular or the plural."""
    if _is_english.get():
        translated = one if number == 1 else many
    else:
        translated = _spoken.ngettext(one, many, number)
    return fill(translated, **values) if values else translated


def translated(text: str) -> str:
    """Translate a label, or only its beginning where it goes on with a number or with data.

    Examples are “Hop 3”, “factual: B kitchen” and “order (1-O0)”.
    """
    if (whole := _(text)) != text:
        return whole
    beginning, *rest = _AFTER_BEGINNING.split(text, maxsplit=1)
    return "".join((_(beginning), *rest))


def said_to_be_in(code: str) -> str:
    """“in Italian” for the code of a language; empty for the chosen one, and for no code."""
    if code == spoken() or not code:
        return ""
    name = _IN.get(code)
    return _(name) if name else _("in another language ({code})", code=code)


def N_(text: str) -> str:
    """Mark a sentence for translation when it is shown; several lines are dedented."""
    return cleandoc(text) if text.startswith("\n") else text


_IN = {ENGLISH: N_("in English"), "it": N_("in Italian"), "zh": N_("in Chinese")}
"""The languages of the bundled items."""
