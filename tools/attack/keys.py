"""Random keys, clicks and sizes over all screens, while a run sends its messages."""

from __future__ import annotations

import asyncio
import os
import string
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from textual.events import Key, MouseDown, MouseScrollDown, MouseUp
from textual.pilot import Pilot

from core.contract import registry
from core.files import paths
from core.lessons.bound_lesson import bind
from core.lessons.lesson import LANGUAGES
from core.lessons.lesson_reader import read_lesson
from core.lessons.library import bundled
from tools.attack.attempts import Tally, note, peak
from tools.attack.made_stores import made_store, made_study
from tui.app.app import CommonsenseApp
from tui.app.lesson_app import LessonApp
from tui.lessons.room_screen import RoomScreen
from tui.lessons.screen import LessonScreen

TRIES = 20_000
SIZES = ((140, 40), (80, 24), (60, 20), (200, 60), (30, 8))
DELAYS = (0.0, 0.0, 0.0, 0.0, 0.001, 0.005, 0.02, 0.08, 0.25)
"""Seconds between the keys of a burst; most come at once."""
NAMED = (
    "enter", "escape", "tab", "shift+tab", "space", "up", "down", "left", "right", "home", "end",
    "pageup", "pagedown", "backspace", "delete", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8",
    "f9", "f10", "ctrl+o", "ctrl+p", "ctrl+r", "ctrl+t", "ctrl+s", "ctrl+a", "ctrl+u", "ctrl+w",
    "ctrl+c", "ctrl+e", "ctrl+g", "ctrl+k",
)  # fmt: skip
_QUITTING = frozenset({"q", "ctrl+q"})
WAYS = (
    ("C",), ("m",), ("s",), ("tab", "enter"), ("e",), ("ctrl+o",), ("f1",), ("r",), ("f3",), ("n",),
    ("Q",), ("f2",), ("ctrl+p",), ("x",), ("X",), ("b",), ("v",), ("slash",), ("question_mark",),
    ("r", "space"), ("space",), ("Q", "enter"), ("f3", "enter"), ("i",), ("p",), ("A",),
    ("f3", "end", "space", "up", "c"), ("f3", "end", "up", "up", "asterisk"), ("f4",),
    ("f4", "end", "enter"), ("f4", "n"), ("f4", "n", "enter"), ("f6",), ("f7",), ("f8",),
    ("f8", "enter"), ("f8", "down", "enter"), ("f8", "end", "up", "enter"), ("f9",), ("f10",),
    ("f10", "down", "enter"), ("C", "end", "enter"), ("ctrl+e",), ("ctrl+g",), ("ctrl+k",),
)  # fmt: skip
"""Keys that lead to a screen, a dialogue or a pane. The oldest runs and the oldest study are those
that the attack made; they stand at the end of their lists."""
_SIGNS = {"slash": "/", "question_mark": "?", "space": " ", "enter": "\r", "escape": "\x1b"}
_KEYS_A_PROGRAM = 200
"""After so many keys a program is closed, and another one opened."""
_STUCK_SECONDS = 60.0
_OPENING_SECONDS = 120.0


def pressed(app: CommonsenseApp, keys: Sequence[str]) -> None:
    """Send keys without waiting for what they do."""
    for key in keys:
        character = _SIGNS.get(key, key if len(key) == 1 else None)
        app.post_message(Key(key, character))


def clicked(app: CommonsenseApp, random: Random) -> None:
    """Click, or turn the wheel, anywhere."""
    x, y = random.randrange(app.size.width or 1), random.randrange(app.size.height or 1)
    rest: tuple[Any, ...] = (x, y, 0, 0, 1, False, False, False, x, y)
    for kind in random.choice(((MouseDown, MouseUp), (MouseDown, MouseUp), (MouseScrollDown,))):
        app.post_message(kind(None, *rest))


def any_key(random: Random) -> str:
    """A letter, a sign or a named key; rarely one that leaves the program."""
    if random.random() < 0.45:
        return random.choice(NAMED)
    key = random.choice(string.ascii_letters + string.digits + "+-/?.,;:[]")
    return key if key not in _QUITTING or random.random() < 0.1 else "j"


def failed(app: CommonsenseApp) -> str:
    """What ended the program, if it did not end as it should."""
    error = app._exception
    return "" if error is None else f"{type(error).__name__}: {str(error)[:300]}"


