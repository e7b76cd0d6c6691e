"""Refuses the code of a language that the program does not have."""

from __future__ import annotations

from core.text.errors import SettingError
from core.text.language import LANGUAGES
from core.text.suggestions import nearest


def check_language(code: str) -> None:
    """Raise `SettingError` unless there is a catalogue of the language, or it is English."""
    if code in LANGUAGES:
        return
    near = nearest(code, LANGUAGES)
    known = ", ".join(f"{each} ({name})" for each, name in LANGUAGES.items())
    raise SettingError(
        f"The program does not speak “{code}”.",
        where="--lang",
        hint=f"Did you mean “{near[0]}”?" if near else f"There are: {known}.",
    )
