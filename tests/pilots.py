"""A pilot that waits until a program has done what it was told, on however busy a machine.

Textual's own takes a process that was given no processor time for one that has nothing to do, and
goes on while a key is still on its way from one widget to the next.
"""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual.app import App
from textual.message_pump import MessagePump
from textual.notifications import Notification
from textual.pilot import Pilot

_LOOKS = 200
"""Most looks at whether there is something left to do; a program that streams never rests."""
_CALM = 5
"""Looks in a row that must find nothing: a task may be about to post what no queue holds yet."""

_PATIENCE = 120.0
"""Seconds that a widget may take over one message before it is taken for stuck."""
_LONG = 3600.0
"""Seconds that what the program tells in a corner stays there: longer than any test looks."""

_press, _wait_for_screen = Pilot.press, Pilot._wait_for_screen


def notices(app: App[Any]) -> list[str]:
    """What the program has told in a corner, the oldest first."""
    return [str(notice.message) for notice in app._notifications]


@contextmanager
def everything_awaited() -> Iterator[None]:
    """Inside, no coroutine is made and then thrown away before it begins."""
    gc.collect()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
        gc.collect()
    assert not [str(each.message) for each in caught if "never awaited" in str(each.message)]


def screen_rows(app: App[Any]) -> list[str]:
    """The cells of the terminal as text, row by row."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in strips]


async def settled(pilot: Pilot[Any]) -> None:
    """Let the program handle every message there is, lay out and paint."""
    calm = 0
    for _ in range(_LOOKS):
        if calm == _CALM or not pilot.app._running or pilot.app.return_code == 1:
            return
        calm = calm + 1 if _rests(pilot.app) else 0
        await asyncio.sleep(0 if calm else 0.005)


def _rests(app: App[Any]) -> bool:
    """Whether everything waits for a message, and nothing has to be laid out or painted."""
    if not app.screen_stack:
        return True
    front = app.screen
    drawn = not (
        app._resize_event
        or front._layout_required
        or front._scroll_required
        or front._repaint_required
        or front._recompose_required
        or front._dirty_widgets
        or front._callbacks
    )
    return drawn and all(map(_waits, _pumps(app)))


def _pumps(app: App[Any]) -> Iterator[MessagePump]:
    yield app
    for screen in app.screen_stack:
        yield from screen.walk_children(with_self=True)


def _waits(pump: MessagePump) -> bool:
    if pump._closing or pump._closed:
        return True
    queue = pump._message_queue
    return queue.empty() and bool(queue.ready_event._waiters) and not pump._next_callbacks


async def _patient_press(self: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await _press(self, key)


async def _patient_wait(self: Pilot[Any], timeout: float = _PATIENCE) -> bool:
    done = await _wait_for_screen(self, timeout)
    await settled(self)
    return done


async def _no_sleep(min_sleep: float = 0, max_sleep: float = 0) -> None:
    await asyncio.sleep(0)


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every press, click and pause of a pilot end when what it began has ended.

    It does not sleep besides, as Textual's does until the process takes little processor time.
    Nothing that the program tells is gone before a test looks at it.
    """
    monkeypatch.setattr(textual.app, "wait_for_idle", _no_sleep)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", _no_sleep)
    monkeypatch.setattr(Pilot, "press", _patient_press)
    monkeypatch.setattr(Pilot, "_wait_for_screen", _patient_wait)
    monkeypatch.setattr(Notification, "time_left", property(lambda self: _LONG))
