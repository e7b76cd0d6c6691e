"""Log files: what a long command says, and more, with times and levels, for people who were away.

Only this program's own loggers are written: those of its libraries would put headers, and with them
keys, into the file. The keys of servers and hubs are taken out of every line all the same.
"""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from core.files.regular_file import open_to_append
from core.models.openai.key import MARK, Key
from core.text.errors import ModelError, SettingError
from core.text.escaping import escape_control_characters
from tui.cli import output

LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
"""By name: every answer; what is said on stderr and the progress; tries that failed; errors."""
_OWN = ("core", "tui", "commonsense_tui")
_SECRETS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_SHORTEST_SECRET = 8
_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_BEGINNING = rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} "
_MOST_CHARACTERS = 4_000


class LogFile:
    """A file that the program's own loggers write to, until it is closed."""

    def __init__(self, path: Path, level: str) -> None:
        """Open it and go on at its end.

        Raises `SettingError` where that is not possible, and for a file that is no log.
        """
        try:
            self._handler = _Handler(path)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise SettingError(
                f"This log file cannot be written: {reason}.",
                where="--log-file",
                hint="Name a new file or a log, in a folder that is there.",
            ) from error
        self._handler.setFormatter(_Line(_FORMAT))
        self._handler.setLevel(LEVELS[level])
        for name in _OWN:
            logger = logging.getLogger(name)
            logger.addHandler(self._handler)
            logger.setLevel(logging.DEBUG)
        output.log_remarks(_remark)

    def close(self) -> None:
        """Write no more to it."""
        output.log_remarks(None)
        for name in _OWN:
            logger = logging.getLogger(name)
            logger.removeHandler(self._handler)
            logger.setLevel(logging.NOTSET)
        with suppress(OSError):  # What could not be written was told when it happened.
            self._handler.close()


class _Handler(logging.FileHandler):
    def _open(self) -> TextIOWrapper:
        # Opening a pipe would wait for somebody who reads it.
        return open_to_append(Path(self.baseFilename), _BEGINNING, errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:
        """Say once that the file cannot be written, and write no more; the work goes on."""
        self.setLevel(logging.CRITICAL + 1)
        reason = getattr(sys.exc_info()[1], "strerror", None) or "it failed"
        output.say(f"Nothing more is written to the log file: {reason}.")


class _Line(logging.Formatter):
    """One line a record, without control characters and without the keys."""

    def format(self, record: logging.LogRecord) -> str:
        text = _without_secrets(super().format(record))
        return escape_control_characters(text, limit=_MOST_CHARACTERS)


def _remark(level: str, text: str) -> None:
    logging.getLogger("tui.cli").log(LEVELS[level], "%s", text)


def _without_secrets(text: str) -> str:
    for variable in _SECRETS:
        secret = os.environ.get(variable, "").strip()
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, MARK)
    try:
        return Key().hide(text)
    except ModelError:  # It is none that could be sent.
        return text
