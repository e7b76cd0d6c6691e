"""Drafts: unfinished items of a person's own, stored after every change."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

import msgspec

from core.contract.authoring import Author
from core.contract.setting import Switch, Text
from core.files import paths
from core.files.atomic import atomic_write, make_private_folder
from core.files.lock_file import held
from core.files.regular_file import read_regular
from core.system.typed_values import ready
from core.text.errors import DataError, SettingError
from core.text.language import _

_LIMIT = 4_000_000
"""Most bytes of a draft file."""
_MOST_WINDOWS = 100


@dataclass(frozen=True, slots=True)
class Draft:
    """The answers of an unfinished item, and texts that were typed but not accepted."""

    answers: Mapping[str, str] = field(default_factory=dict)
    """Accepted answers by switch key, in the order in which they were given."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """Texts in the fields of steps whose answers are not accepted, by switch key."""

    @property
    def empty(self) -> bool:
        """Whether nothing was typed."""
        return not self.answers and not any(text.strip() for text in self.typed.values())

    def with_answer(self, key: str, value: str) -> Draft:
        """The draft with one more answer accepted."""
        typed = {k: v for k, v in self.typed.items() if k != key}
        return Draft({**self.answers, key: value}, typed)

    def with_typed(self, key: str, text: str) -> Draft:
        """The draft with a new text in the field of a step."""
        return Draft(self.answers, {**self.typed, key: text})

    def back(self) -> Draft:
        """The draft without its last answer, whose text stays in its field."""
        *kept, (key, value) = self.answers.items()
        return Draft(dict(kept), {**self.typed, key: value})


class _Document(TypedDict):
    """A draft as JSON."""

    answers: dict[str, str]
    typed: dict[str, str]


def canonical(switch: Switch, text: str) -> str:
    """The answer that `text` gives to a step; raises `SettingError`.

    A passage keeps its lines: an author may split a pasted block at them.
    """
    value = switch.parse(text)
    if not isinstance(switch, Text):
        return value
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def settled(draft: Draft, author: Author) -> Draft:
    """The draft as far as its author accepts it now; the other answers become typed texts."""
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


def place(benchmark: str, number: int = 1) -> Path:
    """The file of a draft of a benchmark, of which every window has one; it need not exist."""
    name = benchmark if number == 1 else f"{benchmark}.{number}"
    return paths.data() / "drafts" / f"{name}.json"


@contextmanager
def own_place(benchmark: str) -> Iterator[Path]:
    """The file of a draft that no other window writes meanwhile, of one that was kept if any is."""
    places = [place(benchmark, number) for number in range(1, _MOST_WINDOWS)]
    with ExitStack() as holding:
        for path in sorted(places, key=lambda path: not path.exists()):
            try:
                make_private_folder(path.parent)
                holding.enter_context(held(path.with_suffix(".lock")))
            except BlockingIOError:
                continue
            except OSError:  # Nothing can be locked; writing the draft says what cannot be written.
                break
            break
        yield path


def read(path: Path) -> Draft:
    """Read a draft; an empty one where there is no file. Raises `DataError` for a damaged one."""
    try:
        # Unlike msgspec's decoder this one reads the lone surrogates that `write` stores.
        document = json.loads(read_regular(path, _LIMIT, DataError, name=_("The draft")))
        return Draft(**msgspec.convert(document, ready(_Document)))
    except FileNotFoundError:
        return Draft()
    except msgspec.ValidationError as error:
        raise DataError(_("The draft is damaged: it holds something else."), where=path) from error
    except (ValueError, RecursionError) as error:
        raise DataError(_("The draft is damaged: it is not JSON."), where=path) from error


def write(path: Path, draft: Draft) -> None:
    """Store a draft atomically, lone surrogates as JSON escapes; raises `DataError`."""
    body = json.dumps({"answers": dict(draft.answers), "typed": dict(draft.typed)}, indent=1)
    try:
        atomic_write(path, body, private=True)
    except OSError as error:
        raise DataError(
            _("The draft cannot be stored: {why}.", why=error.strerror),
            where=path,
            hint=_("What you type is lost when the program ends."),
        ) from error


def discard(path: Path) -> None:
    """Delete a draft; raises `DataError` where that is not possible."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(
            _("The draft cannot be removed: {why}.", why=error.strerror),
            where=path,
        ) from error


def set_aside(path: Path) -> Path:
    """Rename a damaged draft to keep it; returns the new path. Raises `DataError`."""
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
