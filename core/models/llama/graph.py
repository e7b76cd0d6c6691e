"""Finds the parts of every transformer block in llama.cpp's computation graph.

Only one node name is relied on, `l_out-<block>`: the residual stream after a block. The other parts
are found by how it is computed, because architectures name them differently or not at all: the
residual stream is a sum, and one operand is computed from the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.models.llama.tap import Node
from core.text.errors import ModelError
from core.text.language import _

_MOVING = frozenset({"GET_ROWS", "VIEW", "RESHAPE", "CONT", "CPY", "PERMUTE", "TRANSPOSE"})
"""Operations that only move numbers."""


_COPY = re.compile(r"[^#]+#(.+)#[0-9]+")
"""The name of a copy that llama.cpp makes of what one device computed for another:
DEVICE#NAME#NUMBER."""


@dataclass(frozen=True, slots=True)
class BlockNodes:
    """The node index of each part of a block; None where it has no such part."""

    residual: int
    """The residual stream after the block, (rows, width)."""
    middle: int | None
    """The residual stream between attention and feed-forward, (rows, width); None also where both
    read the same stream beside each other."""
    attention: int | None
    """What attention adds to the residual stream, (rows, width)."""
    feed_forward: int | None
    """What the feed-forward network adds to the residual stream, (rows, width)."""
    heads: int | None
    """The heads' concatenated outputs, (rows, heads x width of a head)."""
    combined: int | None
    """The heads' outputs after the output projection (W_O), before biases and norms, (rows,
    width)."""
    weights: int | None
    """The attention weights, (heads, rows, cells of the KV cache)."""
    head_count: int
    """Number of heads; 0 where that is not known."""
    head_width: int
    """Width of a head's output at one position."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The parts found in a model's graph."""

    nodes: int
    blocks: tuple[BlockNodes, ...]
    embedding: int | None
    """The residual stream before the first block."""
    centred: bool
    """Whether the last normalisation subtracts the mean (LayerNorm); RMSNorm does not."""
    uncapped: int | None
    """The logits before the softcap; None where there is none."""
    normed_attention: bool = False
    """Whether a norm follows the heads' output projection."""
    sources: tuple[tuple[int, ...], ...] = ()
    """The indices of the nodes that each node is computed from."""

    def idle(self, block: int) -> frozenset[int]:
        """The nodes that need not be computed where the residual stream after a block is known.

        These are that node and all before it but those that a later node is computed from in
        another way.
        """
        residual = self.blocks[block].residual
        needed: set[int] = set()
        waiting = [
            node for later in range(residual + 1, self.nodes) for node in self.sources[later]
        ]
        while waiting:
            node = waiting.pop()
            if node < residual and node not in needed:
                needed.add(node)
                waiting += self.sources[node]
        return frozenset(range(residual + 1)) - needed

    def parts(self) -> set[int]:
        """Every node that can be watched."""
        present = {self.embedding, self.uncapped}
        for block in self.blocks:
            present |= {block.residual, block.middle, block.attention}
            present |= {block.feed_forward, block.heads, block.weights}
        return {node for node in present if node is not None}


def find_parts(nodes: Sequence[Node], blocks: int) -> Graph:
    """Find the blocks, at least one, among the nodes of one batch.

    Raises `ModelError` when the residual stream of some block has no name.
    """
    lookup = _NodeLookup(nodes)
    residuals = []
    for block in range(blocks):
        index = lookup.named(f"l_out-{block}")
        if index is None:
            raise ModelError(
                _(
                    "llama.cpp gives the output of block {block} no name in this architecture, "
                    "so the blocks cannot be read.",
                    block=block,
                ),
            )
        residuals.append(index)
    parts = []
    previous: int | None = None
    for index in residuals:
        parts.append(_block(lookup, index, previous))
        previous = index
    return Graph(
        len(nodes),
        tuple(parts),
        _embedding(lookup, parts[0]),
        _centred(nodes, residuals[-1]),
        _uncapped(lookup),
        _normed_attention(lookup, parts[-1]),
        tuple(tuple(lookup.sources(index)) for index in range(len(nodes))),
    )


def _block(lookup: _NodeLookup, residual: int, previous: int | None) -> BlockNodes:
    stop = set() if previous is None else {previous}
    outer = lookup.residual_sum(residual, stop)
    inner = None if outer is None else lookup.residual_sum(outer[0], stop)
    if outer is None or inner is None or lookup.origin(outer[0]) == previous:
        # One sum only: attention and feed-forward beside each other, or neither of them.
        beside = _beside(lookup, residual, previous)
        middle = None
        _normed, attention, feed_forward = (None, None, None) if beside is None else beside
    else:
        (middle, feed_forward), attention = outer, inner[1]
    inside = lookup.ancestors(residual if attention is None else attention, stop)
    weights = max(
        (index for index in inside if lookup.nodes[index].name.startswith("kq_soft_max")),
        default=None,
    )
    combined = _combined(lookup, inside)
    heads = None if combined is None else lookup.source(combined, 1)
    count = 0 if weights is None else lookup.nodes[weights].shape[1]
    width = 0 if heads is None else lookup.nodes[heads].shape[-1]
    if not count or width % count:
        count = width = 0
    return BlockNodes(
        residual,
        middle,
        attention,
        feed_forward,
        heads,
        combined,
        weights,
        count,
        width // max(count, 1),
    )


