"""When the program looks for objects that nothing leads to any more.

Looking through all of them stops the program for 50 to 200 ms, so it is done when a person waits
anyway.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from functools import _lru_cache_wrapper
from typing import Any

from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from core.system.heap import give_back

_COMPUTED = (
    Region.__contains__, Region.grow, Region.intersection, Region.shrink, Region.translate,
    Region.union,
)  # fmt: skip
"""Functions of which Textual keeps up to 4,096 results each, half a kilobyte a result."""

_MUCH_IS_NEW = 30
"""Collections of the middle generation, since everything was last looked through, from which on
closing a screen does it."""


def screen_closed() -> None:
    """Free what closed screens drew, and the screens if much was made since all was looked through.

    Textual keeps the colours of up to 1,024 widgets, and with each of them all lines that it drew;
    and 1,024 blank lines, and with each of them the pieces that it was cut into.
    """
    StylesCache.get_inner_outer.cache_clear()
    Strip.blank.cache_clear()
    for function in _COMPUTED:
        function.cache_clear()
    if gc.get_count()[2] >= _MUCH_IS_NEW:
        gc.collect()
        give_back()


def _attributes() -> Iterator[Any]:
    """What modules and their classes have, by whatever name."""
    for module in list(sys.modules.values()):
        for value in list(getattr(module, "__dict__", {}).values()):
            yield value
            if issubclass(type(value), type):  # isinstance would run code of the value.
                yield from list(vars(value).values())


def _empty_caches() -> None:
    """Empty the caches of functions that keep some number of results: there are sixty.

    They are not looked for among all objects: who holds a tuple that another thread is making
    breaks the work of that thread.
    """
    for each in _attributes():
        function = each.__func__ if type(each) in {classmethod, staticmethod} else each
        if type(function) is _lru_cache_wrapper and function.cache_parameters()["maxsize"]:
            function.cache_clear()


def free_unreachable(screens: Iterable[Screen[object]]) -> None:
    """Free what nothing leads to any more, such as a collection with its open files.

    So are the lines that the screens have drawn, each with the pieces that other screens in front
    cut out of it, and what was computed to draw them. They are drawn again when they are next seen.
    """
    for screen in screens:
        for widget in screen.walk_children(Widget, with_self=True):
            widget._styles_cache.clear()
    # What is still used for a moment must not be frozen again.
    gc.unfreeze()
    _empty_caches()
    gc.collect()
    give_back()
