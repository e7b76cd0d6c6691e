"""Finds the valid pair of every case of a study, and another item's prompt as a control."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

from core.blocks.alignment import PromptPair, replacement_sentences
from core.blocks.pair_validity import Condition
from core.contract.question import Answer, Question
from core.contract.setting import Setting
from core.models.blocks import TraceBase, leader
from core.studies.conducting import Report, StudyProgress
from core.studies.role_spans import PairedRole, paired_roles, role_spans
from core.studies.study_store import KeptValues
from core.studies.subject import Case, Subject
from core.text.errors import LongPromptError, ModelError, SettingError
from core.text.language import N_, _

FINDING_PAIRS = N_("pairs")
_NO_ROLES = N_("its parts have no counterparts of the same roles in the contrast prompt")
_NOT_SPELLED = N_("the model's tokens do not spell its text")
_NOTHING_TO_CHANGE = N_("no change of it keeps every span as long as it is")
_NO_OTHER_ANSWER = N_("no change that was tried gets the other answer")
_TOO_LONG = N_("its prompt is longer than the model's context")
_TOO_CLOSE = N_("its margins differ by less than 1 nat")
_WRONG = N_("the model is wrong about it")
_REASONS = {
    Condition.ANSWERED: _WRONG,
    Condition.ANSWERED_OTHERWISE: _NO_OTHER_ANSWER,
    Condition.ALIGNED: _NOTHING_TO_CHANGE,
    Condition.FAR_APART: _TOO_CLOSE,
}
"""Why a case is left out, by the condition that no change of it meets."""


PartRange = tuple[str, int, int]
"""A part: its role and its token range."""


class KeptPair(msgspec.Struct, frozen=True):
    """What was found of a case."""

    reason: str = ""
    """Why it has no pair; empty where it has one."""
    right: bool = True
    """Whether the model is right about it."""
    answer: str = ""
    """The option that leads after its own prompt."""
    tokens: int = 0
    """Length of its own prompt; 0 where it was not needed."""
    setting: tuple[tuple[str, str], ...] = ()
    """The setting of its contrast prompt."""
    layer: str = ""
    """The task layer of its contrast prompt."""
    options: tuple[int, int] = (0, 0)
    """The options of the margin."""
    margins: tuple[float, float] = (0.0, 0.0)
    """With the prompt and with its contrast prompt, in nats."""
    parts: tuple[PartRange, ...] = ()
    """Role and token range of each part of both prompts; without a pair, of its own."""
    first_failure: str = ""
    """The first task layer that the model gets wrong; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A case with its contrast prompt."""

    case: Case
    kept: KeptPair
    contrast: Question

    @property
    def parts(self) -> tuple[PairedRole, ...]:
        """The parts of both prompts."""
        return tuple(PairedRole(*part) for part in self.kept.parts)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of a study, and how many cases have none."""

    pairs: tuple[Pair, ...]
    excluded: dict[str, int]
    """By reason; wrong answers are among them."""
    kept: dict[str, KeptPair]
    """By item, of all cases; in a shard, of those that are known there."""

    @property
    def right(self) -> list[Pair]:
        """The valid pairs."""
        return [pair for pair in self.pairs if pair.kept.right]


async def find_pairs(
    subject: Subject, cases: Sequence[Case], kept: KeptValues, report: Report
) -> Pairs:
    """Find the pair of every case."""
    sentences = await asyncio.to_thread(_sentences, subject)
    known: dict[str, KeptPair] = {}
    for number, case in enumerate(cases, 1):
        find = partial(_find, subject, case, sentences)
        pair = await kept.measured(f"pair/{case.item.id}", KeptPair, case.item.id, find)
        if pair is not None:
            known[case.item.id] = pair
        report(StudyProgress(_(FINDING_PAIRS), number, len(cases)))
    pairs = [
        Pair(case, pair, contrast)
        for case in cases
        if (pair := known.get(case.item.id)) is not None
        and not pair.reason
        and (contrast := _contrast(subject, case, pair)) is not None
    ]
    excluded = Counter(
        pair.reason if pair.right else _WRONG
        for pair in known.values()
        if pair.reason or not pair.right
    )
    return Pairs(tuple(pairs), dict(excluded.most_common()), known)


def _sentences(subject: Subject) -> list[str]:
    """Sentences that are tried in the place of others, each once."""
    return list(dict.fromkeys(replacement_sentences(subject.benchmark, subject.source.collection)))


def _contrast(subject: Subject, case: Case, pair: KeptPair) -> Question | None:
    return subject.benchmark.question(case.item, Setting(pair.setting), pair.layer)


