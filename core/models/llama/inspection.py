"""A second context of a loaded model, in which every block can be read and changed.

The first context has no callback, so plain requests run as if there were no inspection. This one
decodes in the same chunks, so it computes the same numbers, which `check` proves for each model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from llama_cpp import llama_cpp as c

from core.models.blocks import BlockAccess, BlockNeeds, Part, Unreadable
from core.models.llama.completion import score_options
from core.models.llama.decoder import CHUNK, Decoder, Row, context_parameters
from core.models.llama.engine import Engine
from core.models.llama.graph import BlockNodes, Graph, find_parts
from core.models.llama.tap import Array, Computed, Node, Tap
from core.models.memory import OPTION_ROOM, available_memory, human_bytes
from core.text.errors import ModelError

CAPTURED = 256 * 2**20
"""Most bytes of captured numbers that are held at once."""
_GRAPH = 64 * 2**20
"""Bytes of buffers that a second context is reckoned to need beside its cache."""
_SCRATCH = 1
"""The sequence in which residual streams are projected."""
_PROBE = 12
"""Tokens of the text that the checks read."""


@dataclass(frozen=True, slots=True)
class Position:
    """What a row of a tensor belongs to."""

    row: int
    place: int
    """The position in the text."""
    wanted: bool
    """Whether the logits there were asked for."""


Watcher = Callable[[Computed, Sequence[Position]], None]
Watchers = Mapping[int, Sequence[Watcher]]
"""Who sees which node, by its place in the graph; one after the other."""


class WantedRows:
    """Keeps the rows of some nodes at the positions whose logits are asked for."""

    def __init__(self, nodes: Sequence[int]) -> None:
        self._nodes = nodes
        self._rows: dict[int, list[Array]] = {node: [] for node in nodes}

    def watchers(self) -> dict[int, list[Watcher]]:
        """To be given to `Inspection.watching`."""
        return {node: [self._watcher(self._rows[node])] for node in self._nodes}

    def stacked(self) -> Array:
        """What was kept, (positions, nodes, width), positions in the order of evaluation."""
        return np.stack([np.stack(self._rows[node]) for node in self._nodes], axis=1)

    def _watcher(self, kept: list[Array]) -> Watcher:
        def keep(tensor: Computed, positions: Sequence[Position]) -> None:
            kept.extend(tensor.row(position.row) for position in positions if position.wanted)

        return keep


class Inspection(Decoder):
    """A context with a tap. One request at a time, as with every decoder."""

    def __init__(self, engine: Engine, cancelled: Callable[[], bool]) -> None:
        """Raises `ModelError` when there is no memory for it, `Interrupted`."""
        needs = needs_of(engine)
        free = available_memory()
        if free is not None and needs.context + needs.captured > free:
            raise ModelError(
                f"Reading the blocks needs about {human_bytes(needs.context + needs.captured)} "
                f"of memory beside the model; {human_bytes(free)} are free.",
                hint="Close other programs, or choose a smaller model.",
            )
        self._tap = Tap()
        self._watchers: Watchers = {}
        self._graph: Graph | None = None
        wanted = context_parameters(engine.context, engine.parameters)
        wanted.cb_eval = self._tap.callback
        super().__init__(engine.model, engine.context, wanted, cancelled)
        self.blocks = engine.blocks
        self.width = int(c.llama_model_n_embd(engine.model))

    def close(self) -> None:
        """Free the context; nothing may be asked of this object afterwards."""
        c.llama_free(self._context)

    @property
    def graph(self) -> Graph:
        """The model's graph. Raises `ModelError` where it cannot be read; see `check`."""
        if self._graph is None:
            raise ModelError("The blocks of this model cannot be read.")
        return self._graph

    def block(self, number: int) -> BlockNodes:
        """A block's nodes; raises `ModelError` for one that does not exist."""
        if not 0 <= number < self.blocks:
            raise ModelError(
                f"There is no block {number}.", hint=f"Blocks count from 0 to {self.blocks - 1}."
            )
        return self.graph.blocks[number]

    def residuals(self) -> list[int]:
        """The nodes of the residual stream after each block."""
        return [block.residual for block in self.graph.blocks]

    @contextmanager
    def watching(self, watchers: Watchers) -> Iterator[None]:
        """Let watchers see the nodes that are computed meanwhile."""
        self._watchers = watchers
        try:
            yield
        finally:
            self._watchers = {}

    def project(
        self, residuals: Array, *, at_once: int = CHUNK, watchers: Watchers | None = None
    ) -> Iterator[Row]:
        """Logits of residual streams as if each came out of the last block.

        `residuals` is (rows, width). llama.cpp itself applies what follows the last block:
        filler tokens are decoded in a scratch sequence, and what the last block gives for them
        is replaced; `watchers` see what is computed from that. A row of logits is valid until
        the next is asked for.
        """
        last = self.graph.blocks[-1].residual
        for start in range(0, len(residuals), at_once):
            part = residuals[start : start + at_once]
            count = len(part)

            def replace(
                tensor: Computed, positions: Sequence[Position], part: Array = part
            ) -> None:
                for position, row in zip(positions, part, strict=True):
                    tensor.write(position.row, row)

            with self.watching(merged([{last: [replace]}, watchers or {}])):
                self._decode([0] * count, range(count), [_SCRATCH] * count, [True] * count)
            for row in range(count):
                yield self._row(row)
            c.llama_memory_seq_rm(self._memory, _SCRATCH, -1, -1)

    def check(self, engine: Engine) -> BlockAccess:
        """Find the parts of the blocks, and prove on a short text that reading them is exact.

        Four equalities, bit for bit: reading along changes nothing, neither in a text nor where
        options follow it side by side; the last residual stream, projected alone, is the model's
        output; and so are several, projected together.
        """
        try:
            self._graph = find_parts(self._nodes(), self.blocks)
        except ModelError as error:
            return self._refused(Unreadable.NAMES, error.what)
        try:
            return self._proved(engine)
        except ModelError as error:
            return self._refused(Unreadable.CAPTURE, error.what)

    def _decode(
        self,
        tokens: Sequence[int],
        places: Sequence[int],
        sequences: Sequence[int],
        wanted: Sequence[bool],
    ) -> None:
        rows = [
            Position(row, place, bool(wish))
            for row, (place, wish) in enumerate(zip(places, wanted, strict=True))
        ]

        def listener(watchers: Sequence[Watcher]) -> Callable[[Computed], None]:
            def hear(tensor: Computed) -> None:
                positions = _positions(rows, tensor.rows)
                for watcher in watchers:
                    watcher(tensor, positions)

            return hear

        self._tap.begin({node: listener(each) for node, each in self._watchers.items() if each})
        super()._decode(tokens, places, sequences, wanted)
        self._tap.end()
        if self._graph is not None and self._tap.asked != self._graph.nodes:
            raise ModelError("llama.cpp computes this batch in another way than the one it showed.")

    def _proved(self, engine: Engine) -> BlockAccess:
        with engine.request():
            plain = engine.read(self._probe(), _PROBE - 1)[_PROBE - 1]
        own, residuals = self._last_rows(_PROBE - 1)
        if not np.isfinite(plain).all():
            return self._refused(Unreadable.NUMBERS, "The model computes no numbers (NaN).")
        if not np.array_equal(own[-1], plain):
            return self._refused(
                Unreadable.CAPTURE, "Reading along changes what this model computes."
            )
        if self._options() != score_options(engine, _PROBE, self._wholes()):
            return self._refused(
                Unreadable.CAPTURE, "Reading along changes what this model says of options."
            )
        alone = [row.copy() for row in self.project(residuals, at_once=1)]
        own_together, residuals = self._last_rows(0)
        together = [row.copy() for row in self.project(residuals)]
        if not (np.array_equal(alone, own) and np.array_equal(together, own_together)):
            return self._refused(
                Unreadable.LENS,
                "The output of the last block, projected, is not this model's own output.",
            )
        return self._access()

    def _nodes(self) -> list[Node]:
        nodes = self._tap.record()
        try:
            with self.request():
                self.read(self._probe(), _PROBE - 1)
        finally:
            self._tap.stop_recording()
        return nodes

    def _probe(self) -> list[int]:
        return [place * 7 % self.tokens for place in range(1, _PROBE + 1)]

    def _wholes(self) -> list[list[int]]:
        """The probe with options of several tokens, of which some architectures make batches."""
        tails = ((1, 2, 3), (2, 3), (3, 1, 2))
        return [[*self._probe(), *(token % self.tokens for token in tail)] for tail in tails]

    def _options(self) -> list[tuple[float, int]]:
        with self.watching({node: [_look] for node in self.graph.parts()}):
            return score_options(self, _PROBE, self._wholes())

    def _last_rows(self, first: int) -> tuple[Array, Array]:
        """The probe's logits from a position on, and the last block's residual streams there.

        Every part is watched, because what is watched is computed apart from its neighbours.
        """
        kept = WantedRows([self.graph.blocks[-1].residual])
        watchers = merged([kept.watchers(), *({node: [_look]} for node in self.graph.parts())])
        with self.watching(watchers), self.request():
            own = self.read(self._probe(), first)
        return np.stack(list(own.values())), kept.stacked()[:, 0]

    def _refused(self, why: Unreadable, reason: str) -> BlockAccess:
        self._graph = None
        return BlockAccess(self.blocks, 0, self.width, frozenset(), False, False, why, reason)

    def _access(self) -> BlockAccess:
        blocks = self.graph.blocks
        heads = min(block.head_count for block in blocks)
        parts, head_width = {Part.RESIDUAL}, 0
        if all(block.attention is not None for block in blocks):
            parts |= {Part.ATTENTION, Part.FEED_FORWARD}
        if heads and all(block.heads is not None for block in blocks):
            parts.add(Part.HEAD)
            head_width = blocks[0].head_width
        attribution = Part.ATTENTION in parts and self.graph.embedding is not None
        attention = all(block.weights is not None for block in blocks)
        return BlockAccess(
            self.blocks,
            heads,
            self.width,
            frozenset(parts),
            attribution,
            attention,
            head_width=head_width,
        )


