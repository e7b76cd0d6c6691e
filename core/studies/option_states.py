"""The states of a model where a prompt shows the options of its question.

After the last token of an option the model has read the option and all that stands before it, the
options that are shown later not among it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.blocks.spans import last_tokens, occurrences
from core.contract.question import Question
from core.models.blocks import EMBEDDING
from core.runs.questions import QuestionSource
from core.studies.conducting import Report, StudyProgress
from core.studies.option_cases import OptionCases
from core.studies.probe_fits import Features, less_means
from core.studies.ranking import Floats, Integers
from core.studies.state_capture import (
    CAPTURING,
    captured_states,
    check_size,
    lacks_two_options,
    read_blocks,
)
from core.studies.study_store import KeptValues
from core.studies.subject import Case, Subject
from core.text.errors import ModelError, SettingError
from core.text.language import N_, _

_FEWEST_CHARACTERS = 2
"""Shorter options are letters, whose texts are not known."""


@dataclass(frozen=True, slots=True)
class OptionStates:
    """The states of the options of all cases, those of one case together."""

    cases: tuple[Case, ...]
    states: NDArray[np.float32]
    """(options, blocks, width), less the mean over the options of their case."""
    embeddings: NDArray[np.float32] | None
    """(options, width), likewise; None where they cannot be read."""
    logprobs: Floats
    """(options,)."""
    left_out: int
    """How many cases have none: their prompts do not show the options, or are longer than the
    model's context, or it gives no number."""

    @property
    def counts(self) -> list[int]:
        """How many options each case has."""
        return [len(case.question.options) for case in self.cases]

    def task(self, surfaces: dict[str, Features]) -> OptionCases:
        """What is probed, with features of the options without the model's work."""
        counts = self.counts
        questions = np.repeat(np.arange(len(counts)), counts)
        asked = [case.question for case in self.cases]
        said = [option for question in asked for option in question.continuations()]
        texts = [text for question in asked for text in shown_options(question)]
        clusters = np.unique([case.cluster for case in self.cases], return_inverse=True)[1]
        if self.embeddings is not None:
            surfaces = surfaces | {"embedding": self.embeddings}
        return OptionCases(
            [self.states[:, block] for block in range(self.states.shape[1])],
            _numbers(place == question.gold for question in asked for place in _places(question)),
            questions,
            _numbers(place for question in asked for place in _places(question)),
            clusters.astype(np.int64)[questions],
            self.logprobs,
            _numbers(len(text.encode("utf-8", "replace")) for text in said),
            np.unique(texts, return_inverse=True)[1].astype(np.int64),
            {name: less_means(features, questions) for name, features in surfaces.items()},
        )


def shown_options(question: Question) -> tuple[str, ...]:
    """The texts of the options as a prompt shows them."""
    return tuple(text.strip() for text in question.meanings or question.options)


def option_ranges(question: Question) -> tuple[tuple[int, int], ...]:
    """Where the question's text shows each of its options, in their order; empty if it does not.

    What stands before them may name options too, so they are searched from the end.
    """
    ranges: list[tuple[int, int]] = []
    stop = len(question.text)
    for text in reversed(shown_options(question)):
        starts = list(occurrences(question.text[:stop], text)) if text else []
        if not starts or len(text) < _FEWEST_CHARACTERS:
            return ()
        stop = starts[-1]
        ranges.insert(0, (stop, stop + len(text)))
    return tuple(ranges)


def shows_options(question: Question) -> bool:
    """Whether a question has more than two options of which one is right, and shows them."""
    closed = not question.open and not question.multiple and question.gold is not None
    return closed and len(question.options) > 2 and bool(option_ranges(question))


def option_cases(subject: Subject) -> list[Case]:
    """The cases of a subject's layer with more than two options.

    Raises `SettingError` where there are some and no prompt shows its options.
    """
    cases = [case for case in subject.cases() if len(case.question.options) > 2]
    if cases and not any(shows_options(case.question) for case in cases):
        raise SettingError(
            _(
                "The prompts of layer {layer} do not show their options, so there is no place at "
                "which the model has read one.",
                layer=subject.layer.id,
            ),
            where="--task-layer",
            hint=_("Choose a layer whose prompts list the options, or one with two options."),
        )
    return cases


def lacks_probed_options(source: QuestionSource, name: str | None = None) -> str:
    """Why a collection cannot have a probe; empty where it can, by its first items."""
    obstacle = N_(
        "This collection cannot have it: of {items} looked at, none has a question in layer "
        "{layer} with two options, or with more that its prompt shows."
    )
    return lacks_two_options(source, name, lambda _, question: shows_options(question), obstacle)


async def capture_options(
    subject: Subject, cases: Sequence[Case], kept: KeptValues, report: Report
) -> OptionStates:
    """Read the residual stream after every block at the end of every option; each case is kept.

    Raises as `captured_states` does, and `SettingError` where the states are over `MOST_BYTES`.
    """

    async def ends(case: Case) -> Sequence[int]:
        tokens = await subject.blocks.tokens(case.prompt, case.question.continuations())
        stops = [stop for _start, stop in option_ranges(case.question)]
        try:
            return last_tokens(tokens, case.question, stops)
        except ModelError:
            # Its tokenizer spells the text in another way.
            return ()

    counts = [len(case.question.options) for case in cases]
    check_size(subject, len(cases), sum(counts))
    read, width = read_blocks(subject), subject.access.width
    states = np.empty((sum(counts), len(read), width), np.float32)
    logprobs = np.full(sum(counts), np.nan)
    done = row = 0
    usable = np.zeros(sum(counts), dtype=np.bool_)
    used: list[Case] = []
    each = captured_states(subject, cases, kept, ends, rows=lambda case: len(case.question.options))
    async for state in each:
        case, rows = cases[done], slice(row, row + counts[done])
        done, row = done + 1, rows.stop
        if state is not None and None not in state.scores:
            data = np.frombuffer(state.data, "<f4").reshape(states[rows].shape)
            if np.isfinite(data).all():
                one = np.zeros(len(data), dtype=np.int64)
                flat = less_means(data.reshape(len(data), -1), one)
                states[rows] = flat.reshape(data.shape)
                logprobs[rows] = state.scores
                usable[rows] = True
                used.append(case)
        report(StudyProgress(_(CAPTURING), done, len(cases)))
    kept.check_complete()
    states = states[usable]
    embedded = read[0] == EMBEDDING
    return OptionStates(
        tuple(used),
        states[:, 1:] if embedded else states,
        states[:, 0] if embedded else None,
        logprobs[usable],
        len(cases) - len(used),
    )


def _places(question: Question) -> range:
    return range(len(question.options))


def _numbers(values: Iterable[int]) -> Integers:
    return np.array(list(values), dtype=np.int64)
