"""Splits a question's prompt into spans: sentences, statements, events and options, with tokens.

The statements, events and options that the benchmark shows (`core.contract.view`) are searched in
the question's text, and the rest is cut at line breaks and sentence ends. So every token belongs to
a span, or to two that share it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, pairwise, takewhile

from core.contract.prompt_parts import BRACKETS, without_brackets
from core.contract.question import Question
from core.contract.view import Graph, Statements, View
from core.models.blocks import PromptToken
from core.text.errors import ModelError
from core.text.language import N_, _

_FEWEST_WORDS = 3
"""Fewest words of a node's text that is searched: single terms occur inside statements too."""
_LABEL = re.compile(r"^(?:\W*(?:\w{1,2}|\w[\w ]{0,20}:)[.):]*|[-*•–])\s*$")
"""A label of the text that follows on the line: “0. ”, “B: ”, “First event: ”, “- ”."""
_CUT = re.compile(r"\n|(?<=\w{2}[.!?])(?=\s)")
_WORD = re.compile(r"\w")
_BLANKS = b" \t\n\v\f\r"


class SpanKind(StrEnum):
    """What a span is."""

    BEFORE = N_("instruction")
    """Everything before the question: instruction, worked examples, the template's turns."""
    STATEMENT = "statement"
    EVENT = "event"
    OPTION = "option"
    SENTENCE = "sentence"
    """Any other text of the question."""
    SEVERAL = "several"
    """Several consecutive spans."""
    AFTER = N_("end of turn")
    """The end of a chat template, after the question."""
    BEGINNING = "beginning"
    """What two options begin with, behind the prompt."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a question's text."""

    kind: SpanKind
    start: int
    """Index of its first character."""
    stop: int


@dataclass(frozen=True, slots=True)
class PromptSpan:
    """A part of a prompt with its tokens."""

    kind: SpanKind
    text: str
    """Its text, on one line."""
    tokens: tuple[int, int] | None
    """Its token range, (start, stop); None if it shares a token with its neighbour."""

    @property
    def name(self) -> str:
        """Its text; for a span outside the question, its kind in brackets."""
        if self.kind is SpanKind.BEGINNING:
            return _("both options begin “{text}”", text=self.text)
        outside = self.kind in (SpanKind.BEFORE, SpanKind.AFTER)
        return f"({_(self.kind.value)})" if outside else self.text


def pieces(question: Question, view: View) -> tuple[Piece, ...]:
    """Split a question's text into parts that do not overlap, in order.

    Longer statements, events and options are searched before shorter ones. A label belongs to the
    part after it, punctuation to the part before it.
    """
    text = question.text
    # ACCORD's prompts have every term in brackets, and its statements are shown without.
    kept = [position for position, character in enumerate(text) if character not in BRACKETS]
    bare = "".join(text[position] for position in kept)
    matches: list[Piece] = []
    for kind, needle, last in _needles(question, view):
        starts = list(occurrences(bare, needle))
        for start in starts[-1:] if last else starts:
            piece = _unbared(text, Piece(kind, kept[start], kept[start + len(needle) - 1] + 1))
            if all(piece.stop <= other.start or other.stop <= piece.start for other in matches):
                matches.append(piece)
    matches.sort(key=lambda piece: piece.start)
    whole: list[Piece] = []
    position = 0
    for piece in [*matches, Piece(SpanKind.SENTENCE, len(text), len(text))]:
        between = sentences(text, position, piece.start)
        if between and _is_label(text, between[-1], piece):
            piece = Piece(piece.kind, between.pop().start, piece.stop)
        whole += between
        if piece.stop > piece.start:
            whole.append(piece)
        position = piece.stop
    return tuple(_with_punctuation(text, whole))


def _unbared(text: str, piece: Piece) -> Piece:
    """The piece with the brackets directly around it."""
    start, stop = piece.start, piece.stop
    while text[:start].endswith(BRACKETS[0]):
        start -= 1
    while text[stop:].startswith(BRACKETS[1]):
        stop += 1
    return Piece(piece.kind, start, stop)


