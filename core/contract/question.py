"""Questions, answers and verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from core.contract.prompt_template import PromptTemplate
from core.contract.setting import Setting
from core.text.errors import RunError
from core.text.language import N_, _


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: str
    """"system", "user" or "assistant"."""
    content: str


Prompt = str | tuple[Message, ...]
"""The input of a model: plain text, or turns that the model's chat template joins."""


class Form(StrEnum):
    """The form of a prompt."""

    BASE = "base"
    """One text, for models trained to continue."""
    CHAT = "chat"
    """Turns, for models trained to converse."""


class Scoring(StrEnum):
    """How an answer was read. A comparison of answers read in different ways says so."""

    LOGLIKELIHOOD = "log-likelihood"
    """By the likelihoods of the options."""
    GENERATED = N_("generated")
    """By the generated text, which `core.answers` reads."""
    SCHEMA = "json-schema"
    """By the JSON object that a server was made to write; `core.answers.answer_objects` reads it.
    """
    INFERRED = "inferred"
    """Not read but inferred from the questions of a later layer."""

    @property
    def written(self) -> bool:
        """Whether the model writes its answer."""
        return self in (Scoring.GENERATED, Scoring.SCHEMA)


@dataclass(frozen=True, slots=True)
class Shot:
    """A worked example: the text of a question and the right option."""

    text: str
    target: str


MOST_OPTIONS = 1_000
"""Most options of a question."""


