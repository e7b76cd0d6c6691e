"""A signal that keeps none of those who follow it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakMethod, ref

from textual import signal
from textual.dom import DOMNode

SignalT = TypeVar("SignalT")


class Signal(signal.Signal[SignalT]):
    """Textual's own keeps a closed screen, with all that it shows, until it is published again."""

    def subscribe(
        self, node: DOMNode, callback: Callable[[SignalT], Any], immediate: bool = False
    ) -> None:
        """Call a method of a node, or of what the node owns, whenever something is published."""
        follower, method = ref(node), WeakMethod(callback)

        def call(data: SignalT) -> None:
            present, called = follower(), method()
            if present is not None and called is not None:
                present.call_next(called, data)

        super().subscribe(node, call, immediate=True)