class Session:
    """A program, and what was pressed in it last."""

    def __init__(self, app: CommonsenseApp, pilot: Pilot[None], random: Random) -> None:
        self.app = app
        self.pilot = pilot
        self.random = random
        self.last: list[str] = []
        self.seen: Counter[str] = Counter()

    @property
    def running(self) -> bool:
        """Whether it can still be used."""
        return self.app.is_running and self.app.return_code is None and not failed(self.app)

    async def burst(self) -> int:
        """Send 2 to 20 keys, at once or a little apart; how many."""
        random = self.random
        keys = [any_key(random) for _ in range(random.randrange(2, 21))]
        delay = random.choice(DELAYS)
        if delay > 0.05:
            keys = keys[:4]
        if random.random() < 0.3:
            keys = [random.choice(("enter", "escape", "space", "j"))] * len(keys)
        self.last = [*self.last[-40:], f"({delay * 1000:.0f} ms)", *keys]
        for key in keys:
            if random.random() < 0.1:
                clicked(self.app, random)
            pressed(self.app, (key,))
            if delay:
                await asyncio.sleep(delay)
        await self._handled()
        return len(keys)

    async def lead(self) -> None:
        """Go to a screen; sometimes home first, sometimes to a terminal of another size."""
        random = self.random
        # Escape leaves a lesson, and with it a program that was opened on one.
        if random.random() < 0.5 and not isinstance(self.app.screen, LessonScreen):
            pressed(self.app, ["escape"] * 4)
        if random.random() < 0.05:
            await self.pilot.resize_terminal(*random.choice(SIZES))
        way = random.choice(WAYS)
        if isinstance(self.app.screen, LessonScreen) and random.random() < 0.05:
            # It is opened with a key where a server shows the lesson to a room.
            way = ()
            self.app.push_screen(RoomScreen("http://127.0.0.1:9/room"))
        self.last += ["(to)", *way]
        # At once, or as a person who waits for what each key opens.
        together = random.random() < 0.5
        for key in way:
            pressed(self.app, (key,))
            if not together:
                await asyncio.sleep(0.1)
                await self._handled()
        await self._handled()

    async def leave(self) -> None:
        """Leave the program as a person does, in the middle of what it is doing.

        `run_test` closes the screens while the program still takes keys, which nothing else does.
        """
        end = time.monotonic() + _STUCK_SECONDS
        self.app.exit()
        while self.app.is_running:
            if time.monotonic() > end:
                raise TimeoutError
            await asyncio.sleep(0.002)

    async def _handled(self) -> None:
        """Let the program work until it has taken every key, which must not take for ever."""
        end = time.monotonic() + _STUCK_SECONDS
        await asyncio.sleep(0)
        while self.running and not self.app._message_queue.empty():
            if time.monotonic() > end:
                raise TimeoutError
            await asyncio.sleep(0.002)
        await asyncio.sleep(0.01)
        if self.running and self.app.screen_stack:
            self.seen[type(self.app.screen).__name__] += 1


def program(random: Random) -> CommonsenseApp:
    """A program on a benchmark, or on a lesson."""
    if random.random() < 0.75:
        model = "person:Anna" if random.random() < 0.1 else "demo"
        return CommonsenseApp(benchmark=random.choice(registry.names()), model=model)
    language = random.choice(LANGUAGES)
    lesson = bind(read_lesson(random.choice(bundled()), language))
    return LessonApp(lesson, language, model="demo", presenting=random.random() < 0.3)


async def _session(tally: Tally, random: Random, most: int, name: str) -> None:
    """Open a program and press so many keys in it."""
    app, pressing = program(random), None
    try:
        async with app.run_test(size=random.choice(SIZES)) as pilot:
            pressing = Session(app, pilot, random)
            end = time.monotonic() + _OPENING_SECONDS
            while not app.model_state.ready and time.monotonic() < end:
                await asyncio.sleep(0.02)
            before, started = peak(reset=True), time.process_time()
            if not isinstance(app, LessonApp):
                # A run over the collection is going on behind all screens.
                pressed(app, ("r", "space", "escape"))
            while pressing.running and tally.tried < most:
                await pressing.lead()
                tally.tried += await pressing.burst()
            seconds = (time.process_time() - started) / max(tally.tried, 1)
            tally.measure(f"a key of {name}, on average", seconds, peak() - before)
            await pressing.leave()
    except TimeoutError:
        tally.fail(name, "the program does not take keys any more")
    except Exception as error:
        tally.fail(name, f"{type(error).__name__}: {str(error)[:300]}")
    why = failed(app)
    if pressing is not None:
        tally.endings.update({f"screen {kind}": n for kind, n in pressing.seen.items()})
        if why:
            tally.fail(name, f"{why} after {' '.join(pressing.last)}")


def _used(name: str, most: int) -> Tally:
    """What came of a program; the name tells what is pressed in it."""
    tally = Tally("keys")
    asyncio.run(_session(tally, Random(name), most, name))
    tally.tried = max(tally.tried, 1)
    return tally


def attack(tries: int, seed: int) -> Tally:
    """Press so many keys, in as many programs as that takes."""
    tally = Tally("keys")
    number = 0
    # Two runs that can be compared, and one whose answers could not be read.
    for digit in "abc":
        made_store(paths.runs(), fingerprint=digit * 64, read=digit != "c")
    made_study(paths.runs())
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            while tally.tried < tries:
                note(f"keys {tally.tried:,} of {tries:,}, failed {len(tally.failures)}")
                most, name = min(_KEYS_A_PROGRAM, tries - tally.tried), f"program {seed} {number}"
                # Each has a process of its own, as a person's has.
                with ProcessPoolExecutor(1, get_context("spawn")) as process:
                    try:
                        tally.add(process.submit(_used, name, most).result())
                    except BrokenProcessPool:
                        tally.tried += 1
                        tally.fail(name, "its process ended")
                number += 1
        finally:
            os.chdir(before)
    return tally


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    os.environ["TEXTUAL_ANIMATIONS"] = "none"
    return attack(tries, seed)
