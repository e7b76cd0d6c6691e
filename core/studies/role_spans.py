"""The spans of a prompt by the roles that the benchmark gives them, paired with a contrast prompt.

`core.blocks.spans` cuts a prompt where it reads well; here it is cut where the benchmark says that
roles begin and end (`Benchmark.prompt_parts`), so that spans of all items can be averaged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.blocks.pairing import pair_spans
from core.blocks.spans import Piece, PromptSpan, SpanKind, spans
from core.contract.prompt_parts import INSTRUCTION, QUESTION, WORDING, PromptPart
from core.contract.question import Question
from core.models.blocks import PromptToken
from core.text.language import N_, translated

SEVERAL = N_("several parts")
"""The role of a range that holds parts of three or more roles and cannot be cut between them."""
_AND = " + "
"""Stands between the two roles of a range that cannot be cut between its parts."""
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class RoleSpan:
    """A span of a prompt and its role."""

    role: str
    ordinary: bool
    span: PromptSpan


@dataclass(frozen=True, slots=True)
class PairedRole:
    """A range of tokens that means the same in a prompt and its contrast prompt."""

    role: str
    start: int
    stop: int


def role_spans(
    tokens: Sequence[PromptToken], question: Question, parts: Sequence[PromptPart]
) -> list[RoleSpan]:
    """The spans of a prompt, each with its role; raises `ModelError` as `spans` does."""
    pieces: list[tuple[Piece, str, bool]] = []
    position = 0
    end = PromptPart(len(question.text), len(question.text), QUESTION)
    for part in [*sorted(parts, key=lambda part: part.start), end]:
        if part.start < position:
            continue
        between = question.text[position : part.start]
        if _WORD.search(between):
            role = QUESTION if part is end else WORDING if position else INSTRUCTION
            pieces.append((Piece(SpanKind.SENTENCE, position, part.start), role, False))
        elif pieces:
            # Punctuation belongs to the part before it.
            last, role, ordinary = pieces[-1]
            pieces[-1] = Piece(last.kind, last.start, part.start), role, ordinary
        if _WORD.search(question.text[part.start : part.stop]):
            piece = Piece(SpanKind.STATEMENT, part.start, part.stop)
            pieces.append((piece, part.role, part.ordinary))
            position = part.stop
        else:
            position = part.start
    all_spans = spans(tokens, question, [_trimmed(question.text, piece) for piece, _, _ in pieces])
    roles = iter([(role, ordinary) for _, role, ordinary in pieces])
    outside = {SpanKind.BEFORE: INSTRUCTION, SpanKind.AFTER: SpanKind.AFTER.value}
    return [
        RoleSpan(outside[span.kind], False, span)
        if span.kind in outside
        else RoleSpan(*next(roles), span)
        for span in all_spans
    ]


def paired_roles(
    here: Sequence[RoleSpan], there: Sequence[RoleSpan]
) -> tuple[PairedRole, ...] | None:
    """The ranges of both prompts by role; None where some part of a prompt has no counterpart.

    A part that is ordinary here has the role of the part at the same tokens of the contrast prompt.
    """
    pairing = pair_spans([part.span for part in here], [part.span for part in there])
    if not all(pairing.comparable):
        return None
    paired = []
    for start, stop in pairing.ranges:
        own, other = _covered(here, start, stop), _covered(there, start, stop)
        paired.append(PairedRole(_role(own, other), start, stop))
    return tuple(paired)


def role_name(role: str) -> str:
    """A role in the language of the screens."""
    return _AND.join(translated(part) for part in role.split(_AND))


def _role(own: Sequence[RoleSpan], other: Sequence[RoleSpan]) -> str:
    # In whichever order two parts stand, they are one role of both.
    roles = sorted({span.role for span in own})
    if len(roles) != 1:
        return _AND.join(roles) if len(roles) == 2 else SEVERAL
    (role,) = roles
    others = {span.role for span in other if not span.ordinary}
    if all(span.ordinary for span in own) and len(others) == 1 and len(other) == 1:
        return others.pop()
    return role


def _covered(spans: Sequence[RoleSpan], start: int, stop: int) -> list[RoleSpan]:
    """The spans in a range of tokens, those that share a token with a neighbour too."""
    covered, inside = [], False
    for span in spans:
        if span.span.tokens is not None:
            inside = start <= span.span.tokens[0] < stop
        if inside:
            covered.append(span)
    return covered


def _trimmed(text: str, piece: Piece) -> Piece:
    """The piece without the blanks at its ends."""
    inner = text[piece.start : piece.stop]
    start = piece.start + len(inner) - len(inner.lstrip())
    return Piece(piece.kind, start, piece.start + len(inner.rstrip()))
