"""The states of a model at the answer position, for every case of a study."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.contract.question import Question
from core.models.blocks import EMBEDDING
from core.runs.questions import QuestionSource
from core.studies.conducting import Report, StudyProgress
from core.studies.study_store import KeptValues
from core.studies.subject import Case, Subject, task_layer
from core.text.errors import LongPromptError, SettingError
from core.text.language import N_, _
from core.text.quantities import items_in_words
from core.text.sizes import human_bytes

CAPTURING = N_("states")
MOST_BYTES = 2 * 2**30
"""Most bytes of states that are held at once."""
MOST_LOOKED_AT = 500
"""Most items that are looked at to see whether a collection has questions with two options."""
LAYERS, ONE_LAYER = "layers", N_("one layer")
"""An option, and its value where a person named a task layer; else all with these two options are
asked."""
KEPT = "state/"
"""How the keys of kept states begin."""


class KeptState(msgspec.Struct, frozen=True):
    """What was read of a case."""

    scores: tuple[float | None, ...]
    """Log-likelihood of each option; None where it is not a number."""
    data: bytes
    """32-bit little-endian numbers, (positions, blocks, width), the embeddings first where they are
    read."""


@dataclass(frozen=True, slots=True)
class AnswerStates:
    """The states of all cases at the answer position."""

    cases: tuple[Case, ...]
    labels: NDArray[np.int64]
    """(n,): 1 where the second option is right."""
    margins: NDArray[np.float64]
    """(n,): log-likelihood of the second option less that of the first, in nats."""
    states: NDArray[np.float32]
    """(n, blocks, width)."""
    embeddings: NDArray[np.float32] | None
    """(n, width): before the first block; None where they cannot be read."""
    left_out: int
    """How many cases the model gives no number for, those longer than its context among them."""

    @property
    def clusters(self) -> NDArray[np.int64]:
        """The cluster of each case, (n,), counted from 0."""
        names = [case.cluster for case in self.cases]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    def of(self, numbers: NDArray[np.int64]) -> AnswerStates:
        """The states of some cases."""
        return AnswerStates(
            tuple(self.cases[number] for number in numbers),
            self.labels[numbers],
            self.margins[numbers],
            self.states[numbers],
            None if self.embeddings is None else self.embeddings[numbers],
            self.left_out,
        )


def lacks_two_options(
    source: QuestionSource,
    name: str | None = None,
    also: Callable[[int, Question], bool] | None = None,
    obstacle: str = N_(
        "This collection cannot have it: of {items} looked at, none has a question with two "
        "options in layer {layer}."
    ),
) -> str:
    """Why a collection cannot have a study of two-option questions; empty where it can.

    It looks at a layer, by default the one that studies take, and at so many items at most. A
    question that is asked about the item at a position does `also`; where none is found, `obstacle`
    says so.
    """
    limit = min(MOST_LOOKED_AT, len(source.positions))
    first = QuestionSource(source.benchmark, source.collection, source.values, limit)
    try:
        layer = task_layer(first, name)
    except SettingError as error:
        return error.what
    for position, question in first.questions(layer, None):
        if len(question.options) == 2 and not question.open and not question.multiple:
            return ""
        if also is not None and also(position, question):
            return ""
    return _(obstacle, items=items_in_words(limit), layer=layer.id)


def two_option_cases(subject: Subject, *, alike: bool) -> list[Case]:
    """The cases of a subject's layer that have the same two options as the first of them.

    With `alike`, also those of every other layer with these options: within one layer the right
    answer may always be the same. Raises `SettingError` where there are none.
    """
    cases = [case for case in subject.cases() if len(case.question.options) == 2]
    if not cases:
        raise SettingError(
            _("Layer {layer} has no questions with two options.", layer=subject.layer.id),
            where="--task-layer",
            hint=_("Choose a layer that is answered with one of the same two options."),
        )
    options = cases[0].question.options
    layers = subject.benchmark.layers if alike else (subject.layer,)
    return [
        case
        for layer in layers
        for case in replace(subject, layer=layer).cases()
        if case.question.options == options
    ]


async def capture_answers(
    subject: Subject, cases: Sequence[Case], kept: KeptValues, report: Report
) -> AnswerStates:
    """Read the residual stream after every block at the answer position; each case is kept.

    Raises as `captured_states` does.
    """

    async def answer_position(_case: Case) -> Sequence[int]:
        return [-1]

    read = read_blocks(subject)
    check_size(subject, len(cases), len(cases))
    states = np.empty((len(cases), len(read), subject.access.width), np.float32)
    margins = np.full(len(cases), np.nan)
    row = 0
    async for state in captured_states(subject, cases, kept, answer_position, lambda _case: 1):
        if state is not None:
            states[row] = np.frombuffer(state.data, "<f4").reshape(states.shape[1:])
            first, second = state.scores
            if first is not None and second is not None:
                margins[row] = second - first
        row += 1
        report(StudyProgress(_(CAPTURING), row, len(cases)))
    kept.check_complete()
    usable = np.isfinite(margins) & np.isfinite(states).all(axis=(1, 2))
    states = states[usable]
    embedded = read[0] == EMBEDDING
    return AnswerStates(
        tuple(case for case, use in zip(cases, usable, strict=True) if use),
        np.array([case.question.gold for case in cases], np.int64)[usable],
        margins[usable],
        states[:, 1:] if embedded else states,
        states[:, 0] if embedded else None,
        int((~usable).sum()),
    )


def read_blocks(subject: Subject) -> list[int]:
    """What is read: the embeddings first where they can be, then every block."""
    access = subject.access
    # Whether embeddings can be read is known by what needs them.
    return ([EMBEDDING] if access.attribution else []) + list(range(access.blocks))


def check_size(subject: Subject, cases: int, rows: int) -> None:
    """Raise `SettingError` where `rows` states, those of so many cases, are over `MOST_BYTES`."""
    size = 4 * rows * len(read_blocks(subject)) * subject.access.width
    if size > MOST_BYTES:
        raise SettingError(
            _("The states of {n} questions take {size}.", n=cases, size=human_bytes(size)),
            where="--limit",
            hint=_("Look at fewer items with --limit; {size} fit.", size=human_bytes(MOST_BYTES)),
        )


async def captured_states(
    subject: Subject,
    cases: Sequence[Case],
    kept: KeptValues,
    positions: Callable[[Case], Awaitable[Sequence[int]]],
    rows: Callable[[Case], int],
) -> AsyncIterator[KeptState | None]:
    """The states of each case in order, each kept; None for one that another shard measures.

    `positions` has the tokens of a case whose states are read, none where they are not known;
    `rows` is how many these are. Of a case without, or longer than the context, no score is a
    number. Raises `RunError` for a damaged state that was kept, and `ModelError`.
    """
    read = read_blocks(subject)
    for case in cases:
        options = case.question.continuations()
        size = 4 * rows(case) * len(read) * subject.access.width
        measure = partial(_captured, subject, case, positions, read, size)
        state = await kept.measured(f"{KEPT}{case.key}", KeptState, case.item.id, measure)
        if state is not None and (len(state.scores), len(state.data)) != (len(options), size):
            raise kept.damaged()
        yield state


async def _captured(
    subject: Subject,
    case: Case,
    positions: Callable[[Case], Awaitable[Sequence[int]]],
    read: Sequence[int],
    size: int,
) -> KeptState:
    options = case.question.continuations()
    with suppress(LongPromptError):
        if at := await positions(case):
            captured = await subject.blocks.capture(case.prompt, options, at, read)
            numbers = (score.logprob for score in captured.scores)
            scores = tuple(number if np.isfinite(number) else None for number in numbers)
            return KeptState(scores, captured.data)
    return KeptState((None,) * len(options), bytes(size))
