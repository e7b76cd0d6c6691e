"""How a word goes on, for the shell that asks: benchmarks, items, models, runs and lessons.

What is offered comes from files, and shells take the answer as a piece of a script; so nothing is
offered but plain names. What cannot be read offers nothing: a word is being typed, and an error
would only stand in its way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperOption

from core.text.errors import CommonsenseError

_PLAIN = re.compile(r"[\w.,:@%+=/-]+", re.ASCII)
_MOST_FILES = 100
"""Model files after which no more are looked for."""
_SHELL = "_COMMONSENSE_TUI_COMPLETE"
_HEAD = "_COMMONSENSE_TUI_HEAD"
"""Where what stands before the word's last colon is kept, in bash."""


def benchmarks(incomplete: str) -> list[str]:
    """The names of the benchmarks."""
    from core.contract import registry

    return _going_on(incomplete, registry.names())


def items(ctx: typer.Context, incomplete: str) -> list[str]:
    """The ids of the bundled items of the benchmark that was named; files where --data is given."""
    from core.contract import registry

    name = ctx.params.get("benchmark")
    if not isinstance(name, str) or ctx.params.get("data") is not None:
        return []
    try:
        benchmark = registry.load(name)
        collection = registry.open_collection(benchmark, benchmark.samples())
        return _going_on(incomplete, (collection.entry(i).id for i in range(len(collection))))
    except CommonsenseError:
        return []


def models(ctx: typer.Context, incomplete: str) -> list[str]:
    """What --model may name: the bundled model, recorded runs, and files in one's own folders."""
    named = ["demo", *(f"replay:{run}" for run in _runs(ctx)), *_model_files()]
    return _going_on(incomplete, named)


def runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """The ids of the recorded runs."""
    return _going_on(incomplete, _runs(ctx))


def lessons(incomplete: str) -> list[str]:
    """The names of the bundled lessons and of one's own."""
    from core.lessons.library import bundled, own

    return _going_on(incomplete, (path.stem for path in (*bundled(), *own())))


def languages(incomplete: str) -> list[str]:
    """The codes of the languages that screens speak."""
    from core.text.language import LANGUAGES

    return _going_on(incomplete, LANGUAGES)


def places(incomplete: str) -> list[str]:
    """What `locate` can name."""
    from core.files import paths

    return _going_on(incomplete, paths.places())


def keep_as_typed() -> None:
    """Let words stay words where one of them is to go on.

    What typer would make of them is not asked for, and takes pydantic: a third of the time.
    """
    if os.environ.get(_SHELL, "").startswith("complete_"):
        for kind in (TyperArgument, TyperOption):
            kind.process_value = _as_typed  # type: ignore[assignment, method-assign]


def _as_typed(_parameter: object, _context: object, value: Any) -> Any:
    return value


def rejoin_words() -> None:
    """Undo that bash takes a colon, which stands in ids, and an equals sign for words.

    The word that is completed loses what stands before its last colon; what is offered does too.
    """
    if os.environ.get(_SHELL) != "complete_bash":
        return
    words = os.environ.get("COMP_WORDS", "").split("\n")
    place = os.environ.get("COMP_CWORD", "")
    if not place.isdecimal() or int(place) >= len(words):
        return
    joined: list[str] = []
    for word in words[: int(place) + 1]:
        if word == "=" and joined and joined[-1].startswith("--"):
            joined.append("")
        elif joined and joined[-1] == "" and len(joined) > 1:
            joined[-1] = word
        elif joined and ":" in (word[:1], joined[-1][-1:]):
            joined[-1] += word
        else:
            joined.append(word)
    head, colon, last = joined[-1].rpartition(":")
    os.environ["COMP_WORDS"] = "\n".join([*joined[:-1], last])
    os.environ["COMP_CWORD"] = str(len(joined) - 1)
    os.environ[_HEAD] = head + colon


def _going_on(incomplete: str, names: Iterable[str]) -> list[str]:
    head = os.environ.get(_HEAD, "")
    found = (name for name in names if name.startswith(head + incomplete))
    return [name.removeprefix(head) for name in found if _PLAIN.fullmatch(name)]


def _runs(ctx: typer.Context) -> list[str]:
    from core.files import paths
    from core.runs.ids import run_ids

    try:
        return run_ids(Path(ctx.params.get("store") or paths.runs()))
    except CommonsenseError:
        return []


def _model_files() -> Iterator[str]:
    from core.files import config, paths
    from core.models.model_files import find_models

    chosen, _ = config.read_or_defaults()
    found = find_models((paths.models(), *chosen.model_folders))
    return (str(file) for file in islice(found, _MOST_FILES))
