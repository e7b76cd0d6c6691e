"""What the claims of a step are checked against: the item under its setting, and a model's answers.

Everything is computed when it is first needed, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from functools import cached_property
from typing import TypeVar

from core.blocks.alignment import Aligner, PromptPair
from core.blocks.contrast_prompts import named_contrast_prompt
from core.blocks.lens import LensTable
from core.blocks.trace import TraceTable
from core.blocks.trace_cells import fill
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Form, Prompt, Question, Verdict
from core.contract.rungs import Rung
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer
from core.contract.view import Graph, Node, Statement, Statements, View
from core.models.inspectable import readable
from core.models.protocol import Model
from core.runs.asking import natural_form, prompt_of
from core.runs.ladder import Answered, LadderEvent, LayerFailed, LayerSkipped, ladder
from core.runs.priors import content_free
from core.text.errors import ModelError, NotFoundError
from core.text.escaping import quoted, shortened
from core.text.suggestions import suggestion

PartT = TypeVar("PartT", Statement, Node)
OnEvent = Callable[[LadderEvent], None]
"""Called with every event of the item's ladder."""


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
        others: dict[tuple[int, Setting], Evidence] | None = None,
    ) -> None:
        """Prepare to collect evidence about an item of a collection under a setting.

        Args:
            benchmark: the item's benchmark.
            collection: the collection of the item.
            item: the item.
            setting: the state of its switches.
            model: the model that is asked.
            form: the form of the prompts; the model's own by default.
            known: verdicts that the model has given already.
            on_event: called with the events of the layers that are asked under this setting.
            others: caches the evidence about other items; a new cache by default.
        """
        self.benchmark = benchmark
        self.item = item
        self.setting = setting
        self.collection = collection
        self._model = model
        self._form = form
        self._on_event = on_event
        self._others = {} if others is None else others
        self.on_looked_at: Callable[[int, int], None] | None = None
        """Called while items are counted: how many were looked at, and of how many."""
        self._verdicts: dict[tuple[str, Setting], Verdict] = {
            (verdict.layer, setting): verdict for verdict in known
        }
        self._questions: dict[tuple[str, Setting], Question | None] = {}
        self._used: dict[tuple[str, Setting], tuple[Question, Verdict]] = {}
        self._tables: dict[str, LensTable] = {}
        self._traces: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[TraceTable, str]] = {}

    def about(self, position: int, values: Mapping[str, str]) -> Evidence:
        """The evidence about the item at a position of the collection, with values of switches.

        Raises `SettingError` for values that it cannot have.
        """
        item = self.collection.item(position)
        key = position, Setting.of(self.benchmark.switches(item), values)
        if key not in self._others:
            self._others[key] = Evidence(
                self.benchmark,
                self.collection,
                item,
                key[1],
                self._model,
                form=self._form,
                others=self._others,
            )
        return self._others[key]

    # -- the item, without a model ---------------------------------------------------------------

    @cached_property
    def view(self) -> View:
        """What the item looks like under the setting."""
        return self.benchmark.view(self.item, self.setting)

    @property
    def asked(self) -> tuple[str, ...]:
        """The layers that ask something here and count, in order."""
        layers = (layer for layer in self.benchmark.layers if not layer.aside)
        return tuple(layer.id for layer in layers if self.find_question(layer.id))

    def question(self, layer: str, values: Mapping[str, str] | None = None) -> Question:
        """The question of a layer here, or with other values of switches.

        Raises `NotFoundError` where it asks nothing, `SettingError` for values that cannot be set.
        """
        question = self.find_question(layer, values)
        if question is not None:
            return question
        if values:
            pairs = ", ".join(f"{key}={value}" for key, value in values.items())
            raise NotFoundError(
                f"Layer {layer} asks nothing of {self.item.id} with {shortened(pairs)}."
            )
        raise NotFoundError(
            f"Layer {layer} asks nothing of {self.item.id} here.",
            hint=suggestion("What asks something", self.asked, layer),
        )

    def find_question(self, layer: str, values: Mapping[str, str] | None = None) -> Question | None:
        """As `question`, but None where the layer asks nothing."""
        key = self._task_layer(layer).id, self._with(values)
        if key not in self._questions:
            self._questions[key] = self.benchmark.question(self.item, key[1], layer)
        return self._questions[key]

    def _with(self, values: Mapping[str, str] | None) -> Setting:
        if not values:
            return self.setting
        return Setting.of(self.benchmark.switches(self.item), {**self.setting, **values})

    def _task_layer(self, layer_id: str) -> TaskLayer:
        layers = {layer.id: layer for layer in self.benchmark.layers}
        if layer_id not in layers:
            raise NotFoundError(
                f"{self.benchmark.title} has no layer {quoted(layer_id)}.",
                hint=suggestion("Layers", layers, layer_id),
            )
        return layers[layer_id]

    def statement(self, ref: str) -> Statement:
        """The statement with an id, a number from 1, or a role; raises `NotFoundError`."""
        sections = [part for part in self.view.sections if isinstance(part, Statements)]
        statements = [statement for section in sections for statement in section.statements]
        if ref.isdecimal() and all(statement.id != ref for statement in statements):
            by_number = dict(enumerate(statements, 1))
            if int(ref) in by_number:
                return by_number[int(ref)]
        return _by_id_or_role(ref, statements, "statement", "Name its id, number or role. Ids")

    def node(self, ref: str) -> Node:
        """The node with an id or a role; raises `NotFoundError`."""
        graphs = [part for part in self.view.sections if isinstance(part, Graph)]
        nodes = [node for graph in graphs for node in graph.nodes]
        return _by_id_or_role(ref, nodes, "node", "Name its id or role. Ids")

    # -- the model ------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The model that is asked; raises `ModelError` where there is none."""
        if self._model is None:
            raise ModelError("There is no model to ask.", hint="Choose one with --model.")
        return self._model

    async def verdict(self, layer: str, values: Mapping[str, str] | None = None) -> Verdict:
        """The model's answer in a layer, here or with other values of switches.

        Raises what `question` raises.
        """
        setting, question = self._with(values), self.question(layer, values)
        if (layer, setting) not in self._verdicts:
            self._verdicts[layer, setting] = await self._ask(question, setting)
        verdict = self._verdicts[layer, setting]
        self._used.setdefault((layer, setting), (question, verdict))
        return verdict

    async def _ask(self, question: Question, setting: Setting) -> Verdict:
        on_event = self._on_event if setting == self.setting else None
        rung = Rung(self._task_layer(question.layer), question)
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
        return tuple((setting, *answer) for (_, setting), answer in self._used.items())

    async def first_failure(self) -> str | None:
        """The first layer with a wrong answer; None where there is none."""
        for layer in self.asked:
            if (await self.verdict(layer)).right is False:
                return layer
        return None

    @property
    def form(self) -> Form:
        """The form of the prompts."""
        return self._form or natural_form(self.model.info)

    async def table(self, layer: str) -> LensTable:
        """A layer's options after every block of the model; raises `UnreadableError`."""
        if layer not in self._tables:
            question, model = self.question(layer), self.model
            options, prompt = question.continuations(), self._prompt(question)
            with _reading_blocks():
                blocks, _access = await readable(model)
                reading = await blocks.read(prompt, options)
                prior = await blocks.read(self._prompt(content_free(question)), options)
            final = await model.score(prompt, options)
            self._tables[layer] = LensTable(question, reading, final, prior)
        return self._tables[layer]

    async def trace(self, layer: str, values: Mapping[str, str]) -> tuple[TraceTable, str]:
        """What each span of each block restores of a layer's answer in a contrast prompt.

        The contrast prompt has other values of switches; without values it is the one that
        `Aligner.choose_contrast` chooses. Also returns what is changed in the question so that
        a contrast prompt fits; empty where nothing is. Raises `SettingError` where there is no
        contrast prompt, and `UnreadableError`.
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
            pair = await aligner.best_pair(self.collection, model.score)
        table = TraceTable(pair.question, pair.contrast, pair.pairing, access.blocks)
        here, there = self._prompt(pair.question), self._prompt(pair.contrast.question)
        async for _place in fill(table, blocks, here, there):
            pass
        return table, pair.changed

    async def tokens(self, question: Question) -> int:
        """The tokens of a question's prompt; raises `UnreadableError`."""
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


def _by_id_or_role(ref: str, parts: Sequence[PartT], kind: str, hint: str) -> PartT:
    for part in parts:
        if part.id == ref:
            return part
    for part in parts:
        if part.role == ref:
            return part
    ids = [part.id for part in parts]
    raise NotFoundError(f"No {kind} here is {quoted(ref)}.", hint=suggestion(hint, ids, ref))
