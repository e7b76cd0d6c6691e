"""A lesson told to the end without an audience: what each step shows, asks and came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from core.blocks.heatmaps import lens_map, trace_map
from core.contract.ladder import climb
from core.contract.question import Form, Question, Verdict
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer
from core.contract.view import View
from core.layout.heatmap import HeatMap
from core.lessons.block_claims import Restores
from core.lessons.bound_lesson import BoundLesson, BoundStep
from core.lessons.evidence import Evidence, UnreadableError
from core.lessons.facts import without_figures
from core.lessons.lesson import Pane, Point, Pointing, Step
from core.lessons.reveal import Revealed, evaluate_step, options_of
from core.models.protocol import Model, ModelInfo
from core.runs.asking import natural_form
from core.text.errors import CommonsenseError, DataError, ModelError, NotFoundError, SettingError
from core.text.language import _

_Place = tuple[int, Setting]
"""The position of an item, and its setting."""
Reached = Callable[[int, int], None]
"""Hears the number of the step that is about to be told, counted from 1, and how many there are."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of the model that a step looked at."""

    layer: TaskLayer
    question: Question
    setting: Setting
    """Under which it was asked; not always that of the step."""
    verdict: Verdict
    counted: bool
    """Whether it counts: not after the first failure of the item's ladder, nor beside it."""


@dataclass(frozen=True, slots=True)
class Told:
    """A step as it was told."""

    number: int
    """Counted from 1."""
    step: Step
    bound_step: BoundStep
    view: View
    """What is shown before it is revealed."""
    view_at_last: View | None
    """What is shown then; None where that is nothing else."""
    again: bool
    """Whether the step before stands on the same item under the same setting."""
    at: str
    """What is pointed at, in words; empty where that is nothing."""
    at_last: str
    """What is pointed at once it is revealed; empty where that is nothing else."""
    options: tuple[str, ...]
    """What may be predicted; none where nothing is asked."""
    revealed: Revealed | None
    """What it came to; None where nothing is asked."""
    answers: tuple[Answered, ...]
    reading: HeatMap | None
    """What was read between the model's blocks, where the step shows that."""
    unread: str
    """Why that could not be read; empty where it could, or nothing is shown."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A lesson in one language with the answers of one model."""

    bound_lesson: BoundLesson
    language: str
    info: ModelInfo
    form: Form
    """How the model was asked."""
    when: str
    """The day on which the model answered, ISO 8601; empty where that is not known."""
    told: tuple[Told, ...]

    @property
    def answers(self) -> tuple[Answered, ...]:
        """All answers, each once however many steps look at it."""
        found = {
            (told.bound_step.position, one.setting, one.layer.id): one
            for told in self.told
            for one in told.answers
        }
        return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _Telling:
    """A step about to be told."""

    bound_lesson: BoundLesson
    number: int
    step: Step
    bound_step: BoundStep
    evidence: Evidence
    language: str


async def tell(
    bound_lesson: BoundLesson,
    language: str,
    model: Model,
    when: str,
    form: Form | None = None,
    reached: Reached | None = None,
) -> Transcript:
    """Tell a lesson to the end, asking the model what its steps reveal.

    Args:
        bound_lesson: the lesson on its collection.
        language: in which it is told.
        model: who answers.
        when: the day of the answers, ISO 8601; empty where it is not known.
        form: how the model is asked; its own form where that is not said.
        reached: hears of each step before the model is asked for it.

    Raises `ModelError` where the model cannot answer; what a recording lacks and what its blocks do
    not tell is told instead.
    """
    told: list[Told] = []
    known: dict[_Place, dict[str, Verdict]] = {}
    before: _Place | None = None
    for number, step in enumerate(bound_lesson.lesson.steps, 1):
        if reached is not None:
            reached(number, len(bound_lesson.lesson.steps))
        bound_step = bound_lesson.bind_step(step)
        place = bound_step.position, bound_step.setting
        here = known.setdefault(place, {})
        evidence = bound_lesson.evidence(bound_step, model, form, known=tuple(here.values()))
        now = await _told(
            _Telling(bound_lesson, number, step, bound_step, evidence, language), place == before
        )
        here |= {
            one.layer.id: one.verdict for one in now.answers if one.setting == bound_step.setting
        }
        told.append(_counted(now, bound_lesson, here))
        before = place
    used = form or natural_form(model.info)
    return Transcript(bound_lesson, language, model.info, used, when, tuple(told))


