"""The same two prompts traced the other way round, or with a random control, beside the trace."""

from __future__ import annotations

from collections.abc import Callable

from core.blocks.trace import Direction
from core.text.language import _
from tui.blocks.trace_controller import Tracing


class ControlTrace:
    """A second trace of the first one's pair, with the same model."""

    error = ""
    loading = False
    progress = 1.0

    def __init__(self, direction: Direction) -> None:
        self.direction = direction
        self.tracing: Tracing | None = None
        """None before the first trace's contrast prompt is known."""

    @property
    def name(self) -> str:
        """What it is, in words."""
        return _(self.direction)

    @property
    def busy(self) -> bool:
        """Whether it is being computed."""
        return self.tracing is not None and self.tracing.busy

    def heading(self, model: str) -> str:
        """The heading of the first trace beside this one."""
        return _(Direction.DENOISING)

    async def load(self, changed: Callable[[], None]) -> None:
        """Load nothing: the model is the first trace's."""

    async def follow(self, first: Tracing, changed: Callable[[], None]) -> None:
        """Trace the first trace's two prompts."""
        if first.pair is None or first.table is None:
            return
        self.tracing = Tracing(first.subject, self.direction)
        self.tracing.part = first.part
        await self.tracing.work(changed, like=first.pair, own=first.table.base)

    async def close(self) -> None:
        """Free nothing: the model is the first trace's."""
