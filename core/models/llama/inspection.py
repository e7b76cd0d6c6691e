"""A second context of a loaded model, in which every block can be read and changed.

The first context has no callback, so plain requests are not slowed down. This one decodes in the
same chunks, so it computes the same numbers, on an accelerator within a tolerance; `check` proves
that for each model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from llama_cpp import llama_cpp as c
from numpy.typing import NDArray

from core.models.blocks import SELF_TEST_TOLERANCE, BlockAccess, Part, Unreadable
from core.models.llama.block_memory import check_memory
from core.models.llama.chunks import CHUNK
from core.models.llama.completion import score_options
from core.models.llama.decoder import Decoder, Row, context_parameters
from core.models.llama.engine import Engine
from core.models.llama.graph import BlockNodes, Graph, find_parts
from core.models.llama.prefixes import Prefixes
from core.models.llama.tap import Array, Computed, Node, Tap
from core.models.memory import PREFIX_ROOM
from core.text.errors import ModelError
from core.text.language import _

_SCRATCH = 1
"""The sequence in which residual streams are projected."""
_PROBE = 12
"""Tokens of the text that the checks read."""


@dataclass(frozen=True, slots=True)
class Position:
    """The token that a row of a tensor belongs to."""

    row: int
    index: int
    """Position of the token in its sequence."""
    wanted: bool
    """Whether its logits were requested."""


Watcher = Callable[[Computed, Sequence[Position]], None]
Watchers = Mapping[int, Sequence[Watcher]]
"""The watchers of each node, by the node's index in the graph; called in this order."""


class WantedRows:
    """Captures the rows of some nodes at the positions whose logits are requested."""

    def __init__(self, nodes: Sequence[int]) -> None:
        self._nodes = nodes
        self._rows: dict[int, list[Array]] = {node: [] for node in nodes}

    def watchers(self) -> dict[int, list[Watcher]]:
        """For `Inspection.watching`."""
        return {node: [self._watcher(self._rows[node])] for node in self._nodes}

    def stacked(self) -> Array:
        """The captured rows, (positions, nodes, width), positions in the order of evaluation."""
        return np.stack([np.stack(self._rows[node]) for node in self._nodes], axis=1)

    def _watcher(self, kept: list[Array]) -> Watcher:
        def keep(tensor: Computed, positions: Sequence[Position]) -> None:
            kept.extend(tensor.row(position.row) for position in positions if position.wanted)

        return keep


