"""A second model, which is traced on the same two prompts as the first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from core.blocks.result_cache import BlockResultCache
from core.models.inspectable import Inspectable
from core.models.protocol import Model
from core.runs.asking import natural_form
from core.text.errors import CommonsenseError
from core.text.language import _
from tui.blocks.trace_controller import Tracing


class ComparisonModel:
    """A second model, in a process of its own."""

    def __init__(self, name: str) -> None:
        """`name` is what `load_model` takes."""
        from core.models.resolver import shown_name

        self.name = shown_name(name)
        """The name that was typed, without secrets; once the model is loaded, its own name."""
        self.progress = 0.0
        """Share of the file that is loaded."""
        self.error = ""
        self.tracing: Tracing | None = None
        """This model's trace; None before the first model's contrast prompt is known."""
        self._typed = name
        self._loader: asyncio.Task[None] | None = None
        self._model: Model | None = None
        self._cache = BlockResultCache()

    @property
    def loading(self) -> bool:
        """Whether the model is still to be loaded."""
        return self._model is None and not self.error

    @property
    def busy(self) -> bool:
        """Whether the model is being loaded or traced."""
        return self.loading or (self.tracing is not None and self.tracing.busy)

    def heading(self, model: str) -> str:
        """The heading of the first model's trace beside this one's."""
        return model

    async def load(self, changed: Callable[[], None]) -> None:
        """Load the model unless it is loaded; a failure is kept in `error`.

        Raises `CancelledError` if the model is unloaded meanwhile.
        """
        from core.models.resolver import load_model

        if not self.loading:
            return

        def on_progress(share: float) -> None:
            self.progress = share
            changed()

        async def load() -> None:
            model = await load_model(self._typed, on_progress=on_progress)
            self._model, self.name = model, model.info.name

        # A task of its own, so that a loaded model is not lost if the caller is cancelled.
        self._loader = asyncio.create_task(load())
        try:
            await self._loader
        except CommonsenseError as error:
            self.error = str(error)
        changed()

    async def follow(self, first: Tracing, changed: Callable[[], None]) -> None:
        """Trace the first model's two prompts in the form that this model takes."""
        model = self._model
        if model is None or first.pair is None:
            return
        if not isinstance(model, Inspectable):
            message = _("{model} does not run in this program, so it cannot be traced.")
            self.error = message.format(model=model.info.name)
            changed()
            return
        subject = replace(
            first.subject,
            model=model,
            blocks=self._cache.of(model.info.fingerprint, model.blocks),
            form=natural_form(model.info),
        )
        self.tracing = Tracing(subject)
        self.tracing.part = first.part
        await self.tracing.work(changed, like=first.pair)

    async def close(self) -> None:
        """Unload the model, or stop loading it."""
        if self._loader is not None:
            self._loader.cancel()
            await asyncio.wait({self._loader})
        model, self._model = self._model, None
        if model is not None:
            await model.close()
