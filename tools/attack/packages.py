"""Benchmarks of another package whose results are not as the contract says.

The package has the program's own benchmarks, and one of their methods gives something damaged.
"""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from importlib import import_module
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

from typer.testing import CliRunner

from core.contract import other_packages, registry
from core.contract.authoring import Author
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.question import Form, Scoring
from core.files import paths
from core.models.protocol import Ability
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.pilots import settled
from tests.runs.models import INFO, HashingModel
from tools.attack.attempts import Tally, memory_limit, note, peak
from tui.app.app import CommonsenseApp
from tui.cli.main import app as command
from tui.shell.app import ToldError

TRIES = 2_000
_MOST_MIB = 4_000
_SCREENS_EVERY = 10
"""Every so many attempts the program is opened, too; the others are commands."""
_MODEL = replace(INFO, abilities=frozenset({Ability.SCORE, Ability.GENERATE}))
_ODD: tuple[Any, ...] = (
    None, True, -1, 10**9, 10**400, 2.5, math.nan, -math.inf, "", "no such thing", "\x1b[31m",
    "\ud800", "x" * 100_000, "[b]", b"bytes", (), [], {}, ("",), (1, 2, 3), object(), ValueError,
    len,
)  # fmt: skip
_KEYS = (
    "space", "v", "down", "up", "g", "t", "l", "e", "escape", "r", "space", "escape", "f3",
    "escape", "p", "x", "i", "escape", "A", "escape", "slash", "a", "enter", "escape", "+", "o",
    "n", "enter", "escape", "Q", "escape", "w", "escape", "end",
)  # fmt: skip


def damaged(value: Any, random: Random) -> Any:
    """The value with something odd in its place, or somewhere in it."""
    if random.random() < 0.12:
        return random.choice(_ODD)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        name = random.choice(value._fields)
        return value._replace(**{name: damaged(getattr(value, name), random)})
    if is_dataclass(value) and not isinstance(value, type):
        made = object.__new__(type(value))
        names = [field.name for field in fields(value)]
        chosen = random.choice(names) if names else ""
        for name in names:
            each = getattr(value, name)
            object.__setattr__(made, name, damaged(each, random) if name == chosen else each)
        return made
    if isinstance(value, tuple | list) and value:
        elements = list(value)
        at = random.randrange(len(elements))
        match random.randrange(6):
            case 0:
                del elements[at]
            case 1:
                elements.append(elements[at])
            case _:
                elements[at] = damaged(elements[at], random)
        return type(value)(elements)
    if isinstance(value, Mapping) and value:
        key = random.choice(list(value))
        if random.random() < 0.2:
            return {random.choice((7, None, "no such key")): value[key]}
        return {**value, key: damaged(value[key], random)}
    return random.choice(_ODD)


METHODS = (
    *other_packages.METHODS,
    *(name for kind in (Collection, Author) for name in vars(kind) if not name.startswith("_")),
)
"""What may give something damaged, of benchmarks, collections and authors."""


class Damage:
    """Which method gives something damaged, and how it is damaged."""

    method = ""
    seed = ""

    @classmethod
    def of(cls, method: str, value: Any) -> Any:
        """What a method gives, the same whenever it gives the same."""
        return damaged(value, Random(cls.seed)) if method == cls.method else value


def _damaging(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        return Damage.of(name, function(*args, **options))

    return called


class _Damaging:
    """Stands for a collection or an author, one of whose methods gives something damaged."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __len__(self) -> int:
        return len(self._inner)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        return _damaging(name, value) if callable(value) else Damage.of(name, value)


def _package(name: str) -> type[Benchmark]:
    """One of the program's own benchmarks, as that of another package."""
    module, class_name = registry.SHIPPED[name]
    own: Any = getattr(import_module(module), class_name)
    members = {each: _damaging(each, getattr(own, each)) for each in other_packages.METHODS}

    def opened(self: Any, path: Path) -> _Damaging:
        return _Damaging(own.open(self, path))

    def author(self: Any) -> _Damaging | None:
        found = own.author.fget(self)
        return None if found is None else _Damaging(found)

    return type(class_name, (own,), {**members, "open": opened, "author": property(author)})


class Packages:
    """The benchmarks of the other package."""

    gita = _package("gita")
    accord = _package("accord")
    com2 = _package("com2")
    abspyramid = _package("abspyramid")


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """Let the registry find them, as if pip had installed the package in a folder."""
    info = folder / "attacking-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: attacking\nVersion: 1.0\n")
    points = "".join(f"other-{name} = {__name__}:Packages.{name}\n" for name in registry.SHIPPED)
    info.joinpath("entry_points.txt").write_text(f"[{registry.GROUP}]\n{points}")
    sys.path.insert(0, str(folder))
    registry.entry_points_of.cache_clear()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        registry.entry_points_of.cache_clear()


