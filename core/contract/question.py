"""Questions, answers and verdicts: one rung of the ladder and what became of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

from core.contract.setting import Setting


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


class Scoring(StrEnum):
    """How an answer was read. Answers read in different ways are never compared."""

    LOGLIKELIHOOD = "log-likelihood"
    """The options' likelihoods, measured."""
    GENERATED = "generated"
    """What the model wrote, read by `core.answers`."""
    INFERRED = "inferred"
    """Not read at all: known from what a later layer was asked."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A worked example: the text of a question and the right option."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Question:
    """What one layer asks about an item under a setting.

    `instruction` carries its trailing newlines exactly as the evaluation harness's task file
    does, because the two prompt forms treat them differently. Where several options may be right
    at once, `multiple` is set, `golds` says which are and `gold` is None.
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
    golds: tuple[int, ...] = ()
    """Indices of all right options, ascending; empty for single choice, or where nobody knows."""
    multiple: bool = False
    """Whether any number of options may be picked."""
    scoring: Scoring = Scoring.LOGLIKELIHOOD
    """How its benchmark has the answer read, unless the person who asks says otherwise."""
    answer_limit: int = 512
    """Most tokens of a generated answer; longer ones are cut and marked as truncated."""
    stop: tuple[str, ...] = ()
    """Texts before which a generated answer ends: those that would begin another question."""
    meanings: tuple[str, ...] = ()
    """What each option stands for, where the options are mere letters."""
    about: str = ""
    """What it asks about, in a few words, where its layer's title does not tell ("animal")."""
    open: bool = False
    """Whether any text may be answered: the options are what it is compared with, and its benchmark
    judges what the model writes."""

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
        if not self.instruction.strip():
            return tuple(turns)
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


class Status(StrEnum):
    """How reading the answer went."""

    OK = "ok"
    TIE = "tie"
    """Several options share the highest score; the first of them counts."""
    NO_ANSWER = "no_answer"
    """No option has a score that is a number, or the text names no option."""
    AMBIGUOUS = "ambiguous"
    """The text names several options where one was asked for."""
    TRUNCATED = "truncated"
    """The text was cut before an answer, or its thinking never ends."""
    OUT_OF_RANGE = "out_of_range"
    """The text names an option that was not offered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered, before it is judged."""

    scores: tuple[OptionScore, ...] = ()
    text: str = ""
    scoring: Scoring = Scoring.LOGLIKELIHOOD
    tokens: int = 0
    """Tokens that the model wrote."""
    complete: bool = True
    """Whether the model ended by itself, rather than at the limit of tokens."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A question with the model's answer, and whether it is right.

    For multiple select `answers` and `golds` hold, and `answer` and `gold` are None.
    """

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
    multiple: bool = False
    """Whether any number of options could be picked."""
    answers: tuple[int, ...] = ()
    """The options picked in multiple select, ascending."""
    golds: tuple[int, ...] = ()
    """All right options in multiple select, ascending; empty where nobody knows them."""
    output_tokens: int = 0
    """Tokens that the model wrote; 0 where nothing was generated."""

    @property
    def right(self) -> bool | None:
        """Whether the answer is the gold one, in multiple select exactly; None without gold."""
        if self.multiple:
            return set(self.answers) == set(self.golds) if self.golds else None
        return None if self.gold is None else self.answer == self.gold

    @property
    def credit(self) -> float | None:
        """The soft score of Com² (Xiong et al., 2025, section 3.1); None without gold.

        Some of the right options and no wrong one earn their share of the right options; any
        wrong option, or none at all, earns nothing. In single choice 1 or 0.
        """
        if not self.multiple:
            return None if self.right is None else float(self.right)
        if not self.golds:
            return None
        picked, golds = set(self.answers), set(self.golds)
        return len(picked) / len(golds) if picked <= golds else 0.0


def shares(scores: Sequence[OptionScore]) -> tuple[float, ...]:
    """The options' probabilities against each other: softmax of the summed log-likelihoods.

    Empty when there are no scores; an option whose score is not a finite number gets 0.
    """
    sums = [score.logprob for score in scores]
    finite = [value for value in sums if math.isfinite(value)]
    if not finite:
        return tuple(0.0 for _ in sums)
    top = max(finite)
    weights = [math.exp(value - top) if math.isfinite(value) else 0.0 for value in sums]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)


def judge_scores(question: Question, answer: Answer) -> Verdict:
    """Judge an answer by log-likelihood: the first option with the highest sum wins.

    Ties are broken by position, as the harness's argmax does, and marked `Status.TIE`; with
    another rule published figures change. A score that is not a number never wins.

    In multiple select every option wins whose probability against the others is above the
    uniform one. That rule is ours, since no harness defines one; equal scores pick nothing.
    """
    if question.multiple:
        status, picks = _above_uniform(answer.scores)
    else:
        status, picks = _highest(answer.scores)
    return verdict_on(question, answer, status, picks)


def verdict_on(
    question: Question, answer: Answer, status: Status, picks: tuple[int, ...]
) -> Verdict:
    """The verdict on a question of which the options `picks` were picked.

    In single choice at most one may be; more count as none.
    """
    return Verdict(
        item=question.item,
        layer=question.layer,
        setting=question.setting,
        options=question.options,
        scores=answer.scores,
        answer=picks[0] if len(picks) == 1 and not question.multiple else None,
        gold=question.gold,
        status=status,
        scoring=answer.scoring,
        text=answer.text,
        tags=question.tags,
        digest=question.digest(),
        multiple=question.multiple,
        answers=tuple(sorted(set(picks))) if question.multiple else (),
        golds=tuple(sorted(set(question.golds))) if question.multiple else (),
        output_tokens=answer.tokens,
    )


def _highest(scores: Sequence[OptionScore]) -> tuple[Status, tuple[int, ...]]:
    sums = [score.logprob for score in scores]
    comparable = [value for value in sums if value == value]
    if not comparable:
        return Status.NO_ANSWER, ()
    best = max(comparable)
    return Status.TIE if sums.count(best) > 1 else Status.OK, (sums.index(best),)


def _above_uniform(scores: Sequence[OptionScore]) -> tuple[Status, tuple[int, ...]]:
    found = shares(scores)
    known = sum(1 for score in scores if math.isfinite(score.logprob))
    if not known:
        return Status.NO_ANSWER, ()
    picks = tuple(place for place, share in enumerate(found) if share > 1 / known)
    return Status.OK if picks or known == 1 else Status.TIE, picks
