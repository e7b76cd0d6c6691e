"""What a gallery knows of an item: its card in the index, and its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.contract.collection import Entry, Item
from core.contract.question import Verdict
from core.contract.rungs import Rung, with_verdict
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer
from core.contract.view import Cell, Grid, Role
from core.exchange.exporters.answer_words import answers_table
from core.exchange.exporters.document import Document, document_of
from core.exchange.exporters.files import file_name
from core.exchange.exporters.graph_of_view import graph_of_view
from core.exchange.gallery.thumbnail import thumbnail
from core.layout.ladder import answered_ladder, outcome
from core.runs.option_order import in_shown_order
from core.runs.questions import QuestionSource
from core.runs.records import Run, replace_surrogates, verdict_key
from core.runs.replay import conditions
from core.text.errors import DataError, SettingError
from core.text.language import N_, _

ANSWERS = N_("answers of the run")
"""The name of what a run says about an item, among the facts."""


@dataclass(frozen=True, slots=True)
class Card:
    """An item in the index of a gallery."""

    entry: Entry
    file: str
    """The name of its page."""
    facts: Mapping[str, str]
    """What is known of the item: names and values of what its questions are tagged with."""
    outcome: str
    """What the run says about it, in a sentence; empty without a run."""
    role: Role
    thumbnail: str
    """A picture as an element of SVG, without any text; may be empty."""


@dataclass(frozen=True, slots=True)
class RunOfItems:
    """A run with its answers about the items of a collection."""

    run: Run
    verdicts: Mapping[tuple[str, str], Verdict]

    @classmethod
    def of(cls, run: Run, verdicts: Sequence[Verdict]) -> RunOfItems:
        """The answers by layer and item."""
        return cls(run, {verdict_key(verdict): verdict for verdict in verdicts})


@dataclass(frozen=True, slots=True)
class GallerySource:
    """The items of a gallery."""

    questions: QuestionSource
    run: RunOfItems | None = None

    def __iter__(self) -> Iterator[tuple[Card, Document] | str]:
        """Each item's card and document; or why it can have neither, in a sentence."""
        collection = self.questions.collection
        for number, position in enumerate(self.questions.positions, 1):
            entry = collection.entry(position)
            try:
                item = collection.item(position)
                yield _shown(self, entry, item, self.questions.setting(item), number)
            except (DataError, SettingError) as error:
                yield f"{entry.id}: {error}"


def _shown(
    source: GallerySource, entry: Entry, item: Item, setting: Setting, number: int
) -> tuple[Card, Document]:
    questions = source.questions
    rungs = [_rung(source, item, setting, layer) for layer in questions.benchmark.layers]
    table = _answers(rungs, source.run) if source.run else None
    document = document_of(
        questions.benchmark,
        item,
        setting,
        questions.collection.about,
        answers=lambda state: table if state == setting else None,
        sliders=False,
    )
    facts = _facts(entry, rungs)
    words, role = "", Role.PLAIN
    if source.run is not None:
        facts[ANSWERS], words, role = _outcome(rungs)
    file = file_name(f"{number:04}", item.id, ".html")
    picture = thumbnail(graph_of_view(document.first.view))
    return Card(entry, file, facts, words, role, picture), document


def _rung(source: GallerySource, item: Item, setting: Setting, layer: TaskLayer) -> Rung:
    """A layer with its question and the answer of the run to exactly this question."""
    benchmark = source.questions.benchmark
    rung = Rung(layer, source.questions.asked(item, setting, layer.id))
    if rung.question is None or source.run is None:
        return rung
    verdict = source.run.verdicts.get((layer.id, replace_surrogates(rung.question.item)))
    if verdict is None or verdict.digest != rung.question.digest():
        return rung
    return with_verdict(benchmark, rung, in_shown_order(verdict, rung.question))


def _answers(rungs: Sequence[Rung], run: RunOfItems) -> Grid:
    """The answers as a table, with the model and how it was asked."""
    plan = run.run.plan
    source = _(
        "{model}, run {run}: {conditions}.",
        model=plan.model,
        run=run.run.id,
        conditions=conditions(plan),
    )
    if plan.demo:
        source += f" {_('Demonstration model: not a result.')}"
    cells = (Cell(_("Not asked."), Role.MUTED),)
    nothing = Grid(_("The model's answers"), (_("answer"),), (cells,), source)
    return answers_table(rungs, source) or nothing


def _facts(entry: Entry, rungs: Sequence[Rung]) -> dict[str, str]:
    """What the item's questions are tagged with, where they agree."""
    facts: dict[str, str] = {}
    differing = set()
    for rung in rungs:
        for name, value in (rung.question.tags if rung.question is not None else {}).items():
            if facts.setdefault(name, value) != value:
                differing.add(name)
    facts = {name: value for name, value in facts.items() if value and name not in differing}
    return {"kind": entry.detail, **facts} if entry.detail else facts


def _outcome(rungs: Sequence[Rung]) -> tuple[str, str, Role]:
    """The run's answers about an item as a value to filter by, and in a sentence with its role."""
    failure = answered_ladder(rungs).first_failure
    if failure is not None:
        layer = next(rung.layer for rung in rungs if rung.layer.id == failure)
        first = _("first wrong: {layer}", layer=layer.shown)
        return first, first, Role.BAD
    if all(rung.verdict is None for rung in rungs):
        return _("not asked"), _("not asked"), Role.MUTED
    words, role = outcome(rungs)
    return _("all right") if role is Role.GOOD else _("none wrong so far"), words, role
