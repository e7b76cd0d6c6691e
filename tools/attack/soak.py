"""One program for many minutes: keys, runs, models, collections, exports; what it holds at the end.

Memory at the end is at most a tenth above that at the fifth minute; descriptors, threads, processes
and temporary files are as they were when the program had just opened. It is measured at rest: the
first collection and the first model are open again, since what a recorded run answered is held by
the model that repeats it, and no run is asking or paused, since those rightly hold the store.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import os
import pkgutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

from textual._context import visible_screen_stack

import tui
from core.benchmarks.abspyramid.meteor import installed_meteor
from core.benchmarks.abspyramid.wordnet import NOUN, VERB, WordNet, find_wordnet
from core.contract import registry
from tools.attack.attempts import Tally, note
from tools.attack.keys import Session, failed, pressed
from tui.app.app import CommonsenseApp
from tui.blocks.controller import BlocksController
from tui.browse.screen import BrowseScreen
from tui.lessons.screen import LessonScreen
from tui.shell.prompts import PickOne
from tui.shell.thread_pool import THREADS

TRIES = 30
"""Minutes."""
_SETTLED_MINUTES = 5
_MODEL = "demo"
_MOST_GROWTH = 1.1
_REST_SECONDS = 0.4
"""Rest after each round, so that the soak leaves the machine to others."""
_MODELS_EVERY = 60
"""Rounds between two loads of the model."""
_WORDS_APART = 50
"""Words from one that is looked up to the next: the kernel reads more than these at once."""
_LATE = (
    "httpx2",
    "huggingface_hub.hf_api",
    "networkx",
    "nltk.stem.porter",
    "pyarrow",
    "pyvis.network",
    "rich.traceback",
    "scipy.special",
    "sklearn.linear_model",
    "statsmodels.stats.multitest",
)
"""What a session imports where it is used, and then keeps."""
_CLOSING_SECONDS = 60.0
"""Most that it may take to leave all screens; a screen may take several keys."""
_THREAD_SECONDS = 60.0
"""Most that a thread of the pool may be busy at rest."""


@dataclass(frozen=True)
class Held:
    """What a process holds."""

    mib: float
    opened: tuple[str, ...]
    """What each descriptor leads to."""
    threads: int
    children: int
    temporary: tuple[str, ...]
    """The names of temporary files and folders."""

    @property
    def descriptors(self) -> int:
        return len(self.opened)

    def __str__(self) -> str:
        return (
            f"{self.mib:.0f} MiB, {self.descriptors} descriptors, {self.threads} threads, "
            f"{self.children} processes, {len(self.temporary)} temporary files"
        )


def held(folder: Path) -> Held:
    """What this process holds now; `folder` is where temporary files are made."""
    # What a first look frees may have held more: a generator ends when it is freed.
    for _look in range(3):
        gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [memory] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
    return Held(
        int(memory.split()[1]) / 1024,
        tuple(sorted(_opened())),
        threading.active_count(),
        len(children.split()),
        tuple(sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))),
    )


def _opened() -> Iterator[str]:
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # The one with which the folder was read.
            yield str(descriptor.readlink())


async def _stay(_code: int) -> None:
    """Keeps the program open, whichever key is pressed."""


def _load_code() -> None:
    """Load what a session loads once and keeps, which is no growth: code, and WordNet."""
    if (wordnet := find_wordnet()) is not None:
        installed_meteor()
        _look_words_up(wordnet)
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.startswith(("tui.cli", "tui.serving")):
            importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)


def _look_words_up(wordnet: WordNet) -> None:
    """Look up nouns and verbs from all over WordNet.

    Its files are mapped, and what was read of them counts as memory of the process: 20 MiB, which a
    session otherwise comes to when somebody first scores by METEOR.
    """
    for part in (NOUN, VERB):
        with (wordnet.folder / f"index.{part}").open(encoding="ascii") as index:
            for line in islice(index, 0, None, _WORDS_APART):
                wordnet.senses(line.split(" ")[0].replace("_", " "), part)


async def _soak(tally: Tally, folder: Path, minutes: float, random: Random) -> None:
    app = CommonsenseApp(benchmark="gita", model=_MODEL)
    app.leave = _stay  # type: ignore[method-assign]
    _load_code()
    started = time.monotonic()
    settled: Held | None = None
    async with app.run_test(size=(140, 40)) as pilot:
        use = Session(app, pilot, random)
        while not app.model_state.ready:
            await asyncio.sleep(0.05)
        first = await _at_rest(app, folder)
        tally.endings[f"at first: {first}"] += 1
        rounds = 0
        while use.running and time.monotonic() - started < minutes * 60:
            rounds += 1
            await use.lead()
            tally.tried += await use.burst()
            if rounds % _MODELS_EVERY == 0:
                pressed(app, ["escape"] * 6)
                app.load_model(_MODEL)
                pressed(app, ("C", *["down"] * random.randrange(4), "enter"))
            await asyncio.sleep(_REST_SECONDS)
            gone = (time.monotonic() - started) / 60
            note(f"soak {gone:.1f} of {minutes:.0f} minutes, {tally.tried:,} keys")
            if settled is None and gone >= min(_SETTLED_MINUTES, minutes / 2):
                settled = await _at_rest(app, folder)
                tally.endings[f"after {gone:.0f} minutes: {settled}"] += 1
        last = await _at_rest(app, folder)
        tally.endings[f"at the end: {last}"] += 1
        tally.mib, tally.largest = last.mib, "at the end"
        _compare(tally, first, settled or first, last)
        await use.leave()
    if why := failed(app):
        tally.fail("soak", f"{why} after {' '.join(use.last)}")


async def _at_rest(app: CommonsenseApp, folder: Path) -> Held:
    """What is held when all screens are closed and nothing is being asked.

    Raises `TimeoutError` where a screen does not close, and `BrokenBarrierError` where a thread of
    the pool does not come to its end.
    """
    async with asyncio.timeout(_CLOSING_SECONDS):
        while len(app.screen_stack) > 1:
            pressed(app, [_key_that_closes(app)])
            await asyncio.sleep(0.1)
    await asyncio.sleep(5)
    await _cancel_runs(app)
    await app.load_model(_MODEL).wait()
    main = app.screen_stack[0]
    assert isinstance(main, BrowseScreen)
    if (blocks := main.feature(BlocksController)) is not None and blocks.open_name:
        blocks.toggle_pane(blocks.open_name)
    gita = registry.load("gita")
    main.browse(gita, gita.samples())
    while main.state is None:
        await asyncio.sleep(0.05)
    # Clicks leave the screen that they were made on in the context of the task that makes them.
    visible_screen_stack.set([])
    # The pool makes a thread when it is first needed and keeps it: all are there at first, and all
    # are free at the end.
    all_free = threading.Barrier(THREADS, timeout=_THREAD_SECONDS)
    await asyncio.gather(*(asyncio.to_thread(all_free.wait) for _ in range(THREADS)))
    await asyncio.sleep(1)
    return held(folder)


def _key_that_closes(app: CommonsenseApp) -> str:
    """The key that closes the screen in front. In a function of its own, whose end lets go of that
    screen and its collection."""
    asks_to_leave = isinstance(app.screen, PickOne)
    return "enter" if asks_to_leave and isinstance(app.screen_stack[-2], LessonScreen) else "escape"


async def _cancel_runs(app: CommonsenseApp) -> None:
    """Cancel all runs. In a function of its own as well, for the last run's collection."""
    for running in app.collection_runs.all:
        await running.cancel()


