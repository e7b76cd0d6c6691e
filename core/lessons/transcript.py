"""Runs a lesson to its end without an audience, and keeps what each step shows and asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from core.blocks.heatmaps import lens_map, trace_map
from core.contract.ladder import climb
from core.contract.question import Form, Question, Verdict
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer
from core.contract.view import Graph, Node, View
from core.files import paths
from core.layout.heatmap import HeatMap
from core.lessons.bound_lesson import BoundLesson, BoundStep
from core.lessons.claims import PROBABILITY
from core.lessons.evidence import Evidence, UnreadableError
from core.lessons.hiding import without
from core.lessons.lesson import Pane, Point, Pointing, Step
from core.lessons.reveal import Revealed, evaluate_step, options_of
from core.lessons.survey import known_count
from core.lessons.typicality import count_like, revealed_claim
from core.models.protocol import Model, ModelInfo
from core.runs.asking import natural_form
from core.runs.replay import recorded_on
from core.statistics.count import Count
from core.text.errors import CommonsenseError, DataError, ModelError, NotFoundError, SettingError
from core.text.language import _

OnStep = Callable[[int, int], None]
"""Called with the number of the step that comes next, counted from 1, and the number of steps."""


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """An answer of the model that a step used."""

    layer: TaskLayer
    question: Question
    setting: Setting
    """The setting of the question; not always that of the step."""
    verdict: Verdict
    counted: bool
    """Whether it counts on the item's ladder: not after its first failure, nor beside it."""


@dataclass(frozen=True, slots=True)
class TranscribedStep:
    """A step with the answers of the model."""

    number: int
    """Counted from 1."""
    step: Step
    bound_step: BoundStep
    view: View
    """The view before the step is revealed."""
    view_at_last: View | None
    """The view once it is revealed; None where it is the same."""
    again: bool
    """Whether the step before is about the same item under the same setting."""
    at: str
    """What the step points at, in words; empty for nothing."""
    at_last: str
    """What it points at once revealed; empty where that is the same or nothing."""
    options: tuple[str, ...]
    """The options of its prediction; empty without one."""
    revealed: Revealed | None
    """The result of the step; None without a prediction."""
    answers: tuple[StepAnswer, ...]
    reading: HeatMap | None
    """The heat map of the model's blocks, where the step shows one."""
    unread: str
    """Why the blocks could not be read; empty where they could, or none are shown."""
    like: Count | None
    """For how many items the same came true; None where that was not counted before."""
    counts: tuple[tuple[Count | None, ...], ...]
    """What was counted before of the step's figures, by row and column; empty for no figures."""


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
    steps: tuple[TranscribedStep, ...]

    @property
    def answers(self) -> tuple[StepAnswer, ...]:
        """All answers, without repetition."""
        answers = {
            (step.bound_step.position, answer.setting, answer.layer.id): answer
            for step in self.steps
            for answer in step.answers
        }
        return tuple(answers.values())


async def transcribe(
    bound_lesson: BoundLesson,
    language: str,
    model: Model,
    when: str,
    form: Form | None = None,
    on_step: OnStep | None = None,
) -> Transcript:
    """Run a lesson to its end, asking the model what its steps reveal.

    Args:
        bound_lesson: the lesson on its collection.
        language: the language of the texts.
        model: the model that is asked.
        when: the day of the answers, ISO 8601; empty where it is not known.
        form: the form of the prompts; the model's own by default.
        on_step: called before the model is asked for each step.

    Raises `ModelError` where the model cannot answer. What a recording lacks, and blocks that
    cannot be read, are noted in the steps instead.
    """
    steps: list[TranscribedStep] = []
    known: dict[tuple[int, Setting], dict[str, Verdict]] = {}
    before: BoundStep | None = None
    for number, step in enumerate(bound_lesson.lesson.steps, 1):
        if on_step is not None:
            on_step(number, len(bound_lesson.lesson.steps))
        bound_step = bound_lesson.bind_step(step)
        verdicts = known.setdefault((bound_step.position, bound_step.setting), {})
        evidence = bound_lesson.evidence(bound_step, model, form, known=tuple(verdicts.values()))
        transcribed = await _transcribe(number, step, bound_step, evidence, language)
        verdicts |= {
            answer.layer.id: answer.verdict
            for answer in transcribed.answers
            if answer.setting == bound_step.setting
        }
        again = before is not None and (before.position, before.setting) == (
            bound_step.position,
            bound_step.setting,
        )
        answers = _counted(transcribed, bound_lesson, verdicts)
        steps.append(replace(transcribed, again=again, answers=answers))
        before = bound_step
    used = form or natural_form(model.info)
    return Transcript(bound_lesson, language, model.info, used, when, tuple(steps))