async def _recorded(name: str, store_path: Path, limit: int) -> str:
    """Record a run of a few items with a model that answers at once; its id."""
    benchmark, model = registry.load(name), HashingModel(_MODEL)
    collection = registry.open_collection(benchmark, benchmark.samples())
    source = QuestionSource(benchmark, collection, limit=limit)
    plan = plan_for(
        model, source, benchmark.samples(), form=Form.BASE, scoring=Scoring.LOGLIKELIHOOD
    )
    with Store(store_path) as store:
        evaluation = Evaluation(store, plan, model, source)
        async for _step in evaluation.steps():
            pass
        return evaluation.run.id


def _command(tally: Tally, *words: str | Path) -> str:
    """Run a command, and keep what it took; what it printed to standard output."""
    before, started = peak(reset=True), time.process_time()
    result = CliRunner().invoke(command, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    named = " ".join(str(word) for word in words if not isinstance(word, Path))
    seconds = time.process_time() - started
    tally.measure(f"{named}, where {Damage.seed} is damaged", seconds, peak() - before)
    return result.stdout


def _commands(tally: Tally, name: str, folder: Path, random: Random) -> None:
    """Show, ask, record and export some item, and what it printed must be text."""
    benchmark = registry.load(name)
    collection = registry.open_collection(benchmark, benchmark.samples())
    chosen = collection.entry(random.randrange(min(40, len(collection)))).id
    store = folder / "runs.sqlite"
    printed = _command(tally, "show", name) + _command(tally, "show", name, chosen)
    _command(tally, "show", name, chosen, "--json")
    printed += _command(tally, "prompts", name, chosen)
    for form in ("html", "svg", "md", "graphml", "mermaid"):
        _command(tally, "export", form, name, chosen, "--to", folder / f"item.{form}")
    run = asyncio.run(_recorded(name, store, 4))
    for words in (("show", run), ("show", run, "--json"), ("compare", run, run)):
        printed += _command(tally, "runs", *words, "--store", store)
    _command(tally, "runs", "export", run, "--to", folder / "run.html", "--store", store)
    if "\x1b" in printed:
        raise AssertionError("a control character was printed")


async def _screens(name: str, run: str, random: Random) -> None:
    """Open the program on the benchmark and press keys on its screens."""
    app, defects = CommonsenseApp(benchmark=name, model=f"replay:{run}"), list[str]()
    # What ends a program is raised where a key is pressed, and again when it is left.
    with suppress(ToldError):
        async with app.run_test(size=random.choice(((140, 40), (80, 24)))) as pilot:
            for key in _KEYS:
                if app._exception is not None or not app.is_running:
                    break
                with suppress(Exception):
                    await pilot.press(key)
                    await settled(pilot)
            defects = [line for line in app.log_lines if "Traceback" in line]
    if defects:
        raise AssertionError(defects[0][-300:])


def attack(tries: int, seed: int, only: str = "") -> Tally:
    """Damage one method in each attempt."""
    tally = Tally("packages")
    with tempfile.TemporaryDirectory(prefix="attack-") as place, installed(Path(place)):
        names = [f"other-{name}" for name in registry.SHIPPED]
        runs = {name: asyncio.run(_recorded(name, paths.runs(), 4)) for name in names}
        for number in range(tries):
            random = Random(f"{seed} {number}")
            name, method = random.choice(names), random.choice(METHODS)
            title = f"{method} of {name} #{number}"
            if only not in title:
                continue
            note(f"packages {number:,} of {tries:,}: {title}, failed {len(tally.failures)}")
            Damage.method, Damage.seed = method, title
            folder = Path(place, "files")
            folder.mkdir()
            with tally.attempt(title, measured=not number % _SCREENS_EVERY):
                if number % _SCREENS_EVERY:
                    _commands(tally, name, folder, random)
                else:
                    # A program that ends says why.
                    with redirect_stderr(StringIO()):
                        asyncio.run(_screens(name, runs[name], random))
            Damage.method = ""
            shutil.rmtree(folder)
    return tally


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    memory_limit(_MOST_MIB)
    os.environ["TEXTUAL_ANIMATIONS"] = "none"
    return attack(tries, seed, only)
