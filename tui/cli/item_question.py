"""A question as it was named on the command line, and what a model's blocks say about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from core.blocks.alignment import Aligner, PromptPair
from core.blocks.contrast_prompts import ContrastPrompt, named_contrast_prompt
from core.blocks.heatmaps import trace_map
from core.blocks.lens import LensTable, read_lens
from core.blocks.references import control_question, control_questions
from core.blocks.trace import Direction, TraceTable
from core.blocks.trace_cells import fill
from core.contract.question import Form, Prompt, Question
from core.contract.setting import typed_values
from core.contract.task_layer import layer_id
from core.layout.heatmap import HeatMap
from core.models.block_requests import Blocks
from core.models.blocks import BlockAccess, Part
from core.models.inspectable import readable
from core.models.protocol import Model, ModelInfo
from core.runs.asking import natural_form, prompt_of
from core.runs.priors import content_free
from core.text.errors import ModelError, SettingError
from tui.cli.answer_options import parse_form
from tui.cli.lookup import open_item
from tui.cli.model_loading import run_with_model
from tui.cli.output import WorkFailedError


class ItemQuestion:
    """A question about an item, as it was named on the command line."""

    def __init__(
        self,
        benchmark: str,
        item: str,
        task_layer: str | None,
        data: Path | None,
        settings: list[str] | None,
        form: str | None,
    ) -> None:
        """Raises `NotFoundError`, `SettingError`, `DataError`."""
        self._form = parse_form(form)
        opened = open_item(benchmark, item, data, settings)
        self.benchmark, self.collection, self.item, self.setting = opened
        self._layer_named = task_layer is not None
        self.question = self._question(task_layer)

    def prompt(self, question: Question, info: ModelInfo) -> Prompt:
        """A question as the model gets it."""
        return prompt_of(question, self.form_for(info), info)

    def form_for(self, info: ModelInfo) -> Form:
        """How questions are put: as was typed, else as the model takes them."""
        return self._form or natural_form(info)

    def contrast_prompt(self, values: list[str] | None) -> ContrastPrompt | None:
        """The contrast prompt that was typed; raises `SettingError`."""
        if not values:
            return None
        return named_contrast_prompt(
            self.benchmark, self.item, self.setting, self.question, typed_values(values)
        )

    def aligner(self, info: ModelInfo, blocks: Blocks) -> Aligner:
        """Finds spans through the model's tokenizer."""
        return Aligner(
            blocks,
            self.benchmark,
            self.item,
            self.setting,
            self.question,
            lambda question: self.prompt(question, info),
        )

    def questions(self) -> list[Question]:
        """The question of the layer that was named, or those of the whole ladder."""
        return [self.question] if self._layer_named else self._rungs()

    def _rungs(self) -> list[Question]:
        """The questions of the ladder that have options to choose among."""
        every = (
            self.benchmark.question(self.item, self.setting, layer.id)
            for layer in self.benchmark.layers
            if not layer.aside
        )
        return [question for question in every if question is not None and not question.open]

    def _question(self, name: str | None) -> Question:
        if name is None:
            rungs = self._rungs()
            if not rungs:
                raise SettingError("No layer has options to choose among here.")
            return rungs[0]
        layer = layer_id((layer.id for layer in self.benchmark.layers), name)
        question = self.benchmark.question(self.item, self.setting, layer)
        if question is None:
            raise SettingError(
                f"Layer {layer} has nothing to ask of {self.item.id} here.",
                where="--task-layer",
                hint="`ask` tells which layers have.",
            )
        if question.open:
            raise SettingError(
                f"Layer {layer} is answered in free words, so there are no options to follow.",
                where="--task-layer",
            )
        return question


async def lens_table(
    asked: ItemQuestion, question: Question, model: Model, blocks: Blocks
) -> tuple[LensTable, int]:
    """The options of a question after every block, and how many tokens its prompt has."""
    prompt = asked.prompt(question, model.info)
    without = asked.prompt(content_free(question), model.info)
    table = await read_lens(model, blocks, question, prompt, without)
    return table, len(await blocks.tokens(prompt, question.continuations()))