@dataclass(frozen=True, slots=True)
class Question:
    """The question of one layer about an item under a setting.

    `instruction` has the trailing newlines of the evaluation harness's task file, because the two
    prompt forms treat them differently. Where several options may be right at once, `multiple` is
    set, `golds` lists them and `gold` is None.
    """

    item: str
    layer: str
    instruction: str
    text: str
    options: tuple[str, ...]
    gold: int | None
    """Index of the right option; None where it is not known (a person's own edit)."""
    setting: Setting = field(default_factory=Setting)
    shots: tuple[Shot, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    """Facts of the item that summaries group by, kept with every verdict."""
    golds: tuple[int, ...] = ()
    """Indices of all right options, ascending; empty for single choice or where not known."""
    multiple: bool = False
    """Whether any number of options may be picked."""
    scoring: Scoring = Scoring.LOGLIKELIHOOD
    """How the answer is read by default."""
    answer_limit: int = 512
    """Maximal tokens of a generated answer; longer ones are cut and marked as truncated."""
    stop: tuple[str, ...] = ()
    """Texts that end a generated answer, such as the beginning of another question."""
    meanings: tuple[str, ...] = ()
    """The text of each option, where the options themselves are letters."""
    about: str = ""
    """The subject in a few words ("animal"), where the layer's title does not give it."""
    open: bool = False
    """Whether any text may be answered. The options are then references, and the benchmark scores
    the generated text itself."""
    template: PromptTemplate | None = None
    """The wording that `text` was made from by filling in `parts`; None where it is not known."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """The item's texts in `text`, by the placeholders of `template`."""
    order: tuple[int, ...] = ()
    """The option shown at each place, by its index in the benchmark's own order; empty for that
    order. Gold answers are places, and so are `options` and `meanings`."""

    @property
    def right_options(self) -> tuple[int, ...]:
        """Indices of all right options; empty where none is known."""
        return self.golds if self.multiple else _known(self.gold)

    def base(self) -> str:
        """The prompt for a base model, as lm-evaluation-harness builds it.

        The instruction without its last newline (the harness's template engine drops it), then
        each worked example with its answer and a blank line, then the text.
        """
        shots = "".join(f"{shot.text} {shot.target}\n\n" for shot in self.shots)
        return self.instruction.removesuffix("\n") + shots + self.text

    def chat(self, *, system: bool) -> tuple[Message, ...]:
        """The turns for a chat model, as lm-evaluation-harness builds them.

        `system` says whether the model's template takes a system turn. If so, that turn is the
        stripped instruction; otherwise the whole instruction precedes the first user turn. All
        other turns are stripped.
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
        """A hash of instruction and text, the same with any worked examples.

        That of the wording counts, since an instruction may end otherwise before examples.
        """
        instruction = self.template.instruction if self.template else self.instruction
        asked = f"{instruction}\0{self.text}"
        return sha256(asked.encode("utf-8", "replace")).hexdigest()[:16]

    def continuations(self) -> tuple[str, ...]:
        """The text whose likelihood is measured for each option: a space, then the option."""
        return tuple(f" {option}" for option in self.options)


# A run has hundreds of thousands of these: a named tuple is made in a third of the time.
class OptionScore(NamedTuple):
    """The log-likelihood of one option."""

    logprob: float
    """Natural logarithm, summed over all tokens of the option."""
    tokens: int = 0
    """Number of tokens; 0 where not known."""
    bytes: int = 0
    """Length of the option in UTF-8 bytes; 0 where not known."""

    @property
    def per_token(self) -> float | None:
        """Mean log-likelihood of a token."""
        return self.logprob / self.tokens if self.tokens else None

    @property
    def per_byte(self) -> float | None:
        """Mean log-likelihood of a byte."""
        return self.logprob / self.bytes if self.bytes else None


def option_scores(
    scores: Iterable[tuple[float, int]], options: Iterable[str]
) -> tuple[OptionScore, ...]:
    """Option scores from log-likelihoods and numbers of tokens, with lengths in bytes."""
    return tuple(
        OptionScore(logprob, tokens, len(option.encode("utf-8", "replace")))
        for (logprob, tokens), option in zip(scores, options, strict=True)
    )


class Status(StrEnum):
    """The outcome of reading an answer."""

    OK = "ok"
    TIE = "tie"
    """Several options share the highest score; the first of them counts."""
    NO_ANSWER = "no_answer"
    """No option has a score that is a number, or the text names no option."""
    AMBIGUOUS = "ambiguous"
    """The text names several options where one was asked for."""
    TRUNCATED = "truncated"
    """The text ends before an answer, or its thinking does not end."""
    OUT_OF_RANGE = "out_of_range"
    """The text names an option that was not offered."""


UNREAD = (Status.NO_ANSWER, Status.AMBIGUOUS, Status.TRUNCATED, Status.OUT_OF_RANGE)
"""The outcomes of reading a generated answer that give no option."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a model, before it is scored."""

    scores: tuple[OptionScore, ...] = ()
    text: str = ""
    scoring: Scoring = Scoring.LOGLIKELIHOOD
    tokens: int = 0
    """Number of generated tokens."""
    complete: bool = True
    """Whether generation ended before the limit of tokens."""


class MissingTagError(RunError):
    """A verdict lacks a tag, so what needs the tag cannot be computed."""

    def __init__(self, tag: str) -> None:
        super().__init__(
            _("An answer lacks its “{tag}”.", tag=tag),
            hint=_("Ask or import the run again."),
        )
        self.tag = tag
        """The name of the tag."""


class Tags(dict[str, str]):
    """Tags of a verdict; reading one that is not there raises `MissingTagError`."""

    __slots__ = ()

    def __missing__(self, tag: str) -> str:
        """Raise the error."""
        raise MissingTagError(tag)


# A run has hundreds of thousands of these, too.
class Verdict(NamedTuple):
    """A question with the model's answer, and whether it is right.

    In multiple select `answers` and `golds` are set, and `answer` and `gold` are None.
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
    tags: Mapping[str, str] = Tags()
    digest: str = ""
    """`Question.digest` of the question; empty where not known."""
    multiple: bool = False
    """Whether any number of options could be picked."""
    answers: tuple[int, ...] = ()
    """Indices of the picked options in multiple select, ascending."""
    golds: tuple[int, ...] = ()
    """Indices of all right options in multiple select, ascending; empty where not known."""
    output_tokens: int = 0
    """Number of generated tokens; 0 where nothing was generated."""
    priors: tuple[float, ...] = ()
    """Log-probability of each option after a content-free prompt; empty where it was not asked."""
    order: tuple[int, ...] = ()
    """The option shown at each place, by its index in `options`; empty where it is not recorded.
    Options stand here in the benchmark's own order."""

    @property
    def picked_options(self) -> tuple[int, ...]:
        """Indices of all picked options."""
        return self.answers if self.multiple else _known(self.answer)

    @property
    def right_options(self) -> tuple[int, ...]:
        """Indices of all right options; empty where none is known."""
        return self.golds if self.multiple else _known(self.gold)

    @property
    def right(self) -> bool | None:
        """Whether the answer is the gold one, or the exact set of them; None without gold."""
        if self.multiple:
            return set(self.answers) == set(self.golds) if self.golds else None
        return None if self.gold is None else self.answer == self.gold

    def place(self, option: int) -> int:
        """The place at which an option was shown, counted from 0."""
        return self.order.index(option) if option in self.order else option

    @property
    def unread(self) -> bool:
        """Whether it was written and no option could be read from it."""
        return self.status in UNREAD and self.scoring.written

    @property
    def credit(self) -> float | None:
        """The soft score in multiple select; in single choice 1 or 0. None without gold."""
        if not self.multiple:
            return None if self.right is None else float(self.right)
        return soft_score(set(self.answers), set(self.golds)) if self.golds else None


def soft_score(picked: Set[int], golds: Set[int]) -> float:
    """The soft score of Com² (Xiong et al., 2025, section 3.1) for picked and right options.

    The share of the right options that were picked, but 0 if any wrong option or none was picked.
    """
    return len(picked) / len(golds) if picked <= golds else 0.0


def shares(scores: Sequence[OptionScore]) -> tuple[float, ...]:
    """Softmax of the summed log-likelihoods of the options.

    Empty without scores; an option whose score is not a finite number gets 0.
    """
    sums = [score.logprob for score in scores]
    finite = [value for value in sums if math.isfinite(value)]
    if not finite:
        return (0.0,) * len(sums)
    top = max(finite)
    if len(finite) == len(sums):
        weights = [math.exp(value - top) for value in sums]
    else:
        weights = [math.exp(value - top) if math.isfinite(value) else 0.0 for value in sums]
    total = math.fsum(weights)
    return tuple([weight / total for weight in weights])


def score_by_likelihood(question: Question, answer: Answer) -> Verdict:
    """Score an answer by log-likelihood: it is the first option with the highest sum.

    Ties are broken by position, as the harness's argmax does, and marked `Status.TIE`; another
    rule would change published figures. A score that is not a number is never the highest.

    In multiple select all options are picked whose share is above the uniform one. That rule is
    ours, since no harness defines one; equal scores pick nothing.
    """
    if question.multiple:
        status, picks = _above_uniform(answer.scores)
    else:
        status, picks = _highest(answer.scores)
    return verdict_on(question, answer, status, picks)


def verdict_on(
    question: Question, answer: Answer, status: Status, picks: tuple[int, ...]
) -> Verdict:
    """The verdict on a question for picked options, given by index.

    In single choice several picks count as none.
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
    probabilities = shares(scores)
    known = sum(1 for score in scores if math.isfinite(score.logprob))
    if not known:
        return Status.NO_ANSWER, ()
    picks = tuple(i for i, share in enumerate(probabilities) if share > 1 / known)
    return Status.OK if picks or known == 1 else Status.TIE, picks


def _known(option: int | None) -> tuple[int, ...]:
    return () if option is None else (option,)