class Inspection(Decoder):
    """A context with a tap. One request at a time, as with every decoder."""

    def __init__(self, engine: Engine, cancelled: Callable[[], bool]) -> None:
        """Raises `ModelError` when there is too little memory for it, also on an accelerator."""
        check_memory(engine)
        self._tap = Tap()
        self._watchers: Watchers = {}
        self._watched: Set[int] | None = None
        self._computed: Set[int] = frozenset()
        self._idle: Set[int] = frozenset()
        self._graph: Graph | None = None
        settings = context_parameters(
            engine.context, engine.threads, engine.gpu_layers, exact=engine.exact
        )
        settings.cb_eval = self._tap.callback
        super().__init__(engine.model, engine.context, settings, cancelled)
        self._known_prefixes: Prefixes | None = Prefixes(self._context, PREFIX_ROOM)
        self.passes_over = not engine.gpu_layers and self._branches > 1
        """Whether blocks may be passed over: on a processor, of a model without a state."""
        self.passing_proved = False
        """Whether it was proved that this changes no bit; see `scored_with_stream`."""
        self.blocks = engine.blocks
        self.width = int(c.llama_model_n_embd(engine.model))

    def close(self) -> None:
        """Free the context; this object cannot be used afterwards."""
        c.llama_free(self._context)

    @property
    def graph(self) -> Graph:
        """The model's graph. Raises `ModelError` where it cannot be read; see `check`."""
        if self._graph is None:
            raise ModelError(_("The blocks of this model cannot be read."))
        return self._graph

    def block(self, number: int) -> BlockNodes:
        """A block's nodes; raises `ModelError` for one that does not exist."""
        if not 0 <= number < self.blocks:
            raise ModelError(
                _("There is no block {number}.", number=number),
                hint=_("Blocks count from 0 to {blocks}.", blocks=self.blocks - 1),
            )
        return self.graph.blocks[number]

    def residuals(self) -> list[int]:
        """The nodes of the residual stream after each block."""
        return [block.residual for block in self.graph.blocks]

    @contextmanager
    def watching(
        self,
        watchers: Watchers,
        positions: Set[int] | None = None,
        computed: Set[int] = frozenset(),
        idle: Set[int] = frozenset(),
    ) -> Iterator[None]:
        """Call the watchers for the nodes that are computed inside.

        Given `positions`, only for batches with one of them: watching costs time. llama.cpp
        computes the end of the last block only where logits are wanted, and at `computed`. Nodes in
        `idle` are not computed.
        """
        self._watchers, self._watched, self._computed = watchers, positions, computed
        self._idle = idle
        try:
            yield
        finally:
            self._watchers, self._watched, self._computed = {}, None, frozenset()
            self._idle = frozenset()

    @contextmanager
    def reusing_prefixes(self) -> Iterator[None]:
        """Evaluate the first tokens that prompts share once, as `Decoder.keep_prefixes` does.

        Only where no token before the first one whose logits are wanted is watched or edited.
        """
        self.prefixes = self._known_prefixes
        try:
            yield
        finally:
            self._known_prefixes, self.prefixes = self.prefixes, None

    def project(
        self, residuals: Array, *, at_once: int = CHUNK, watchers: Watchers | None = None
    ) -> Iterator[Row]:
        """Project residual streams onto the vocabulary, as if each were the last block's output.

        `residuals` is (rows, width). llama.cpp itself applies the final norm and the unembedding:
        filler tokens are decoded in a scratch sequence, and the last block's output for them is
        replaced; `watchers` see what is computed from that. A row of logits is valid until the next
        one is requested.
        """
        last = self.graph.blocks[-1].residual
        for start in range(0, len(residuals), at_once):
            part = residuals[start : start + at_once]
            with self.scratch(len(part), merged([{last: [replacing(part)]}, watchers or {}])):
                for row in range(len(part)):
                    yield self._row(row)

    @contextmanager
    def scratch(self, count: int, watchers: Watchers) -> Iterator[None]:
        """Decode up to `CHUNK` filler tokens in a sequence of their own, which is then dropped."""
        with self.watching(watchers):
            self._decode([0] * count, range(count), [_SCRATCH] * count, [True] * count)
        yield
        c.llama_memory_seq_rm(self._memory, _SCRATCH, -1, -1)

    def check(self, engine: Engine) -> BlockAccess:
        """Find the parts of the blocks, and prove on a short text that reading them is exact.

        Checked bit for bit on a processor, and within `SELF_TEST_TOLERANCE` where an accelerator
        has layers: watching changes neither the logits of a prompt nor the scores of options
        batched after it; the last residual stream, projected alone, gives the model's own logits,
        and so do several projected together.
        """
        try:
            self._graph = find_parts(self.nodes(), self.blocks)
        except ModelError as error:
            return self._unreadable(Unreadable.NAMES, error.what)
        try:
            return self._check_exactness(engine)
        except ModelError as error:
            return self._unreadable(Unreadable.CAPTURE, error.what)

    def _decode(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        sequences: Sequence[int],
        wanted: Sequence[bool],
    ) -> None:
        if self._computed:
            wanted = [
                is_wanted or index in self._computed
                for index, is_wanted in zip(positions, wanted, strict=True)
            ]
        rows = [
            Position(row, index, bool(is_wanted))
            for row, (index, is_wanted) in enumerate(zip(positions, wanted, strict=True))
        ]

        def listener(watchers: Sequence[Watcher]) -> Callable[[Computed], None]:
            def hear(tensor: Computed) -> None:
                positions = _positions(rows, tensor.rows)
                for watcher in watchers:
                    watcher(tensor, positions)

            return hear

        watched = self._watched is None or not self._watched.isdisjoint(positions)
        watchers = self._watchers if watched else {}
        listeners = {node: listener(each) for node, each in watchers.items() if each}
        self._tap.begin(listeners, self._idle)
        try:
            super()._decode(tokens, positions, sequences, wanted)
        finally:
            self._tap.restore()
        self._tap.end()
        if self._graph is not None and self._tap.asked != self._graph.nodes:
            raise ModelError(
                _("llama.cpp computes this batch in another way than the one it showed.")
            )

    def _check_exactness(self, engine: Engine) -> BlockAccess:
        with engine.request():
            plain = engine.read(self._probe(), _PROBE - 1)[_PROBE - 1]
        if not np.isfinite(plain).all():
            return self._unreadable(Unreadable.NUMBERS, "The model computes no numbers (NaN).")
        allowed = SELF_TEST_TOLERANCE if engine.gpu_layers else 0.0
        furthest = 0.0
        for unreadable, what, gap in self._gaps(engine, plain):
            if not gap <= allowed:  # also where it is no number
                apart = f" ({gap:.2g} apart, allowed are {allowed:g})" if allowed else ""
                return self._unreadable(unreadable, f"{what}{apart}.")
            furthest = max(furthest, gap)
        return replace(self._access(), deviation=furthest)

    def _gaps(self, engine: Engine, plain: Row) -> Iterator[tuple[Unreadable, str, float]]:
        """What is compared in the check, and how far it is apart."""
        own, residuals = self._last_rows(_PROBE - 1)
        what = "Reading along changes what this model computes"
        yield Unreadable.CAPTURE, what, _gap(own[-1], plain)
        watched = self._score_probe_options()
        unwatched = score_options(engine, _PROBE, self._probe_sequences())
        what = "Reading along changes what this model says of options"
        yield Unreadable.CAPTURE, what, _gap(_logprobs(watched), _logprobs(unwatched))
        alone = np.array([row.copy() for row in self.project(residuals, at_once=1)])
        what = "The output of the last block, projected, is not this model's own output"
        yield Unreadable.LENS, what, _gap(alone, own)
        own_together, residuals = self._last_rows(0)
        together = np.array([row.copy() for row in self.project(residuals)])
        yield Unreadable.LENS, what, _gap(together, own_together)

    def nodes(self) -> list[Node]:
        """The nodes that llama.cpp computes for a prompt, in their order; evaluates one."""
        nodes = self._tap.record()
        try:
            with self.request():
                self.read(self._probe(), _PROBE - 1)
        finally:
            self._tap.stop_recording()
        return nodes

    def _probe(self) -> list[int]:
        return [index * 7 % self.tokens for index in range(1, _PROBE + 1)]

    def _probe_sequences(self) -> list[list[int]]:
        """The probe with options of several tokens, which some architectures batch differently."""
        tails = ((1, 2, 3), (2, 3), (3, 1, 2))
        return [[*self._probe(), *(token % self.tokens for token in tail)] for tail in tails]

    def _score_probe_options(self) -> list[tuple[float, int]]:
        with self.watching({node: [_watch_only] for node in self.graph.parts()}):
            return score_options(self, _PROBE, self._probe_sequences())

    def _last_rows(self, first: int) -> tuple[Array, Array]:
        """The probe's logits from a position on, and the last block's residual streams there.

        Every part is watched, because llama.cpp computes a watched node separately.
        """
        kept = WantedRows([self.graph.blocks[-1].residual])
        watchers = merged(
            [kept.watchers(), *({node: [_watch_only]} for node in self.graph.parts())]
        )
        with self.watching(watchers), self.request():
            own = self.read(self._probe(), first)
        return np.stack(list(own.values())), kept.stacked()[:, 0]

    def _unreadable(self, unreadable: Unreadable, reason: str) -> BlockAccess:
        self._graph = None
        return BlockAccess(self.blocks, width=self.width, unreadable=unreadable, reason=reason)

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


