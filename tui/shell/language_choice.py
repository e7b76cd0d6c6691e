"""Chooses the language of the screens: as asked for, else as configured, else the environment's."""

from __future__ import annotations

from core.files.config import Config
from core.text import language
from core.text.errors import ConfigError, SettingError
from core.text.language_codes import check_language


def speak(asked: str | None, config: Config) -> list[ConfigError]:
    """Set the language, before any screen is made; returns the errors of the configured one.

    Raises `SettingError` if there is no language `asked`.
    """
    problems = wrong(config)
    configured = "" if problems else config.language
    if asked is None:
        asked = configured or language.of_environment()
    check_language(asked)
    language.speak(asked)
    return problems


def wrong(config: Config) -> list[ConfigError]:
    """The error of the configured language, if there is one."""
    try:
        check_language(config.language or language.ENGLISH)
    except SettingError as error:
        where = config.origins.get("language", "language")
        return [ConfigError.of(error, where=where)]
    return []