async def prompt_pair(
    asked: ItemQuestion, named: ContrastPrompt | None, model: Model, blocks: Blocks
) -> PromptPair:
    """The question with the contrast prompt that was named, or the one that fits best.

    Raises `SettingError` where there is no contrast prompt.
    """
    aligner = asked.aligner(model.info, blocks)
    if named is None:
        return await aligner.best_pair(asked.collection, model.score)
    return PromptPair(asked.question, named, await aligner.paired_with(named))


async def traced_table(
    asked: ItemQuestion,
    pair: PromptPair,
    part: Part,
    model: Model,
    blocks: Blocks,
    access: BlockAccess,
    head: int | None = None,
) -> tuple[TraceTable, int]:
    """A pair of prompts traced, and how many tokens the prompt has."""
    table = TraceTable(pair.question, pair.contrast, pair.pairing, access.blocks, part)
    prompt = asked.prompt(pair.question, model.info)
    contrast = asked.prompt(pair.contrast.question, model.info)
    async for _place in fill(table, blocks, prompt, contrast, head):
        pass
    return table, len(await blocks.tokens(prompt, pair.question.continuations()))


async def control_tables(
    asked: ItemQuestion,
    table: TraceTable,
    tokens: int,
    model: Model,
    blocks: Blocks,
    head: int | None = None,
) -> tuple[TraceTable, TraceTable | None, str]:
    """The same pair the other way round (noising), and with a random control.

    The control is None where no contrast prompt of another item has as many tokens; last comes
    which item's it is, or why there is none.
    """
    prompt = asked.prompt(table.question, model.info)
    contrast = asked.prompt(table.contrast.question, model.info)
    noising = replace(table.empty(), direction=Direction.NOISING)
    async for _place in fill(noising, blocks, contrast, prompt, head):
        pass
    try:
        question = await control_question(
            asked.aligner(model.info, blocks),
            control_questions(asked.benchmark, asked.collection, asked.item, table.question),
            tokens,
        )
    except SettingError as error:
        return noising, None, error.what
    own = () if table.base is None else table.base.prompt
    control = replace(table.empty(), direction=Direction.CONTROL, own=own)
    other = asked.prompt(question, model.info)
    async for _place in fill(control, blocks, other, contrast, head):
        pass
    return noising, control, question.item


def traced_map(
    asked: ItemQuestion,
    table: TraceTable,
    info: ModelInfo,
    tokens: int,
    part: Part,
    head: int | None = None,
) -> HeatMap:
    """A trace as a heat map, which says what was copied.

    It says so too where the prompt is not the one that was asked for.
    """
    heat = trace_map(table, info, tokens, asked.form_for(info))
    copied = part.value if head is None else f"{part.value} {head}"
    heat = replace(heat, notes=(*heat.notes, f"Copied of each block: {copied}."))
    if table.question.setting == asked.setting:
        return heat
    values = ", ".join(f"{key}={value}" for key, value in table.question.setting.changed)
    note = (
        f"No contrast prompt of the item as it is has as many tokens, so this prompt has {values}."
    )
    return replace(heat, notes=(note, *heat.notes))


@dataclass(frozen=True, slots=True)
class Loading:
    """How a model is loaded, as it was typed."""

    model: str | None
    context: int | None = None
    """Tokens of its context."""
    exact: bool = False
    """Whether keys and values are kept as 32-bit numbers."""


def with_blocks(
    loading: Loading, work: Callable[[Model, Blocks, BlockAccess], Awaitable[None]]
) -> None:
    """Do the work with a model whose blocks can be read; raises `ModelError` for any other."""

    async def opened(loaded: Model) -> None:
        blocks, access = await readable(loaded)
        try:
            await work(loaded, blocks, access)
        except ModelError as error:
            raise WorkFailedError(error) from error

    run_with_model(loading.model, None, opened, context=loading.context, exact=loading.exact)
