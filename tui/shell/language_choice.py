"""Which language the screens speak: the one asked for, the configured one, the environment's."""

from __future__ import annotations

from core.files.config import Config
from core.text import language
from core.text.errors import ConfigError, SettingError
from core.text.language_codes import check_language


def speak(asked: str | None, config: Config) -> list[ConfigError]:
    """Speak from now on, before any screen is made; what is wrong with the configured language.

    Raises `SettingError` where there is no such language as was asked for.
    """
    problems = wrong(config)
    configured = "" if problems else config.language
    if asked is None:
        asked = configured or language.of_environment()
    check_language(asked)
    language.speak(asked)
    return problems


def wrong(config: Config) -> list[ConfigError]:
    """What is wrong with the configured language, if anything."""
    try:
        check_language(config.language or language.ENGLISH)
    except SettingError as error:
        where = config.origins.get("language", "language")
        return [ConfigError.of(error, where=where)]
    return []