def needs_of(engine: Engine) -> BlockNeeds:
    """What an inspection of a model asks of memory, in bytes.

    The cache holds a key and a value (F16) for each block and key-value head, as wide as the
    header says, or as the width over the heads.
    """
    model = engine.model
    width, heads = int(c.llama_model_n_embd(model)), max(1, int(c.llama_model_n_head(model)))
    each = sum(
        engine.number(f"attention.{part}_length") or max(1, width // heads)
        for part in ("key", "value")
    )
    cell = 2 * engine.blocks * max(1, int(c.llama_model_n_head_kv(model))) * each
    rows = 2 * 4 * CHUNK * engine.tokens
    return BlockNeeds(cell * (engine.context + OPTION_ROOM) + rows + _GRAPH, CAPTURED)


def check_captured(rows: int, width: int) -> None:
    """Raise `ModelError` where so many rows of 32-bit numbers are more than may be held."""
    if rows * width * 4 > CAPTURED:
        raise ModelError(
            f"This would hold {human_bytes(rows * width * 4)} of what the blocks compute; "
            f"at most {human_bytes(CAPTURED)} are.",
            hint="Ask for fewer positions, or for shorter options.",
        )


def merged(parts: Iterable[Watchers]) -> dict[int, list[Watcher]]:
    """Watchers of several kinds together; those of earlier parts see a node first."""
    found: dict[int, list[Watcher]] = {}
    for part in parts:
        for node, watchers in part.items():
            found.setdefault(node, []).extend(watchers)
    return found


def _look(tensor: Computed, positions: Sequence[Position]) -> None:
    """Watch without keeping anything."""


def _positions(rows: Sequence[Position], count: int) -> list[Position]:
    """What a tensor's rows belong to: all that is evaluated, or what logits are asked for.

    llama.cpp drops the other rows in the last block. `Position.row` is the row of the tensor.
    """
    if count == len(rows):
        return list(rows)
    kept = [position for position in rows if position.wanted]
    if count != len(kept):
        raise ModelError(
            "llama.cpp computes a batch of this model in parts, so it cannot be told what belongs "
            "to which token."
        )
    return [Position(row, old.place, True) for row, old in enumerate(kept)]
