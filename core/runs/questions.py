"""The questions of a run: which items a layer asks about, and with which worked examples."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Question, Scoring, Shot
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer
from core.runs.option_order import option_order
from core.runs.records import Plan, replace_surrogates
from core.runs.shots import draw, draw_across
from core.text.errors import DataError, SettingError
from core.text.language import _

_READING_SECONDS = 0.02
"""Time of reading between two pauses."""
_PAUSE_SECONDS = 0.0005
"""Long enough for a waiting thread to wake up."""
_MOST_KEPT = 20_000
"""Questions of a source that are kept: some 100 MB."""
_MOST_POOLED = 2_000
"""Most items whose questions form the pool from which several layers draw worked examples."""

_Key = tuple[str, str]
"""The layer and the digest of a question."""
_Asked = set[_Key]
Gate = Callable[[Question], bool]
"""Whether a question of a gated layer is asked."""


@dataclass(frozen=True, slots=True)
class Examples:
    """How many worked examples stand before a question, and how they are drawn."""

    count: int = 0
    rule: str = ""
    """One of `core.runs.shots.RULES`."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """Which question is to be asked, without the question itself."""

    position: int
    """Of its item in the collection."""
    item: str
    shots: tuple[Shot, ...] = ()


class QuestionSource:
    """The questions about a collection's items under one setting.

    A question without worked examples is built once and kept, so a run that plans, draws examples
    and asks builds it once. Of the questions of large collections only the first are kept.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        collection: Collection,
        values: Mapping[str, str] | None = None,
        limit: int | None = None,
        order: int = 0,
        wording: Mapping[str, PromptTemplate] | None = None,
    ) -> None:
        """`values` are set on every item that can take them; the others are not asked about.

        With a `limit` only so many items are, skipped ones included; one that leaves none out is
        none, so that such a run is one over the whole collection. `order` is the number of the
        order in which questions with letters show their options, as `core.runs.option_order` draws
        it; 0 for the benchmark's own. `wording` has prompts for layers that are asked in other
        words than the benchmark's.
        """
        self.benchmark = benchmark
        self.collection = collection
        self.values = values or {}
        self.limit = limit if limit is not None and limit < len(collection) else None
        self.order = order
        self.wording = wording or {}
        self._built: dict[tuple[int, str], Question | None] = {}

    @cached_property
    def repeating(self) -> frozenset[int]:
        """The positions of items that the values turn into another item, and are not asked about.

        Where a value chooses the scenario of a graph or the component of a sentence, several items
        become one. Of these the one that is so by itself is asked, else the first. Reads every
        item; nothing where no values are set.
        """
        if not self.values:
            return frozenset()
        changed: list[tuple[int, Item, _Asked]] = []
        asked: dict[_Key, Item] = {}
        for position in with_pauses(self.positions):
            item = self.collection.item(position)
            try:
                setting = self.setting(item)
            except SettingError:
                continue
            questions = self._questions_of(item, setting)
            if setting:
                changed.append((position, item, _keys(questions)))
            else:
                asked |= dict.fromkeys(_keys(questions), item)
            if len(self._built) < _MOST_KEPT:
                self._built |= {(position, layer): one for layer, one in questions.items()}
        repeating = set()
        for position, item, keys in changed:
            if keys and keys <= asked.keys() and self._differ(item, [asked[key] for key in keys]):
                repeating.add(position)
                self._built |= {(position, layer.id): None for layer in self.benchmark.layers}
            else:
                asked |= dict.fromkeys(keys, item)
        return frozenset(repeating)

    def _differ(self, item: Item, others: Iterable[Item]) -> bool:
        """Whether an item asks what others do not, as they are; in released data some are alike."""
        there: _Asked = set()
        for other in {each.id: each for each in others}.values():
            there |= _keys(self._questions_of(other, Setting()))
        return not _keys(self._questions_of(item, Setting())) <= there

    def _questions_of(self, item: Item, setting: Setting) -> dict[str, Question | None]:
        """What every layer asks of an item."""
        layers = [layer.id for layer in self.benchmark.layers]
        return {layer: self.asked(item, setting, layer, ()) for layer in layers}

    @property
    def layers(self) -> Sequence[tuple[int, TaskLayer]]:
        """The layers that are asked, each with its number in the benchmark.

        In another order than the benchmark's own, layers without letters would be asked the same
        again; they are left out where no gated layer needs them.
        """
        layers = self.benchmark.layers
        return [
            (number, layer)
            for number, layer in enumerate(layers)
            if not self.order
            or layer.id in self.benchmark.lettered_layers
            or any(later.gated for later in layers[number + 1 :])
        ]

    @property
    def positions(self) -> range:
        """The positions of the items."""
        return range(len(self.collection) if self.limit is None else self.limit)

    def setting(self, item: Item) -> Setting:
        """The setting of an item; raises `SettingError` naming the item."""
        if not self.values:
            return Setting()
        try:
            return Setting.of(self.benchmark.switches(item), self.values)
        except SettingError as error:
            where = f"item {item.id}, {error.where}" if error.where else f"item {item.id}"
            raise SettingError.of(error, where=where) from error

    def question(self, position: int, layer: TaskLayer) -> Question | None:
        """What a layer asks of the item at a position, without worked examples."""
        key = position, layer.id
        if key in self._built:
            return self._built[key]
        question = self._build(position, layer)
        if len(self._built) < _MOST_KEPT:
            self._built[key] = question
        return question

    def questions(
        self, layer: TaskLayer, gate: Gate | None, positions: Iterable[int] | None = None
    ) -> Iterator[tuple[int, Question]]:
        """What a layer asks about the items at some positions or at all, with the positions."""
        for position in with_pauses(self.positions if positions is None else positions):
            question = self.question(position, layer)
            if question is not None and (gate is None or gate(question)):
                yield position, question

    def full_question(self, pending: PendingQuestion, layer: TaskLayer) -> Question:
        """A pending question with its worked examples.

        Raises `DataError` if its item is another one now.
        """
        if pending.shots:
            question = self._build(pending.position, layer, pending.shots)
        else:
            question = self.question(pending.position, layer)
        if question is None or question.item != pending.item:
            raise DataError(
                _("Item “{id}” is not the same as before.", id=pending.item),
                hint=_("Open the collection again."),
            )
        return question

    def _build(
        self, position: int, layer: TaskLayer, shots: Sequence[Shot] = ()
    ) -> Question | None:
        if position in self.repeating:
            return None
        item = self.collection.item(position)
        try:
            setting = self.setting(item)
        except SettingError:
            return None
        return self.asked(item, setting, layer.id, shots)

    def asked(
        self, item: Item, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        """What a layer asks of an item under any setting, in the order and wording of this source.

        Raises `SettingError` where the setting fixes an order of options.
        """
        question = self.benchmark.question(item, setting, layer, shots)
        if self.order and question is not None and layer in self.benchmark.lettered_layers:
            order = option_order(question.item, layer, len(question.options), self.order)
            question = self.benchmark.question_in_order(item, setting, layer, order, shots)
        template = self.wording.get(layer)
        if question is None or template is None:
            return question
        return replace(
            question,
            instruction=template.instruction,
            text=template.fill(question.parts),
            template=template,
        )


def _keys(questions: Mapping[str, Question | None]) -> _Asked:
    return {(layer, question.digest()) for layer, question in questions.items() if question}


def recorded_source(plan: Plan, benchmark: Benchmark, collection: Collection) -> QuestionSource:
    """The questions of a recorded run about the items of a collection."""
    return QuestionSource(
        benchmark, collection, dict(plan.setting), plan.limit, plan.order, dict(plan.prompts)
    )


def with_pauses(positions: Iterable[int]) -> Iterator[int]:
    """The positions, with pauses that let other threads run.

    Reading items releases the interpreter's lock so briefly that another thread, such as the one
    that draws the screen, might wait for a second.
    """
    pause_at = time.perf_counter() + _READING_SECONDS
    for position in positions:
        yield position
        if time.perf_counter() > pause_at:
            time.sleep(_PAUSE_SECONDS)
            pause_at = time.perf_counter() + _READING_SECONDS


def scoring_of_plan(source: QuestionSource, scoring: Scoring | None) -> Scoring | None:
    """How a run reads answers; None where that is how its questions prefer it anyway.

    Each layer is represented by its first question. Open questions are always generated.
    """
    if scoring is None:
        return None
    unseen = list(source.benchmark.layers)
    # Item by item, because reading one takes longer than building all of its questions.
    for position in with_pauses(source.positions):
        for layer in tuple(unseen):
            first = source.question(position, layer)
            if first is None:
                continue
            unseen.remove(layer)
            if not first.open and first.scoring is not scoring:
                return scoring
        if not unseen:
            break
    return None


def gate_of(
    benchmark: Benchmark, layer: TaskLayer, answered: Mapping[tuple[str, str], bool | None]
) -> Gate | None:
    """Which questions of a layer are asked, given the earlier answers; None for all of them.

    A gated layer is asked only about the items that were right in the layer before. `answered` is
    what `Store.answered` returns.
    """
    number = [other.id for other in benchmark.layers].index(layer.id)
    if not layer.gated or number == 0:
        return None
    before = benchmark.layers[number - 1].id
    return lambda question: answered.get((before, replace_surrogates(question.item))) is True


def layer_questions(
    source: QuestionSource,
    layer: TaskLayer,
    gate: Gate | None = None,
    examples: Examples | None = None,
    positions: Sequence[int] | None = None,
) -> list[PendingQuestion]:
    """The questions of a layer in collection order, with worked examples drawn from among them.

    Those of the items at `positions`, or of all; examples are drawn from all in either case. Where
    a benchmark shares examples among layers, they are drawn from all of those layers. Raises
    `DataError` where two items have the same id, and `NotFoundError` for an unknown rule of drawing
    examples.
    """
    if examples is None or not examples.count:
        pending = [
            PendingQuestion(position, question.item)
            for position, question in source.questions(layer, gate, positions)
        ]
    else:
        pairs = list(source.questions(layer, gate))
        drawn = _shots(source, layer, [question for _, question in pairs], examples)
        wanted = frozenset(source.positions if positions is None else positions)
        pending = [
            PendingQuestion(position, question.item, shots)
            for (position, question), shots in zip(pairs, drawn, strict=True)
            if position in wanted
        ]
    check_ids(question.item for question in pending)
    return pending


def _shots(
    source: QuestionSource, layer: TaskLayer, questions: Sequence[Question], examples: Examples
) -> list[tuple[Shot, ...]]:
    benchmark, rule, count, seed = source.benchmark, examples.rule, examples.count, examples.seed
    traits = benchmark.shot_traits
    shared = benchmark.shot_layers(layer.id)
    if not shared or not questions:
        return draw(rule, questions, count, seed, traits)
    layers = [each for each in benchmark.layers if each.id in shared]
    positions: Sequence[int] = source.positions
    if len(positions) > _MOST_POOLED:
        positions = sorted(random.Random(seed).sample(positions, _MOST_POOLED))
    pool = [
        question
        for position in with_pauses(positions)
        for each in layers
        if (question := source.question(position, each)) is not None
    ]
    agree, differ = benchmark.shots_agree, benchmark.shots_differ
    return draw_across(
        rule, questions, pool, count, seed, agree=agree, differ=differ, traits=traits
    )


def check_ids(items: Iterable[str]) -> None:
    """Raise `DataError` where two items have the same id, as it is recorded."""
    seen = set()
    for item in items:
        recorded = replace_surrogates(item)
        if recorded in seen:
            raise DataError(
                _("Two items of this collection are called “{id}”.", id=item),
                hint=_(
                    "What is recorded is told apart by the ids of the items: give each its own."
                ),
            )
        seen.add(recorded)
