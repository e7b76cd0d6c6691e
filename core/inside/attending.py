"""What a head attends to, by what the prompt says: spans, and the statements that they hold.

Attention weights from the answer position (Vaswani et al. 2017, section 3.2.1), summed over the
tokens of a span.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.inside.spans import PromptSpan, SpanKind
from core.models.inside import AttentionReading
from core.view import Block, Graph, Note, Role, Statements, View

OF_ITEM = frozenset({SpanKind.STATEMENT, SpanKind.EVENT})
_BAR = 6
"""Cells of a bar beside a statement."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True, slots=True)
class Attended:
    """The weights of every head of a block over the spans of a prompt."""

    block: int
    spans: tuple[PromptSpan, ...]
    weights: tuple[tuple[float | None, ...], ...]
    """(spans, heads); None for a span that has no tokens of its own."""
    first: tuple[float, ...]
    """Of every head, its weight on the prompt's first token."""
    itself: tuple[float, ...]
    """Of every head, its weight on the answer position."""
    total: tuple[float, ...]
    """Of every head, all its weights together: 1, or less with an attention sink."""

    @property
    def heads(self) -> int:
        """How many heads the block has."""
        return len(self.total)

    def heaviest(self, head: int) -> int:
        """The span on which most of a head's weight falls."""
        return max(range(len(self.spans)), key=lambda place: self.weights[place][head] or 0.0)

    def on_item(self, head: int) -> float:
        """The share of a head's weight that falls on the item's statements and events."""
        held = (
            row[head]
            for span, row in zip(self.spans, self.weights, strict=True)
            if span.kind in OF_ITEM
        )
        return sum(weight for weight in held if weight is not None)

    def by_part(self, head: int, view: View) -> dict[str, float]:
        """A head's weight on each statement and node of a view that stands in the prompt, by id.

        A text that stands in several places has the sum. A span belongs to the longest text that
        it holds.
        """
        texts = _texts(view)
        found: dict[str, float] = {}
        for span, row in zip(self.spans, self.weights, strict=True):
            weight = row[head]
            if span.kind not in OF_ITEM or weight is None:
                continue
            held = [text for text in texts if text in span.text]
            for part in texts[max(held, key=len)] if held else ():
                found[part] = found.get(part, 0.0) + weight
        return found

    def sentence(self, head: int) -> str:
        """What a head's weights are, and how much of them is where."""
        item, rest = self.on_item(head), self.total[head] - self.on_item(head)
        return (
            f"Attention of head {head} in block {self.block} from the answer position: "
            f"{_percent(item)} falls on the item's sentences, {_percent(rest)} on the rest of the "
            f"prompt, of which {_percent(self.first[head])} on its first token."
        )


def attended(reading: AttentionReading, spans: Sequence[PromptSpan]) -> Attended:
    """The weights of a block's heads, summed over spans."""
    weights = tuple(
        tuple(
            None if span.tokens is None else sum(head[span.tokens[0] : span.tokens[1]])
            for head in reading.weights
        )
        for span in spans
    )
    return Attended(
        reading.block,
        tuple(spans),
        weights,
        tuple(head[0] if head else 0.0 for head in reading.weights),
        tuple(head[-1] if head else 0.0 for head in reading.weights),
        tuple(map(sum, reading.weights)),
    )


def with_attention(view: View, found: Attended, head: int) -> View:
    """The view with a head's weight beside every statement and node, and what it is above."""
    weights = found.by_part(head, view)
    where = f"Beside what it says: how much of its attention head {head} of block {found.block}"
    said = Note(f"{where} gives it at the answer position.", Role.EVIDENCE)
    blocks = tuple(_weighed(block, weights) for block in view.blocks)
    return replace(view, blocks=(said, *blocks))


def _weighed(block: Block, weights: Mapping[str, float]) -> Block:
    match block:
        case Statements():
            statements = tuple(
                replace(one, note=_beside(one.note, _bar(weights[one.id])))
                if one.id in weights
                else one
                for one in block.statements
            )
            return replace(block, statements=statements)
        case Graph():
            nodes = tuple(
                replace(node, weight=_percent(weights[node.id])) if node.id in weights else node
                for node in block.nodes
            )
            return replace(block, nodes=nodes)
        case _:
            return block


def _texts(view: View) -> dict[str, list[str]]:
    """The ids of statements and nodes by what they say, on one line."""
    found: dict[str, list[str]] = {}
    for block in view.blocks:
        if isinstance(block, Statements):
            for statement in block.statements:
                found.setdefault(" ".join(statement.text.split()), []).append(statement.id)
        elif isinstance(block, Graph):
            for node in block.nodes:
                bare = node.text.strip().rstrip(".。")
                found.setdefault(" ".join(bare.split()), []).append(node.id)
    found.pop("", None)
    return found


def _beside(word: str, weight: str) -> str:
    return f"{word} {weight}" if word else weight


def _bar(weight: float) -> str:
    eighths = round(min(1.0, max(0.0, weight)) * _BAR * 8)
    full, part = divmod(eighths, 8)
    bar = "█" * full + (_EIGHTHS[part] if part else "")
    return f"{bar:<{_BAR}} {_percent(weight):>5}"


def _percent(weight: float) -> str:
    """A share in per cent, never a false 0 or 100."""
    if 0 < weight < 0.005:
        return "<1 %"
    if 0.995 <= weight < 1:
        return ">99 %"
    return f"{100 * weight:.0f} %"
