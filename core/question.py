"""Questions, answers and verdicts: one rung of the ladder and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from core.setting import Setting


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: str
    """"system", "user" or "assistant"."""
    content: str


Prompt = str | tuple[Message, ...]
"""What a model is given: plain text, or turns that the model's own chat template joins."""


class Form(StrEnum):
    """How a question is put to a model."""

    BASE = "base"
    """One text, for models trained to continue."""
    CHAT = "chat"
    """Turns, for models trained to converse."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A worked example: the text of a question and the right option."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Question:
    """What one layer asks about an item under a setting.

    `instruction` carries its trailing newlines exactly as the evaluation harness's task file
    does, because the two prompt forms treat them differently.
    """

    item: str
    layer: str
    instruction: str
    text: str
    options: tuple[str, ...]
    gold: int | None
    """Index of the right option; None where nobody knows it (a person's own edit)."""
    setting: Setting = field(default_factory=Setting)
    shots: tuple[Shot, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    """Facts of the item that summaries group by, kept with every verdict."""

    def base(self) -> str:
        """The prompt for a base model, as lm-evaluation-harness builds it.

        Instruction less one newline (its template engine drops the last one), then each worked
        example with its answer and a blank line, then the text.
        """
        shots = "".join(f"{shot.text} {shot.target}\n\n" for shot in self.shots)
        return self.instruction.removesuffix("\n") + shots + self.text

    def chat(self, *, system: bool) -> tuple[Message, ...]:
        """The turns for a chat model, as lm-evaluation-harness builds them.

        `system` says whether the model's template takes a system turn: with it the instruction
        is stripped into that turn, without it the whole instruction stands in front of the
        first user turn. Every text turn is stripped.
        """
        turns = []
        for shot in self.shots:
            turns.append(Message("user", shot.text.strip()))
            turns.append(Message("assistant", shot.target))
        turns.append(Message("user", self.text.strip()))
        if system:
            return (Message("system", self.instruction.strip()), *turns)
        first = Message("user", self.instruction + turns[0].content)
        return (first, *turns[1:])

    def digest(self) -> str:
        """Tells what is asked from everything else, whatever worked examples go with it."""
        asked = f"{self.instruction}\0{self.text}"
        return sha256(asked.encode("utf-8", "replace")).hexdigest()[:16]

    def continuations(self) -> tuple[str, ...]:
        """The text whose likelihood stands for each option: a space, then the option."""
        return tuple(f" {option}" for option in self.options)


@dataclass(frozen=True, slots=True)
class OptionScore:
    """How likely a model finds one option."""

    logprob: float
    """Natural-log likelihood of the option, summed over all of its tokens."""
    tokens: int = 0
    """Tokens summed over; 0 where the source does not tell."""
    bytes: int = 0
    """Length of the option in UTF-8 bytes; 0 where the source does not tell."""

    @property
    def per_token(self) -> float | None:
        """Mean log-likelihood of a token."""
        return self.logprob / self.tokens if self.tokens else None

    @property
    def per_byte(self) -> float | None:
        """Mean log-likelihood of a byte."""
        return self.logprob / self.bytes if self.bytes else None


class Scoring(StrEnum):
    """How an answer was read. Answers read in different ways are never compared."""

    LOGLIKELIHOOD = "log-likelihood"
    GENERATED = "generated"
    INFERRED = "inferred"
    """Not read at all: known from what a later layer was asked."""


class Status(StrEnum):
    """How reading the answer went."""

    OK = "ok"
    TIE = "tie"
    """Several options share the highest score; the first of them counts."""
    NO_ANSWER = "no_answer"
    """No option has a score that is a number."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered, before it is judged."""

    scores: tuple[OptionScore, ...] = ()
    text: str = ""
    scoring: Scoring = Scoring.LOGLIKELIHOOD


@dataclass(frozen=True, slots=True)
class Verdict:
    """A question with the model's answer, and whether it is right."""

    item: str
    layer: str
    setting: Setting
    options: tuple[str, ...]
    scores: tuple[OptionScore, ...]
    answer: int | None
    gold: int | None
    status: Status
    scoring: Scoring
    text: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    """`Question.digest` of what was asked; empty where that is not known."""

    @property
    def right(self) -> bool | None:
        """Whether the answer is the gold one; None where there is no gold."""
        return None if self.gold is None else self.answer == self.gold


def judge_scores(question: Question, answer: Answer) -> Verdict:
    """Judge an answer by log-likelihood: the first option with the highest sum wins.

    Ties are broken by position, as the harness's argmax does, and marked `Status.TIE`; with
    another rule published figures change. A score that is not a number never wins.
    """
    sums = [score.logprob for score in answer.scores]
    comparable = [value for value in sums if value == value]
    if not comparable:
        picked, status = None, Status.NO_ANSWER
    else:
        best = max(comparable)
        picked = sums.index(best)
        status = Status.TIE if sums.count(best) > 1 else Status.OK
    return Verdict(
        item=question.item,
        layer=question.layer,
        setting=question.setting,
        options=question.options,
        scores=answer.scores,
        answer=picked,
        gold=question.gold,
        status=status,
        scoring=answer.scoring,
        text=answer.text,
        tags=question.tags,
        digest=question.digest(),
    )
