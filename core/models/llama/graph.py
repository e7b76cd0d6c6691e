"""Finds the parts of every transformer block in the graph that llama.cpp computes.

Only one name is relied on, `l_out-<block>`: the residual stream after a block. Everything else
is found by how that is computed, because architectures name the rest differently or not at all:
the residual stream is a sum, one operand of which the other is computed from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.models.llama.tap import Node
from core.text.errors import ModelError

_PASSING = frozenset({"GET_ROWS", "VIEW", "RESHAPE", "CONT", "CPY", "PERMUTE", "TRANSPOSE"})
"""Operations that only move numbers."""


@dataclass(frozen=True, slots=True)
class BlockNodes:
    """Where one block's parts stand in the order of nodes; None where it has no such part."""

    residual: int
    """The residual stream after the block, (rows, width)."""
    middle: int | None
    """The residual stream between attention and feed-forward, (rows, width)."""
    attention: int | None
    """What attention adds to the residual stream, (rows, width)."""
    feed_forward: int | None
    """What the feed-forward network adds to the residual stream, (rows, width)."""
    heads: int | None
    """The heads' outputs side by side, (rows, heads x width of a head)."""
    weights: int | None
    """What the heads attend to, (heads, rows, cells of the cache)."""
    head_count: int
    """Number of heads; 0 where that is not known."""
    head_width: int
    """How many numbers each head gives at one position."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What is known of a model's graph."""

    nodes: int
    blocks: tuple[BlockNodes, ...]
    embedding: int | None
    """The residual stream before the first block."""
    centred: bool
    """Whether the last normalisation subtracts the mean (LayerNorm); RMSNorm does not."""
    uncapped: int | None
    """The logits before they are pressed between two bounds (softcap); None where they are not."""

    def parts(self) -> set[int]:
        """Every node that can be watched."""
        found = {self.embedding, self.uncapped}
        for block in self.blocks:
            found |= {block.residual, block.middle, block.attention}
            found |= {block.feed_forward, block.heads, block.weights}
        return {node for node in found if node is not None}


def find_parts(nodes: Sequence[Node], blocks: int) -> Graph:
    """Find the blocks, of which there is one at least, among the nodes of one batch.

    Raises `ModelError` when the residual stream of some block has no name.
    """
    found = _Nodes(nodes)
    residuals = []
    for block in range(blocks):
        place = found.named(f"l_out-{block}")
        if place is None:
            raise ModelError(
                f"llama.cpp gives the output of block {block} no name in this architecture, "
                "so the blocks cannot be read.",
            )
        residuals.append(place)
    parts = []
    before: int | None = None
    for place in residuals:
        parts.append(_block(found, place, before))
        before = place
    return Graph(
        len(nodes),
        tuple(parts),
        _embedding(found, parts[0]),
        _centred(nodes, residuals[-1]),
        _uncapped(found),
    )


def _block(found: _Nodes, residual: int, before: int | None) -> BlockNodes:
    stop = set() if before is None else {before}
    outer = found.split(residual, stop)
    inner = None if outer is None else found.split(outer[0], stop)
    if outer is None or inner is None or found.passed(outer[0]) == before:
        # One sum only: attention and feed-forward beside each other, or neither of them.
        middle = feed_forward = attention = None
    else:
        (middle, feed_forward), attention = outer, inner[1]
    inside = found.ancestors(residual if attention is None else attention, stop)
    weights = max(
        (place for place in inside if found.nodes[place].name.startswith("kq_soft_max")),
        default=None,
    )
    heads = _heads(found, inside)
    count = 0 if weights is None else found.nodes[weights].shape[1]
    width = 0 if heads is None else found.nodes[heads].shape[-1]
    if not count or width % count:
        count = width = 0
    return BlockNodes(
        residual, middle, attention, feed_forward, heads, weights, count, width // max(count, 1)
    )


def _heads(found: _Nodes, inside: set[int]) -> int | None:
    """What the weights that join the heads are multiplied with."""
    for place in inside:
        node = found.nodes[place]
        if node.operation == "MUL_MAT" and node.source_names[0].endswith(".attn_output.weight"):
            return found.place_of(node.sources[1])
    return None


def _embedding(found: _Nodes, first: BlockNodes) -> int | None:
    if first.middle is None:
        return None
    split = found.split(first.middle, set())
    return None if split is None else found.passed(split[0])


def _centred(nodes: Sequence[Node], last: int) -> bool:
    return any(node.operation == "NORM" for node in nodes[last + 1 :])


def _uncapped(found: _Nodes) -> int | None:
    place, capped = len(found.nodes) - 1, False
    while found.nodes[place].operation in ("SCALE", "UNARY"):
        capped = capped or found.nodes[place].operation == "UNARY"
        place = next(found.sources(place))
    return place if capped else None


class _Nodes:
    """Nodes by place, name and pointer."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        # Later nodes stand in for earlier ones that share a name or were computed in place.
        self._by_name = {node.name: place for place, node in enumerate(nodes)}
        self._by_pointer = {node.pointer: place for place, node in enumerate(nodes)}

    def named(self, name: str) -> int | None:
        """The place of the node of this name."""
        return self._by_name.get(name)

    def place_of(self, pointer: int) -> int | None:
        """The place of the node at this address; None for weights and inputs."""
        return self._by_pointer.get(pointer)

    def sources(self, place: int) -> Iterator[int]:
        """The places of what a node is computed from."""
        for pointer in self.nodes[place].sources:
            source = self._by_pointer.get(pointer)
            if source is not None and source < place:
                yield source

    def ancestors(self, place: int, stop: set[int]) -> set[int]:
        """Everything a node is computed from, itself included, back to `stop`."""
        found: set[int] = set()
        waiting = [place]
        while waiting:
            here = waiting.pop()
            if here not in found and here not in stop:
                found.add(here)
                waiting += self.sources(here)
        return found

    def passed(self, place: int) -> int:
        """The node whose numbers a node only moves."""
        while self.nodes[place].operation in _PASSING:
            source = next(self.sources(place), None)
            if source is None:
                return place
            place = source
        return place

    def split(self, place: int, stop: set[int]) -> tuple[int, int] | None:
        """A sum's operands: what goes on unchanged, and what is computed from that and added."""
        operands = tuple(self.sources(place))
        if self.nodes[place].operation != "ADD" or len(operands) != 2:
            return None
        for kept, added in (operands, operands[::-1]):
            # Rows may have been selected from both, so what they were selected from decides.
            if self.passed(kept) in self.ancestors(added, stop) | (
                stop & {self.passed(kept)}
            ) and self.passed(added) not in self.ancestors(kept, stop):
                return kept, added
        return None