def _beside(
    lookup: _NodeLookup, residual: int, previous: int | None
) -> tuple[int, int, int] | None:
    """The stream, attention and feed-forward that a block adds up in any order; None elsewhere.

    Attention is computed with weights of attention, and the stream is what both others are
    computed from.
    """
    stop = set() if previous is None else {previous}
    for terms in lookup.three_terms(residual):
        for stream, one, other in (terms, (*terms[1:], terms[0]), (terms[2], *terms[:2])):
            origin = lookup.origin(stream)
            if previous is not None and origin != previous:
                continue
            inside = [lookup.ancestors(each, stop) for each in (one, other)]
            if previous is None and not all(origin in nodes for nodes in inside):
                continue
            attends = [
                any(lookup.nodes[node].name.startswith("kq_soft_max") for node in nodes)
                for nodes in inside
            ]
            if attends[0] != attends[1]:
                return (stream, one, other) if attends[0] else (stream, other, one)
    return None


def _combined(lookup: _NodeLookup, inside: set[int]) -> int | None:
    """The output of the matrix that combines the heads (W_O)."""
    for index in inside:
        node = lookup.nodes[index]
        if node.operation != "MUL_MAT":
            continue
        if _original(node.source_names[0]).endswith(".attn_output.weight"):
            return index
    return None


def _embedding(lookup: _NodeLookup, first: BlockNodes) -> int | None:
    if first.middle is None:
        beside = _beside(lookup, first.residual, None)
        return None if beside is None else lookup.origin(beside[0])
    residual_sum = lookup.residual_sum(first.middle, set())
    return None if residual_sum is None else lookup.origin(residual_sum[0])


def _centred(nodes: Sequence[Node], last: int) -> bool:
    return any(node.operation == "NORM" for node in nodes[last + 1 :])


def _normed_attention(lookup: _NodeLookup, block: BlockNodes) -> bool:
    if block.attention is None or block.combined is None:
        return False
    behind = lookup.ancestors(block.attention, {block.combined})
    return any("NORM" in lookup.nodes[node].operation for node in behind if node > block.combined)


def _uncapped(lookup: _NodeLookup) -> int | None:
    index, capped = len(lookup.nodes) - 1, False
    while lookup.nodes[index].operation in ("SCALE", "UNARY"):
        capped = capped or lookup.nodes[index].operation == "UNARY"
        index = next(lookup.sources(index))
    return index if capped else None


def _original(name: str) -> str:
    """The name of what a tensor is a copy of; its own where it is none."""
    copied = _COPY.fullmatch(name)
    return copied[1] if copied else name


class _NodeLookup:
    """Nodes by index, name and pointer."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self._by_name: dict[str, list[int]] = {}
        for index, node in enumerate(nodes):
            self._by_name.setdefault(node.name, []).append(index)
        # Later nodes replace earlier ones that were computed in place.
        self._by_pointer = {node.pointer: index for index, node in enumerate(nodes)}

    def named(self, name: str) -> int | None:
        """The index of the last node with this name."""
        return max(self._by_name.get(name, ()), default=None)

    def source(self, index: int, number: int) -> int | None:
        """The node that one of a node's sources is, or is a copy of; None for weights and inputs.

        An address may be used again, so a later node is none of its sources.
        """
        node = self.nodes[index]
        found = self._by_pointer.get(node.sources[number])
        name = node.source_names[number]
        if found is None and (original := _original(name)) != name:
            earlier = (other for other in self._by_name.get(original, ()) if other < index)
            found = max(earlier, default=None)
        return found if found is not None and found < index else None

    def sources(self, index: int) -> Iterator[int]:
        """The indices of the nodes that a node is computed from."""
        for number in range(len(self.nodes[index].sources)):
            source = self.source(index, number)
            if source is not None:
                yield source

    def ancestors(self, index: int, stop: set[int]) -> set[int]:
        """All nodes that a node is computed from, itself included, back to `stop`."""
        reached: set[int] = set()
        waiting = [index]
        while waiting:
            node = waiting.pop()
            if node not in reached and node not in stop:
                reached.add(node)
                waiting += self.sources(node)
        return reached

    def origin(self, index: int) -> int:
        """The node that first computed the values which this node only moves."""
        while self.nodes[index].operation in _MOVING:
            source = next(self.sources(index), None)
            if source is None:
                return index
            index = source
        return index

    def three_terms(self, index: int) -> Iterator[tuple[int, int, int]]:
        """The ways in which a node is a sum of three."""
        first = self._operands(index)
        if first is None:
            return
        for split, kept in (first, first[::-1]):
            inner = self._operands(split)
            if inner is not None:
                yield (kept, *inner)

    def _operands(self, index: int) -> tuple[int, int] | None:
        operands = tuple(self.sources(index))
        if self.nodes[index].operation != "ADD" or len(operands) != 2:
            return None
        return operands[0], operands[1]

    def residual_sum(self, index: int, stop: set[int]) -> tuple[int, int] | None:
        """The operands of a residual sum: the stream, and what is computed from it and added."""
        operands = self._operands(index)
        if operands is None:
            return None
        for kept, added in (operands, operands[::-1]):
            # Rows may have been selected from both, so what they were selected from decides.
            if self.origin(kept) in self.ancestors(added, stop) | (
                stop & {self.origin(kept)}
            ) and self.origin(added) not in self.ancestors(kept, stop):
                return kept, added
        return None
