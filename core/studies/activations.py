"""The residual stream of every question of a layer, in rows, and a description of each row."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.blocks.spans import SpanKind
from core.contract.question import OptionScore
from core.models.blocks import leader
from core.runs.records import replace_surrogates
from core.studies.role_spans import role_spans
from core.studies.subject import Case, Subject
from core.text.errors import ModelError, SettingError
from core.text.suggestions import suggestion

ANSWER = "answer position"
"""The role of the last token before the options."""
_AROUND = (SpanKind.BEFORE, SpanKind.AFTER)
REPLY_BYTES = 16 * 2**20
"""Bytes of states that are asked for at once."""


class Positions(StrEnum):
    """The tokens whose states are read."""

    LAST = "last"
    """The answer position."""
    SPANS = "spans"
    """The last token of each part of the question that has a role, and the answer position."""


class ActivationRow(msgspec.Struct, frozen=True):
    """What a row of states is."""

    row: int
    item: str
    layer: str
    group: str
    """Rows of one group are not independent: one family of stories, one graph, one event."""
    position: int
    """The token, counted from 0."""
    span: int | None
    """The number of the part in the prompt, counted from 0; None at the answer position."""
    role: str
    text: str
    """The part's text; empty at the answer position."""
    options: tuple[str, ...]
    scores: tuple[float | None, ...]
    """Log-likelihoods in nats; None where one is not a number."""
    gold: int
    right: bool


def index_record(row: ActivationRow) -> dict[str, Any]:
    """A row of the index as plain values."""
    record: dict[str, Any] = msgspec.to_builtins(row)
    return record


@dataclass(frozen=True, slots=True)
class QuestionStates:
    """The states of one question."""

    index: tuple[ActivationRow, ...]
    states: NDArray[np.float32]
    """(rows, blocks, width)."""


def parse_blocks(word: str, blocks: int) -> tuple[int, ...]:
    """The blocks that `all` or `3,5` names; raises `SettingError`."""
    if word == "all":
        return tuple(range(blocks))
    numbers = [part.strip() for part in word.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) < 7 for part in numbers):
        raise SettingError(
            f"“{word}” names no blocks.", where="--blocks", hint="Write all, or numbers as 3,5."
        )
    chosen = tuple(dict.fromkeys(map(int, numbers)))
    if missing := [block for block in chosen if block >= blocks]:
        raise SettingError(
            f"There is no block {missing[0]} in this model.",
            where="--blocks",
            hint=f"Blocks count from 0 to {blocks - 1}.",
        )
    return chosen


def parse_positions(word: str) -> Positions:
    """The positions of that name; raises `SettingError`."""
    names = [position.value for position in Positions]
    if word not in names:
        raise SettingError(
            f"There are no positions “{word}”.",
            where="--positions",
            hint=suggestion("Choose from", names, word),
        )
    return Positions(word)


def metadata_of(subject: Subject, positions: Positions, blocks: Sequence[int]) -> dict[str, str]:
    """What identifies the rows of a file: equal metadata, equal rows."""
    plan = subject.plan("activations", {"positions": positions.value})
    return {
        "model": plan.model,
        "fingerprint": plan.fingerprint,
        "benchmark": plan.benchmark,
        "collection": plan.collection_hash,
        "layer": plan.layer,
        "form": plan.form.value,
        "setting": " ".join(f"{key}={value}" for key, value in plan.setting),
        "limit": "" if plan.limit is None else str(plan.limit),
        "gpu_layers": str(plan.gpu_layers),
        "prompts": plan.prompts,
        "exact": "yes" if plan.exact else "no",
        "demo": "yes" if plan.demo else "no",
        "positions": positions.value,
        "blocks": ",".join(map(str, blocks)),
    }


async def activations(
    subject: Subject,
    cases: Sequence[Case],
    positions: Positions,
    blocks: Sequence[int],
    row: int = 0,
) -> AsyncGenerator[QuestionStates, None]:
    """The states of each case after some blocks; `row` is the number of the first row.

    Raises `ModelError`.
    """
    for case in cases:
        states = await _of_case(subject, case, positions, blocks, row)
        row += len(states.index)
        yield states


@dataclass(frozen=True, slots=True)
class _Place:
    position: int
    """-1 for the answer position."""
    span: int | None
    role: str
    text: str


async def _of_case(
    subject: Subject, case: Case, positions: Positions, blocks: Sequence[int], row: int
) -> QuestionStates:
    places = [_Place(-1, None, ANSWER, "")]
    if positions is Positions.SPANS:
        places = [*await _span_ends(subject, case), *places]
    options = case.question.continuations()
    at_once = max(1, REPLY_BYTES // (4 * len(blocks) * subject.access.width))
    parts: list[NDArray[np.float32]] = []
    captured_at: list[int] = []
    scores: tuple[OptionScore, ...] = ()
    for start in range(0, len(places), at_once):
        group = places[start : start + at_once]
        wanted = [place.position for place in group]
        captured = await subject.blocks.capture(case.prompt, options, wanted, blocks)
        shape = (len(group), len(blocks), subject.access.width)
        parts.append(np.frombuffer(captured.data, "<f4").reshape(shape))
        captured_at += captured.positions
        scores = captured.scores
    gold = case.question.gold
    assert gold is not None
    numbers = (score.logprob for score in scores)
    logprobs = tuple(number if np.isfinite(number) else None for number in numbers)
    index = tuple(
        ActivationRow(
            row + number,
            replace_surrogates(case.item.id),
            case.question.layer,
            replace_surrogates(case.cluster),
            position,
            place.span,
            place.role,
            replace_surrogates(place.text),
            tuple(map(replace_surrogates, case.question.options)),
            logprobs,
            gold,
            leader(scores) == gold,
        )
        for number, (place, position) in enumerate(zip(places, captured_at, strict=True))
    )
    return QuestionStates(index, np.concatenate(parts))


async def _span_ends(subject: Subject, case: Case) -> list[_Place]:
    """The last token of each part of the question; none where tokens do not spell its text.

    What stands before the question is the same for every item and left out.
    """
    tokens = await subject.blocks.tokens(case.prompt, case.question.continuations())
    parts = subject.benchmark.prompt_parts(case.item, case.setting, case.question)
    try:
        spans = role_spans(tokens, case.question, parts)
    except ModelError:
        return []
    return [
        _Place(each.span.tokens[1] - 1, number, each.role, each.span.text)
        for number, each in enumerate(spans)
        if each.span.tokens is not None and each.span.kind not in _AROUND
    ]
