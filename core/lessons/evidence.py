"""What the claims of a step are computed from: the item under its setting, and a model's answers.

Everything is computed when first needed and then kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager

from core.blocks.alignment import Aligner, PromptPair, replacement_sentences
from core.blocks.contrast_prompts import named_contrast_prompt
from core.blocks.lens import LensTable
from core.blocks.trace import TraceTable
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Form, Prompt, Question, Verdict
from core.contract.rungs import RungState
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer
from core.contract.view import Graph, Node, Statement, Statements, View
from core.models.block_requests import readable
from core.models.protocol import Model
from core.runs.asking import natural_form, prompt_of
from core.runs.ladder import Answered, LadderEvent, LayerFailed, LayerSkipped, ladder
from core.text.errors import ModelError, NotFoundError
from core.text.suggestions import suggestion

OnEvent = Callable[[LadderEvent], None]
"""Called with every event of the ladder of the item under its setting."""


class UnreadableError(ModelError):
    """The model answers, but its blocks cannot be read."""


class Evidence:
    """One item under one setting, and a model's answers about it.

    Every method that asks the model raises `ModelError` where there is none or it cannot answer.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        collection: Collection,
        item: Item,
        setting: Setting,
        model: Model | None = None,
        *,
        form: Form | None = None,
        known: Sequence[Verdict] = (),
        on_event: OnEvent | None = None,
    ) -> None:
        """Collect evidence about an item under a setting.

        Args:
            benchmark: the item's benchmark.
            collection: where it is from.
            item: the item.
            setting: the state of its switches.
            model: who answers.
            form: how it is asked; the model's own form by default.
            known: verdicts that the model has given already.
            on_event: called with the events of the layers that are asked under this setting.
        """
        self.benchmark = benchmark
        self.item = item
        self.setting = setting
        self.view: View = benchmark.view(item, setting)
        self._collection = collection
        self._model = model
        self._form = form
        self._on_event = on_event
        self._verdicts: dict[tuple[str, Setting], Verdict] = {
            (verdict.layer, setting): verdict for verdict in known
        }
        self._questions: dict[tuple[str, Setting], Question | None] = {}
        self._used: dict[tuple[str, Setting], tuple[Question, Verdict]] = {}
        self._tables: dict[str, LensTable] = {}
        self._traces: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[TraceTable, str]] = {}

    # -- the item, without a model ---------------------------------------------------------------

    @property
    def asked(self) -> tuple[str, ...]:
        """The layers that ask something here and count, in order."""
        layers = (layer for layer in self.benchmark.layers if not layer.aside)
        return tuple(layer.id for layer in layers if self._question(layer.id, self.setting))

    def question(self, layer: str) -> Question:
        """What a layer asks here; raises `NotFoundError` where that is nothing."""
        found = self._question(layer, self.setting)
        if found is None:
            raise NotFoundError(
                f"Layer {layer} asks nothing of {self.item.id} here.",
                hint=suggestion("What asks something", self.asked, layer),
            )
        return found

    def other(self, layer: str, values: Mapping[str, str]) -> Question:
        """What a layer asks with other values of switches.

        Raises `NotFoundError` where it asks nothing, `SettingError` for values that cannot be set.
        """
        found = self._question(layer, self._with(values))
        if found is None:
            pairs = ", ".join(f"{key}={value}" for key, value in values.items())
            raise NotFoundError(f"Layer {layer} asks nothing of {self.item.id} with {pairs}.")
        return found

    def _with(self, values: Mapping[str, str]) -> Setting:
        switches = self.benchmark.switches(self.item)
        return Setting.of(switches, {**self.setting, **values})

    def _question(self, layer: str, setting: Setting) -> Question | None:
        key = self._task_layer(layer).id, setting
        if key not in self._questions:
            self._questions[key] = self.benchmark.question(self.item, setting, layer)
        return self._questions[key]

    def _task_layer(self, layer_id: str) -> TaskLayer:
        layers = {layer.id: layer for layer in self.benchmark.layers}
        if layer_id not in layers:
            raise NotFoundError(
                f"{self.benchmark.title} has no layer “{layer_id}”.",
                hint=suggestion("Layers", layers, layer_id),
            )
        return layers[layer_id]

    def statement(self, ref: str) -> Statement:
        """The statement with an id, a number from 1, or a role; raises `NotFoundError`."""
        every = [
            statement
            for section in self.view.sections
            if isinstance(section, Statements)
            for statement in section.statements
        ]
        for statement in every:
            if statement.id == ref:
                return statement
        if ref.isascii() and ref.isdigit() and 1 <= int(ref) <= len(every):
            return every[int(ref) - 1]
        for statement in every:
            if statement.role == ref:
                return statement
        known = [statement.id for statement in every]
        raise NotFoundError(
            f"No statement here is “{ref}”.",
            hint=suggestion("Name its id, number or role. Ids", known, ref),
        )

    def node(self, ref: str) -> Node:
        """The node with an id or a role; raises `NotFoundError`."""
        every = [
            node
            for section in self.view.sections
            if isinstance(section, Graph)
            for node in section.nodes
        ]
        for node in every:
            if node.id == ref:
                return node
        for node in every:
            if node.role == ref:
                return node
        known = [node.id for node in every]
        raise NotFoundError(
            f"No node here is “{ref}”.", hint=suggestion("Name its id or role. Ids", known, ref)
        )

    # -- the model ------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """Who answers; raises `ModelError` where nobody does."""
        if self._model is None:
            raise ModelError("There is no model to ask.", hint="Choose one with --model.")
        return self._model

    async def verdict(self, layer: str, values: Mapping[str, str] | None = None) -> Verdict:
        """The model's answer in a layer, here or with other values of switches.

        Raises what `question` and `other` raise.
        """
        setting = self._with(values) if values else self.setting
        question = self.other(layer, values) if values else self.question(layer)
        if (layer, setting) not in self._verdicts:
            self._verdicts[layer, setting] = await self._ask(question, setting)
        verdict = self._verdicts[layer, setting]
        self._used.setdefault((layer, setting), (question, verdict))
        return verdict

    async def _ask(self, question: Question, setting: Setting) -> Verdict:
        on_event = self._on_event if setting == self.setting else None
        rung = RungState(self._task_layer(question.layer), question)
        async with aclosing(ladder(self.model, self.benchmark, [rung], form=self._form)) as events:
            async for event in events:
                if on_event is not None:
                    on_event(event)
                match event:
                    case Answered(verdict=verdict):
                        return verdict
                    case LayerFailed(error=error) | LayerSkipped(error=ModelError() as error):
                        raise error
        raise AssertionError("a ladder ends with an answer or an error")

    @property
    def used(self) -> tuple[tuple[Setting, Question, Verdict], ...]:
        """The answers that were used so far, with their settings, in the order of first use."""
        return tuple((setting, *found) for (_, setting), found in self._used.items())

    async def first_failure(self) -> str | None:
        """The first layer with a wrong answer; None where there is none."""
        for layer in self.asked:
            if (await self.verdict(layer)).right is False:
                return layer
        return None

    @property
    def form(self) -> Form:
        """How questions are put."""
        return self._form or natural_form(self.model.info)

    async def table(self, layer: str) -> LensTable:
        """A layer's options after every block of the model; raises `UnreadableError`."""
        if layer not in self._tables:
            question, model = self.question(layer), self.model
            options, prompt = question.continuations(), self._prompt(question)
            with _reading_blocks():
                blocks, _access = await readable(model)
                reading = await blocks.read(prompt, options)
            final = await model.score(prompt, options)
            self._tables[layer] = LensTable(question, reading, final)
        return self._tables[layer]

    async def trace(self, layer: str, values: Mapping[str, str]) -> tuple[TraceTable, str]:
        """What each span of each block restores of a layer's answer in a contrast prompt.

        With it what is changed in what was asked, so that a contrast prompt fits; empty where
        nothing is. The contrast prompt has other values of switches; without any the two prompts
        are those that a trace compares of itself (`Aligner.choose_contrast`). Raises `SettingError`
        where there is no contrast prompt, and `UnreadableError`.
        """
        key = (layer, tuple(sorted(values.items())))
        if key not in self._traces:
            question, model = self.question(layer), self.model
            with _reading_blocks():
                self._traces[key] = await self._traced(question, model, values)
        return self._traces[key]

    async def _traced(
        self, question: Question, model: Model, values: Mapping[str, str]
    ) -> tuple[TraceTable, str]:
        blocks, access = await readable(model)
        aligner = Aligner(blocks, self.benchmark, self.item, self.setting, question, self._prompt)
        if values:
            contrast = named_contrast_prompt(
                self.benchmark, self.item, self.setting, question, dict(values)
            )
            pair = PromptPair(question, contrast, await aligner.paired_with(contrast))
        else:
            pair = await aligner.choose_contrast(await self._fillers() if aligner.retyped else ())
        table = TraceTable(pair.question, pair.contrast, pair.pairing, access.blocks)
        if pair.pairing.ranges:
            cells = blocks.trace(
                self._prompt(pair.question),
                self._prompt(pair.contrast.question),
                pair.question.continuations(),
                pair.pairing.ranges,
            )
            async with aclosing(cells):
                async for cell in cells:
                    table.add(cell)
        return table, pair.changed

    async def _fillers(self) -> tuple[str, ...]:
        # Hundreds of items may have to be read for them.
        return await asyncio.to_thread(
            lambda: tuple(replacement_sentences(self.benchmark, self._collection))
        )

    async def tokens(self, question: Question) -> int:
        """How long a question's prompt is; raises `UnreadableError`."""
        model = self.model
        with _reading_blocks():
            blocks, _access = await readable(model)
            return len(await blocks.tokens(self._prompt(question), question.continuations()))

    def _prompt(self, question: Question) -> Prompt:
        return prompt_of(question, self.form, self.model.info)


@contextmanager
def _reading_blocks() -> Iterator[None]:
    """Turn a failure to read blocks into `UnreadableError`, apart from a failure to answer."""
    try:
        yield
    except ModelError as error:
        raise UnreadableError.of(error) from error
