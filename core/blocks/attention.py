"""What a head attends to, by what the prompt says: spans, and the statements that they hold.

Attention weights from the answer position (Vaswani et al. 2017, section 3.2.1), summed over the
tokens of a span. A link of a graph that a statement says has the weight of that statement; one
between two texts of the prompt has what the last token of the later gives to the earlier one,
because no token looks ahead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.blocks.spans import PromptSpan, SpanKind, without_brackets
from core.contract.view import Graph, Link, Node, Note, Role, Section, Statement, Statements, View
from core.layout.graph.weights import percent
from core.models.blocks import AttentionPath, AttentionReading
from core.text.language import _

OF_ITEM = frozenset({SpanKind.STATEMENT, SpanKind.EVENT})
Ends = tuple[str, str]
"""Where a link begins and where it ends."""
_NAMED = 5
"""Links whose figures are told."""
_NAME = 28
"""Most characters of a node's text there."""
_BAR = 6
"""Cells of a bar beside a statement."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True, slots=True)
class SpanAttention:
    """The weights of every head of a block over the spans of a prompt."""

    block: int
    spans: tuple[PromptSpan, ...]
    weights: tuple[tuple[float | None, ...], ...]
    """(spans, heads); None for a span that has no tokens of its own."""
    first: tuple[float, ...]
    """Of every head, its weight on the prompt's first token."""
    total: tuple[float, ...]
    """Of every head, all its weights together: 1, or less with an attention sink."""
    path_weights: Mapping[Ends, tuple[float, ...]] = field(default_factory=dict)
    """Of links between two texts of the prompt, every head's weight; see `attention_paths`."""

    @property
    def heads(self) -> int:
        """How many heads the block has."""
        return len(self.total)

    def heaviest(self, head: int) -> int:
        """The span on which most of a head's weight falls."""
        return max(range(len(self.spans)), key=lambda index: self.weights[index][head] or 0.0)

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
        part_weights: dict[str, float] = {}
        for span, row in zip(self.spans, self.weights, strict=True):
            weight = row[head]
            if weight is None:
                continue
            for part in _held(span, texts):
                part_weights[part] = part_weights.get(part, 0.0) + weight
        return part_weights

    def by_link(self, head: int, view: View) -> dict[Ends, float]:
        """A head's weight on each link of a view's graphs that has one."""
        parts = self.by_part(head, view)
        link_weights = {ends: weights[head] for ends, weights in self.path_weights.items()}
        for link in _links(view):
            if link.statement in parts:
                link_weights[link.source, link.target] = parts[link.statement]
        return link_weights

    def sentence(self, head: int) -> str:
        """What a head's weights are, and how much of them is where."""
        item, rest = self.on_item(head), self.total[head] - self.on_item(head)
        return _(
            "Attention of head {head} in block {block} from the answer position: {item} falls on "
            "the item's sentences, {rest} on the rest of the prompt, of which {first} on its first "
            "token.",
            head=head,
            block=self.block,
            item=percent(item),
            rest=percent(rest),
            first=percent(self.first[head]),
        )


def attention_paths(spans: Sequence[PromptSpan], view: View) -> dict[Ends, AttentionPath]:
    """Where to look along the links of a view's graphs, of those whose ends the prompt says both.

    From the last token of the end that stands later to the tokens of the other. What the prompt
    says several times is meant where it stands first.
    """
    texts = _texts(view)
    token_ranges: dict[str, tuple[int, int]] = {}
    for span in spans:
        if span.tokens is None:
            continue
        for part in _held(span, texts):
            token_ranges.setdefault(part, span.tokens)
    paths = {}
    for link in _links(view):
        ends = [token_ranges[end] for end in (link.source, link.target) if end in token_ranges]
        if len(set(ends)) == 2:
            earlier, later = sorted(ends)
            paths[link.source, link.target] = (later[1] - 1, *earlier)
    return paths


def attention_over_spans(
    reading: AttentionReading, spans: Sequence[PromptSpan], links: Sequence[Ends] = ()
) -> SpanAttention:
    """The weights of a block's heads, summed over spans; `links` are those of the ways asked."""
    weights = tuple(
        tuple(
            None if span.tokens is None else sum(head[span.tokens[0] : span.tokens[1]])
            for head in reading.weights
        )
        for span in spans
    )
    return SpanAttention(
        reading.block,
        tuple(spans),
        weights,
        tuple(head[0] if head else 0.0 for head in reading.weights),
        tuple(map(sum, reading.weights)),
        dict(zip(links, zip(*reading.path_weights, strict=True), strict=True)) if links else {},
    )


