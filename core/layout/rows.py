"""Rows of spans, the form in which everything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.contract.view import Role
from core.text.escaping import escape_control_characters

Measure = Callable[[str], int]
"""Counts the terminal cells of a text. Passed in, because terminals and pages differ."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


class Ink(StrEnum):
    """How a span is drawn, besides the roles of `core.contract.view.Role`."""

    NUMBER = "number"
    GLOSS = "gloss"
    LINK = "link"
    HEADING = "heading"
    TRACK = "track"
    """A bar of an option that was not picked, and the empty part of a figure's bar."""
    LIT = "lit"
    """A link of the node under the cursor."""
    KEY = "key"
    """A key that may be pressed here."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text drawn in one way."""

    text: str
    ink: Role | Ink = Role.PLAIN
    ref: str = ""
    """The id of the statement that it belongs to, for clicks and the cursor."""


Row = tuple[Span, ...]

SIGNS = {
    Role.PLAIN: " ",
    Role.MUTED: " ",
    Role.CHANGED: "△",
    Role.CAUSE: "●",
    Role.BREAK: "■",
    Role.EVIDENCE: "◇",
    Role.GOOD: "✓",
    Role.BAD: "✗",
    Role.FORCED: "◆",
    Role.OBSERVED: "◉",
    Role.IMAGINED: "◌",
    Role.ABSENT: "○",
    Role.CUT: "╳",
    Role.DISTRACTOR: "≁",
    Role.HINDERS: "⊥",
}
"""A sign for every role, so that nothing depends on colour alone."""


def plain(rows: Iterable[Row]) -> str:
    """The rows as text, without trailing blanks."""
    return "\n".join("".join(span.text for span in row).rstrip() for row in rows)


def wrap(text: str, width: int, measure: Measure) -> list[str]:
    """Break text into lines of at most `width` cells, at blanks where there are any.

    The two ends of an interval stay together where a line has room for them.
    """
    width = max(1, width)
    lines: list[str] = []
    line = ""
    for word in words(text, width, measure):
        candidate = f"{line} {word}" if line else word
        if not is_wider(candidate, width, measure):
            line = candidate
            continue
        if line:
            lines.append(line)
        line = word
        while is_wider(line, width, measure):
            head = fit(line, width, measure)
            lines.append(head)
            line = line[len(head) :]
    lines.append(line)
    return lines


def words(text: str, width: int, measure: Measure) -> Iterator[str]:
    """The words of a text; an interval, "[.50, .61]", is one that is not wider than `width`."""
    pending = ""
    for word in text.split(" "):
        interval = f"{pending} {word}"
        if pending and word.endswith("]") and measure(interval) <= width:
            yield interval
            pending = ""
            continue
        if pending:
            yield pending
        pending = word if word.startswith("[") and word.endswith(",") else ""
        if not pending:
            yield word
    if pending:
        yield pending


def paragraph(text: str, ink: Role | Ink, width: int, measure: Measure) -> list[Row]:
    """Untrusted text wrapped into rows with a margin of one blank; no row for an empty text."""
    lines = wrap(escape_control_characters(text), max(8, width - 2), measure) if text else []
    return [(Span(f" {line}", ink),) for line in lines]


def indented(
    text: str, ink: Role | Ink, width: int, measure: Measure, *, by: int = 1, ref: str = ""
) -> list[Row]:
    """Untrusted text wrapped into rows after a margin of `by` blanks; no row for an empty text."""
    lines = wrap(escape_control_characters(text), max(8, width - by - 1), measure) if text else []
    return [(Span(" " * by, Role.PLAIN, ref), Span(line, ink, ref)) for line in lines]


def fit(text: str, width: int, measure: Measure) -> str:
    """The longest prefix of `text` that takes at most `width` cells, one character at least."""
    if not is_wider(text, width, measure):
        return text
    end = min(len(text), max(1, width))
    while end > 1 and measure(text[:end]) > width:
        end -= 1
    return text[:end]


def is_wider(text: str, width: int, measure: Measure) -> bool:
    """Whether a text takes more than `width` cells; of a long one its beginning mostly says so."""
    beginning = text[: 2 * max(1, width)]
    if measure(beginning) > width:
        return True
    return len(beginning) < len(text) and measure(text) > width


def pad(text: str, width: int, measure: Measure, *, right: bool = False) -> str:
    """Cut or pad `text` to exactly `width` cells, with "…" where it was cut."""
    if is_wider(text, width, measure):
        head = fit(text, width - 1, measure) if width > 1 else ""
        text = (head if measure(head) < width else "") + "…"
    blanks = " " * max(0, width - measure(text))
    return blanks + text if right else text + blanks


def share_bar(share: float, width: int) -> str:
    """A bar of eighth blocks, `share` of `width` cells long."""
    full, part = divmod(round(share * width * 8), 8)
    return "█" * full + (_EIGHTHS[part] if part else "")


def pad_inside(text: str, width: int, measure: Measure) -> str:
    """Pad `text` to exactly `width` cells, or cut it in its middle: ids differ at the end too."""
    if measure(text) <= width:
        return pad(text, width, measure)
    tail = ""
    for character in reversed(text):
        if measure(character + tail) > (width - 1) // 2:
            break
        tail = character + tail
    return pad(text, width - measure(tail), measure) + tail


def columns_that_fit(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns of a table by index, in parts that fit into `room` cells with a gap of two.

    Each part begins with the first column and has another one, however wide that is.
    """
    parts = [[0]]
    for column in range(1, len(widths)):
        taken = sum(widths[number] + 2 for number in parts[-1])
        if len(parts[-1]) > 1 and taken + widths[column] + 2 > room:
            parts.append([0])
        parts[-1].append(column)
    return parts
