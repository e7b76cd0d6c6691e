"""Attention weights by spans of the prompt, statements, and links of a graph.

Weights from the answer position (Vaswani et al. 2017, section 3.2.1) are summed over the tokens of
a span. A graph's link that a statement expresses has the weight of the statement. A link between
two texts of the prompt has the weight from the last token of the later text to the earlier one,
because no token attends to later ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.blocks.spans import PromptSpan, SpanKind
from core.contract.prompt_parts import without_brackets
from core.contract.view import Graph, Link, Node, Note, Role, Section, Statement, Statements, View
from core.layout.graph.weights import percent
from core.layout.rows import share_bar
from core.models.blocks import AttentionPath, AttentionReading
from core.text.language import _

OF_ITEM = frozenset({SpanKind.STATEMENT, SpanKind.EVENT})
Ends = tuple[str, str]
"""The ids of a link's source and target."""
_NAMED = 5
"""Most links in the sentence about links."""
_NAME = 28
"""Most characters of a node's text in that sentence."""
_BAR = 6
"""Width of the bar beside a statement, in cells."""


@dataclass(frozen=True, slots=True)
class SpanAttention:
    """The weights of every head of a block over the spans of a prompt."""

    block: int
    spans: tuple[PromptSpan, ...]
    weights: tuple[tuple[float | None, ...], ...]
    """(spans, heads); None for a span that has no tokens of its own."""
    first: tuple[float, ...]
    """Each head's weight on the prompt's first token."""
    total: tuple[float, ...]
    """The sum of each head's weights: 1, or less with an attention sink."""
    path_weights: Mapping[Ends, tuple[float, ...]] = field(default_factory=dict)
    """Each head's weight on links between two texts of the prompt; see `attention_paths`."""

    @property
    def heads(self) -> int:
        """How many heads the block has."""
        return len(self.total)

    def heaviest(self, head: int) -> int:
        """Index of the span with most of a head's weight."""
        return max(range(len(self.spans)), key=lambda index: self.weights[index][head] or 0.0)

    def on_item(self, head: int) -> float:
        """A head's weight on the item's statements and events."""
        rows = zip(self.spans, self.weights, strict=True)
        return sum(row[head] or 0.0 for span, row in rows if span.kind in OF_ITEM)

    def by_part(self, head: int, view: View) -> dict[str, float]:
        """A head's weight on each statement and node of a view, by id; only those in the prompt.

        Weights of a text that occurs several times are added. A span belongs to the longest text
        that it contains.
        """
        texts = _texts(view)
        part_weights: dict[str, float] = {}
        for span, row in zip(self.spans, self.weights, strict=True):
            weight = row[head]
            if weight is None:
                continue
            for part in _parts_in(span, texts):
                part_weights[part] = part_weights.get(part, 0.0) + weight
        return part_weights

    def by_link(self, head: int, view: View) -> dict[Ends, float]:
        """A head's weight on the links of a view's graphs, where known."""
        parts = self.by_part(head, view)
        link_weights = {ends: weights[head] for ends, weights in self.path_weights.items()}
        for link in _links(view):
            if link.statement in parts:
                link_weights[link.source, link.target] = parts[link.statement]
        return link_weights

    def sentence(self, head: int) -> str:
        """How a head's weight is distributed, in a sentence."""
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
    """Attention paths along the links of a view's graphs, for links with both ends in the prompt.

    From the last token of the later end to the tokens of the earlier one. Of a text that occurs
    several times, the first occurrence counts.
    """
    texts = _texts(view)
    token_ranges: dict[str, tuple[int, int]] = {}
    for span in spans:
        if span.tokens is None:
            continue
        for part in _parts_in(span, texts):
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
    """Sum the weights of a block's heads over spans; `links` belong to the reading's paths."""
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


def with_attention(view: View, attention: SpanAttention, head: int, model: str) -> View:
    """The view with a head's weights on statements, nodes and links, and notes that explain them.

    `model` is the name of the model.
    """
    weights = attention.by_part(head, view)
    sentence = _(
        "Beside each text: the share of attention that head {head} of block {block} of {model} "
        "gives it at the answer position.",
        head=head,
        block=attention.block,
        model=model,
    )
    links = attention.by_link(head, view)
    sections = tuple(_with_weights(section, weights, links) for section in view.sections)
    notes = [Note(sentence, Role.EVIDENCE)]
    if links:
        notes.append(Note(_links_sentence(view, links), Role.EVIDENCE))
    return replace(view, sections=(*notes, *sections))


def _links_sentence(view: View, weights: Mapping[Ends, float]) -> str:
    """What the weights of a graph's lines mean, with the figures of the heaviest links."""
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
            "Lines of the graph: its attention to the statement of that link. A line is heavy "
            "from half of the largest share on, and at least 1 %. {figures}."
        )
    else:
        sentence = _(
            "Lines of the graph: of the two ends of a link, its attention from the last token of "
            "the one that comes later in the prompt to the other. A line is heavy from half of "
            "the largest share on, and at least 1 %. {figures}."
        )
    return sentence.format(figures=figures)


def _shortened(text: str) -> str:
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
    attention_note = _("attention {share}", share=percent(weight))
    return f"{note}, {attention_note}" if note else attention_note


def _links(view: View) -> list[Link]:
    return [
        link for section in view.sections if isinstance(section, Graph) for link in section.links
    ]


def _parts_in(span: PromptSpan, texts: Mapping[str, list[str]]) -> Sequence[str]:
    """The ids of the longest of the texts that a span contains."""
    if span.kind not in OF_ITEM:
        return ()
    span_text = without_brackets(span.text)
    contained = [text for text in texts if text in span_text]
    return texts[max(contained, key=len)] if contained else ()


def _texts(view: View) -> dict[str, list[str]]:
    """The ids of statements and nodes by their text, on one line."""
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
    return f"{share_bar(min(1.0, max(0.0, weight)), _BAR):<{_BAR}} {percent(weight):>5}"