async def _told(telling: _Telling, again: bool) -> Told:
    step, evidence = telling.step, telling.evidence
    options = step.prediction.options if step.prediction is not None else ()
    of_facts = bool(options) and not any(option.when.asks_model for option in options)
    revealed = await _revealed(step, evidence) if step.prediction is not None else None
    layers = {layer.id: layer for layer in telling.bound_lesson.benchmark.layers}
    reading, unread = await _reading(step, evidence) if step.show is not None else (None, "")
    later = step.prediction.point if step.prediction is not None else None
    return Told(
        number=telling.number,
        step=step,
        bound_step=telling.bound_step,
        view=without_figures(evidence.view) if of_facts else evidence.view,
        view_at_last=evidence.view if of_facts else None,
        again=again,
        at=_pointed(step.point, evidence, layers),
        at_last=_pointed(later, evidence, layers),
        options=options_of(step, evidence, telling.language),
        revealed=revealed,
        answers=tuple(
            Answered(layers[question.layer], question, setting, verdict, counted=True)
            for setting, question, verdict in evidence.used
        ),
        reading=reading,
        unread=unread,
    )


async def _revealed(step: Step, evidence: Evidence) -> Revealed:
    try:
        return await evaluate_step(step, evidence)
    except UnreadableError as error:
        return Revealed((), lacking=_why(error))


def _counted(told: Told, bound_lesson: BoundLesson, here: Mapping[str, Verdict]) -> Told:
    """The step, once it is known which of its answers count on the ladder of all answers so far."""
    aside = {layer.id for layer in bound_lesson.benchmark.layers if layer.aside}
    inorder = [here[layer.id] for layer in bound_lesson.benchmark.layers if layer.id in here]
    counts = {rung.verdict.layer: rung.counted for rung in climb(inorder, aside).rungs}
    answers = [
        replace(one, counted=counts[one.layer.id])
        if one.setting == told.bound_step.setting
        else one
        for one in told.answers
    ]
    return replace(told, answers=tuple(answers))


def _pointed(point: Point | None, evidence: Evidence, layers: dict[str, TaskLayer]) -> str:
    if point is None:
        return ""
    match point.kind:
        case Pointing.STATEMENT:
            return evidence.statement(point.ref).text
        case Pointing.NODE:
            return evidence.node(point.ref).text
        case Pointing.RUNG:
            return _(layers[point.ref].asks)


async def _reading(step: Step, evidence: Evidence) -> tuple[HeatMap | None, str]:
    """What a step shows between the model's blocks, or why that cannot be read."""
    layer, info, form = _shown_layer(step, evidence), evidence.model.info, evidence.form
    try:
        if step.show is Pane.BLOCKS:
            table = await evidence.table(layer)
            return lens_map(table, info, await evidence.tokens(table.question), form), ""
        contrasts = [one.contrast for one in step.claims if isinstance(one, Restores)]
        trace, changed = await evidence.trace(layer, contrasts[0] if contrasts else {})
        tokens = await evidence.tokens(trace.question)
    except (ModelError, NotFoundError, SettingError, DataError) as error:
        return None, _why(error)
    return trace_map(trace, info, tokens, form, changed), ""


def _why(error: CommonsenseError) -> str:
    # Where the model lies on this machine is nothing for those who read the page elsewhere.
    return f"{error.what} {error.hint}".rstrip()


def _shown_layer(step: Step, evidence: Evidence) -> str:
    """The layer that is looked at: the one pointed at, else the one predicted, else the first."""
    if step.point is not None and step.point.kind is Pointing.RUNG:
        return step.point.ref
    if step.prediction is not None and step.prediction.layer:
        return step.prediction.layer
    return next(iter(evidence.asked), "")