def _compare(tally: Tally, first: Held, settled: Held, last: Held) -> None:
    if last.mib > _MOST_GROWTH * settled.mib:
        tally.fail("memory", f"{settled.mib:.0f} MiB grew to {last.mib:.0f} MiB")
    for name in ("descriptors", "threads", "children"):
        before, after = getattr(settled, name), getattr(last, name)
        if after > max(before, getattr(first, name)):
            new = Counter(last.opened) - Counter(settled.opened) if name == "descriptors" else ()
            tally.fail(name, f"{before} became {after} {' '.join(new)}".rstrip())
    if left := set(last.temporary) - set(first.temporary):
        tally.fail("temporary files", f"left are {' '.join(sorted(left))}")


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    os.environ["TEXTUAL_ANIMATIONS"] = "none"
    tally = Tally("soak")
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        # Not `tmp`: a path in /tmp that lost its first sign would lead there.
        temporary = Path(folder) / "temporary"
        temporary.mkdir()
        os.environ["TMPDIR"] = str(temporary)
        tempfile.tempdir = None
        before = Path.cwd()
        os.chdir(folder)
        try:
            asyncio.run(_soak(tally, temporary, tries, Random(seed)))
        finally:
            os.chdir(before)
            tempfile.tempdir = None
            os.environ.pop("TMPDIR")
    return tally