async def _find(subject: Subject, case: Case, sentences: Iterable[str]) -> KeptPair:
    """The valid pair of a case, or that of its wrong answer and another, or why there is none."""
    options = case.question.continuations()
    try:
        here = await subject.model.score(case.prompt, options)
    except LongPromptError:
        return KeptPair(reason=_TOO_LONG)
    first = leader(here)
    right = first == case.question.gold
    unpaired = KeptPair(right=right, answer="" if first is None else case.question.options[first])
    aligner = subject.aligner(case)
    try:
        pair = await aligner.valid_pair(sentences, subject.model.score, wrong=not right)
        if not isinstance(pair, PromptPair):
            own, tokens = await _own_parts(subject, case)
            return msgspec.structs.replace(
                unpaired, reason=_REASONS[pair], tokens=tokens, parts=own
            )
        parts, tokens = await _parts(subject, case, pair)
    except ModelError:
        # A tokenizer that writes the text in another way; a model that has ended is told later.
        await subject.model.score(case.prompt, options)
        return msgspec.structs.replace(unpaired, reason=_NOT_SPELLED)
    if parts is None:
        return msgspec.structs.replace(unpaired, reason=_NO_ROLES, tokens=tokens)
    contrast = pair.contrast
    there = await subject.model.score(subject.prompt(contrast.question), options)
    base = TraceBase(here, there)
    second = leader(there)
    assert first is not None
    assert second is not None
    return msgspec.structs.replace(
        unpaired,
        tokens=tokens,
        setting=tuple(contrast.setting.changed),
        layer=contrast.question.layer,
        options=(first, second),
        margins=base.margins(first, second),
        parts=tuple((part.role, part.start, part.stop) for part in parts),
        first_failure=await _first_failure(subject, case),
    )


async def _parts(
    subject: Subject, case: Case, pair: PromptPair
) -> tuple[tuple[PairedRole, ...] | None, int]:
    """The parts of both prompts, and how many tokens they have."""
    spans = []
    length = 0
    for setting, question in (
        (case.setting, case.question),
        (pair.contrast.setting, pair.contrast.question),
    ):
        tokens = await subject.blocks.tokens(subject.prompt(question), question.continuations())
        length = length or len(tokens)
        parts = subject.benchmark.prompt_parts(case.item, setting, question)
        spans.append(role_spans(tokens, question, parts))
    return paired_roles(*spans), length


async def _own_parts(subject: Subject, case: Case) -> tuple[tuple[PartRange, ...], int]:
    """The parts of a case's own prompt that share no token, and how many tokens it has."""
    tokens = await subject.blocks.tokens(case.prompt, case.question.continuations())
    parts = subject.benchmark.prompt_parts(case.item, case.setting, case.question)
    spans = role_spans(tokens, case.question, parts)
    return tuple((s.role, *s.span.tokens) for s in spans if s.span.tokens), len(tokens)


async def _first_failure(subject: Subject, case: Case) -> str:
    """The first task layer of the ladder that the model gets wrong, by log-likelihood."""
    for layer in subject.benchmark.layers:
        if layer.aside:
            continue
        try:
            question = subject.benchmark.question(case.item, case.setting, layer.id)
        except SettingError:
            continue
        if question is None or question.open or not question.right_options:
            continue
        try:
            scores = await subject.model.score(subject.prompt(question), question.continuations())
        except LongPromptError:
            continue
        if subject.benchmark.score(question, Answer(scores)).right is False:
            return layer.id
    return ""


@dataclass(frozen=True, slots=True)
class Donor:
    """Another item's prompt, for a control."""

    item: str
    question: Question
    parts: tuple[PartRange, ...]


class Donors:
    """Prompts of other items that get the answer that a contrast prompt gets.

    The control of a pair copies from such a prompt into the contrast prompt. Both have the same
    answer, so whatever a copy does to the margin is not the answer being brought over. A donor has
    as many tokens as the contrast prompt, and is of another cluster; those whose parts lie nearest
    to the pair's are preferred, and among equally near ones it is drawn.
    """

    def __init__(self, cases: Sequence[Case], pairs: Pairs, seed: int) -> None:
        """`pairs` are those of `cases`."""
        self._seed = seed
        self._known: dict[tuple[int, str], list[tuple[str, Donor]]] = {}
        for case in cases:
            own = pairs.kept[case.item.id]
            donor = Donor(case.item.id, case.question, own.parts)
            self._add(case, own.tokens, own.answer, donor)
        for pair in pairs.pairs:
            answer = pair.case.question.options[pair.kept.options[1]]
            donor = Donor(pair.case.item.id, pair.contrast, pair.kept.parts)
            self._add(pair.case, pair.kept.tokens, answer, donor)

    def _add(self, case: Case, tokens: int, answer: str, donor: Donor) -> None:
        if tokens and answer:
            self._known.setdefault((tokens, answer), []).append((case.cluster, donor))

    def of(self, pair: Pair) -> Donor | None:
        """The donor of a pair's control; None where no other prompt is as long."""
        answer = pair.case.question.options[pair.kept.options[1]]
        known = self._known.get((pair.kept.tokens, answer), [])
        others = [
            donor
            for cluster, donor in known
            if cluster != pair.case.cluster and donor.question.options == pair.case.question.options
        ]
        if not others:
            return None
        parts = pair.kept.parts
        near = min(_distance(parts, donor.parts) for donor in others)
        nearest = [donor for donor in others if _distance(parts, donor.parts) == near]
        drawn = random.Random(f"{self._seed}/{pair.case.item.id}").randrange(len(nearest))
        return nearest[drawn]


def _distance(parts: Sequence[PartRange], other: Sequence[PartRange]) -> int:
    """How many tokens lie in parts that have another role, or begin or end elsewhere."""
    same = set(parts) & set(other)
    return sum(stop - start for role, start, stop in parts if (role, start, stop) not in same)