def spans(
    tokens: Sequence[PromptToken], question: Question, parts: Iterable[Piece]
) -> tuple[PromptSpan, ...]:
    """The question's parts with their tokens, and one span each for the prompt before and after.

    Blanks are ignored in the comparison, because tokenizers add and drop some; a token of blanks
    belongs to the span before it. Raises `ModelError` if the tokens do not spell the question.
    """
    spelled = _spelled(tokens, question)
    part_spans: list[PromptSpan] = []
    for piece in parts:
        first, after = (
            len(_solid(question.text[:position])) for position in (piece.start, piece.stop)
        )
        words = " ".join(question.text[piece.start : piece.stop].split())
        held = token_span(tokens, spelled[first], spelled[after - 1] + 1)
        part_spans.append(PromptSpan(piece.kind, words, held))
    return tuple(_around(tokens, _filled(tokens, part_spans)))


def last_tokens(
    tokens: Sequence[PromptToken], question: Question, stops: Iterable[int]
) -> tuple[int, ...]:
    """The token in which the question's text up to each of some characters ends.

    It may hold what follows, too. Raises `ModelError` as `spans` does.
    """
    spelled = _spelled(tokens, question)
    ends = list(accumulate(len(token.data) for token in tokens))
    return tuple(
        bisect_right(ends, spelled[len(_solid(question.text[:stop])) - 1]) for stop in stops
    )


def _spelled(tokens: Sequence[PromptToken], question: Question) -> Sequence[int]:
    """Where the bytes of the question's text, without blanks, are in what all tokens spell.

    Raises `ModelError` if they do not spell it.
    """
    solid = [
        (position, byte)
        for position, byte in enumerate(b"".join(token.data for token in tokens))
        if byte not in _BLANKS
    ]
    wanted = _solid(question.text)
    begin = bytes(byte for _position, byte in solid).rfind(wanted)
    if begin < 0 or not wanted:
        raise ModelError(
            _("The question's text is not in the prompt as the model reads it."),
            hint=_("Its tokenizer writes the text in another way, so its spans cannot be found."),
        )
    return [position for position, _byte in solid[begin : begin + len(wanted)]]


def token_span(tokens: Sequence[PromptToken], start: int, stop: int) -> tuple[int, int] | None:
    """The tokens that hold the bytes from `start` up to `stop` of what all tokens spell.

    Surrounding white space is ignored. None where a token also holds text from before or after the
    range, or where the range is only white space.
    """
    text = b"".join(token.data for token in tokens)
    inner = text[start:stop].strip()
    if not inner:
        return None
    begin = start + text[start:stop].index(inner)
    end = begin + len(inner)
    end_offset, indices = 0, []
    for index, token in enumerate(tokens):
        start_offset, end_offset = end_offset, end_offset + len(token.data)
        if start_offset < end and end_offset > begin:
            if text[start_offset:begin].strip() or text[end:end_offset].strip():
                return None
            indices.append(index)
    return (indices[0], indices[-1] + 1) if indices else None


def beginning_span(tokens: Sequence[PromptToken], start: int) -> PromptSpan:
    """The tokens of options from a position on, where their prompt ends."""
    return PromptSpan(SpanKind.BEGINNING, _line(tokens[start:]), (start, len(tokens)))


def _solid(text: str) -> bytes:
    """The bytes of a text without blanks."""
    return bytes(byte for byte in text.encode("utf-8", "replace") if byte not in _BLANKS)


def _filled(tokens: Sequence[PromptToken], part_spans: Sequence[PromptSpan]) -> list[PromptSpan]:
    """Extend each span over the tokens of blanks behind it."""
    filled = []
    for span, after in zip(part_spans, [*part_spans[1:], None], strict=True):
        held = span.tokens
        if held is not None and after is not None and after.tokens is not None:
            held = (held[0], after.tokens[0])
        elif held is not None and after is None:
            behind = takewhile(_blank, tokens[held[1] :])
            held = (held[0], held[1] + len(list(behind)))
        filled.append(PromptSpan(span.kind, span.text, held))
    return filled