async def transcribe_now(
    bound_lesson: BoundLesson,
    language: str,
    model: Model,
    on_step: OnStep,
    *,
    store: Path | None = None,
    form: Form | None = None,
) -> Transcript:
    """Run a lesson as `transcribe` does; a recorded model answers on the day of its recording.

    `store` is the store of the run that the model replays; the person's own by default. Also raises
    `RunError` where that run cannot be read, and `NotFoundError` where it is no longer there.
    """
    day = await asyncio.to_thread(recorded_on, store or paths.runs(), model.info)
    return await transcribe(
        bound_lesson, language, model, day or date.today().isoformat(), form, on_step
    )


async def _transcribe(
    number: int, step: Step, bound_step: BoundStep, evidence: Evidence, language: str
) -> TranscribedStep:
    options = step.prediction.options if step.prediction is not None else ()
    of_item = bool(options) and not any(option.when.asks_model for option in options)
    revealed = await _revealed(step, evidence) if step.prediction is not None else None
    layers = {layer.id: layer for layer in evidence.benchmark.layers}
    reading, unread = await _reading(step, evidence) if step.show is not None else (None, "")
    cells = step.figures.cells if step.figures is not None else ()
    later = step.prediction.point if step.prediction is not None else None
    return TranscribedStep(
        number=number,
        step=step,
        bound_step=bound_step,
        view=without(_without_probabilities(evidence.view), step.hidden)
        if of_item
        else without(evidence.view, step.hidden),
        view_at_last=evidence.view if of_item or step.hidden else None,
        again=False,
        at=_pointed(step.point, evidence, layers),
        at_last=_pointed(later, evidence, layers),
        options=options_of(step, evidence, language),
        revealed=revealed,
        answers=tuple(
            StepAnswer(layers[question.layer], question, setting, verdict, counted=True)
            for setting, question, verdict in evidence.used
        ),
        reading=reading,
        unread=unread,
        like=await _known_like(step, evidence),
        counts=tuple(
            [tuple([await known_count(asked, evidence) for asked in row]) for row in cells]
        ),
    )


async def _known_like(step: Step, evidence: Evidence) -> Count | None:
    """For how many items the same came true, where that was counted before."""
    try:
        claim = await revealed_claim(step, evidence)
        like = None if claim is None else await count_like(step, claim, evidence)
    except ModelError:
        return None
    return None if like is None else await known_count(like, evidence)


async def _revealed(step: Step, evidence: Evidence) -> Revealed:
    try:
        return await evaluate_step(step, evidence)
    except UnreadableError as error:
        return Revealed((), lacking=_why(error))


def _counted(
    transcribed: TranscribedStep, bound_lesson: BoundLesson, verdicts: Mapping[str, Verdict]
) -> tuple[StepAnswer, ...]:
    """A step's answers, marked by whether they count on the ladder of all answers so far."""
    layers = bound_lesson.benchmark.layers
    aside = {layer.id for layer in layers if layer.aside}
    rungs = climb([verdicts[layer.id] for layer in layers if layer.id in verdicts], aside).rungs
    counts = {rung.verdict.layer: rung.counted for rung in rungs}
    setting = transcribed.bound_step.setting
    return tuple(
        replace(answer, counted=counts[answer.layer.id]) if answer.setting == setting else answer
        for answer in transcribed.answers
    )


def _without_probabilities(view: View) -> View:
    """The view while the probabilities of its graphs are still to be predicted."""
    sections = [
        replace(section, nodes=tuple(map(_without_probability, section.nodes)))
        if isinstance(section, Graph)
        else section
        for section in view.sections
    ]
    return replace(view, sections=tuple(sections))


def _without_probability(node: Node) -> Node:
    return replace(node, sign=" ".join(PROBABILITY.sub("", node.sign).split()))


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
    """The heat map of the blocks that a step shows, or why they cannot be read."""
    layer, info, form = _shown_layer(step, evidence), evidence.model.info, evidence.form
    try:
        if step.show is Pane.BLOCKS:
            table = await evidence.table(layer)
            return lens_map(table, info, await evidence.tokens(table.question), form), ""
        contrasts = (claim.contrast for claim in step.claims)
        contrast = next((values for values in contrasts if values is not None), {})
        trace, changed = await evidence.trace(layer, contrast)
        tokens = await evidence.tokens(trace.question)
    except (ModelError, NotFoundError, SettingError, DataError) as error:
        return None, _why(error)
    return trace_map(trace, info, tokens, form, changed), ""


def _why(error: CommonsenseError) -> str:
    # The path of the model on this machine means nothing to readers of the page.
    return f"{error.what} {error.hint}".rstrip()


def _shown_layer(step: Step, evidence: Evidence) -> str:
    """The layer whose blocks are shown: the one pointed at, the one predicted, or the first."""
    if step.point is not None and step.point.kind is Pointing.RUNG:
        return step.point.ref
    if step.prediction is not None and step.prediction.layer:
        return step.prediction.layer
    return next(iter(evidence.asked), "")
