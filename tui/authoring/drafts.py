"""Unfinished items of a person's own, stored after every change so that nothing typed is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.contract.authoring import Author
from core.contract.setting import Switch, Text
from core.files import paths
from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.text.errors import DataError, SettingError
from core.text.language import _

_LIMIT = 4_000_000
"""Most bytes of a draft file."""


@dataclass(frozen=True, slots=True)
class Draft:
    """How far an item is: what was accepted, and what was only typed."""

    answers: Mapping[str, str] = field(default_factory=dict)
    """Accepted answers by switch key, in the order in which they were given."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """What stands, or stood, in the field of a step that is not accepted (any more)."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to lose."""
        return not self.answers and not any(text.strip() for text in self.typed.values())

    def with_answer(self, key: str, value: str) -> Draft:
        """The draft with one more answer accepted."""
        typed = {k: v for k, v in self.typed.items() if k != key}
        return Draft({**self.answers, key: value}, typed)

    def with_typed(self, key: str, text: str) -> Draft:
        """The draft with what now stands in the field of a step."""
        return Draft(self.answers, {**self.typed, key: text})

    def back(self) -> Draft:
        """The draft before its last answer, which stands in its field again."""
        *kept, (key, value) = self.answers.items()
        return Draft(dict(kept), {**self.typed, key: value})


def canonical(switch: Switch, text: str) -> str:
    """The answer that `text` gives to a step; raises `SettingError`.

    A passage keeps its line ends: an author may take the lines of a pasted block apart.
    """
    value = switch.parse(text)
    if not isinstance(switch, Text):
        return value
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def settled(draft: Draft, author: Author) -> Draft:
    """The draft as far as its author accepts it today; other answers become merely typed."""
    kept = Draft(typed={**draft.typed, **draft.answers})
    while (step := author.next_step(kept.answers)) is not None:
        key = step.switch.key
        if key in kept.answers or key not in draft.answers:
            break
        try:
            value = canonical(step.switch, draft.answers[key])
        except SettingError:
            break
        kept = kept.with_answer(key, value)
    return kept


def place(benchmark: str) -> Path:
    """The file of a benchmark's one draft; it need not exist."""
    return paths.data() / "drafts" / f"{benchmark}.json"


def read(path: Path) -> Draft:
    """Read a draft; an empty one where there is no file. Raises `DataError` for a damaged one."""
    try:
        found = json.loads(read_regular(path, _LIMIT, DataError, name=_("The draft")))
    except FileNotFoundError:
        return Draft()
    except (ValueError, RecursionError) as error:
        raise DataError(_("The draft is damaged: it is not JSON."), where=path) from error
    if not (isinstance(found, dict) and set(found) == {"answers", "typed"}):
        raise DataError(
            _("The draft is damaged: it holds something else."),
            where=path,
        )
    return Draft(_texts(found["answers"], path), _texts(found["typed"], path))


def _texts(found: Any, path: Path) -> dict[str, str]:
    if not (isinstance(found, dict) and all(isinstance(text, str) for text in found.values())):
        raise DataError(
            _("The draft is damaged: its answers are not texts."),
            where=path,
        )
    return found


def write(path: Path, draft: Draft) -> None:
    """Store a draft in one step, so that a kill leaves the old one or the new. Raises `DataError`.

    Lone surrogates are written as JSON escapes, so that any text can be stored.
    """
    body = json.dumps({"answers": dict(draft.answers), "typed": dict(draft.typed)}, indent=1)
    try:
        atomic_write(path, body)
    except OSError as error:
        raise DataError(
            _("The draft cannot be stored: {why}.", why=error.strerror),
            where=path,
            hint=_("What you type is lost when the program ends."),
        ) from error


def discard(path: Path) -> None:
    """Throw a draft away; raises `DataError` where that is not possible."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(
            _("The draft cannot be removed: {why}.", why=error.strerror),
            where=path,
        ) from error


def set_aside(path: Path) -> Path:
    """Rename a damaged draft so that it is kept and out of the way; return its new path.

    Raises `DataError`.
    """
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}.json")).exists():
        number += 1
    try:
        path.replace(aside)
    except OSError as error:
        raise DataError(
            _("The draft cannot be set aside: {why}.", why=error.strerror),
            where=path,
        ) from error
    return aside
