"""What a shell is offered when it asks how a word goes on.

The offers come from files, and shells take the answer as a piece of a script; so nothing is offered
but plain names. A file that cannot be read offers nothing: an error message would only stand in the
way of the person who is typing.
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

from core.contract import registry
from core.files import config, paths
from core.text.errors import CommonsenseError
from core.text.language import LANGUAGES
from tui.cli import COMPLETION_VARIABLE

_HEAD_VARIABLE = "_COMMONSENSE_TUI_HEAD"
"""Keeps, in bash, the part of the word that stands before its last colon."""
_PLAIN_NAME = re.compile(r"[\w.,:@%+=/-]+", re.ASCII)
_MOST_MODEL_FILES = 100


def benchmarks(incomplete: str) -> list[str]:
    """The names of the benchmarks."""
    return _matching(incomplete, registry.names())


def items(ctx: typer.Context, incomplete: str) -> list[str]:
    """The ids of the bundled items of the benchmark that was named; none where --data is given."""
    name = ctx.params.get("benchmark")
    if not isinstance(name, str) or ctx.params.get("data") is not None:
        return []
    try:
        benchmark = registry.load(name)
        collection = registry.open_collection(benchmark, benchmark.samples())
        return _matching(incomplete, (collection.entry(i).id for i in range(len(collection))))
    except CommonsenseError:
        return []


def models(ctx: typer.Context, incomplete: str) -> list[str]:
    """The bundled model, the recorded runs, and files in the folders of models."""
    from core.models.replay import REPLAY_PREFIX

    names = ["demo", *(f"{REPLAY_PREFIX}{run}" for run in _run_ids(ctx)), *_model_files()]
    return _matching(incomplete, names)


def runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """The ids of the recorded runs."""
    return _matching(incomplete, _run_ids(ctx))


def studies(ctx: typer.Context, incomplete: str) -> list[str]:
    """The ids of the recorded studies."""
    from core.studies.study_store import StudyStore

    try:
        path = Path(ctx.params.get("store") or paths.runs())
        with StudyStore(path, create=False) as store:
            return _matching(incomplete, [study.id for study in store.studies()])
    except CommonsenseError:
        return []


def plots(incomplete: str) -> list[str]:
    """The kinds of plots."""
    from core.exchange.plots.gathering import KINDS

    return _matching(incomplete, KINDS)


def lessons(incomplete: str) -> list[str]:
    """The names of the bundled lessons and of the person's own."""
    from core.lessons.library import bundled, own

    try:
        return _matching(incomplete, (path.stem for path in (*bundled(), *own())))
    except CommonsenseError:
        return _matching(incomplete, (path.stem for path in bundled()))


def published_tables(incomplete: str) -> list[str]:
    """The names of the tables of published figures."""
    from core.exchange.published.library import names

    return _matching(incomplete, names())


def published_models(incomplete: str) -> list[str]:
    """The names of published models that are known."""
    from core.hub import catalogue

    return _matching(incomplete, (model.name for model in catalogue.models()))


def published_data(incomplete: str) -> list[str]:
    """The names of published data sets that are known."""
    from core.hub import catalogue

    return _matching(incomplete, (data.name for data in catalogue.datasets()))


def languages(incomplete: str) -> list[str]:
    """The codes of the languages that screens speak."""
    return _matching(incomplete, LANGUAGES)


def places(incomplete: str) -> list[str]:
    """What `locate` can name."""
    return _matching(incomplete, paths.named_paths())


def keep_words_as_typed() -> None:
    """Make typer keep words as texts while one of them is completed.

    Nobody reads the values that typer would make of them, and making them imports pydantic, which
    takes a third of the time.
    """
    for kind in (TyperArgument, TyperOption):
        kind.process_value = _as_typed  # type: ignore[assignment, method-assign]


def _as_typed(_parameter: object, _context: object, value: Any) -> Any:
    return value


def rejoin_words() -> None:
    """Join what bash splits at colons, which stand in ids, and at equals signs.

    The word that is completed loses the part before its last colon, and so does what is offered.
    """
    if os.environ.get(COMPLETION_VARIABLE) != "complete_bash":
        return
    words = os.environ.get("COMP_WORDS", "").split("\n")
    position = os.environ.get("COMP_CWORD", "")
    if not position.isdecimal() or int(position) >= len(words):
        return
    joined: list[str] = []
    for word in words[: int(position) + 1]:
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
    os.environ[_HEAD_VARIABLE] = head + colon


def _matching(incomplete: str, names: Iterable[str]) -> list[str]:
    """The plain names that begin with what was typed, less the part that bash has split off."""
    head = os.environ.get(_HEAD_VARIABLE, "")
    return [
        name.removeprefix(head)
        for name in names
        if name.startswith(head + incomplete) and _PLAIN_NAME.fullmatch(name)
    ]


def _run_ids(ctx: typer.Context) -> list[str]:
    from core.runs.connection import run_ids

    try:
        return run_ids(Path(ctx.params.get("store") or paths.runs()))
    except CommonsenseError:
        return []


def _model_files() -> Iterator[str]:
    from core.models.model_files import find_models

    chosen, _ = config.read_or_defaults()
    files = find_models((paths.models(), *chosen.model_folders))
    return (str(file) for file in islice(files, _MOST_MODEL_FILES))
