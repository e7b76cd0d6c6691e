"""Errors that a person can act on.

Every expected failure is a `CommonsenseError`: what happened, where, and what to do about it. The
command line prints it and exits with code 2; the program shows it in the pane that failed. Any
other exception is a defect of the program.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from core.text.escaping import escape_control_characters
from core.text.language import N_


class CommonsenseError(Exception):
    """An expected failure, in words for the person who meets it."""

    title = N_("Something went wrong")
    """What kind of failure this is, as a heading."""

    def __init__(self, what: str, *, where: str | Path = "", hint: str = "") -> None:
        # Messages repeat parts of files and of what servers say.
        self.what = escape_control_characters(what, lines=True)
        """What happened, in one sentence, without control characters."""
        super().__init__(self.what)
        self.where = escape_control_characters(str(where))
        """Where: `file:line`, a switch, a model's path, without control characters; empty if
        nowhere in particular."""
        self.hint = escape_control_characters(hint, lines=True)
        """What the person can do about it; empty if nothing is known."""

    @classmethod
    def of(cls, error: CommonsenseError, *, where: str | Path = "") -> Self:
        """The same failure as an error of this kind, at `where` if that is given."""
        return cls(error.what, where=where or error.where, hint=error.hint)

    def __str__(self) -> str:
        """One line for logs and the command line."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head} {self.hint}" if self.hint else head


class DataError(CommonsenseError):
    """A file of items cannot be read or written, or one item of it cannot."""

    title = N_("This data cannot be used")


class NotFoundError(CommonsenseError):
    """A benchmark, item, layer, run or model was asked for by a name that does not exist."""

    title = N_("Not found")


class SettingError(CommonsenseError):
    """A switch does not exist or was given a value that it cannot take."""

    title = N_("This cannot be set")


class ModelError(CommonsenseError):
    """A model cannot be loaded, or stopped answering."""

    title = N_("The model cannot answer")


class LongPromptError(ModelError):
    """A prompt is longer than the model's context."""


class WorkersError(ModelError):
    """The workers of a cluster cannot be reached, or stopped answering."""

    title = N_("The workers cannot answer")


class RunError(CommonsenseError):
    """A recorded run cannot be read, continued or imported."""

    title = N_("This run cannot be used")


class LostStoreError(RunError):
    """The store of runs was removed or replaced while it was in use: what is in it is lost."""


class HubError(CommonsenseError):
    """A model or a data set cannot be fetched."""

    title = N_("This cannot be fetched")


class ConfigError(CommonsenseError):
    """The configuration, a keymap or a theme is not as expected."""

    title = N_("The configuration cannot be used")