def with_attention(view: View, found: SpanAttention, head: int, model: str) -> View:
    """The view with a head's weight on statements, nodes and links, and what it is above.

    Args:
        view: of the item that the prompt is about.
        found: what was read of a block.
        head: which of its heads.
        model: the name of the model whose block it is.
    """
    weights = found.by_part(head, view)
    sentence = _(
        "Beside what it says: how much of its attention head {head} of block {block} of {model} "
        "gives it at the answer position.",
        head=head,
        block=found.block,
        model=model,
    )
    links = found.by_link(head, view)
    sections = tuple(_with_weights(section, weights, links) for section in view.sections)
    notes = [Note(sentence, Role.EVIDENCE)]
    if links:
        notes.append(Note(_links_sentence(view, links), Role.EVIDENCE))
    return replace(view, sections=(*notes, *sections))


def _links_sentence(view: View, weights: Mapping[Ends, float]) -> str:
    """What the lines of a graph stand for, with the figures of the heaviest."""
    every = {(link.source, link.target): link for link in _links(view)}
    texts = {
        node.id: _shortened(node.text)
        for section in view.sections
        if isinstance(section, Graph)
        for node in section.nodes
    }
    shown = sorted((ends for ends in weights if ends in every), key=lambda ends: -weights[ends])
    figures = "; ".join(
        f"{texts.get(source, source)} → {texts.get(target, target)} "
        f"{percent(weights[source, target])}"
        for source, target in shown[:_NAMED]
    )
    if all(every[ends].statement for ends in shown):
        sentence = _(
            "Lines of the graph: its attention to the statement that says the link; heavy from "
            "half of the most and from 1 % on. {figures}."
        )
    else:
        sentence = _(
            "Lines of the graph: what it gives at the last token of the end that the prompt says "
            "later to the other end; heavy from half of the most and from 1 % on. {figures}."
        )
    return sentence.format(figures=figures)


def _shortened(text: str) -> str:
    """A text that fits among others on a line."""
    return text if len(text) <= _NAME else f"{text[: _NAME - 1].rstrip()}…"


def _with_weights(
    section: Section, weights: Mapping[str, float], path_weights: Mapping[Ends, float]
) -> Section:
    match section:
        case Statements():
            statements = tuple(
                statement
                if (weight := weights.get(statement.id)) is None
                else replace(
                    statement, note=_beside(statement.note, _bar(weight)), weight=percent(weight)
                )
                for statement in section.statements
            )
            return replace(section, statements=statements)
        case Graph():
            nodes = tuple(
                replace(node, weight=percent(weights[node.id])) if node.id in weights else node
                for node in section.nodes
            )
            links = tuple(
                link
                if (weight := path_weights.get((link.source, link.target))) is None
                else replace(link, weight=weight, note=_noted(link.note, weight))
                for link in section.links
            )
            return replace(section, nodes=nodes, links=links)
        case _:
            return section


def _noted(note: str, weight: float) -> str:
    """What is known of a link, with the attention along it."""
    attention_note = _("attention {share}", share=percent(weight))
    return f"{note}, {attention_note}" if note else attention_note


def _links(view: View) -> list[Link]:
    """The links of a view's graphs."""
    return [
        link for section in view.sections if isinstance(section, Graph) for link in section.links
    ]


def _held(span: PromptSpan, texts: Mapping[str, list[str]]) -> Sequence[str]:
    """The ids of what a span says: of the longest of the texts that it holds."""
    if span.kind not in OF_ITEM:
        return ()
    span_text = without_brackets(span.text)
    held = [text for text in texts if text in span_text]
    return texts[max(held, key=len)] if held else ()


def _texts(view: View) -> dict[str, list[str]]:
    """The ids of statements and nodes by what they say, on one line."""
    part_ids: dict[str, list[str]] = {}
    for section in view.sections:
        parts: Sequence[Statement | Node] = ()
        if isinstance(section, Statements):
            parts = section.statements
        elif isinstance(section, Graph):
            parts = section.nodes
        for part in parts:
            bare = without_brackets(" ".join(part.text.split())).rstrip(".。")
            part_ids.setdefault(bare, []).append(part.id)
    part_ids.pop("", None)
    return part_ids


def _beside(word: str, weight: str) -> str:
    return f"{word} {weight}" if word else weight


def _bar(weight: float) -> str:
    eighths = round(min(1.0, max(0.0, weight)) * _BAR * 8)
    full, part = divmod(eighths, 8)
    bar = "█" * full + (_EIGHTHS[part] if part else "")
    return f"{bar:<{_BAR}} {percent(weight):>5}"