def _blank(token: PromptToken) -> bool:
    return bool(token.data) and not token.data.strip(_BLANKS)


def _around(tokens: Sequence[PromptToken], part_spans: list[PromptSpan]) -> Iterable[PromptSpan]:
    """The spans with what stands before and behind the question, where that is exact."""
    first, last = part_spans[0].tokens, part_spans[-1].tokens
    if first is not None and first[0]:
        yield PromptSpan(SpanKind.BEFORE, _line(tokens[: first[0]]), (0, first[0]))
    yield from part_spans
    if last is not None and last[1] < len(tokens):
        yield PromptSpan(SpanKind.AFTER, _line(tokens[last[1] :]), (last[1], len(tokens)))


def _needles(question: Question, view: View) -> list[tuple[SpanKind, str, bool]]:
    """The texts to search, the longest first, each with whether only its last occurrence counts."""
    needles: dict[str, tuple[SpanKind, bool]] = {}
    for section in view.sections:
        if isinstance(section, Statements):
            for statement in section.statements:
                needles.setdefault(statement.text.strip(), (SpanKind.STATEMENT, False))
        elif isinstance(section, Graph):
            for node in section.nodes:
                bare = node.text.strip().rstrip(".。")
                if len(bare.split()) >= _FEWEST_WORDS:
                    needles[bare] = (SpanKind.EVENT, False)
    for option in question.meanings or question.options:
        if len(option.strip()) > 1:
            needles[option.strip()] = (SpanKind.OPTION, True)
    wanted = [(kind, without_brackets(text), last) for text, (kind, last) in needles.items()]
    wanted = [needle for needle in wanted if needle[1]]
    return sorted(wanted, key=lambda needle: -len(needle[1]))


def occurrences(text: str, needle: str) -> Iterable[int]:
    """Where a text holds another as whole words."""
    position = text.find(needle)
    while position >= 0:
        before, behind = text[:position][-1:], text[position + len(needle) :][:1]
        inside = (before.isalnum() and needle[0].isalnum()) or (
            behind.isalnum() and needle[-1].isalnum()
        )
        if not inside:
            yield position
        position = text.find(needle, position + len(needle))


def sentences(text: str, start: int, stop: int) -> list[Piece]:
    """The lines and sentences of a range of the text, without surrounding blanks."""
    cuts = [start, *(start + cut.start() for cut in _CUT.finditer(text[start:stop])), stop]
    found = []
    for cut_start, cut_stop in pairwise(cuts):
        part = text[cut_start:cut_stop]
        if part.strip():
            begin = cut_start + len(part) - len(part.lstrip())
            found.append(Piece(SpanKind.SENTENCE, begin, cut_start + len(part.rstrip())))
    return found


def _is_label(text: str, piece: Piece, after: Piece) -> bool:
    """Whether a piece only labels the one after it."""
    if after.kind is SpanKind.SENTENCE or "\n" in text[piece.stop : after.start]:
        return False
    return _LABEL.match(text[piece.start : after.start]) is not None


def _with_punctuation(text: str, whole: Iterable[Piece]) -> list[Piece]:
    """The pieces; those without a letter or digit are joined to the one before them."""
    joined: list[Piece] = []
    for piece in whole:
        if joined and not _WORD.search(text[piece.start : piece.stop]):
            joined[-1] = Piece(joined[-1].kind, joined[-1].start, piece.stop)
        else:
            joined.append(piece)
    return joined


def _line(tokens: Sequence[PromptToken]) -> str:
    text = b"".join(token.data for token in tokens).decode("utf-8", "replace")
    return " ".join(text.split()) or " ".join(token.name for token in tokens)
