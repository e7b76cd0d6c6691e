"""A loaded model that is asked with plain calls, in scripts and in notebooks."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from commonsense_tui.event_loop import EventLoopThread
from core.contract.benchmark import Benchmark
from core.contract.ladder import CountedVerdict
from core.contract.question import Form, Scoring, Verdict
from core.contract.rungs import Rung, build_rungs
from core.files import paths
from core.layout.ladder import answered_ladder, draw_ladder, outcome
from core.layout.plain_text import cells
from core.layout.rows import Ink, Row, Span, paragraph, plain
from core.models import resolver
from core.models.inspectable import readable
from core.models.protocol import Model, ModelInfo
from core.runs.asking import natural_form, prepared, prompt_of
from core.runs.ladder import ask_rungs
from core.runs.replay import replay
from core.runs.summaries import DEMO
from core.text.errors import NotFoundError
from core.text.suggestions import suggestion

if TYPE_CHECKING:
    from commonsense_tui.activation_arrays import Activations
    from commonsense_tui.block_scores import BlockScores
    from commonsense_tui.opened_items import OpenedCollection, OpenedItem

_Result = TypeVar("_Result")
_Kind = TypeVar("_Kind", bound=StrEnum)
_WIDTH = 88
"""Characters of a line of a drawn ladder."""


def load_model(name: str | Path = resolver.DEMO, *, store: str | Path | None = None) -> LoadedModel:
    """Load "demo", a GGUF file, a server's address, or "replay:RUN" with a run of `store`.

    Use it in a `with` statement, or close it. Raises `ModelError` and `NotFoundError`.
    """
    path = store_path(store)
    loop = EventLoopThread()
    try:
        loading = resolver.load_model(str(name), replay=lambda run: replay(path, run))
        return LoadedModel(loop, loop.run(loading))
    except BaseException:
        loop.close()
        raise


def store_path(store: str | Path | None) -> Path:
    """The store of runs of that name, or the person's own."""
    return paths.runs() if store is None else paths.expanded(store)


class LoadedModel:
    """A loaded model. Made by `load_model`."""

    def __init__(self, loop: EventLoopThread, model: Model) -> None:
        self._loop = loop
        self._model = model

    @property
    def info(self) -> ModelInfo:
        """Its name, weights and abilities."""
        return self._model.info

    def ask(
        self,
        item: OpenedItem,
        *,
        form: Form | str | None = None,
        scoring: Scoring | str | None = None,
    ) -> ItemLadder:
        """Ask every task layer of an item, zero-shot.

        Args:
            item: under its setting.
            form: "base" or "chat"; by default what suits the model.
            scoring: "log-likelihood" or "generated"; by default what suits the model and form.

        Raises `ModelError` when the model cannot answer.
        """
        rungs = build_rungs(item.benchmark, item.item, item.setting)

        async def ask(model: Model) -> tuple[Form, tuple[Rung, ...]]:
            used, reading = await prepared(model, chosen(Form, form), chosen(Scoring, scoring))
            return used, await ask_rungs(model, item.benchmark, rungs, form=used, scoring=reading)

        used, asked = self.run(ask)
        return ItemLadder(item.benchmark, item.id, self.info, used, asked)

    def blocks(
        self, item: OpenedItem, layer: str, *, form: Form | str | None = None
    ) -> BlockScores:
        """Score the options of a task layer's question after every block (logit lens).

        Raises `ModelError` for a model whose blocks cannot be read, and what
        `OpenedItem.question` raises.
        """
        from commonsense_tui.block_scores import BlockScores
        from core.blocks.lens import read_lens
        from core.runs.priors import content_free

        question = item.question(layer)
        used = chosen(Form, form) or natural_form(self.info)
        prompt = prompt_of(question, used, self.info)

        async def read(model: Model) -> BlockScores:
            blocks, _access = await readable(model)
            without = prompt_of(content_free(question), used, self.info)
            table = await read_lens(model, blocks, question, prompt, without)
            tokens = await blocks.tokens(prompt, question.continuations())
            return BlockScores(table, model.info, used, len(tokens))

        return self.run(read)

    def activations(
        self,
        collection: OpenedCollection,
        layer: str | None = None,
        *,
        positions: str = "last",
        blocks: str | Sequence[int] = "all",
        form: Form | str | None = None,
        limit: int | None = None,
        to: str | Path | None = None,
        half: bool = False,
    ) -> Activations:
        """The residual stream about every question of a task layer with one right option.

        Args:
            collection: whose items are asked about.
            layer: by default the first with options to ask.
            positions: "last", the answer position; or "spans", there and at the last token of each
                part of the question.
            blocks: the blocks after which it is read, or "all".
            form: "base" or "chat"; by default what suits the model.
            limit: only the first so many items.
            to: a file that ends in .safetensors, which is written row by row and then mapped, so
                that memory stays flat; an interrupted one is continued.
            half: whether the numbers in the file have 16 bits.

        Raises `ModelError` for a model whose blocks cannot be read, `SettingError` for an unknown
        layer, position or block or a limit below 1, and `ExportError` where the file cannot be
        written.
        """
        from commonsense_tui.activation_arrays import collect_activations

        used = chosen(Form, form)
        return self.run(
            lambda model: collect_activations(
                model, collection, layer, positions, blocks, used, limit, to, half=half
            )
        )

    def run(self, work: Callable[[Model], Coroutine[Any, Any, _Result]]) -> _Result:
        """The result of a coroutine that uses the model, run in the model's own event loop."""
        return self._loop.run(work(self._model))

    def close(self) -> None:
        """Unload the model; a second time does nothing."""
        if self._loop.is_open:
            self._loop.run(self._model.close())
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{self.info.name}, {self.info.parameters:,} parameters>"


@dataclass(frozen=True, slots=True)
class ItemLadder:
    """The answers of a model to every task layer of an item. A notebook draws it."""

    benchmark: Benchmark
    item: str
    model: ModelInfo
    form: Form
    asked: tuple[Rung, ...]
    """Every task layer with its question, or the reason why it has none, and its answer."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The answers, in the order of the layers."""
        return tuple(rung.verdict for rung in self.rungs)

    @property
    def rungs(self) -> tuple[CountedVerdict, ...]:
        """The answers, and which of them count: none after the first failure does."""
        return answered_ladder(self.asked).rungs

    @property
    def first_failure(self) -> str | None:
        """The first task layer with a wrong answer; None while every known answer is right."""
        return answered_ladder(self.asked).first_failure

    def __str__(self) -> str:
        return plain(self._rows())

    def __repr__(self) -> str:
        return f"<{self.item}, {self.model.name}: {outcome(self.asked)[0]}>"

    def _rows(self) -> list[Row]:
        words, role = outcome(self.asked)
        rows = draw_ladder(self.asked, _WIDTH, cells)
        rows += [(), (Span(f" {words}", role),)]
        return rows + (paragraph(DEMO, Ink.GLOSS, _WIDTH, cells) if self.model.demo else [])

    def _repr_html_(self) -> str:
        from core.exchange.exporters.rows_html import rows_html

        return rows_html(self._rows())


def chosen(kind: type[_Kind], text: _Kind | str | None) -> _Kind | None:
    """The value of that name; None for None. Raises `NotFoundError`, which lists the names."""
    names = [str(each) for each in kind]
    if text is not None and text not in names:
        raise NotFoundError(
            f"There is no {kind.__name__.lower()} “{text}”.",
            hint=suggestion("Choose one of", names, text),
        )
    return None if text is None else kind(text)
