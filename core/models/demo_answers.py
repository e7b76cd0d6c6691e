"""Recorded answers of the bundled model to the bundled questions, from `answers.json`.

They stand in for the model while llama.cpp is being compiled. `python -m tools.demo_answers` asks
the model and writes the file beside it.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from core.contract.question import Answer, Scoring, option_scores
from core.files.shipped import samples
from core.models.replay import REPLAY_PREFIX, Key, ReplayModel
from core.system.typed_values import ready
from core.text.errors import DataError
from core.text.language import N_

DECIMALS = 4
"""Of the recorded log-likelihoods."""


class DemoAnswer(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One answer: by scores where there are some, else by what was written."""

    digest: str
    layer: str
    options: tuple[str, ...]
    scores: tuple[tuple[float, int], ...] = ()
    """Log-likelihood and number of tokens of each option."""
    text: str = ""
    tokens: int = 0
    complete: bool = True

    @property
    def key(self) -> Key:
        """The question."""
        return self.digest, self.layer, self.options

    def answer(self) -> Answer:
        """The answer as the model gave it."""
        if not self.scores:
            return Answer((), self.text, Scoring.GENERATED, self.tokens, complete=self.complete)
        # A blank stands before an option; see `Question.continuations`.
        return Answer(option_scores(self.scores, (f" {option}" for option in self.options)))


class DemoAnswers(msgspec.Struct, frozen=True):
    """The contents of the file."""

    model: str
    """The model's name."""
    fingerprint: str
    """Of the model that was asked."""
    answers: tuple[DemoAnswer, ...]


def answers_file() -> Path:
    """The file beside the bundled model."""
    return samples() / "models" / "answers.json"


def demo_answers() -> DemoAnswers:
    """The recorded answers; raises `DataError` where the file is not as expected."""
    try:
        return msgspec.json.decode(answers_file().read_bytes(), type=ready(DemoAnswers))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(
            f"The recorded answers of the bundled model cannot be read: {error}.",
            where=answers_file(),
            hint="Install the program again.",
        ) from error


def stand_in(recorded: DemoAnswers, awaits: str) -> ReplayModel:
    """A model that repeats the recorded answers; `awaits` says what the model itself waits for."""
    return ReplayModel(
        recorded.model,
        {each.key: each.answer() for each in recorded.answers},
        source="demo",
        fingerprint=f"{REPLAY_PREFIX}{recorded.fingerprint}",
        recorded=N_("zero-shot, base prompt"),
        demo=True,
        awaits=awaits,
    )