def merged(parts: Iterable[Watchers]) -> dict[int, list[Watcher]]:
    """Combine watchers; for a node that several watch, the earlier ones are called first."""
    combined: dict[int, list[Watcher]] = {}
    for part in parts:
        for node, watchers in part.items():
            combined.setdefault(node, []).extend(watchers)
    return combined


def replacing(rows: Array) -> Watcher:
    """A watcher that replaces what is computed by rows, one for each position."""

    def replace(tensor: Computed, positions: Sequence[Position]) -> None:
        for position, row in zip(positions, rows, strict=True):
            tensor.write(position.row, row)

    return replace


def _gap(one: NDArray[Any], other: NDArray[Any]) -> float:
    """The largest difference between two arrays; NaN where one of them has a NaN."""
    # The difference of two equal infinities would be NaN.
    return 0.0 if np.array_equal(one, other) else float(np.abs(one - other).max())


def _logprobs(scores: Sequence[tuple[float, int]]) -> NDArray[Any]:
    return np.array([logprob for logprob, _ in scores])


def _watch_only(tensor: Computed, positions: Sequence[Position]) -> None:
    """Watch a node without capturing anything."""


def _positions(rows: Sequence[Position], count: int) -> list[Position]:
    """The tokens that a tensor's rows belong to: the whole batch, or those with wanted logits.

    llama.cpp drops the other rows in the last block. `Position.row` is the row of the tensor.
    """
    if count == len(rows):
        return list(rows)
    kept = [position for position in rows if position.wanted]
    if count != len(kept):
        raise ModelError(
            _(
                "llama.cpp computes a batch of this model in parts, so it cannot be told "
                "what belongs to which token."
            )
        )
    return [Position(row, old.index, True) for row, old in enumerate(kept)]
